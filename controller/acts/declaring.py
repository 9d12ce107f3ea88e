"""The declaration of an act: its permissions, the holds that it ends, and who signs."""

from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass
from enum import StrEnum
from typing import Any, Final, Literal, NamedTuple, Protocol, TypeVar

from controller.irregularities import HoldCode, Way

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


Line = Mapping[str, Any]
"""A line of the feed whose fields are checked, each by itself."""
Problem = tuple[Literal["missing", "wrong"], str]
"""What is the matter with which field of a line."""
Unnamed = Literal["dealer", "pit", "shoe", "system", "chips"]
"""From whom a line comes that does not say it."""
Second = Literal["", "always", "void_round", "shoe_void", "limits", "fill", "credit", "float_count"]
"""By which setting (`SecondPerson`) a house has two people do it; `always`: the law leaves no choice."""

Shape = TypeVar("Shape", bound=type[Any])
DECLARED: Final[dict[type[Any], "Declared"]] = {}
"""Filled as acts are imported; read it through `controller.acts.catalogue`, which imports all."""


class Subject(NamedTuple):
    """The subject of a hold, in terms that an act can name.

    `card` is a number of its round, 0 for none, and `card_id` that card's id; `box` is 0 for the dealer and
    -1 for none; `bettor` is (box, seat), `hand` (box, hand). `of_hole`: the dealer's face-down card;
    `of_shoe`: the shoe's cards.
    """

    code: str
    ways: tuple[Way, ...]
    card: int
    card_id: str | None
    box: int
    bettor: tuple[object, object]
    hand: tuple[object, object]
    of_hole: bool
    of_shoe: bool


class Standing(Protocol):
    """The table's state, as far as an act's row in the table of permissions depends on it."""

    def bets_are_open(self) -> bool:
        """Whether stakes are still laid."""
        ...

    def waits_for_rank(self, card: int) -> bool:
        """Whether this card of the round lies open and was not read."""
        ...

    def was_last(self, box: int, hand: int, nth: int, round_: int | None) -> bool:
        """Whether this decision was entered last, and neither a card nor a turning has come since."""
        ...

    def was_just_closed(self) -> bool:
        """Whether the bets were closed, and no card has come since."""
        ...


def answer_to(code: HoldCode) -> Callable[[Any, Subject], bool]:
    """An act that answers every hold of this code."""
    return lambda _, hold: hold.code == code


@dataclass(frozen=True, slots=True)
class Lifts:
    """The holds that an act can end, and the resolution that it applies.

    `way` may depend on the act and on the ways that the hold offers. `at_once`: the act ends such a hold when
    it is taken; otherwise the hold ends when the table shows that the fault is over, or can never show it.
    `any_round`: the act does not belong to a single round; otherwise it concerns holds of its own round only.
    `over_others`: the act is taken in spite of other holds.
    """

    way: Way | Callable[[Any, tuple[Way, ...]], Way]
    about: Callable[[Any, Subject], bool]
    _: KW_ONLY
    at_once: bool | Callable[[Any], bool]
    any_round: bool = False
    over_others: bool = False

    def way_out(self, act: Any, offered: tuple[Way, ...]) -> Way:
        """Return the way that this act takes."""
        return self.way(act, offered) if callable(self.way) else self.way

    def ends_at_once(self, act: Any) -> bool:
        """Whether the act ends its holds when it is taken."""
        return self.at_once(act) if callable(self.at_once) else self.at_once


class Declared(NamedTuple):
    """A decorator with an act's declarations.

    `name` is its `obs` in feed and journal; `what` distinguishes acts of one name. `renamed`: fields with
    another name in a line, because Python reserves those words. `written_unset`: the field whose null has a
    meaning. `check` finds faults of a whole line, `finish` fills in omitted fields.

    `permits`: its rows in the table of permissions, the usual one first; `permit` chooses one by the act and
    the table's state; `at_screen` is the row for a person who enters a device's report. `dealer_signs`: the
    second person may be the dealer, who sees the chips move. `in_count`: permitted while the shoe's rest is
    counted. `timeless`: the act means the same in any later state; the engine refuses it when it is late.
    `lifts`: the holds that it ends. `corrects`: it changes what was entered. `answers`: whether it answers a
    question while the table waits.
    """

    name: str
    permits: Mapping[Act, Row]
    what: str = ""
    renamed: Mapping[str, str] = {}
    written_unset: str = ""
    check: Callable[[Line], Problem | None] | None = None
    finish: Callable[[Any], Any] | None = None
    unnamed: Unnamed = "dealer"
    second: Second | Callable[[Any], Second] = ""
    dealer_signs: bool = False
    in_count: bool = False
    timeless: bool = False
    lifts: Lifts | None = None
    answers: Callable[[Any, Subject], bool] | None = None
    permit: Callable[[Any, Standing], Act] | None = None
    at_screen: Act | None = None
    corrects: bool = False

    def __call__(self, shape: Shape) -> Shape:
        """Register the shape."""
        DECLARED[shape] = self
        return shape

    @property
    def usual_permit(self) -> Act:
        """The usual row in the table of permissions."""
        return next(iter(self.permits))

    def permit_of(self, act: Any, standing: Standing) -> Act:
        """The row of an act."""
        return self.usual_permit if self.permit is None else self.permit(act, standing)


_RULED_BY_PIT: Final[Mapping[Act, Row]] = {Act.RULING: PIT_ALONE}


def ruling(
    name: str,
    permits: Mapping[Act, Row] = _RULED_BY_PIT,
    *,
    lifts: Lifts | None,
    what: str = "",
    renamed: Mapping[str, str] = {},
    written_unset: str = "",
    check: Callable[[Line], Problem | None] | None = None,
    finish: Callable[[Any], Any] | None = None,
    second: Second | Callable[[Any], Second] = "",
    answers: Callable[[Any, Subject], bool] | None = None,
    permit: Callable[[Any, Standing], Act] | None = None,
    corrects: bool = True,
) -> Declared:
    """Declare a ruling on a round. It has to say which holds it ends; `lifts=None` means none.

    `corrects=False`: the ruling confirms what was entered, and the round counts as not corrected.
    """
    return Declared(
        name,
        permits,
        what,
        renamed,
        written_unset,
        check,
        finish,
        "pit",
        second,
        lifts=lifts,
        answers=answers,
        permit=permit,
        corrects=corrects,
    )
