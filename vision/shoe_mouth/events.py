"""Observations of a shoe's mouth and the events that follow from them."""

from typing import Literal, NamedTuple

from vision.reading import CardName
from vision.shoe_mouth.foreground import Foreground

UncertainAbout = Literal["two", "unclear", "gap", "covered", "dark", "glare"]
"""Perhaps two cards as one; which way a card went; pictures are missing; the mouth was not to be seen (three
ways)."""


class IndexDetection(NamedTuple):
    """An index that was certain in one picture: name, probability (0..1), place.

    `along` is the place between the side where cards come in (0) and the exit (1).
    """

    name: CardName
    p: float
    along: float


class MouthObservation(NamedTuple):
    """One picture: its time, what differs from the empty mouth, and the certain indices."""

    mono_ms: int
    foreground: Foreground
    detections: tuple[IndexDetection, ...] = ()


class CardLeft(NamedTuple):
    """A card has left; `name` is None when it was not certain, `p` (0..1) the probability of the name."""

    name: CardName | None
    p: float


class CutCardLeft(NamedTuple):
    """The cut card has left."""

    cut: bool = True


class PulledBack(NamedTuple):
    """A card went back into the shoe; it has not been counted."""

    back: bool = True


class Uncertain(NamedTuple):
    """Something that could not be determined; reported before the card that it concerns."""

    about: UncertainAbout


MouthEvent = CardLeft | CutCardLeft | PulledBack | Uncertain
