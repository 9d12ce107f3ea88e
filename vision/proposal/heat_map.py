"""The heat map: a network's result for each cell of the whole picture, and likely places of indices.

The search for ink pairs and the outlines of cards miss things for geometric reasons. The heat map fails for
other causes and names no card: what only one of the two finds is unclear.
"""

from typing import Final, Literal, NamedTuple

import cv2
import numpy as np

from vision.geometry import LEAST, Image, Points
from vision.native import SURVEY_PATCH

PATCH_PX: Final = SURVEY_PATCH
"""The network takes squares of so many pixels a side as one place, with all of their tones."""

PATCH_DEPTH: Final = PATCH_PX * PATCH_PX * 3

OUTPUT_CELL_PX: Final = 2 * PATCH_PX
"""Side of a cell of the output, in pixels of the network's picture; the heat has four values a cell."""

CellKind = Literal["felt", "face", "back", "cut", "thing"]

CELL_KINDS: Final[tuple[CellKind, ...]] = ("felt", "face", "back", "cut", "thing")
"""What a cell may hold, in the order of the outputs. A joker counts as a face."""

OUTPUTS: Final = len(CELL_KINDS) + 4 + 1
"""Logits of the kinds, of the heat in the cell's four quarters, and a height."""

HEIGHT_UNIT: Final = 4.0
"""The height's output times this is the logarithm to base 2 of an index's height. Fixed by the shipped
network."""

_HEIGHT_MAX_LOG2: Final = 10
"""Heights beyond 1,024 pixels of the network's picture, which has no more, are cut: a logit may be
anything."""


_NEIGHBOURS: Final = [(row, column) for row in (0, 1, 2) for column in (0, 1, 2)]


class HeatPeaks(NamedTuple):
    """Likely indices: centres (n x 2), heights of the whole index in pixels, probabilities (n, 0..1)."""

    centres: Points
    index_px: Points
    p: Points


class HeatMap(NamedTuple):
    """The network's results for a picture.

    `kinds`: rows x columns x CELL_KINDS, probabilities for each cell. `heat`: twice as many rows and columns,
    probability of an index's centre there. `index_px`: rows x columns, height of a whole index there, in
    pixels of the picture. `scale`: pixels of the picture for one of the network's.
    """

    kinds: Points
    heat: Points
    index_px: Points
    scale: float

    def kind(self, name: CellKind) -> Points:
        """Probability of a kind for each cell, rows x columns."""
        return np.ascontiguousarray(self.kinds[..., CELL_KINDS.index(name)])

    def peaks(self, least: float) -> HeatPeaks:
        """Return local maxima of heat of at least `least`.

        Each is placed at the centroid of the heat around it, with sub-cell precision.
        """
        highest = (self.heat >= least) & (self.heat == cv2.dilate(self.heat, np.ones((3, 3), np.uint8)))
        rows, columns = np.divmod(np.flatnonzero(highest), highest.shape[1])
        around = np.pad(self.heat, 1)
        weights = np.stack([around[rows + row, columns + column] for row, column in _NEIGHBOURS], 1)
        off = weights @ (np.array(_NEIGHBOURS) - 1.0)[:, ::-1] / np.maximum(weights.sum(1), LEAST)[:, None]
        centres = ((np.stack([columns, rows], 1) + off + 0.5) * PATCH_PX - 0.5) * self.scale
        return HeatPeaks(centres, self.index_px[rows // 2, columns // 2], self.heat[rows, columns])

    def heat_at(self, centres: Points) -> Points:
        """Heat at n x 2 places of the picture, n; past the last whole cell that of the nearest one."""
        places = ((centres / self.scale + 0.5) / PATCH_PX).astype(np.intp)
        columns, rows = places.clip(0, np.array(self.heat.shape[::-1]) - 1).T
        return np.asarray(self.heat[rows, columns])

    def heat_near(self, centre: Points, reach_px: float) -> float:
        """Return the highest heat within `reach_px` of a place of the picture, its own place included."""
        (left, top), (right, foot) = (
            np.floor(((centre + side * reach_px) / self.scale + 0.5) / PATCH_PX).astype(int)
            for side in (-1, 1)
        )
        part = self.heat[max(top, 0) : max(foot, 0) + 1, max(left, 0) : max(right, 0) + 1]
        return float(part.max(initial=0.0))

    def mean_within(self, corners: Points, name: CellKind) -> float:
        """Mean probability of a kind within a convex outline (n x 2); 0 where it covers no cell."""
        pixel = OUTPUT_CELL_PX * self.scale
        mask = np.zeros(self.kinds.shape[:2], np.uint8)
        cv2.fillConvexPoly(mask, np.round((corners + 0.5) / pixel - 0.5).astype(np.int32), 1)
        inside = mask.astype(bool)
        return float(self.kinds[inside, CELL_KINDS.index(name)].mean()) if inside.any() else 0.0


def _softmax(logits: Image) -> Points:
    power = np.exp(logits - logits.max(axis=0))
    return np.asarray(power / power.sum(axis=0))


def decode_heat_map(outputs: Points, scale: float) -> HeatMap:
    """A heat map from the network's outputs, OUTPUTS x rows x columns; `scale` as in `HeatMap`."""
    count, (rows, columns) = len(CELL_KINDS), outputs.shape[1:]
    heat = np.empty((rows, 2, columns, 2), outputs.dtype)
    for number, quarter in enumerate(1 / (1 + np.exp(-outputs[count : count + 4]))):
        heat[:, number // 2, :, number % 2] = quarter
    index_px = np.exp2(np.clip(outputs[-1] * HEIGHT_UNIT, 0, _HEIGHT_MAX_LOG2)) * scale
    kinds = _softmax(outputs[:count]).transpose(1, 2, 0)
    return HeatMap(kinds, heat.reshape(2 * rows, 2 * columns), index_px, scale)
