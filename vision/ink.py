"""Ink on paper: the pieces of print on whatever is white, with their place, spread and colour.

No felt colour is assumed. Paper is what is locally brightest in the darkest colour channel (white stays
bright there; red ink, black ink and coloured felt do not); ink is what is clearly darker than that.
The search runs over coarse islands of paper only, so an empty felt costs next to nothing.
"""

from collections.abc import Iterator
from typing import Final, NamedTuple

import cv2
import numpy as np

from vision.arrays import Image, Points

INK_LEVELS: Final = (0.72, 0.52, 0.85)
"""Ink is darker than this share of the paper: as a rule, where glyphs touch, where light washes red out."""

SAME_PLACE_PX: Final = 1.5
SAME_AREA: Final = (0.6, 1.7)
"""Spots of two levels that agree so far in place and area are one."""

PAPER_LEVEL: Final = 0.62
"""A coarse cell at least this bright, as a share of the local level, is paper with at most a little ink."""

PAPER_FLOOR: Final = 0.28
"""Places whose local level is below this share of the picture's brightest level hold no paper."""

SPOT_MIN_PX: Final = 4
SPOT_MAX_PX: Final = 110
FILLED_MIN: Final = 0.12
CELL: Final = 8
"""Side of a coarse cell in pixels."""

LEVEL_WINDOW: Final = 9
ISLAND_MIN_CELLS: Final = 9


class Spots(NamedTuple):
    """Connected pieces of ink: centres (n x 2), covariances (n x 2 x 2), areas, redness (0..1)."""

    centres: Points
    spreads: Points
    areas: Points
    redness: Points


class _Island(NamedTuple):
    """A region with paper: its corner in pixels, its mask and the brightness of the paper there."""

    x: int
    y: int
    mask: Image
    level: Image


def darkest_channel(image: Image) -> Image:
    """The smallest of blue, green and red of each pixel."""
    blue, green, red = cv2.split(image)
    return cv2.min(cv2.min(blue, green), red)


def _coarse(image: Image) -> Image:
    """The darkest channel at 1/CELL; what is left over at the right and lower border is dropped."""
    size = image.shape[1] // CELL, image.shape[0] // CELL
    whole = image[: size[1] * CELL, : size[0] * CELL]
    return darkest_channel(cv2.resize(whole, size, interpolation=cv2.INTER_AREA))


def _scaled(cells: Image, size: tuple[int, int], interpolation: int) -> Image:
    return cv2.resize(cells, size, interpolation=interpolation)


def _islands(image: Image) -> tuple[Iterator[_Island], float]:
    """Regions that hold paper, and the picture's brightest level."""
    dark = _coarse(image)
    window = (LEVEL_WINDOW, LEVEL_WINDOW)
    level = cv2.blur(cv2.dilate(dark, np.ones(window, np.uint8)), window)
    white = float(level.max())
    lit = level >= PAPER_FLOOR * white
    paper = (lit & (dark >= PAPER_LEVEL * level)).astype(np.uint8)
    grown = cv2.dilate(
        cv2.morphologyEx(paper, cv2.MORPH_CLOSE, np.ones((5, 5), np.uint8)), np.ones((3, 3), np.uint8)
    )
    _, labels, stats, _ = cv2.connectedComponentsWithStats(grown, connectivity=8, ltype=cv2.CV_32S)
    lit_level = np.where(lit, level, 0).astype(np.uint8)

    def cut() -> Iterator[_Island]:
        for number in range(1, len(stats)):
            x, y, width, height, cells = (int(value) for value in stats[number])
            if cells < ISLAND_MIN_CELLS:
                continue
            rows, columns = slice(y, y + height), slice(x, x + width)
            size = (width * CELL, height * CELL)
            mask = _scaled((labels[rows, columns] == number).astype(np.uint8) * 255, size, cv2.INTER_NEAREST)
            yield _Island(x * CELL, y * CELL, mask, _scaled(lit_level[rows, columns], size, cv2.INTER_LINEAR))

    return cut(), white


