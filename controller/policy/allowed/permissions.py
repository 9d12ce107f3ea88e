"""Who may do what, and when: one table of acts, roles and situations.

The live table asks it for every command and report, `stand17 replay --table` for every line. Which act a
line or command is, and in which situation the table is, `roles` finds out. What the rules
of the game allow comes after it. `docs/permissions.md` is printed from here.
"""

from enum import StrEnum
from typing import Final, Literal, NamedTuple

from controller.domain.irregularities import Release
from controller.policy.state.line_person import StaffRole, TableRole

Permission = Literal["yes", "no", "held"]
"""May be told; never by this role (NOT_ALLOWED); not while the table waits (TABLE_HELD)."""

ActingRole = StaffRole | TableRole | Literal["device"]
"""Whoever can stand behind an act: a person of the house by his employment, or a line's role.

A device reports (as shoe, camera or chips); as a sender of commands it may nothing.
"""


class Situation(StrEnum):
    """How a table stands when something is told; while it waits, who lifts what it waits for."""

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
    """What can be done at a table, as the feed and the wire call it; some are told apart further."""

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
    DEVICE_AT_SCREEN = "device told at a screen"
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
    RESUME_AT_SCREEN = "resume as a fact told at a screen"
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


_PLAY: Final = Row(UNHELD, UNHELD)
_RULING: Final = Row(NEVER, ALWAYS)
_BOTH: Final = Row(ALWAYS, ALWAYS)

PERMISSIONS: Final[dict[Act, Row]] = {
    Act.SHOE: Row(UNHELD, ANSWERS),
    Act.SHUFFLE: Row(UNHELD, ANSWERS),
    Act.SHOE_END: Row(UNHELD, ANSWERS),
    Act.REST_COUNT: Row(UNHELD, ANSWERS),
    # A dealer who gave it up would lose the card that is too many.
    Act.REST_CANCEL: Row(ANSWERS, ALWAYS),
    Act.REST_CARD: _RULING,
    Act.BET: Row(ANSWERS, ANSWERS),
    Act.BET_LATE: Row(ANSWERS, ANSWERS, ALWAYS),
    Act.CLOSE: _PLAY,
    Act.CARD: Row(ALWAYS, ALWAYS, ALWAYS),
    # A dealer's card goes through a reader; one that nobody could read he names by its rank.
    Act.CARD_AT_SCREEN: Row(NEVER, ALWAYS, system=UNHELD),
    Act.DECISION: Row(ANSWERS, ANSWERS),
    Act.INSURANCE: Row(ANSWERS, ANSWERS),
    Act.EVEN_MONEY: Row(ANSWERS, ANSWERS),
    Act.INSURANCE_CLOSED: Row(ANSWERS, ANSWERS),
    Act.PEEK: Row(UNHELD, UNHELD, UNHELD),
    Act.REVEAL: Row(ANSWERS, ANSWERS, ANSWERS),
    Act.CUT_CARD: Row(ALWAYS, ALWAYS, ALWAYS),
    Act.EXPOSED: Row(ALWAYS, ALWAYS, ALWAYS),
    Act.LEAVE: _PLAY,
    Act.PAID: Row(UNHELD, ALWAYS, UNHELD, UNHELD),
    Act.PAID_LATE: Row(NEVER, ALWAYS, NEVER, UNHELD),
    # "Measured" is said by what measures, the table included.
    Act.PAID_MEASURED: Row(NEVER, NEVER, UNHELD, UNHELD),
    Act.PAID_LATE_MEASURED: Row(NEVER, NEVER, NEVER, UNHELD),
    Act.CHIP_READING: Row(NEVER, NEVER, NEVER, ALWAYS),
    Act.END: _PLAY,
    Act.CHIPS: _PLAY,
    Act.BANK: _PLAY,
    Act.DEVICE: Row(ALWAYS, ALWAYS, ALWAYS, ALWAYS),
    Act.DEVICE_AT_SCREEN: _RULING,
    Act.NAME_RANK: Row(ANSWERS, ALWAYS),
    Act.UNDO: Row(UNHELD, ALWAYS),
    Act.RULING: _RULING,
    Act.LIMITS: _RULING,
    Act.COUNT: _RULING,
    Act.FILL: _RULING,
    Act.CREDIT: _RULING,
    Act.SLIP_VOID: _RULING,
    Act.DROP: _PLAY,
    Act.TABLE: _PLAY,
    Act.DEALER: Row(UNHELD, UNHELD, system=ALWAYS),
    Act.NOTE: Row(ALWAYS, ALWAYS, ALWAYS, ALWAYS, ALWAYS, ALWAYS),
    Act.MESSAGE: _RULING,
    Act.RATING: _RULING,
    Act.RESUME: Row(OWN_HOLDS, NOT_ADMINISTRATORS, administrator=ADMINISTRATORS),
    Act.RESUME_WITHOUT: Row(NEVER, NOT_ADMINISTRATORS, administrator=ADMINISTRATORS),
    # A house that has set it so; by default it is an act of the row above.
    Act.RESUME_WITHOUT_WITNESS: Row(OWN_HOLDS, NOT_ADMINISTRATORS, administrator=ADMINISTRATORS),
    Act.RESUME_AT_SCREEN: Row(NEVER, NOT_ADMINISTRATORS),
    Act.FREEZE: _RULING,
    Act.CALL_PIT: _BOTH,
    Act.HANDLED: _PLAY,
    Act.ALERT_SEEN: _BOTH,
    Act.ALERT: _RULING,
    Act.ORDER: _RULING,
    Act.NAME: _RULING,
    Act.EDITING: _RULING,
    Act.AUTOPLAY: _BOTH,
    Act.DRAW: _BOTH,
    # It names who did what: a dealer's colleagues, and the pit that rules on him.
    Act.AUDIT: Row(NEVER, ALWAYS, administrator=ALWAYS, onlooker=ALWAYS),
    Act.STAFF_NOTE: Row(NEVER, NEVER, system=ALWAYS),
}

