"""What small serial devices say besides `KeyPressed`: a peek, a count of the discard rack, losses."""

from dataclasses import dataclass

from controller.acts.catalogue import Observation, Peek
from drivers.chips import ChipsSeen
from drivers.keys import KeyPressed


@dataclass(frozen=True, slots=True)
class Peeked:
    """The peek device looked at the face-down card."""

    blackjack: bool


@dataclass(frozen=True, slots=True)
class RackCounted:
    """So many cards lie in the discard rack."""

    cards: int


@dataclass(frozen=True, slots=True)
class LinesLost:
    """The device's counter jumped: `lines` (1 to 99) are missing, or it was switched on again."""

    lines: int


@dataclass(frozen=True, slots=True)
class LineRefused:
    """A line that is damaged (CHECK, LENGTH, FORM) or says nothing known (WORD)."""

    code: str


TextEvent = KeyPressed | Peeked | RackCounted | ChipsSeen | LinesLost | LineRefused


def to_observations(event: TextEvent) -> tuple[Observation, ...]:
    """Give the facts for the journal; keys mean nothing without knowing whose turn it is."""
    return (Peek(event.blackjack),) if isinstance(event, Peeked) else ()
