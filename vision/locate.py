"""Finds places where an index may be: a rank glyph with a pip below it.

Every neighbouring pair of ink spots of fitting sizes, distance and colour is a candidate, at any turn and
scale; the network decides which of them are indices.
"""

from collections.abc import Iterable
from typing import Final, NamedTuple

import numpy as np

from vision.arrays import Image, Points
from vision.ink import SPOT_MAX_PX, Spots, find_spots

RANK_REACH: Final = 1.8
PIP_REACH: Final = 1.95
"""Half the length of a rank glyph and of a pip, in standard deviations of its ink."""


class Candidates(NamedTuple):
    """Possible indices.

    Centre (n x 2), unit vector from rank to pip (n x 2), height from the rank's top to the pip's foot.
    """

    centres: Points
    downs: Points
    heights: Points

    def take(self, chosen: Points) -> "Candidates":
        """The candidates of an index array or mask."""
        return Candidates(self.centres[chosen], self.downs[chosen], self.heights[chosen])


def joined(parts: Iterable[Candidates]) -> Candidates:
    """All of several, in order."""
    return Candidates(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


def _sizes(spots: Spots) -> Points:
    """A rotation-free size: about the height of a glyph."""
    return np.asarray(2.5 * np.sqrt(np.trace(spots.spreads, axis1=1, axis2=2)))


def _near_pairs(centres: Points, reach: Points) -> tuple[Points, Points]:
    """Ordered pairs i, j (i != j) whose distance is below the reach of i."""
    order = np.argsort(centres[:, 0])
    xs = centres[order, 0]
    last = np.searchsorted(xs, xs + reach[order].clip(max=2 * SPOT_MAX_PX))
    first = np.searchsorted(xs, xs - reach[order].clip(max=2 * SPOT_MAX_PX))
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
    i, j = _near_pairs(spots.centres, 1.05 * size)
    ratio = size[i] / size[j]
    ok = (i < j) & (ratio > 0.62) & (ratio < 1.6) & (np.abs(spots.redness[i] - spots.redness[j]) < 0.35)
    i, j = i[ok], j[ok]
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
    rank, pip = _near_pairs(everything.centres, 1.95 * size)
    keep = (pip < single) & (np.hypot(*(everything.centres[pip] - everything.centres[rank]).T) > 1)
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
    ok = (touch > 0.8) & (touch < 1.75) & (ratio > 0.36) & (ratio < 1.3) & (tint < 0.45)
    ok &= (wide < 1.7) & (slim > 0.5) & (slim < 1.7)
    height = distance + rank_half + pip_half
    centre = everything.centres[rank] + down * ((distance + pip_half - rank_half) / 2)[:, None]
    return Candidates(centre, down, height).take(np.flatnonzero(ok))


def long_candidates(spots: Spots) -> Candidates:
    """Single spots long enough to be a rank that has run into its pip; both directions."""
    values, vectors = np.linalg.eigh(spots.spreads)
    stretch = np.sqrt(values[:, 1] / values[:, 0])
    chosen = np.flatnonzero((stretch > 1.35) & (stretch < 4.5) & (spots.areas > 40))
    axis = vectors[chosen, :, 1]
    height = 2 * 1.8 * np.sqrt(values[chosen, 1])
    centre = spots.centres[chosen]
    return Candidates(np.vstack([centre, centre]), np.vstack([axis, -axis]), np.concatenate([height, height]))


def find_candidates(image: Image, sample: Image | None = None) -> Candidates:
    """Every place of a BGR picture that deserves a glance; `sample` as for `find_spots`."""
    spots = find_spots(image, sample)
    return joined((pair_candidates(spots), long_candidates(spots)))
