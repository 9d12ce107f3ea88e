"""Finds places where an index may be: a rank glyph with a pip below it.

Every neighbouring pair of ink spots of fitting sizes, distance and colour is a candidate, at any turn and
scale; the network decides which of them are indices. `kernel.paired` does it where it is there, the functions
here where it is not.
"""

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

import numpy as np

from vision.geometry.arrays import Image, Points
from vision.native.kernel import PairRule, paired
from vision.proposal.connected_components import SPOT_MAX_PX, Spots, find_spots

RANK_REACH: Final = 1.8
PIP_REACH: Final = 1.95
"""Half the length of a rank glyph and of a pip, in standard deviations of its ink."""

RULE: Final = PairRule(
    rank_reach=RANK_REACH,
    pip_reach=PIP_REACH,
    span=2 * SPOT_MAX_PX,
    merge_reach=1.05,
    merge_size=(0.62, 1.6),
    merge_tint=0.35,
    pair_reach=1.95,
    apart=1.0,
    touch=(0.8, 1.75),
    pip_size=(0.36, 1.3),
    tint=0.45,
    wide=1.7,
    slim=(0.5, 1.7),
    stretch=(1.35, 4.5),
    long_area=40.0,
    long_reach=1.8,
)
"""Limits, all exclusive.

Spots are compared within `span` pixels. Two within `merge_reach` sizes of the first, whose sizes have a ratio
in `merge_size` and whose redness is within `merge_tint`, may be one. A rank and a pip are more than `apart`
pixels and less than `pair_reach` sizes of the rank apart; their distance (in their half lengths), the pip's
length (in the rank's) and how broad rank and pip are (in their length) lie in `touch`, `pip_size`, below
`wide` and in `slim`; their redness is within `tint`. A single spot is `stretch` times as long as broad, has
more than `long_area` pixels, and spans `long_reach` standard deviations to either side.
"""

UNIONS_MAX: Final = 60_000
CANDIDATES_MAX: Final = 60_000
"""In one picture, from left to right and pairs before single spots; what is beyond is not looked at."""


class Candidates(NamedTuple):
    """Possible indices.

    Centre (n x 2), unit vector from rank to pip (n x 2), height from the rank's top to the pip's foot.
    """

    centres: Points
    downs: Points
    heights: Points

    @property
    def rights(self) -> Points:
        """Unit vectors to the right, n x 2."""
        return np.stack([self.downs[:, 1], -self.downs[:, 0]], 1)

    def beside(self, right: float, below: float) -> Points:
        """Places so many heights to the right of the centres and below them, as each faces; n x 2."""
        return np.asarray(self.centres + (self.rights * right + self.downs * below) * self.heights[:, None])

    def take(self, chosen: Points) -> "Candidates":
        """The candidates of an index array or mask."""
        return Candidates(self.centres[chosen], self.downs[chosen], self.heights[chosen])


def joined(parts: Iterable[Candidates]) -> Candidates:
    """All of several, in order."""
    return Candidates(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


def _sizes(spots: Spots) -> Points:
    """A rotation-free size: about the height of a glyph."""
    return np.asarray(2.5 * np.sqrt(np.trace(spots.spreads, axis1=1, axis2=2)))


def _within(values: Points, limits: Sequence[float]) -> Points:
    """Which values lie between two limits."""
    return np.asarray((values > limits[0]) & (values < limits[1]))


def _near_pairs(centres: Points, reach: Points) -> tuple[Points, Points]:
    """Ordered pairs i, j (i != j) whose distance is below the reach of i."""
    order = np.argsort(centres[:, 0], kind="stable")
    xs = centres[order, 0]
    last = np.searchsorted(xs, xs + reach[order].clip(max=RULE.span))
    first = np.searchsorted(xs, xs - reach[order].clip(max=RULE.span))
    counts = last - first
    i = np.repeat(np.arange(len(order)), counts)
    j = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts) + np.repeat(first, counts)
    i, j = order[i], order[j]
    gap = np.hypot(*(centres[i] - centres[j]).T)
    keep = (i != j) & (gap < reach[i])
    return i[keep], j[keep]


