"""Where paper is, cell by cell.

No felt colour is assumed. Paper is what is locally brightest in the darkest colour channel: white stays
bright there, red ink, black ink and coloured felt do not. An empty felt costs next to nothing.
"""

from typing import Final, NamedTuple

import cv2
import numpy as np

from vision.arrays import Image
from vision.kernel import sampled

CELL: Final = 8
"""Side of a coarse cell in pixels."""

STEP: Final = 4
"""Every so many pixels one is looked at, in rows and columns."""

PAPER_LEVEL: Final = 0.62
"""A coarse cell at least this bright, as a share of the local level, is paper with at most a little ink."""

PAPER_FLOOR: Final = 0.28
"""Places whose local level is below this share of the picture's brightest level hold no paper."""

LEVEL_WINDOW: Final = 9
ISLAND_MIN_CELLS: Final = 9

_CLOSE: Final = np.ones((5, 5), np.uint8)
_GROW: Final = np.ones((3, 3), np.uint8)


class Cells(NamedTuple):
    """A value for each cell of CELL x CELL pixels.

    `paper` is 1 where there is paper, `level` the brightness of the paper there (0 in the dark). `white` is
    the brightest level. What is left over at the right and lower border of the picture is dropped.
    """

    paper: Image
    level: Image
    white: float


def darkest_channel(image: Image) -> Image:
    """The smallest of blue, green and red of each pixel."""
    blue, green, red = cv2.split(image)
    return cv2.min(cv2.min(blue, green), red)


def sample_of(image: Image) -> Image:
    """Every STEP-th pixel of every STEP-th row, CELL / STEP of them a cell and side."""
    high, wide = image.shape[0] // CELL * CELL, image.shape[1] // CELL * CELL
    sample = sampled(image, STEP // 2, STEP, high // STEP, wide // STEP)
    if sample is None:
        return np.ascontiguousarray(image[STEP // 2 : high : STEP, STEP // 2 : wide : STEP])
    return sample


def find_paper(sample: Image) -> Cells | None:
    """Finds the paper of a picture from its sample (`sample_of`); None where there is none."""
    rows, columns = sample.shape[0] * STEP // CELL, sample.shape[1] * STEP // CELL
    if not rows or not columns:
        return None
    means = cv2.resize(darkest_channel(sample), (columns, rows), interpolation=cv2.INTER_AREA)
    window = (LEVEL_WINDOW, LEVEL_WINDOW)
    level = cv2.blur(cv2.dilate(means, np.ones(window, np.uint8)), window)
    white = float(level.max())
    lit = level >= PAPER_FLOOR * white
    bright = (lit & (means >= PAPER_LEVEL * level)).astype(np.uint8)
    grown = cv2.dilate(cv2.morphologyEx(bright, cv2.MORPH_CLOSE, _CLOSE), _GROW)
    _, labels, stats, _ = cv2.connectedComponentsWithStats(grown, connectivity=8, ltype=cv2.CV_32S)
    large = stats[:, cv2.CC_STAT_AREA] >= ISLAND_MIN_CELLS
    large[0] = False
    paper = large.view(np.uint8)[labels]
    return Cells(paper, np.where(lit, level, 0).astype(np.uint8), white) if large.any() else None
