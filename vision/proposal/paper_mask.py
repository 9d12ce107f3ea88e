"""Find the paper of a picture, in cells of a few pixels.

No felt colour is assumed. Paper is locally brightest in the darkest of the three colour channels: white is
bright there; red ink, black ink and coloured felt are not. An empty felt costs next to no time.
"""

import math
from typing import Final, NamedTuple

import cv2
import numpy as np

from vision.geometry import Image
from vision.native import darkest_means, sampled

CELL_PX: Final = 8
"""Side of a cell. Also the grid on which the search for ink asks whether there is paper."""

SAMPLE_STEP_PX: Final = 4
"""Every so many pixels one is looked at, in rows and columns: two a cell and side."""

_CELLS_16_BIT: Final = 2**19
"""Islands of grids with fewer cells than this can be numbered in 16 bits, which takes half as long.

Source: at most every eighth cell begins an island of its own, and 16 bits hold 2**16 numbers.
"""


class PaperRule(NamedTuple):
    """Limits for paper cells.

    Source: no measurement on record. Paper that is missed here shows as cards `missed` in
    `stand17 bench reader --only stress`.
    """

    level: float = 0.62
    """A cell is paper from this share of the brightness around it on: there may be a little ink in it."""

    floor: float = 0.28
    """Where the brightness around is below this share of the picture's brightest, nothing is paper."""

    window: int = 9
    """Side of that surrounding, in cells."""

    island_min: int = 9
    """Cells of the smallest island that counts: what a single bright cell becomes when it is grown by one
    cell."""


_PAPER_RULE: Final = PaperRule()

_NEEDED: Final = np.ceil(_PAPER_RULE.level * np.arange(256)).astype(np.uint8)
_NEEDED[0] = 255
"""From which brightness on a cell is paper, by the brightness around it; in the dark none is."""

_SPREAD: Final = np.ones((_PAPER_RULE.window, _PAPER_RULE.window), np.uint8)
_CLOSE: Final = np.ones((5, 5), np.uint8)
_GROW: Final = np.ones((3, 3), np.uint8)


class PaperCells(NamedTuple):
    """A value for each cell of CELL_PX x CELL_PX pixels, both uint8.

    `paper` is 1 for paper, `level` the brightness of the paper there (0 in the dark). `white` is the
    brightest level, 0..255. A remainder at the right and lower border of the picture has no cell.
    """

    paper: Image
    level: Image
    white: float


def coarse_sample(image: Image) -> Image:
    """Every SAMPLE_STEP_PX-th pixel of every SAMPLE_STEP_PX-th row, for whole cells only."""
    high, wide = (side // CELL_PX * CELL_PX for side in image.shape[:2])
    first, step = SAMPLE_STEP_PX // 2, SAMPLE_STEP_PX
    return sampled(image, first, step, high // step, wide // step)


def _without_small_islands(grown: Image) -> Image:
    """Grown cells without islands below `island_min`; only the picture's border makes such ones."""
    if not any(side.any() for side in (grown[0], grown[-1], grown[:, 0], grown[:, -1])):
        return grown
    kind = cv2.CV_16U if grown.size < _CELLS_16_BIT else cv2.CV_32S
    _, labels, stats, _ = cv2.connectedComponentsWithStats(grown, connectivity=8, ltype=kind)
    large = stats[:, cv2.CC_STAT_AREA] >= _PAPER_RULE.island_min
    if large[1:].all():
        return grown
    large[0] = False
    return np.asarray(large.view(np.uint8)[np.asarray(labels)])


def find_paper(sample: Image) -> PaperCells | None:
    """Return the paper of a picture from its `coarse_sample`; None where there is none."""
    if not min(sample.shape[:2]) * SAMPLE_STEP_PX // CELL_PX:
        return None
    means = darkest_means(sample)
    level = cv2.blur(cv2.dilate(means, _SPREAD), _SPREAD.shape)
    white = float(np.max(level))
    _, lit = cv2.threshold(level, math.ceil(_PAPER_RULE.floor * white) - 1, 255, cv2.THRESH_TOZERO)
    bright = np.asarray(cv2.compare(means, cv2.LUT(lit, _NEEDED), cv2.CMP_GE), np.uint8) & 1
    paper = _without_small_islands(cv2.dilate(cv2.morphologyEx(bright, cv2.MORPH_CLOSE, _CLOSE), _GROW))
    return PaperCells(paper, lit, white) if paper.any() else None
