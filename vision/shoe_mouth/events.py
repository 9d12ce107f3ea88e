"""What is told of a shoe's mouth: pictures in short, and the events that come of them."""

from typing import Literal, NamedTuple

from vision.shoe_mouth.foreground import View
from vision.tracking.events import CardName

Doubtful = Literal["two", "unclear", "gap", "covered", "dark", "glare"]
"""Perhaps two cards as one · which way a card went · pictures are missing · the mouth was not to be seen."""


class Sight(NamedTuple):
    """An index that was certain in one picture; `along` is its place, 0 where cards come in, 1 the exit."""

    name: CardName
    p: float
    along: float


class Glimpse(NamedTuple):
    """One picture: when it was taken, what it shows and which indices were read in it."""

    mono_ms: int
    view: View
    sights: tuple[Sight, ...] = ()


class Left(NamedTuple):
    """A card has left; `name` is None when it was not certain, `p` the probability of the name."""

    name: CardName | None
    p: float


class CutLeft(NamedTuple):
    """The cut card has left."""

    cut: bool = True


class PulledBack(NamedTuple):
    """A card went back into the shoe; it has not been counted."""

    back: bool = True


class Doubt(NamedTuple):
    """Something that nobody could see; told before the card that it is about."""

    about: Doubtful


Event = Left | CutLeft | PulledBack | Doubt