DEALER_SECONDS: Final = frozenset((Act.COUNT, Act.FILL, Act.CREDIT, Act.SLIP_VOID))
"""What a dealer may sign as the second person: chips that come, go or are counted at the table."""

DEALER_LIFTS: Final = frozenset(
    {"RESTARTED", "DEVICE_LOST", "DEVICE_STALE", "JOURNAL_SLOW", "STAKE_DIFFERS", "REST_CARD_UNREAD"}
)
"""Holds of no house's profile after which the dealer may go on alone; every other one is the pit's."""

TWO_LIFT: Final = frozenset(
    {
        "JOURNAL_CHECKPOINT_FALSE",
        "JOURNAL_HEADS_CUT",
        "JOURNAL_HEADS_MISSING",
        "JOURNAL_KEPT_DIFFERS",
        "JOURNAL_PUT_BACK",
        "TAKEN_OVER",
    }
)
"""Holds after which two people answer for going on: evidence is gone, by the table's own word or with it."""

ADMINISTRATOR_LIFTS: Final = frozenset({"SOFTWARE_DIFFERS", "SOFTWARE_FORGED"})
"""Holds that only an administrator lifts, and with them every other one that stands at that moment."""


def allowed(role: ActingRole, act: Act, situation: Situation) -> Permission:
    """Answer whether this role may do this act as the table stands: the one place that knows."""
    return _when(role, PERMISSIONS[act]).answer(situation)


def release_of(code: str) -> Release:
    """Who lifts a hold that no house's profile knows."""
    if code in TWO_LIFT:
        return "two"
    return "dealer" if code in DEALER_LIFTS else "pit"


def may_ever(role: ActingRole, act: Act) -> bool:
    """Whether there is any situation in which this role may do this act."""
    return _when(role, PERMISSIONS[act]) != NEVER


def _when(role: ActingRole, row: Row) -> When:
    match role:
        case "dealer":
            return row.dealer
        case "supervisor" | "pit_manager" | "pit":
            return row.pit
        case "shoe" | "camera":
            return row.device
        case "chips":
            return row.chips
        case "administrator":
            return row.administrator
        case "surveillance" | "tester":
            return row.onlooker
        case "system":
            return row.pit if row.system is None else row.system
    return NEVER
