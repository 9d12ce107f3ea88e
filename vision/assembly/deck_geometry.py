"""The geometry of a picture's deck: where a card's other indices lie, seen from one of them.

In units of the index height. Seen from an index, the card's index at the other side lies `right` to the
right, its index at the foot `below` towards the foot and turned by 180 degrees. A deck's `right` and `below`
are the same for all of its cards, so the picture's own pairs tell them.
"""

from math import hypot
from statistics import median
from typing import Final, NamedTuple

import numpy as np

from vision.classifier.index_reading import Index
from vision.geometry.arrays import within

RIGHT_RANGE: Final = (0.6, 6.5)
BELOW_RANGE: Final = (0.55, 9.5)
SLANT_RANGE: Final = (0.34, 1.5)
"""Right, below and right over below of every deck that we know."""

PARALLEL: Final = 0.94
"""Least cosine between the directions of one card's indices (they share the camera's tilt)."""

FIT: Final = 0.13
"""An index stands in a corner when it is off by less than this share of the diagonal."""

FOUR_FIT: Final = 0.26
"""The same for decks with four indices: tilt squeezes side and foot unequally, and three corners agree."""

PAIRS_KNOWN: Final = 3
"""So many pairs of opposite corners show how large the cards are; with fewer, like indices may be one card's,
whatever their distance."""

FOUR_EVIDENCE: Final = 2
FOUR_SHARE: Final = 0.5
"""Corners side by side that a picture must show before its deck counts as one with four indices: so many,
and for each pair of opposite corners so many (a deck with four has two; like cards in a fan are rare)."""

TOP_MARGIN: Final = 0.20
"""Paper above the rank, in index heights, where the picture does not show it."""


class Deck(NamedTuple):
    """Offset between the indices of a card, in index heights.

    `four` when all corners carry one, `maybe_four` when like indices stand side by side without agreeing on a
    geometry (strong tilt). `height` is the usual height of an index in the picture, in pixels, `pairs` how
    many pairs of opposite corners showed it, `margin` the paper above the rank, in index heights.
    """

    right: float
    below: float
    four: bool
    maybe_four: bool
    height: float
    pairs: int
    margin: float = TOP_MARGIN

    @property
    def fit(self) -> float:
        """How far off an index may be from a corner."""
        return FOUR_FIT if self.four else FIT

    @property
    def diagonal(self) -> float:
        """Distance between opposite indices, in index heights."""
        return hypot(self.right, self.below)


class Corner(NamedTuple):
    """A place of a card as seen from one of its indices: offset and whether it is turned by 180 degrees."""

    right: float
    below: float
    turned: bool


def offset(one: Index, other: Index, height: float) -> tuple[float, float]:
    """Right and below of another index, seen from one, in heights."""
    (from_x, from_y), (to_x, to_y), (x, y) = one.centre.tolist(), other.centre.tolist(), one.down.tolist()
    apart_x, apart_y = to_x - from_x, to_y - from_y
    return (apart_x * y - apart_y * x) / height, (apart_x * x + apart_y * y) / height


def cosine(one: Index, other: Index) -> float:
    """Of the angle between the directions of two indices."""
    (x, y), (other_x, other_y) = one.down.tolist(), other.down.tolist()
    return float(x * other_x + y * other_y)


def alike(one: Index, other: Index) -> bool:
    """Same rank and suit."""
    return one.rank == other.rank and one.suit == other.suit


def mean_height(one: Index, other: Index) -> float:
    """Of two indices, in pixels."""
    return (one.height + other.height) / 2


class _Relations(NamedTuple):
    """Offsets of like indices: across a card (n x 2), side by side (right), one below the other (below)."""

    across: list[tuple[float, float]]
    beside: list[float]
    under: list[float]


def _relations(indices: list[Index]) -> _Relations:
    found = _Relations([], [], [])
    kinds: dict[tuple[int, int], list[int]] = {}
    for number, index in enumerate(indices):
        kinds.setdefault((index.rank, index.suit), []).append(number)
    for number, one in enumerate(indices):
        for like in kinds[one.rank, one.suit]:
            other = indices[like]
            if like <= number or not 0.65 < one.height / other.height < 1.55:
                continue
            right, below = offset(one, other, mean_height(one, other))
            turn = cosine(one, other)
            wide, tall = RIGHT_RANGE[0] < abs(right) < RIGHT_RANGE[1], BELOW_RANGE[0] < below < BELOW_RANGE[1]
            if turn < -PARALLEL and wide and tall and SLANT_RANGE[0] < abs(right) / below < SLANT_RANGE[1]:
                found.across.append((abs(right), below))
            elif turn > PARALLEL and wide and abs(below) < 0.15 * abs(right):
                found.beside.append(abs(right))
            elif turn < -PARALLEL and tall and abs(right) < 0.15 * below:
                found.under.append(below)
    return found


def _near(values: list[float], value: float) -> list[float]:
    return [other for other in values if abs(other - value) < FOUR_FIT * value]


def _most_common(values: list[float]) -> float | None:
    best = max((_near(values, value) for value in values), key=len, default=None)
    return None if best is None else median(best)


def learn_deck(indices: list[Index]) -> Deck | None:
    """The geometry that most like indices share; None when no two of them fit one card."""
    if not indices:
        return None
    found = _relations(indices)
    height = median(index.height for index in indices)
    right, below = _most_common(found.beside), _most_common(found.under)
    pairs = 0
    if found.across:
        points = np.array(found.across)
        close = within(points, points, FIT * np.hypot(points[:, 0], points[:, 1])).T
        most = close[close.sum(1).argmax()]
        pairs = int(most.sum())
        right, below = (median(column) for column in points[most].T.tolist())
    elif right is not None and below is None:
        below = right * 1.35
    elif below is not None and right is None:
        right = below / 1.35
    if right is None or below is None:
        return None
    evidence = len(_near(found.beside, right)) + len(_near(found.under, below))
    hints = len(found.beside) + len(found.under)
    least = max(FOUR_EVIDENCE, FOUR_SHARE * len(found.across))
    return Deck(right, below, evidence >= least, hints >= least, height, pairs)


def misfit(one: Index, other: Index, corner: Corner, deck: Deck, parallel: float = PARALLEL) -> float:
    """How far off another index is from a corner, as a share of the diagonal; `parallel` is the least cosine.

    Measured with the pair's own height and with the picture's usual one, and the better taken: a rank whose
    height was misjudged must not tear its card in two.
    """
    if cosine(one, other) * (-1 if corner.turned else 1) < parallel:
        return 9.0
    right, below = offset(one, other, 1.0)
    heights = (mean_height(one, other), deck.height)
    nearest = min([hypot(right / height - corner.right, below / height - corner.below) for height in heights])
    return nearest / deck.diagonal
