"""From indices to physical cards: both corners of a card are one card; two readings of one card must agree.

Geometry in units of the index height h. Seen from one index, the card's other index lies `right` to the right
and `below` towards its foot, turned by 180 degrees; a deck's `right` and `below` are the same for all of its
cards, so the pictures' own pairs tell them.
"""

from typing import Final, NamedTuple

import numpy as np

from vision.arrays import Points
from vision.indices import Index

RIGHT_RANGE: Final = (1.2, 6.5)
BELOW_RANGE: Final = (1.3, 9.5)
SLANT_RANGE: Final = (0.42, 1.2)
"""Right over below, of every deck with two or four indices that we know."""

OPPOSITE: Final = -0.94
SAME: Final = 0.94
FIT: Final = 0.16
"""A pair fits the deck's geometry when it is off by less than this share of the diagonal."""


class Deck(NamedTuple):
    """Offset between the two indices of a card, in index heights, and how many pairs told it."""

    right: float
    below: float
    votes: int


class Pair(NamedTuple):
    """Two indices that could belong to one card: numbers and offset."""

    one: int
    other: int
    right: float
    below: float


class Card(NamedTuple):
    """Indices of one physical card, the surest first.

    `corners` (4 x 2, clockwise from the upper left) is None where the card's size is not known.
    """

    indices: tuple[Index, ...]
    corners: Points | None

    @property
    def best(self) -> Index:
        """The surest index."""
        return self.indices[0]


def _offset(one: Index, other: Index) -> tuple[float, float]:
    apart = other.centre - one.centre
    height = (one.height + other.height) / 2
    return float(apart @ one.right) / height, float(apart @ one.down) / height


def _like(one: Index, other: Index) -> bool:
    return one.rank == other.rank and one.suit == other.suit


def opposite_pairs(indices: list[Index], same_label: bool = True) -> list[Pair]:
    """Pairs that face each other across a card of plausible shape."""
    pairs = []
    for i, one in enumerate(indices):
        for j in range(i + 1, len(indices)):
            other = indices[j]
            if one.down @ other.down > OPPOSITE or (same_label and not _like(one, other)):
                continue
            right, below = _offset(one, other)
            fits = RIGHT_RANGE[0] < right < RIGHT_RANGE[1] and BELOW_RANGE[0] < below < BELOW_RANGE[1]
            if (
                fits
                and SLANT_RANGE[0] < right / below < SLANT_RANGE[1]
                and 0.65 < one.height / other.height < 1.55
            ):
                pairs.append(Pair(i, j, right, below))
    return pairs


def _misfit(pair: Pair, deck: Deck) -> float:
    return float(
        np.hypot(pair.right - deck.right, pair.below - deck.below) / np.hypot(deck.right, deck.below)
    )


def learn_deck(pairs: list[Pair]) -> Deck | None:
    """The offset that most pairs share; None without any pair."""
    best: Deck | None = None
    for pair in pairs:
        centre = Deck(pair.right, pair.below, 0)
        near = [other for other in pairs if _misfit(other, centre) < FIT]
        if best is None or len(near) > best.votes:
            right, below = np.median([[other.right, other.below] for other in near], axis=0)
            best = Deck(float(right), float(below), len(near))
    return best


def _corners(index: Index, deck: Deck) -> Points:
    """The card's outline around one index that stands in its upper left corner (margins as on most decks)."""
    wide, tall = deck.right + 0.82, deck.below + 1.42
    left, top = -0.41, -0.71
    steps = (
        np.array([[left, top], [left + wide, top], [left + wide, top + tall], [left, top + tall]])
        * index.height
    )
    return np.asarray(index.centre + steps[:, :1] * index.right + steps[:, 1:] * index.down)


def _paired_corners(one: Index, other: Index, deck: Deck) -> Points:
    """Outline from both indices: their middle is the card's middle."""
    height = (one.height + other.height) / 2
    down = one.down - other.down
    down = down / np.hypot(*down)
    middle = (one.centre + other.centre) / 2
    right = np.array([down[1], -down[0]])
    reach = one._replace(
        centre=middle - (right * deck.right + down * deck.below) * height / 2, down=down, height=height
    )
    return _corners(reach, deck)


def _take_pairs(pairs: list[Pair], deck: Deck | None) -> list[Pair]:
    """Best fitting pairs first, each index used once."""
    used: set[int] = set()
    taken = []
    ranked = sorted(pairs, key=lambda pair: _misfit(pair, deck) if deck else 0.0)
    for pair in ranked:
        fits = deck is not None and _misfit(pair, deck) < FIT
        if fits and not {pair.one, pair.other} & used:
            used |= {pair.one, pair.other}
            taken.append(pair)
    return taken


def _inside(point: Points, corners: Points, slack: float) -> bool:
    middle = corners.mean(0)
    grown = middle + (corners - middle) * (1 + slack)
    edges = np.roll(grown, -1, 0) - grown
    across = edges[:, 0] * (point[1] - grown[:, 1]) - edges[:, 1] * (point[0] - grown[:, 0])
    return bool((across >= 0).all() or (across <= 0).all())


def inside(point: Points, corners: Points, slack: float = 0.0) -> bool:
    """Whether a point lies in a convex outline grown by `slack` (share of its half size)."""
    return _inside(point, corners, slack)


def _at_other_corner(card: Card, index: Index, deck: Deck) -> bool:
    """Whether the index stands where the card has one of its other corners (two- or four-index decks)."""
    first = card.best
    right, below = _offset(first, index)
    turned = first.down @ index.down
    spots = (
        (deck.right, deck.below, -1),
        (0.0, deck.below, -1),
        (deck.right, 0.0, 1),
        (-deck.right, 0.0, 1),
        (-deck.right, deck.below, -1),
    )
    for x, y, way in spots:
        if turned * way > SAME and np.hypot(right - x, below - y) < FIT * np.hypot(deck.right, deck.below):
            return True
    return False


def _four_corners(cards: list[Card], deck: Deck) -> list[Card]:
    """Joins cards that are the two halves of one card of a deck with four indices."""
    joined: list[Card] = []
    for card in cards:
        home = next(
            (
                slot
                for slot, other in enumerate(joined)
                if _like(other.best, card.best)
                and any(_at_other_corner(other, index, deck) for index in card.indices)
            ),
            None,
        )
        if home is None:
            joined.append(card)
        else:
            merged = tuple(sorted(joined[home].indices + card.indices, key=lambda index: -index.p))
            joined[home] = Card(merged, joined[home].corners)
    return joined


def join_indices(indices: list[Index]) -> tuple[list[Card], Deck | None]:
    """Cards from indices, and the deck's geometry where the picture showed it."""
    pairs = opposite_pairs(indices)
    deck = learn_deck(pairs)
    taken = _take_pairs(pairs, deck)
    cards, used = [], set()
    for pair in taken:
        one, other = indices[pair.one], indices[pair.other]
        used |= {pair.one, pair.other}
        assert deck is not None
        both = (one, other) if one.p >= other.p else (other, one)
        cards.append(Card(both, _paired_corners(one, other, deck)))
    for number, index in enumerate(indices):
        if number not in used:
            cards.append(Card((index,), _corners(index, deck) if deck else None))
    if deck is not None:
        cards = _four_corners(sorted(cards, key=lambda card: (-len(card.indices), -card.best.p)), deck)
    return cards, deck
