"""The geometry of a picture's deck: offsets between a card's indices, and the outline around them.

Lengths are in heights of the whole index. Seen from an index, the card's index at the other side lies `right`
to its right, the index at its foot `below` towards the foot and turned by 180 degrees. Both are the same for
all cards of a deck, so the picture's own pairs of like indices say them.
"""

from collections.abc import Sequence
from math import atan2, cos, hypot, sin
from statistics import median
from typing import Final, NamedTuple

import numpy as np

from vision.geometry import CARD_ASPECT, PARALLEL, Image, Points, within_reach
from vision.indices import Index, poses_of
from vision.reading import SUITS

_RED_SUITS: Final = frozenset({"d", "h"})


class KnownDecks(NamedTuple):
    """Least and greatest offsets of every deck that is known, in heights of the index.

    Source: the decks that were known when they were set. The least ones were lowered for jumbo indices, to
    which all but one of the silent errors on drawn dealt tables were due (history of this file); no figures
    on record.
    """

    right: tuple[float, float] = (0.6, 6.5)
    below: tuple[float, float] = (0.55, 9.5)
    slant: tuple[float, float] = (0.34, 1.5)
    """Right over below."""

    def holds_right(self, right: float) -> bool:
        """Whether the sideways offset occurs in a known deck."""
        return self.right[0] < abs(right) < self.right[1]

    def holds_below(self, below: float) -> bool:
        """Whether the lengthwise offset occurs in a known deck."""
        return self.below[0] < below < self.below[1]


KNOWN_DECKS: Final = KnownDecks()


class GeometryRule(NamedTuple):
    """Limits for taking indices as corners of one card.

    Source: `docs/measurements/reader.md`, What a limit is worth; `alike_size` and `four_aspect` had no
    effect there.
    """

    fit: float = 0.13
    four_fit: float = 0.26
    """An index stands in a corner when it is off by less than this share of the card's diagonal; the second
    where all four corners carry an index: tilt squeezes side and foot unequally, but three corners agree."""

    alike_size: tuple[float, float] = (0.65, 1.55)
    """Ratio of the heights of two indices of one card."""

    straight: float = 0.15
    """Like indices at one end, or at one side, are out of line by less than this share of their distance."""

    four_pairs: int = 2
    four_share: float = 0.5
    """A deck counts as one with four indices when so many corners stand side by side, and so many for each
    pair of opposite corners: a deck with four has two, and like cards in a fan are rare."""

    four_aspect: float = 1.35
    """Below over right, where only one of the two is known of a deck with four."""


GEOMETRY_RULE: Final = GeometryRule()

PAIRS_KNOWN: Final = 3
"""So many pairs of opposite corners show how large the cards are. With fewer, like indices may be one card's,
whatever their distance.

Source: no measurement on record.
"""

_TOP_MARGIN: Final = 0.20
"""Paper above the rank, in heights of the index, where the picture does not show it.

Source: no measurement on record.
"""

NO_CORNER: Final = 9.0
"""The misfit of an index that faces the wrong way: more than any limit."""


class DeckGeometry(NamedTuple):
    """Offsets between the indices of a card.

    `right` and `below` are in heights of the index. `four`: all corners carry one. `maybe_four`: like indices
    stand side by side without agreeing on a geometry, as under strong tilt. `index_px`: usual height of a
    whole index in the picture. `pairs`: how many pairs of opposite corners showed it. `margin`: paper above
    the rank, in heights.
    """

    right: float
    below: float
    four: bool
    maybe_four: bool
    index_px: float
    pairs: int
    margin: float = _TOP_MARGIN

    @property
    def fit(self) -> float:
        """Return how far an index may be from a corner, as a share of the diagonal."""
        return GEOMETRY_RULE.four_fit if self.four else GEOMETRY_RULE.fit

    @property
    def diagonal(self) -> float:
        """Distance between opposite indices, in heights of the index."""
        return hypot(self.right, self.below)


class CornerOffset(NamedTuple):
    """A corner of a card seen from one of its indices.

    Offset in heights of the index, and whether the index there is turned by 180 degrees.
    """

    right: float
    below: float
    turned: bool


def offset(one: Index, other: Index, unit_px: float) -> tuple[float, float]:
    """Right and below of another index, seen from one, in units of so many pixels."""
    (from_x, from_y), (to_x, to_y), (x, y) = one.centre.tolist(), other.centre.tolist(), one.down.tolist()
    apart_x, apart_y = to_x - from_x, to_y - from_y
    return (apart_x * y - apart_y * x) / unit_px, (apart_x * x + apart_y * y) / unit_px


def cosine(one: Index, other: Index) -> float:
    """Return the cosine of the angle between the directions of two indices."""
    (x, y), (other_x, other_y) = one.down.tolist(), other.down.tolist()
    return float(x * other_x + y * other_y)


