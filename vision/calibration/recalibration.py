"""Compute the layout of a bumped camera from features that showed elsewhere before.

Felt, zones and lens stay as calibrated; only the camera's pose is fitted again.
"""

from typing import Final, NamedTuple

import cv2
import numpy as np

from controller.domain import DeviceError
from vision.calibration.homography import project_visible
from vision.calibration.layout import Layout, PlanePart
from vision.calibration.requirements import SETUP_LIMITS
from vision.geometry import Points

_PAIRS_LEAST: Final = 24
"""Fewer corners of print and cards than this prove no place.

Source: no measurement on record.
"""

DRAWS: Final = 40
_DRAW_SEED: Final = 20_261_123
"""How sure a place is follows from so many fits, each to corners drawn anew from all of them."""

_SEEN_LEAST: Final = 0.85
"""So large a share of what was in the picture of a box has to be in it still.

Source: no measurement on record.
"""


class Recalibration(NamedTuple):
    """The plane of a camera's new pose, fitted to `pairs` of corners.

    `residual_px` is the root mean square residual; `uncertain_mm` the standard deviation at the worst corner
    of a box or the dealer.
    """

    plane: PlanePart
    residual_px: float
    uncertain_mm: float
    pairs: int


def recalibrate(layout: Layout, start: Points, end: Points) -> Recalibration:
    """Find the camera's place by corners (n x 2, pixels of the calibrated size) as they were and are.

    Raises `DeviceError` RECALIBRATION_FEW (less than `_PAIRS_LEAST` corners), RECALIBRATION_UNLIKE (no flat
    felt explains them), RECALIBRATION_UNSURE (a box would be known too badly) or RECALIBRATION_OUTSIDE (too
    little of a box is in the picture): then the camera has to be put back.
    """
    if len(start) < _PAIRS_LEAST:
        raise DeviceError("RECALIBRATION_FEW", corners=len(start))
    lens = layout.flat.lens
    before, now = (places if lens is None else lens.straighten(places) for places in (start, end))
    way = _fit(before, now)
    residual_px = float(np.sqrt(np.mean(np.sum((project_visible(way, before) - now) ** 2, axis=1))))
    if residual_px > SETUP_LIMITS.residual_px:
        raise DeviceError("RECALIBRATION_UNLIKE", px=f"{residual_px:.1f}")
    _require_in_picture(layout, way)
    corners = np.vstack([zone.corners() for zone in layout.zone if zone.number is not None])
    uncertain_mm = _uncertain_mm(layout, (before, now), way, corners)
    if uncertain_mm > SETUP_LIMITS.spread_mm:
        raise DeviceError("RECALIBRATION_UNSURE", mm=round(uncertain_mm))
    return Recalibration(_plane(layout, way), residual_px, uncertain_mm, len(start))


def _fit(before: Points, now: Points) -> Points:
    """The way (3 x 3) from the straight picture before to that of now, by least squares."""
    way, _ = cv2.findHomography(before, now, 0)
    if way is None:
        raise DeviceError("RECALIBRATION_FEW", corners=len(before))
    return np.asarray(way)


def _require_in_picture(layout: Layout, way: Points) -> None:
    flat = layout.flat
    for zone in layout.zone:
        straight = project_visible(np.linalg.inv(flat.mm_of_px), zone.corners())
        was, seen = (
            _area_in_picture(layout, places if flat.lens is None else flat.lens.bend(places))
            for places in (straight, project_visible(way, straight))
        )
        if zone.number is not None and seen < _SEEN_LEAST * was:
            raise DeviceError("RECALIBRATION_OUTSIDE", box=zone.number)


def _area_in_picture(layout: Layout, outline_px: Points) -> float:
    """Return the area of an outline within the picture, in square pixels, from its convex hull."""
    width, height = layout.camera.width, layout.camera.height
    picture = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    area, _ = cv2.intersectConvexConvex(cv2.convexHull(outline_px.astype(np.float32)), picture)
    return float(area)


def _uncertain_mm(layout: Layout, pairs: tuple[Points, Points], way: Points, corners_mm: Points) -> float:
    """Return the standard deviation of the worst zone corner over fits to resampled corners."""
    before, now = pairs
    chance = np.random.default_rng(_DRAW_SEED)
    mm_of_px = layout.flat.mm_of_px
    seen = project_visible(way @ np.linalg.inv(mm_of_px), corners_mm)
    places = []
    for _ in range(DRAWS):
        drawn = chance.integers(0, len(before), len(before))
        places.append(project_visible(mm_of_px @ np.linalg.inv(_fit(before[drawn], now[drawn])), seen))
    apart = np.array(places) - corners_mm
    return float(np.sqrt((apart**2).sum(2).mean(0)).max())


def _plane(layout: Layout, way: Points) -> PlanePart:
    matrix = layout.flat.mm_of_px @ np.linalg.inv(way)
    matrix = matrix / np.abs(matrix[2]).max()
    first, second, third = ((float(a), float(b), float(c)) for a, b, c in matrix)
    return layout.plane.model_copy(update={"homography": (first, second, third)})
