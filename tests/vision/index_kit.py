"""Indices and cards made by hand: what the pipeline hands on after reading, without a picture."""

import numpy as np

from vision.assembly import AssembledCard
from vision.indices import Index
from vision.reading import RANKS, SUITS

UP, DOWN = (0.0, 1.0), (0.0, -1.0)
"""Directions of an index that stands upright, and of one upside down."""


def index(
    x: float,
    y: float,
    index_px: float = 24.0,
    rank: int = 0,
    down: tuple[float, float] = UP,
    suit: int = 0,
    p: float = 0.99,
) -> Index:
    """An index of 24 pixels, an ace of clubs unless said otherwise."""
    place, way = np.array([x, y], float), np.array(down, float)
    return Index(place, way, index_px, rank, suit, p, p, p, True, True, 0.99)


def named(name: str, x: float = 100.0, y: float = 100.0, **changes: object) -> Index:
    """An index that is certain in every respect; some fields changed."""
    rank, suit = RANKS.index(name[:-1]), SUITS.index(name[-1])
    made = index(x, y, 30.0, rank, suit=suit, p=0.999)._replace(p_shown=0.999)
    return made._replace(**changes)  # type: ignore[arg-type]  # fields by name, as the test gives them


def card(*indices: Index, corners: object = None) -> AssembledCard:
    """A card of these indices."""
    return AssembledCard(indices, None if corners is None else np.array(corners, float))


def lying(picture: np.ndarray, left: int, top: int, margin: int) -> list[Index]:
    """Paints a card of 68 x 96 pixels; its indices of 24 pixels stand `margin` below its edge."""
    picture[top : top + 96, left : left + 68] = 235
    middle = top + margin + 12, top + 96 - margin - 12
    return [index(left + 10, middle[0]), index(left + 58, middle[1], down=DOWN)]


def pairs_of_corners() -> list[Index]:
    """Three cards beside each other that show both corners: their deck is known."""
    picture = np.full((240, 400, 3), 40, np.uint8)
    return [one._replace(rank=place) for place in range(3) for one in lying(picture, 10 + 90 * place, 60, 5)]


def four_cornered(left: int, rank: int) -> list[Index]:
    """A card with an index in each corner, 48 pixels apart across and 62 along."""
    at = [(left, 77, 1), (left + 48, 77, 1), (left, 139, -1), (left + 48, 139, -1)]
    return [index(x, y, rank=rank, down=(0, way)) for x, y, way in at]