def same_rank_and_suit(one: Index, other: Index) -> bool:
    """Whether two indices have the same rank and suit."""
    return one.rank == other.rank and one.suit == other.suit


def may_have_one_name(one: Index, other: Index) -> bool:
    """Whether two indices may belong to one card: one rank, no two certain suits, not two colours."""
    # Two inks: all views agree on a red suit for one index and a black suit for the other.
    if one.rank != other.rank or (
        one.agreed and other.agreed and (SUITS[one.suit] in _RED_SUITS) != (SUITS[other.suit] in _RED_SUITS)
    ):
        return False
    return one.suit == other.suit or one.suit_open or other.suit_open


def mean_index_px(one: Index, other: Index) -> float:
    """Mean height of two indices, in pixels."""
    return (one.index_px + other.index_px) / 2


class _Relations(NamedTuple):
    """Offsets of like indices, in heights.

    Across a card (right, below), side by side (right), one below the other (below).
    """

    across: list[tuple[float, float]]
    beside: list[float]
    under: list[float]


def _relations(indices: list[Index]) -> _Relations:
    """The offsets of all pairs of like indices that could be corners of one card of a known deck."""
    found = _Relations([], [], [])
    kinds: dict[tuple[int, int], list[int]] = {}
    for number, index in enumerate(indices):
        kinds.setdefault((index.rank, index.suit), []).append(number)
    for number, one in enumerate(indices):
        for like in kinds[one.rank, one.suit]:
            if like > number:
                _add_relation(found, one, indices[like])
    return found


def _add_relation(found: _Relations, one: Index, other: Index) -> None:
    rule, known = GEOMETRY_RULE, KNOWN_DECKS
    if not rule.alike_size[0] < one.index_px / other.index_px < rule.alike_size[1]:
        return
    right, below = offset(one, other, mean_index_px(one, other))
    turn = cosine(one, other)
    wide, tall = known.holds_right(right), known.holds_below(below)
    if turn < -PARALLEL and wide and tall and known.slant[0] < abs(right) / below < known.slant[1]:
        found.across.append((abs(right), below))
    elif turn > PARALLEL and wide and abs(below) < rule.straight * abs(right):
        found.beside.append(abs(right))
    elif turn < -PARALLEL and tall and abs(right) < rule.straight * below:
        found.under.append(below)


def _near(values: list[float], value: float) -> list[float]:
    return [other for other in values if abs(other - value) < GEOMETRY_RULE.four_fit * value]


def _most_common(values: list[float]) -> float | None:
    best = max((_near(values, value) for value in values), key=len, default=None)
    return None if best is None else median(best)


def estimate_deck_geometry(indices: list[Index]) -> DeckGeometry | None:
    """The geometry that most like indices share; None when no two of them fit one card."""
    if not indices:
        return None
    found = _relations(indices)
    right, below = _most_common(found.beside), _most_common(found.under)
    pairs = 0
    if found.across:
        points = np.array(found.across)
        reach = GEOMETRY_RULE.fit * np.hypot(points[:, 0], points[:, 1])
        close = within_reach(points, points, reach).T
        most = close[np.argmax(close.sum(1))]
        pairs = int(most.sum())
        right, below = (median(column) for column in points[most].T.tolist())
    elif right is not None and below is None:
        below = right * GEOMETRY_RULE.four_aspect
    elif below is not None and right is None:
        right = below / GEOMETRY_RULE.four_aspect
    if right is None or below is None:
        return None
    usual_px = median(index.index_px for index in indices)
    # Pairs prove an index in each corner, or only hint at it.
    evidence = len(_near(found.beside, right)) + len(_near(found.under, below))
    hints = len(found.beside) + len(found.under)
    least = max(GEOMETRY_RULE.four_pairs, GEOMETRY_RULE.four_share * len(found.across))
    four, maybe_four = evidence >= least, hints >= least
    return DeckGeometry(right, below, four, maybe_four, usual_px, pairs)


def corner_misfit(
    one: Index,
    other: Index,
    corner: CornerOffset,
    deck: DeckGeometry,
    parallel: float = PARALLEL,
) -> float:
    """Return the distance of an index from a corner of the card of `one`, as a share of the diagonal.

    NO_CORNER when the cosine between their directions is below `parallel`. Computed with the pair's own
    height and with the picture's usual height; the smaller counts, so a misjudged height does not split a
    card.
    """
    if cosine(one, other) * (-1 if corner.turned else 1) < parallel:
        return NO_CORNER
    right, below = offset(one, other, 1.0)
    units = (mean_index_px(one, other), deck.index_px)
    nearest = min([hypot(right / unit - corner.right, below / unit - corner.below) for unit in units])
    return nearest / deck.diagonal


STEPS: Final = np.linspace(0.03, 0.70, 16)
"""Distances above the rank, in heights of the index, at which the card's edge is looked for.

Source: no measurement on record.
"""