def _moments(labels: Image, wanted: Points, image: Image, white: float) -> Spots:
    """Centre, spread and redness of each wanted label, over its pixels."""
    slot = np.cumsum(wanted) - 1
    flat = np.flatnonzero(wanted[labels.ravel()])
    which = slot[labels.ravel()[flat]]
    y, x = np.divmod(flat.astype(np.float64), labels.shape[1])
    count = int(wanted.sum())
    area = np.bincount(which, minlength=count).astype(np.float64)

    def mean(values: Points) -> Points:
        return np.asarray(np.bincount(which, values, count) / area)

    cx, cy = mean(x), mean(y)
    dx, dy = x - cx[which], y - cy[which]
    xx, yy, xy = mean(dx * dx) + 1 / 12, mean(dy * dy) + 1 / 12, mean(dx * dy)
    blue, green, red = (image[..., channel].ravel()[flat].astype(np.float64) for channel in range(3))
    cold = (blue + green) / 2
    spreads = np.stack([np.stack([xx, xy], -1), np.stack([xy, yy], -1)], -2)
    contrast = np.maximum(white - mean(cold), 20)
    return Spots(np.stack([cx, cy], 1), spreads, area, np.clip(mean(red - cold) / contrast, 0, 1))


def _spots_at(image: Image, ink: Image, white: float) -> Spots | None:
    """The pieces of an ink mask of a size that a glyph or a pip can have, in the mask's own pixels."""
    _, labels, stats, _ = cv2.connectedComponentsWithStats(ink, connectivity=8, ltype=cv2.CV_32S)
    size = stats[:, [cv2.CC_STAT_WIDTH, cv2.CC_STAT_HEIGHT]]
    longest, shortest = size.max(1), size.min(1)
    filled = stats[:, cv2.CC_STAT_AREA] / np.maximum(size.prod(1), 1)
    fit = (longest >= SPOT_MIN_PX) & (longest <= SPOT_MAX_PX) & (shortest >= 2) & (filled > FILLED_MIN)
    fit[0] = False
    return _moments(labels, fit, image, white) if fit.any() else None


def _joined(parts: list[Spots]) -> Spots:
    return Spots(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


def _only_new(known: Spots, spots: Spots) -> Spots:
    """The spots that another level has not shown already."""
    apart = np.hypot(*(spots.centres[:, None] - known.centres[None]).transpose(2, 0, 1))
    ratio = spots.areas[:, None] / known.areas[None]
    same = (apart < SAME_PLACE_PX) & (ratio > SAME_AREA[0]) & (ratio < SAME_AREA[1])
    new = ~same.any(1)
    return Spots(*(column[new] for column in spots))


def _spots_of_island(image: Image, island: _Island, white: float) -> Spots:
    """The island's pieces of ink at every level, each once."""
    height, width = image.shape[:2]
    dark, mask = darkest_channel(image), island.mask[:height, :width]
    found = NO_SPOTS
    for share in INK_LEVELS:
        limit = cv2.convertScaleAbs(island.level[:height, :width], alpha=share)
        ink = cv2.bitwise_and(cv2.compare(dark, limit, cv2.CMP_LT), mask)
        spots = _spots_at(image, ink, white)
        if spots is not None:
            found = _joined([found, _only_new(found, spots)])
    return found


NO_SPOTS: Final = Spots(np.empty((0, 2)), np.empty((0, 2, 2)), np.empty(0), np.empty(0))


def find_spots(image: Image) -> Spots:
    """All pieces of ink of a BGR picture that could be part of an index."""
    islands, white = _islands(image)
    parts = [NO_SPOTS]
    for island in islands:
        height, width = island.mask.shape
        part = image[island.y : island.y + height, island.x : island.x + width]
        spots = _spots_of_island(part, island, white)
        parts.append(spots._replace(centres=np.add(spots.centres, (island.x, island.y))))
    return _joined(parts)
