"""What small devices say besides `KeyPressed`: a peek, chips at rest, losses."""

from dataclasses import dataclass

from controller.acts.catalogue import Observation, Peek
from controller.acts.money import ReadingKind
from drivers.keys import KeyPressed


@dataclass(frozen=True, slots=True)
class Peeked:
    """The peek device looked at the face-down card."""

    blackjack: bool


@dataclass(frozen=True, slots=True)
class ChipsSeen:
    """The chips of one bettor have come to rest at another amount.

    A `stake` is all that lies in the circle, 0 where nothing does, and comes again whenever the source has
    been opened anew. A `payout` is the total handed back in a round, stake included, and comes once.
    `amount` is in minor units, None where chips lie that the source cannot count; `p` is how sure it is, from
    0 to 1.
    """

    kind: ReadingKind
    box: int
    seat: int
    amount: int | None
    p: float


@dataclass(frozen=True, slots=True)
class LinesLost:
    """The device's counter jumped: `lines` (1 to 99) are missing, or it was switched on again."""

    lines: int


@dataclass(frozen=True, slots=True)
class LineRefused:
    """A line that is damaged (CHECK, LENGTH, FORM) or says nothing known (WORD)."""

    code: str


TextEvent = KeyPressed | Peeked | ChipsSeen | LinesLost | LineRefused


def to_observations(event: TextEvent) -> tuple[Observation, ...]:
    """Give the facts for the journal; keys mean nothing without knowing whose turn it is."""
    return (Peek(event.blackjack),) if isinstance(event, Peeked) else ()
