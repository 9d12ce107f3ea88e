"""The vocabulary of the table of permissions: who may do an act, and when. Each act declares its own rows."""

from enum import StrEnum
from typing import Final, Literal, NamedTuple

Permission = Literal["yes", "no", "held"]
"""May be entered; never by this role (NOT_ALLOWED); not while the table waits (TABLE_HELD)."""


class Situation(StrEnum):
    """The state of a table at a report; for a waiting table, the role that lifts the hold."""

    # Every line is looked up by it: the hash that a string has, and not the slower one of its name.
    __hash__ = str.__hash__

    NO_ROUND = "no round"
    BETTING = "bets are open"
    DEALING = "cards are dealt"
    SETTLED = "settled, not cleared"
    DAY_CLOSED = "the day is closed"
    ANSWERING = "held by nothing but what this answers"
    HELD_DEALER = "held, the dealer lifts it"
    HELD_PIT = "held, the pit lifts it"
    HELD_TWO = "held, two people lift it"
    HELD_ADMINISTRATOR = "held, an administrator lifts it"


class Act(StrEnum):
    """The acts at a table, named as in the feed and on the wire; some are divided further."""

    __hash__ = str.__hash__  # As above.

    SHOE = "shoe"
    SHUFFLE = "shuffle"
    SHOE_END = "shoe_end"
    REST_COUNT = "rest_count: begin"
    REST_CANCEL = "rest_count: cancel"
    REST_CARD = "rest_card"
    BET = "bet"
    BET_LATE = "bet after the first card"
    CLOSE = "close"
    CARD = "card"
    CARD_AT_SCREEN = "card laid by hand at a screen"
    DECISION = "decision"
    INSURANCE = "insurance"
    EVEN_MONEY = "even_money"
    INSURANCE_CLOSED = "insurance_closed"
    PEEK = "peek"
    REVEAL = "reveal"
    CUT_CARD = "cut_card"
    EXPOSED = "exposed"
    LEAVE = "leave"
    PAID = "paid"
    PAID_LATE = "paid of an ended round"
    PAID_MEASURED = "paid as measured"
    PAID_LATE_MEASURED = "paid of an ended round as measured"
    CHIP_READING = "chip_reading"
    END = "end"
    CHIPS = "chips"
    BANK = "bank"
    DEVICE = "device"
    DEVICE_AT_SCREEN = "device reported at a screen"
    NAME_RANK = "correct: the rank of a card nobody could read"
    UNDO = "amend: Undo"
    RULING = "any other correct, strike, move, void, swap, amend; shoe_void"
    LIMITS = "limits"
    COUNT = "count"
    FILL = "fill"
    CREDIT = "credit"
    SLIP_VOID = "slip_void"
    DROP = "drop"
    TABLE = "table"
    DEALER = "dealer"
    NOTE = "note"
    MESSAGE = "message"
    RATING = "rating"
    RESUME = "resume"
    RESUME_WITHOUT = "resume without a lost device"
    RESUME_WITHOUT_WITNESS = 'resume without a lost witness, with `degrade_by = "dealer"`'
    RESUME_AT_SCREEN = "resume as a fact entered at a screen"
    FREEZE = "freeze"
    CALL_PIT = "freeze at a screen: call the pit"
    HANDLED = "handled"
    ALERT_SEEN = "alert: ack"
    ALERT = "alert: assign, resolve"
    ORDER = "order"
    NAME = "name"
    EDITING = "editing"
    AUTOPLAY = "autoplay"
    DRAW = "draw"
    AUDIT = "read the audit trail"
    STAFF_NOTE = "sign-ins, refusals and changes of people"


FREE: Final = frozenset(
    (
        Situation.NO_ROUND,
        Situation.BETTING,
        Situation.DEALING,
        Situation.SETTLED,
        Situation.DAY_CLOSED,
    )
)
"""Situations in which nothing holds the table."""


class When(NamedTuple):
    """The situations in which a role may do an act, and those in which the table waits instead."""

    yes: frozenset[Situation]
    held: frozenset[Situation] = frozenset()

    def answer(self, situation: Situation) -> Permission:
        """Give one cell."""
        if situation in self.yes:
            return "yes"
        return "held" if situation in self.held else "no"


ALL: Final = frozenset(Situation)
NEVER: Final = When(frozenset())
ALWAYS: Final = When(ALL)
UNHELD: Final = When(FREE, ALL - FREE)
ANSWERS: Final = When(FREE | {Situation.ANSWERING}, ALL - FREE - {Situation.ANSWERING})
"""What is asked for as well: the stake, the decision, who insures, the rank; for the pit the fresh shoe."""
OWN_HOLDS: Final = When(FREE | {Situation.ANSWERING, Situation.HELD_DEALER})
NOT_ADMINISTRATORS: Final = When(ALL - {Situation.HELD_ADMINISTRATOR})
ADMINISTRATORS: Final = When(frozenset((Situation.HELD_ADMINISTRATOR,)))


class Row(NamedTuple):
    """An act's line in the table. `device` is shoe and camera, `onlooker` surveillance and tester."""

    dealer: When
    pit: When
    device: When = NEVER
    chips: When = NEVER
    administrator: When = NEVER
    onlooker: When = NEVER
    system: When | None = None
    """The table itself: as the pit, but where it says otherwise."""


PEOPLE: Final = Row(UNHELD, UNHELD)
"""Dealer and pit, while nothing holds the table."""
PIT_ALONE: Final = Row(NEVER, ALWAYS)
