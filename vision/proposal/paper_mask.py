"""Where paper is, cell by cell.

No felt colour is assumed. Paper is what is locally brightest in the darkest colour channel: white stays
bright there, red ink, black ink and coloured felt do not. An empty felt costs next to nothing.
"""

import math
from typing import Final, NamedTuple

import cv2
import numpy as np

from vision.geometry.arrays import Image
from vision.native.kernel import darkest_means, sampled

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
"""No more than a single cell becomes when it is grown away from the border (`_without_crumbs`)."""

CELLS_16_BIT: Final = 2**19
"""Islands of smaller grids can be numbered in 16 bits, which takes half as long."""

_NEEDED: Final = np.ceil(PAPER_LEVEL * np.arange(256)).astype(np.uint8)
_NEEDED[0] = 255
"""From which brightness on a cell is paper, by its level; in the dark none is."""

_SPREAD: Final = np.ones((LEVEL_WINDOW, LEVEL_WINDOW), np.uint8)
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


def _means(sample: Image) -> Image:
    """Brightness of each cell, 2 x 2 pixels of the sample, in its darkest channel."""
    means = darkest_means(sample)
    if means is None:
        size = sample.shape[1] * STEP // CELL, sample.shape[0] * STEP // CELL
        means = cv2.resize(darkest_channel(sample), size, interpolation=cv2.INTER_AREA)
    return means


def _without_crumbs(grown: Image) -> Image:
    """Grown cells without islands that are too small, which only the picture's border makes."""
    if not any(side.any() for side in (grown[0], grown[-1], grown[:, 0], grown[:, -1])):
        return grown
    kind = cv2.CV_16U if grown.size < CELLS_16_BIT else cv2.CV_32S
    _, labels, stats, _ = cv2.connectedComponentsWithStats(grown, connectivity=8, ltype=kind)
    large = stats[:, cv2.CC_STAT_AREA] >= ISLAND_MIN_CELLS
    if large[1:].all():
        return grown
    large[0] = False
    return large.view(np.uint8)[np.asarray(labels)]


def find_paper(sample: Image) -> Cells | None:
    """Finds the paper of a picture from its sample (`sample_of`); None where there is none."""
    if not min(sample.shape[:2]) * STEP // CELL:
        return None
    means = _means(sample)
    level = cv2.blur(cv2.dilate(means, _SPREAD), _SPREAD.shape)
    white = float(level.max())
    _, lit = cv2.threshold(level, math.ceil(PAPER_FLOOR * white) - 1, 255, cv2.THRESH_TOZERO)
    bright = np.asarray(cv2.compare(means, cv2.LUT(lit, _NEEDED), cv2.CMP_GE), np.uint8) & 1
    paper = _without_crumbs(cv2.dilate(cv2.morphologyEx(bright, cv2.MORPH_CLOSE, _CLOSE), _GROW))
    return Cells(paper, lit, white) if paper.any() else None