def _merge_digits(spots: Spots) -> Spots:
    """Adds the union of neighbouring spots of like height: the two digits of a ten, a broken glyph."""
    size = _sizes(spots)
    i, j = _near_pairs(spots.centres, RULE.merge_reach * size)
    tint = np.abs(spots.redness[i] - spots.redness[j])
    ok = (i < j) & _within(size[i] / size[j], RULE.merge_size) & (tint < RULE.merge_tint)
    i, j = i[ok][:UNIONS_MAX], j[ok][:UNIONS_MAX]
    area = spots.areas[i] + spots.areas[j]
    share = (spots.areas[i] / area)[:, None]
    centres = spots.centres[i] * share + spots.centres[j] * (1 - share)
    apart = spots.centres[i] - spots.centres[j]
    between = (share * (1 - share))[..., None] * apart[:, :, None] * apart[:, None, :]
    spreads = spots.spreads[i] * share[..., None] + spots.spreads[j] * (1 - share)[..., None] + between
    redness = spots.redness[i] * share[:, 0] + spots.redness[j] * (1 - share[:, 0])
    return Spots(
        np.vstack([spots.centres, centres]),
        np.concatenate([spots.spreads, spreads]),
        np.concatenate([spots.areas, area]),
        np.concatenate([spots.redness, redness]),
    )


def _along(spreads: Points, directions: Points) -> Points:
    """Standard deviation of each spot along its direction."""
    x, y = directions.T
    square = x * x * spreads[:, 0, 0] + 2 * x * y * spreads[:, 0, 1] + y * y * spreads[:, 1, 1]
    return np.asarray(np.sqrt(square))


def pair_candidates(spots: Spots) -> Candidates:
    """Rank above pip: fitting sizes, distance, colour."""
    single = len(spots.centres)
    everything = _merge_digits(spots)
    size = _sizes(everything)
    rank, pip = _near_pairs(everything.centres, RULE.pair_reach * size)
    keep = (pip < single) & (np.hypot(*(everything.centres[pip] - everything.centres[rank]).T) > RULE.apart)
    rank, pip = rank[keep], pip[keep]
    apart = everything.centres[pip] - everything.centres[rank]
    distance = np.hypot(*apart.T)
    down = apart / distance[:, None]
    rank_half = RANK_REACH * _along(everything.spreads[rank], down)
    pip_half = PIP_REACH * _along(everything.spreads[pip], down)
    touch = distance / (rank_half + pip_half)
    ratio = pip_half / rank_half
    tint = np.abs(everything.redness[rank] - everything.redness[pip])
    across = np.stack([-down[:, 1], down[:, 0]], 1)
    wide = _along(everything.spreads[rank], across) * RANK_REACH / rank_half
    slim = _along(everything.spreads[pip], across) * PIP_REACH / pip_half
    ok = _within(touch, RULE.touch) & _within(ratio, RULE.pip_size) & (tint < RULE.tint)
    ok &= (wide < RULE.wide) & _within(slim, RULE.slim)
    height = distance + rank_half + pip_half
    centre = everything.centres[rank] + down * ((distance + pip_half - rank_half) / 2)[:, None]
    return Candidates(centre, down, height).take(np.flatnonzero(ok))


def _long_axes(spreads: Points) -> Points:
    """Unit vectors along spots that are longer one way; n x 2.

    Of its two directions that which LAPACK gives: steep spots point down, flat ones left, level ones right.
    """
    more, twice = spreads[:, 0, 0] - spreads[:, 1, 1], 2 * spreads[:, 0, 1]
    root, flat = np.hypot(more, twice), more > 0
    x, y = np.where(flat, -(more + root), twice), np.where(flat, -twice, root - more)
    length = np.hypot(x, y) * np.where(flat & (twice == 0), -1, 1)
    return np.asarray(np.stack([x, y], 1) / length[:, None])


def long_candidates(spots: Spots) -> Candidates:
    """Single spots long enough to be a rank that has run into its pip; both directions."""
    xx, yy, xy = spots.spreads[:, 0, 0], spots.spreads[:, 1, 1], spots.spreads[:, 0, 1]
    large = (xx + yy + np.hypot(xx - yy, 2 * xy)) / 2
    small = (xx * yy - xy * xy) / large
    fit = _within(np.sqrt(large / small), RULE.stretch) & (spots.areas > RULE.long_area)
    chosen = np.flatnonzero(fit)
    axis, centre = _long_axes(spots.spreads[chosen]), spots.centres[chosen]
    height = 2 * RULE.long_reach * np.sqrt(large[chosen])
    return Candidates(np.vstack([centre, centre]), np.vstack([axis, -axis]), np.concatenate([height, height]))


def candidates_in_numpy(spots: Spots) -> Candidates:
    """What the compiled function finds, several times slower."""
    found = joined((pair_candidates(spots), long_candidates(spots)))
    return Candidates(*(column[:CANDIDATES_MAX] for column in found))


def candidates_of(spots: Spots) -> Candidates:
    """Pairs of spots, then long ones."""
    found = paired(spots, RULE, UNIONS_MAX, CANDIDATES_MAX)
    return candidates_in_numpy(spots) if found is None else Candidates(*found)


def find_candidates(image: Image, sample: Image | None = None) -> Candidates:
    """Every place of a BGR picture that deserves a glance; `sample` as for `find_spots`."""
    return candidates_of(find_spots(image, sample))
