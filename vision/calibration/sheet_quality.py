"""Measure sharpness and light of a sheet's picture at the print's edges and paper."""

from typing import Final, NamedTuple

import cv2
import numpy as np

from vision.calibration.homography import FeltPlane
from vision.calibration.plane_fit import SheetPose, move
from vision.calibration.sheet import CELL_MM, SQUARE_MM, CalibrationSheet, cells
from vision.geometry import Image, Points

BURNT_LEVEL: Final = 252
"""From this grey level on a pixel is at the end of the scale: noise keeps some below 255.

Source: no measurement on record.
"""


class EdgeProfile(NamedTuple):
    """Parameters of the edge measurement. Source: no measurement on record."""

    reach_mm: float = 7.0
    """An edge is followed so far to both sides: black within its square, white within the sheet's margin."""

    step_px: float = 0.25
    """Distance of the samples across it."""

    along: tuple[float, ...] = (0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75)
    """Places along a square's side whose profiles are averaged, as shares of the side."""

    contrast: float = 30.0
    """Grey levels between black and white, at least."""


_EDGE_PROFILE: Final = EdgeProfile()


class SheetQuality(NamedTuple):
    """Sharpness and brightness of a picture of a sheet.

    `edge_px`: width of a black to white step from 10 % to 90 %, in pixels, the worse of both directions (1.5
    is a sharp camera); None where no edge could be measured. `paper`: usual brightness of the paper, 0..255.
    `burnt`: saturated share of the paper, 0..1.
    """

    edge_px: float | None
    paper: float
    burnt: float


def measure_sheet(image: Image, sheet: CalibrationSheet, plane: FeltPlane, pose: SheetPose) -> SheetQuality:
    """Look at a sheet that lies at a known place; the picture is BGR."""
    paper = _samples(image, plane.to_px(move(_paper_mm(sheet), pose)))
    level = float(np.median(paper.max(axis=1))) if len(paper) else 0.0
    burnt = float((paper.max(axis=1) >= BURNT_LEVEL).mean()) if len(paper) else 0.0
    return SheetQuality(_edge_px(image, sheet, plane, pose), level, burnt)


def _samples(image: Image, pixels: Points) -> Points:
    """Colours at the nearest pixels, those outside the picture left out."""
    inside = np.isfinite(pixels).all(1)
    nearest = np.round(pixels[inside]).astype(int)
    within = (nearest >= 0).all(1) & (nearest < (image.shape[1], image.shape[0])).all(1)
    x, y = nearest[within].T
    return np.asarray(image[y, x])


def _paper_mm(sheet: CalibrationSheet) -> Points:
    """Places on white paper: cells around the markers with no ink beside them, n x 2."""
    black = cells(sheet.name)
    open_ = cv2.erode((~black).astype(np.uint8), np.ones((1, 3), np.uint8), borderValue=0)
    rows, columns = np.nonzero(open_)
    scale = CELL_MM * sheet.square_mm / SQUARE_MM
    return np.column_stack([columns + 0.5, rows + 0.5]) * scale


def _edges_mm(sheet: CalibrationSheet) -> tuple[Points, Points]:
    """Points on the outer edges of the border's black squares and the directions into the paper, n x 2."""
    side, paper = sheet.square_mm, sheet.paper
    middles, outward = [], []
    for column in range(paper.columns):
        if column % 2 == 0:
            middles.append([((column + at) * side, 0.0) for at in _EDGE_PROFILE.along])
            outward.append((0.0, -1.0))
    for row in range(paper.rows):
        for edge, direction in ((0, -1.0), (paper.columns, 1.0)):
            square = row + (0 if edge == 0 else paper.columns - 1)
            if square % 2 == 0:
                middles.append([(edge * side, (row + at) * side) for at in _EDGE_PROFILE.along])
                outward.append((direction, 0.0))
    return np.array(middles), np.array(outward)


def _edge_px(image: Image, sheet: CalibrationSheet, plane: FeltPlane, pose: SheetPose) -> float | None:
    """The median width of the edges of each direction, the wider one."""
    grey = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
    middles, outward = _edges_mm(sheet)
    widths: dict[bool, list[float]] = {True: [], False: []}
    for line, direction in zip(middles, outward, strict=True):
        ends = np.vstack(
            [line - direction * _EDGE_PROFILE.reach_mm, line + direction * _EDGE_PROFILE.reach_mm]
        )
        width = _width(grey, plane.to_px(move(ends, pose)).reshape(2, -1, 2))
        if width is not None:
            widths[bool(direction[0])].append(width)
    medians = [float(np.median(found)) for found in widths.values() if found]
    return max(medians, default=None)


def _width(grey: Image, ends: Points) -> float | None:
    """10 % to 90 % of the step between two rows of pixels (2 x n x 2), averaged along the edge."""
    inner, outer = ends
    length = float(np.hypot(*(outer - inner).T).mean())
    steps = np.linspace(0, 1, max(8, round(length / _EDGE_PROFILE.step_px)))
    places = (inner[:, None] + (outer - inner)[:, None] * steps[None, :, None]).astype(np.float32)
    if not np.isfinite(places).all() or (places < 0).any() or (places >= grey.shape[::-1]).any():
        return None
    profile = cv2.remap(grey, places[..., 0], places[..., 1], cv2.INTER_LINEAR).mean(0)
    end = max(2, len(profile) // 8)
    low, high = float(profile[:end].mean()), float(profile[-end:].mean())
    if high - low < _EDGE_PROFILE.contrast:
        return None
    share = np.maximum.accumulate((profile - low) / (high - low))
    first, last = np.interp((0.1, 0.9), share + np.arange(len(share)) * 1e-9, steps)
    return float((last - first) * length)
