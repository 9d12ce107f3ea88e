"""What an act says of itself above its shape; feed, policy and pages read it instead of naming acts."""

from collections.abc import Callable, Mapping
from typing import Any, Final, Literal, NamedTuple, TypeVar

from controller.acts.permits import Act, Row
from controller.domain.irregularities import Way

Line = Mapping[str, Any]
"""A line of the feed whose fields are checked, each by itself."""
Problem = tuple[Literal["missing", "wrong"], str]
"""What is the matter with which field of a line."""
Unnamed = Literal["dealer", "pit", "shoe", "system", "chips"]
"""From whom a line comes that does not say it."""
Second = Literal["", "always", "void_round", "shoe_void", "limits", "fill", "credit", "float_count"]
"""By which setting (`SecondPerson`) a house has two people do it; `always`: the law leaves no choice."""
About = Literal[
    "", "card", "box", "bettor", "hands", "hole card", "void", "codes", "shoe", "cards of the shoe"
]
"""What of a hold has to be that of an act, for the act to be one on its fault."""

Shape = TypeVar("Shape", bound=type[Any])
DECLARED: Final[dict[type[Any], "Declared"]] = {}
"""Filled as acts are imported; read it through `controller.acts.catalogue`, which imports all."""


class Declared(NamedTuple):
    """Stands as a decorator over the shape of an act.

    `name` is its `obs` in feed and journal, `what` tells acts of one name apart. `renamed`: fields that a
    line calls otherwise, since Python keeps those words for itself. `written_unset`: the field of which null
    says something. `check` finds what is wrong with a line as a whole, `finish` mends what it may leave out.

    `permits`: its rows in the table of permissions, the usual one first. `dealer_signs`: the second person
    may be the dealer, before whose eyes the chips move. `in_count`: it may come while the shoe's rest is
    counted. `timeless`: it says the same whatever has happened meanwhile; the engine refuses it when it is
    late. `beside_the_round`: the engine keeps no fact of it. `way`: the way out of a hold that it is.
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
    beside_the_round: bool = False
    way: Way | Callable[[Any, tuple[Way, ...]], Way] | None = None
    about: About = ""

    def __call__(self, shape: Shape) -> Shape:
        """Keep what is said of this shape."""
        DECLARED[shape] = self
        return shape

    @property
    def permit(self) -> Act:
        """The usual row in the table of permissions."""
        return next(iter(self.permits))