_EDGE_SEARCH_EDGES_MIN: Final = 3
"""Fewer edges say nothing; more indices say nothing new. Source: no measurement on record."""


def _darkest(image: Image, places: Points) -> Points:
    """The darkest channel at places (... x 2), 0..255; beyond the border the picture's last pixels."""
    columns = np.rint(places[..., 0]).astype(np.intp).clip(0, image.shape[1] - 1)
    rows = np.rint(places[..., 1]).astype(np.intp).clip(0, image.shape[0] - 1)
    return np.asarray(image[rows, columns].min(-1), np.float64)


def top_margin(image: Image, indices: Sequence[Index]) -> float | None:
    """Return the margin from a rank's top to the card's edge, in index heights; None with too few edges."""
    if len(indices) < _EDGE_SEARCH_EDGES_MIN:
        return None
    # Parameters of the search for the edge above a rank. Source: no measurement on record.
    indices = sorted(indices, key=lambda index: -index.p)[:16]
    poses = poses_of(indices)
    # (-0.12, 0.0, 0.12): lines beside each other, in heights of the index; the middle brightness of the
    # three counts.
    aside = np.array((-0.12, 0.0, 0.12))[None, :, None, None] * poses.rights[:, None, None]
    above = -(0.5 + STEPS)[None, None, :, None] * poses.downs[:, None, None]
    places = poses.centres[:, None, None] + (aside + above) * poses.index_px[:, None, None, None]
    profiles = np.sort(_darkest(image, places), axis=1)[:, 1]
    # 3: so many of the first steps surely show paper, or nothing does.
    # 0.72: what is darker than this share of the paper is no longer paper.
    dark = profiles < 0.72 * profiles[:, :3].max(1, keepdims=True)
    edges = sorted(STEPS[dark.argmax(1)][dark.any(1)].tolist())
    # 0.4: of the margins that were seen this one counts: a card on another one shows its edge late or not
    # at all.
    return edges[int(0.4 * (len(edges) - 1))] if len(edges) >= _EDGE_SEARCH_EDGES_MIN else None


def _mean_brightness(image: Image, corners: Points) -> float:
    """Mean of the darkest channel inside an outline (4 x 2), 0..255: paper is bright in all three."""
    # (9, 12): points across and along an outline at which its brightness is taken, away from its rim.
    # Source: no measurement on record.
    across, along = (np.linspace(0.08, 0.92, count) for count in (9, 12))
    upper = corners[0] + (corners[1] - corners[0]) * across[:, None]
    lower = corners[3] + (corners[2] - corners[3]) * across[:, None]
    points = upper[None] + (lower - upper)[None] * along[:, None, None]
    return float(_darkest(image, points).mean())


LEFT: Final = 1
RIGHT: Final = -1
"""The upper corner of its card in which an index stands."""


def outline_around(index: Index, deck: DeckGeometry, side: int) -> Points:
    """The card (4 x 2, clockwise from its upper left) around an index in its upper LEFT or RIGHT corner."""
    tall = deck.below + 1 + 2 * deck.margin
    # 0.3: A card is at least so many heights of the index wider than its indices are apart. Source: no
    # measurement on record.
    wide = max(tall * CARD_ASPECT, deck.right + 0.3)
    left = -(wide - deck.right) / 2 - (deck.right if side == RIGHT else 0.0)
    top = -0.5 - deck.margin
    steps = ((left, top), (left + wide, top), (left + wide, top + tall), (left, top + tall))
    (x, y), (down_x, down_y) = index.centre.tolist(), (index.down * index.index_px).tolist()
    return np.array(
        [(x + right * down_y + below * down_x, y - right * down_x + below * down_y) for right, below in steps]
    )


def outline_of_pair(one: Index, other: Index, deck: DeckGeometry) -> Points:
    """The card of two opposite indices: place, turn and size all follow from the line between them."""
    (x, y), (down_x, down_y) = (other.centre - one.centre).tolist(), one.down.tolist()
    index_px = hypot(x, y) / deck.diagonal
    turn = atan2(y, x) - atan2(
        deck.below * down_y - deck.right * down_x, deck.below * down_x + deck.right * down_y
    )
    down = np.array([down_x * cos(turn) - down_y * sin(turn), down_x * sin(turn) + down_y * cos(turn)])
    return outline_around(one._replace(down=down, index_px=index_px), deck, LEFT)


def side_with_paper(image: Image | None, index: Index, deck: DeckGeometry, side: int) -> int:
    """On which side a lone index of a deck with four lies: where there is paper. `side` without a picture."""
    if image is None:
        return side
    left, right = (_mean_brightness(image, outline_around(index, deck, way)) for way in (LEFT, RIGHT))
    return LEFT if left >= right else RIGHT
