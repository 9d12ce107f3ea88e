"""The declarations of an act beside its shape; feed, policy and pages use them instead of naming acts."""

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
    `lifts`: the holds that it ends. `answers`: whether it answers a question while the table waits.
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
