"""What an act says of itself above its shape; feed, policy and pages read it instead of naming acts."""

from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any, Final, Literal, NamedTuple, Protocol, TypeVar

from controller.acts.permits import PIT_ALONE, Act, Row
from controller.irregularities import HoldCode, Way

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
    """What a hold is about, as far as an act can name it.

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
    """What an act may ask of the table to tell which row of the table of permissions it is."""

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
    """Which holds an act can end: it takes this way out of those that it is about.

    `way` may depend on the act and on the ways that the hold offers. `at_once`: it ends such a hold by being
    taken; any other act ends it where the table shows that the fault is over, or can never show it.
    `any_round`: the act is not one on a single round; any other act is about holds of its own round only.
    `over_others`: it is taken whatever else holds the table.
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
        """Whether this act ends what it is about by being taken."""
        return self.at_once(act) if callable(self.at_once) else self.at_once


class Declared(NamedTuple):
    """Decorates the shape of an act.

    `name` is its `obs` in feed and journal, `what` tells acts of one name apart. `renamed`: fields with
    another name in a line, since Python keeps those words for itself. `written_unset`: the field of which
    null says something. `check` finds what is wrong with a line as a whole, `finish` completes what it may
    leave out.

    `permits`: its rows in the table of permissions, the usual one first; `permit` chooses one by what the act
    says and how the table stands, `at_screen` is that of a person who enters what devices report.
    `dealer_signs`: the second person may be the dealer, before whose eyes the chips move. `in_count`: it may
    come while the shoe's rest is counted. `timeless`: it says the same whatever has happened meanwhile; the
    engine refuses it when it is late. `lifts`: which holds it ends. `answers`: whether it answers what is
    asked while the table waits.
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


RULED_BY_PIT: Final[Mapping[Act, Row]] = {Act.RULING: PIT_ALONE}


def ruling(
    name: str,
    permits: Mapping[Act, Row] = RULED_BY_PIT,
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
) -> Declared:
    """Declare a ruling on a round. It has to say which holds it ends; `lifts=None` means none."""
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
    )
