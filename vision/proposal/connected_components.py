"""Connected components of ink: pieces of print on whatever is white, with their place, spread and colour.

Ink is what is clearly darker than the paper around it, looked for at three levels. A component that two
levels show is given once.
"""

from typing import Final, NamedTuple

import cv2
import numpy as np

from vision.geometry import Image, Points
from vision.native import FIELDS, LEAST_PX, SpotRule, pieces_of_ink, spots_of
from vision.proposal.paper_mask import CELL_PX, PaperCells, coarse_sample, darkest_channel, find_paper

INK_LEVELS: Final = (184, 133, 218)
"""Ink is darker than so many parts in 256 of the paper: as a rule; where glyphs touch; where light washes red
out.

Source: looking at three levels instead of one, and in the dark too, raised what is read of the phone
photographs from 89 to 94 of 100 cards (history of this file).
"""


class ComponentRule(NamedTuple):
    """Which components can be a glyph or a pip, and which two are the same.

    Source: no measurement on record, except where a field names one.
    """

    longest_px: tuple[float, float] = (4, 110)
    """Least and greatest of the longer side of the upright box; the greatest bounds the search for pairs."""

    shortest_px: float = 2
    """Least of its shorter side."""

    filled: float = 0.12
    """More than this share of the box is ink."""

    same_place_px: float = 1.5
    same_area: tuple[float, float] = (0.6, 1.7)
    """Components of two levels are one when their centres are nearer than this and their areas have such a
    ratio."""

    contrast_min: float = 20.0
    """Redness is a share of the grey levels between paper and ink, or of this where there are fewer."""


COMPONENT_RULE: Final = ComponentRule()

KERNEL_COMPONENT_RULE: Final = SpotRule(
    longest=COMPONENT_RULE.longest_px,
    shortest=COMPONENT_RULE.shortest_px,
    filled=COMPONENT_RULE.filled,
    place=COMPONENT_RULE.same_place_px,
    area=COMPONENT_RULE.same_area,
    contrast=COMPONENT_RULE.contrast_min,
)


class InkComponents(NamedTuple):
    """N connected components of ink.

    `centres`: n x 2, pixels. `spreads`: n x 2 x 2, covariances of their pixels' places. `areas`: n, pixels.
    `redness`: n, 0 black .. 1 as red as can be.
    """

    centres: Points
    spreads: Points
    areas: Points
    redness: Points


NO_COMPONENTS: Final = InkComponents(np.empty((0, 2)), np.empty((0, 2, 2)), np.empty(0), np.empty(0))


def _level_sums(number: int, labels: Image, stats: Image, image: Image) -> Points:
    """Sums of one level's components from their labels, in the columns of `kernel.pieces_of_ink`."""
    y, x = np.nonzero(labels)
    which, count = labels[y, x], len(stats)
    colour = image[y, x].astype(np.float64)
    values = (x, y, x * x, y * y, x * y, colour[:, 0] + colour[:, 1], colour[:, 2])
    left, top, width, height, area = (stats[:, column].astype(np.float64) for column in range(5))
    box = (np.full(count, float(number)), area, left, top, left + width - 1, top + height - 1)
    return np.stack([*box, *(np.bincount(which, value, count) for value in values)], 1)


def ink_in_opencv(image: Image, cells: PaperCells) -> Points:
    """What `kernel.pieces_of_ink` finds, several times slower; n x FIELDS."""
    rows, columns = cells.paper.shape
    size = columns * CELL_PX, rows * CELL_PX
    part = image[: size[1], : size[0]]
    dark = darkest_channel(part).astype(np.float32) * 256
    level = cv2.resize(cells.level.astype(np.float32), size, interpolation=cv2.INTER_LINEAR)
    mask = cv2.resize(cells.paper, size, interpolation=cv2.INTER_NEAREST)
    found = [np.empty((0, FIELDS))]
    for number, share in enumerate(INK_LEVELS):
        ink = ((dark < level * share) & (mask > 0)).astype(np.uint8)
        _, labels, stats, _ = cv2.connectedComponentsWithStats(ink, connectivity=8, ltype=cv2.CV_32S)
        sums = _level_sums(number, labels, stats, part)[1:]
        found.append(sums[sums[:, 1] >= LEAST_PX])
    return np.concatenate(found)


def _of_glyph_size(sums: Points) -> Points:
    """Which components (n, bool) have a size that a glyph or a pip can have."""
    wide, high = sums[:, 4] - sums[:, 2] + 1, sums[:, 5] - sums[:, 3] + 1
    longest, shortest = np.maximum(wide, high), np.minimum(wide, high)
    filled = sums[:, 1] / (wide * high)
    least, most = COMPONENT_RULE.longest_px
    fit = (longest >= least) & (longest <= most) & (shortest >= COMPONENT_RULE.shortest_px)
    return np.asarray(fit & (filled > COMPONENT_RULE.filled))


def _repeated(sums: Points) -> Points:
    """Which components (n, bool) an earlier level has shown already."""
    x, y = sums[:, 6] / sums[:, 1], sums[:, 7] / sums[:, 1]
    order = np.argsort(x)
    xs = x[order]
    first = np.searchsorted(xs, x - COMPONENT_RULE.same_place_px)
    counts = np.searchsorted(xs, x + COMPONENT_RULE.same_place_px) - first
    mine = np.repeat(np.arange(len(sums)), counts)
    place = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    theirs = order[place + np.repeat(first, counts)]
    ratio = sums[mine, 1] / sums[theirs, 1]
    near = np.abs(y[mine] - y[theirs]) < COMPONENT_RULE.same_place_px
    same = near & (ratio > COMPONENT_RULE.same_area[0]) & (ratio < COMPONENT_RULE.same_area[1])
    seen = np.zeros(len(sums), bool)
    seen[mine[same & (sums[theirs, 0] < sums[mine, 0])]] = True
    return seen


def _from_sums(sums: Points, white: float) -> InkComponents:
    """Components from their sums of places and colours; 1 / 12 is the variance within one pixel."""
    area = sums[:, 1]
    x, y, xx, yy, xy, cold, red = (sums[:, column] / area for column in range(6, FIELDS))
    xx, yy, xy = xx - x * x + 1 / 12, yy - y * y + 1 / 12, xy - x * y
    spreads = np.stack([np.stack([xx, xy], -1), np.stack([xy, yy], -1)], -2)
    redness = np.clip((red - cold / 2) / np.maximum(white - cold / 2, COMPONENT_RULE.contrast_min), 0, 1)
    return InkComponents(np.stack([x, y], 1), spreads, area, redness)


def components_in_numpy(sums: Points, white: float) -> InkComponents:
    """What `kernel.spots_of` makes of sums, several times slower; `white` as in `PaperCells`."""
    sums = sums[_of_glyph_size(sums)]
    return _from_sums(sums[~_repeated(sums)], white)


def find_components(image: Image, sample: Image | None = None) -> InkComponents:
    """All components of ink in a BGR picture that could be part of an index.

    `sample` is the picture's `coarse_sample`, where the caller has it already.
    """
    cells = find_paper(coarse_sample(image) if sample is None else sample)
    if cells is None:
        return NO_COMPONENTS
    sums = pieces_of_ink(image, cells.level, cells.paper, CELL_PX, INK_LEVELS)
    if sums is None:
        sums = ink_in_opencv(image, cells)
    components = spots_of(sums, KERNEL_COMPONENT_RULE, cells.white)
    return components_in_numpy(sums, cells.white) if components is None else InkComponents(*components)
