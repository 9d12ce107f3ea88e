"""Ink on paper: the pieces of print on whatever is white, with their place, spread and colour.

Ink is what is clearly darker than the paper around it, looked for at three levels. Each piece is told once.
"""

from typing import Final, NamedTuple

import cv2
import numpy as np

from vision.geometry.arrays import Image, Points
from vision.native.kernel import FIELDS, LEAST_PX, SpotRule, pieces_of_ink, spots_of
from vision.proposal.paper_mask import CELL, Cells, darkest_channel, find_paper, sample_of

INK_LEVELS: Final = (184, 133, 218)
"""Ink is darker than so many parts in 256 of the paper: as a rule, where glyphs touch, where light washes
red out."""

SAME_PLACE_PX: Final = 1.5
SAME_AREA: Final = (0.6, 1.7)
"""Spots of two levels that agree so far in place and area are one."""

SPOT_MIN_PX: Final = 4
SPOT_MAX_PX: Final = 110
SPOT_MIN_SHORT_PX: Final = 2
FILLED_MIN: Final = 0.12
CONTRAST_MIN: Final = 20.0
"""Redness is a share of the contrast of paper and ink, or of this where there is less."""

RULE: Final = SpotRule(
    longest=(SPOT_MIN_PX, SPOT_MAX_PX),
    shortest=SPOT_MIN_SHORT_PX,
    filled=FILLED_MIN,
    place=SAME_PLACE_PX,
    area=SAME_AREA,
    contrast=CONTRAST_MIN,
)


class Spots(NamedTuple):
    """Connected pieces of ink: centres (n x 2), covariances (n x 2 x 2), areas, redness (0..1)."""

    centres: Points
    spreads: Points
    areas: Points
    redness: Points


NO_SPOTS: Final = Spots(np.empty((0, 2)), np.empty((0, 2, 2)), np.empty(0), np.empty(0))


def _sums(number: int, labels: Image, stats: Image, image: Image) -> Points:
    """One level's pieces from their labels, in the columns of `kernel.pieces_of_ink`."""
    y, x = np.nonzero(labels)
    which, count = labels[y, x], len(stats)
    colour = image[y, x].astype(np.float64)
    values = (x, y, x * x, y * y, x * y, colour[:, 0] + colour[:, 1], colour[:, 2])
    left, top, width, height, area = (stats[:, column].astype(np.float64) for column in range(5))
    box = (np.full(count, float(number)), area, left, top, left + width - 1, top + height - 1)
    return np.stack([*box, *(np.bincount(which, value, count) for value in values)], 1)


def pieces_in_opencv(image: Image, cells: Cells) -> Points:
    """What the compiled search finds, found with OpenCV, several times slower; n x FIELDS."""
    rows, columns = cells.paper.shape
    size = columns * CELL, rows * CELL
    part = image[: size[1], : size[0]]
    dark = darkest_channel(part).astype(np.float32) * 256
    level = cv2.resize(cells.level.astype(np.float32), size, interpolation=cv2.INTER_LINEAR)
    mask = cv2.resize(cells.paper, size, interpolation=cv2.INTER_NEAREST)
    found = [np.empty((0, FIELDS))]
    for number, share in enumerate(INK_LEVELS):
        ink = ((dark < level * share) & (mask > 0)).astype(np.uint8)
        _, labels, stats, _ = cv2.connectedComponentsWithStats(ink, connectivity=8, ltype=cv2.CV_32S)
        pieces = _sums(number, labels, stats, part)[1:]
        found.append(pieces[pieces[:, 1] >= LEAST_PX])
    return np.concatenate(found)


def _fitting(pieces: Points) -> Points:
    """Which pieces have a size that a glyph or a pip can have."""
    wide, high = pieces[:, 4] - pieces[:, 2] + 1, pieces[:, 5] - pieces[:, 3] + 1
    longest, shortest = np.maximum(wide, high), np.minimum(wide, high)
    filled = pieces[:, 1] / (wide * high)
    fit = (longest >= SPOT_MIN_PX) & (longest <= SPOT_MAX_PX) & (shortest >= SPOT_MIN_SHORT_PX)
    return np.asarray(fit & (filled > FILLED_MIN))


def _seen_before(pieces: Points) -> Points:
    """Which pieces another, earlier level has shown already."""
    x, y = pieces[:, 6] / pieces[:, 1], pieces[:, 7] / pieces[:, 1]
    order = np.argsort(x)
    xs = x[order]
    first = np.searchsorted(xs, x - SAME_PLACE_PX)
    counts = np.searchsorted(xs, x + SAME_PLACE_PX) - first
    mine = np.repeat(np.arange(len(pieces)), counts)
    place = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    theirs = order[place + np.repeat(first, counts)]
    ratio = pieces[mine, 1] / pieces[theirs, 1]
    same = (np.abs(y[mine] - y[theirs]) < SAME_PLACE_PX) & (ratio > SAME_AREA[0]) & (ratio < SAME_AREA[1])
    seen = np.zeros(len(pieces), bool)
    seen[mine[same & (pieces[theirs, 0] < pieces[mine, 0])]] = True
    return seen


def _spots(pieces: Points, white: float) -> Spots:
    """Moments from sums."""
    area = pieces[:, 1]
    x, y, xx, yy, xy, cold, red = (pieces[:, column] / area for column in range(6, FIELDS))
    xx, yy, xy = xx - x * x + 1 / 12, yy - y * y + 1 / 12, xy - x * y
    spreads = np.stack([np.stack([xx, xy], -1), np.stack([xy, yy], -1)], -2)
    redness = np.clip((red - cold / 2) / np.maximum(white - cold / 2, CONTRAST_MIN), 0, 1)
    return Spots(np.stack([x, y], 1), spreads, area, redness)


def spots_in_numpy(pieces: Points, white: float) -> Spots:
    """What the compiled function makes of pieces of ink, several times slower."""
    pieces = pieces[_fitting(pieces)]
    return _spots(pieces[~_seen_before(pieces)], white)


def find_spots(image: Image, sample: Image | None = None) -> Spots:
    """All pieces of ink of a BGR picture that could be part of an index.

    `sample` is `paper.sample_of` the picture, where the caller has it.
    """
    cells = find_paper(sample_of(image) if sample is None else sample)
    if cells is None:
        return NO_SPOTS
    pieces = pieces_of_ink(image, cells.level, cells.paper, CELL, INK_LEVELS)
    if pieces is None:
        pieces = pieces_in_opencv(image, cells)
    spots = spots_of(pieces, RULE, cells.white)
    return spots_in_numpy(pieces, cells.white) if spots is None else Spots(*spots)
