"""How sharp a picture is: how much fine detail it has, and how wide its steepest edges are."""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from drivers.camera.config import Image

EDGE_SHARE: Final = 99.8
"""The steepest steps between neighbours, as a percentile, are the edges that are measured."""

EDGE_LEVELS: Final = 12
"""A picture whose steepest step is lower, of 255, has no edge to measure."""

EDGE_NOISE: Final = 6.0
"""An edge is so many times steeper than what most neighbours differ by (standard deviations of the noise).
Of 130,000 steps of noise alone one is steeper than 4.5."""

USUAL_STEP: Final = 1.4826
"""The median of normal steps times this is their standard deviation."""

EDGE_BEFORE, EDGE_AFTER = 3, 4
"""Pixels on each side of a step between which an edge has gone from one level to the other."""

CELLS: Final = (4, 6)
"""Rows and columns of cells in which edges are looked for: writing that a camera lays over its picture stays
sharp in one or two of them, whatever the lens does."""

CELL_EDGES: Final = 8
"""A cell with fewer edges says nothing."""


class Edges(NamedTuple):
    """The steepest upright edges of a picture: their width in pixels, and the cell in which each lies."""

    widths: NDArray[np.float32]
    cells: NDArray[np.intp]

    @property
    def width(self) -> float:
        """The median of their widths: about 1 in focus; 0.0 where there are none."""
        return float(np.median(self.widths)) if self.widths.size else 0.0

    def cells_within(self, width: float) -> int:
        """In how many cells they are no wider than this."""
        found = [self.widths[self.cells == cell] for cell in np.unique(self.cells)]
        return sum(one.size >= CELL_EDGES and float(np.median(one)) <= width for one in found)


def edges_of(image: Image) -> Edges:
    """Measure the edges of a picture (height x width x 3, BGR).

    The levels on both sides of an edge differ by the step times its width, whatever is in the picture.
    """
    green = image[::4, :, 1].astype(np.float32)
    steps = np.abs(np.diff(green, axis=1))[:, EDGE_BEFORE:-EDGE_AFTER]
    noise = USUAL_STEP * float(np.median(steps))
    least = max(float(np.percentile(steps, EDGE_SHARE)), EDGE_LEVELS, EDGE_NOISE * noise)
    rows, columns = np.nonzero(steps >= least)
    before, after = green[rows, columns], green[rows, columns + EDGE_BEFORE + EDGE_AFTER]
    widths = np.abs(after - before) / steps[rows, columns]
    high, wide = CELLS
    cells = rows * high // green.shape[0] * wide + columns * wide // green.shape[1]
    return Edges(np.asarray(widths, np.float32), cells)


def detail_of(image: Image) -> float:
    """Fine detail: the mean squared step between neighbours in a row (green)."""
    steps = np.diff(image[::8, :, 1].astype(np.float32), axis=1)
    return float(np.mean(steps * steps))
