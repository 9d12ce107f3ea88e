"""What the reader says about one picture."""

from typing import Final, NamedTuple

Place = tuple[float, float]
"""x, y in pixels of the picture as given."""


class ReadCard(NamedTuple):
    """One physical card, certain.

    `at` is the centre of the index that was read (of the card when face down); `quad` its corners where
    known, clockwise; `hand` counts groups of cards lying together.
    """

    rank: str | None
    suit: str | None
    p: float
    at: Place
    quad: tuple[Place, Place, Place, Place] | None
    face: str
    hand: int
    corners: int = 0


class Unclear(NamedTuple):
    """Something seen but not certain; `reason` is one of REASONS.

    `rank` is the likeliest one where the reader has an idea, `p` its probability: a hint for a person who
    looks at the felt, never a card.
    """

    at: Place
    reason: str
    rank: str | None = None
    p: float = 0.0


class Reading(NamedTuple):
    """Cards by hand, each hand from the lowest to the topmost card; what stayed unclear; time taken."""

    cards: tuple[ReadCard, ...]
    unclear: tuple[Unclear, ...]
    ms: float


REASONS: Final = (
    "uncertain",
    "occluded",
    "disagreement",
    "like_card",
    "joker",
    "cut_card",
    "unread",
    "size",
    "missed",
    "face_down",
)
