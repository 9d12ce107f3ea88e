"""Draw the result of a calibration: zones, sheets, a millimetre grid and enlarged errors."""

from pathlib import Path
from typing import Final

import cv2
import numpy as np

from controller.outputs import PUBLIC, Outputs
from vision.calibration.calibrate import CalibrationOutcome, FoundTarget
from vision.calibration.homography import FeltPlane
from vision.calibration.layout import DEALER
from vision.calibration.requirements import SETUP_LIMITS, ZoneMeasurement
from vision.geometry import Image, Points

GRID_MM: Final = 100
_GRID_REACH_MM: Final = 4000
_LINE_STEPS: Final = 40
"""Lines of the grid lie so far apart, and reach so far; each is drawn through so many points, for lenses
bend."""

_ENLARGED: Final = 50
"""Errors are drawn so many times longer: they are parts of a pixel."""

Colour = tuple[int, int, int]
"""Blue, green, red, 0..255."""

WHITE: Final[Colour] = (255, 255, 255)
DARK: Final[Colour] = (40, 40, 40)
_GREEN: Final[Colour] = (80, 220, 80)
_AMBER: Final[Colour] = (40, 180, 255)
_RED: Final[Colour] = (60, 60, 255)
_BLUE: Final[Colour] = (255, 200, 60)


def write_outcome(path: Path, image: Image, outcome: CalibrationOutcome, outputs: Outputs) -> None:
    """Draw over a picture and write it as PNG, or as JPEG by its ending.

    Raises as `Outputs.write`.
    """
    suffix = ".jpg" if path.suffix.lower() in {".jpg", ".jpeg"} else ".png"
    outputs.write(path, cv2.imencode(suffix, draw_outcome(image, outcome))[1].tobytes(), PUBLIC)


def draw_outcome(image: Image, outcome: CalibrationOutcome) -> Image:
    """The same picture with everything drawn over it."""
    drawn = image.copy()
    scale = max(0.5, image.shape[1] / 1920)
    if outcome.fit is not None:
        _grid(drawn, outcome.fit.plane, scale)
        for one in outcome.zones:
            _zone(drawn, outcome.fit.plane, one, scale)
    for target in outcome.targets:
        _target(drawn, target, scale)
    legend = [f"grid {GRID_MM} mm, errors x {_ENLARGED}"]
    _words(drawn, np.array([170 * scale, drawn.shape[0] - 30 * scale]), legend, WHITE, scale)
    return drawn


def _line(drawn: Image, pixels: Points, colour: Colour, width: int, *, closed: bool = False) -> None:
    """A line through pixels that lie in or near the picture."""
    reach = 2 * max(drawn.shape)
    near = pixels[np.isfinite(pixels).all(1) & (np.abs(pixels) < reach).all(1)]
    if len(near) > 1:
        whole = closed and len(near) == len(pixels)
        cv2.polylines(drawn, [np.round(near).astype(np.int32)], whole, colour, width, cv2.LINE_AA)


def _words(drawn: Image, at: Points, lines: list[str], colour: Colour, scale: float) -> None:
    """Lines of text on a dark ground, in the middle of a place."""
    if not (np.isfinite(at).all() and (np.abs(at) < 1e5).all()):
        return
    size, weight = 0.55 * scale, max(1, round(scale))
    widths = [cv2.getTextSize(line, 0, size, weight)[0][0] for line in lines]
    step = round(22 * scale)
    left, top = round(float(at[0]) - max(widths) / 2), round(float(at[1]) - step * len(lines) / 2)
    end = (left + max(widths) + step // 3, top + step * len(lines) + step // 3)
    cv2.rectangle(drawn, (left - step // 3, top), end, DARK, -1)
    for number, line in enumerate(lines, start=1):
        cv2.putText(drawn, line, (left, top + step * number), 0, size, colour, weight, cv2.LINE_AA)


def _grid(drawn: Image, plane: FeltPlane, scale: float) -> None:
    """Lines every 100 mm where the camera sees the felt, the axes stronger."""
    height, width = drawn.shape[:2]
    seen = plane.to_mm(np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float64))
    low = np.clip(np.floor(np.nanmin(seen, axis=0) / GRID_MM), -_GRID_REACH_MM / GRID_MM, None).astype(int)
    high = np.clip(np.ceil(np.nanmax(seen, axis=0) / GRID_MM), None, _GRID_REACH_MM / GRID_MM).astype(int)
    for axis in (0, 1):
        other = np.linspace(low[1 - axis], high[1 - axis], _LINE_STEPS) * GRID_MM
        for step in range(low[axis], high[axis] + 1):
            line = np.empty((_LINE_STEPS, 2))
            line[:, axis], line[:, 1 - axis] = step * GRID_MM, other
            _line(drawn, plane.to_px(line), WHITE, round(2 * scale) if step == 0 else 1)


def _zone(drawn: Image, plane: FeltPlane, one: ZoneMeasurement, scale: float) -> None:
    """The outline, coloured by how high a rank is there, with the number and the figures."""
    colour = _RED
    if one.zone.number is None:
        colour = _BLUE
    elif one.whole and one.rank_px >= SETUP_LIMITS.rank_px:
        colour = _GREEN if one.rank_px >= SETUP_LIMITS.rank_px_wished else _AMBER
    corners = one.zone.corners()
    rim = np.vstack(
        [np.linspace(a, b, 12)[:-1] for a, b in zip(corners, np.roll(corners, -1, 0), strict=True)]
    )
    _line(drawn, plane.to_px(rim), colour, max(1, round(2 * scale)), closed=True)
    name = {None: one.zone.kind, DEALER: "dealer"}.get(one.zone.number, f"box {one.zone.number}")
    figures = [f"{one.px_per_mm:.2f} px/mm", f"rank {one.rank_px:.0f} px"] if one.whole else ["cut"]
    _words(drawn, plane.to_px(corners).mean(0), [name, *figures], colour, scale)


def _target(drawn: Image, target: FoundTarget, scale: float) -> None:
    """Draw a found target, each point with its enlarged error."""
    for pixel, error in zip(target.pixels, target.errors_px, strict=True):
        start, end = (tuple(int(v) for v in np.round(at)) for at in (pixel, pixel + _ENLARGED * error))
        cv2.circle(drawn, start, max(2, round(3 * scale)), _GREEN, 1, cv2.LINE_AA)
        cv2.line(drawn, start, end, _RED, max(1, round(scale)), cv2.LINE_AA)
    _words(drawn, target.pixels.mean(0), [target.name], WHITE, 1.2 * scale)
