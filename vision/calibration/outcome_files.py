"""Results of calibrations: a bumped camera's layout, layout files and their successors, the drawn result.

No file is overwritten: `layout.toml` is followed by `layout.anew-1.toml`, `layout.anew-2.toml` and so on;
each names the SHA-256 of its predecessor. A new calibration with sheets writes another `layout.toml`, which
none of them follows.
"""

import hashlib
from datetime import date
from pathlib import Path
from typing import Final, Literal, NamedTuple

import cv2
import numpy as np
from pydantic import ValidationError

from controller.domain import ConfigError, DeviceError
from controller.outputs import FRESH, PUBLIC, Outputs, anew_beside, next_beside
from vision.calibration.calibrate import SETUP_LIMITS, CalibrationOutcome, ZoneMeasurement
from vision.calibration.felt_plane import FeltPlane, project_visible
from vision.calibration.layout import (
    DEALER,
    VERSION,
    CameraPart,
    CardsPart,
    Layout,
    LensPart,
    Origin,
    PlanePart,
    layout_text,
    load_layout,
    wrong,
)
from vision.calibration.sheets import png_bytes
from vision.geometry import Image, Points

_PAIRS_LEAST: Final = 24
"""Fewer corners of print and cards than this prove no place.

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
    return Recalibration(_new_plane(layout, way), residual_px, uncertain_mm, len(start))


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
        # 0.85: so large a share of what was in the picture of a box has to be in it still. Source: no
        # measurement on record.
        if zone.number is not None and seen < 0.85 * was:
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
    # 40 and 20_261_123: how sure a place is follows from so many fits, each to corners drawn anew from all
    # of them.
    chance = np.random.default_rng(20_261_123)
    mm_of_px = layout.flat.mm_of_px
    seen = project_visible(way @ np.linalg.inv(mm_of_px), corners_mm)
    places = []
    for _ in range(40):
        drawn = chance.integers(0, len(before), len(before))
        places.append(project_visible(mm_of_px @ np.linalg.inv(_fit(before[drawn], now[drawn])), seen))
    apart = np.array(places) - corners_mm
    return float(np.sqrt((apart**2).sum(2).mean(0)).max())


def _new_plane(layout: Layout, way: Points) -> PlanePart:
    matrix = layout.flat.mm_of_px @ np.linalg.inv(way)
    matrix = matrix / np.abs(matrix[2]).max()
    first, second, third = ((float(a), float(b), float(c)) for a, b, c in matrix)
    return layout.plane.model_copy(update={"homography": (first, second, third)})


class CalibrationRecord(NamedTuple):
    """Method and day (ISO 8601) of a calibration."""

    method: Literal["sheet", "print"]
    date: str


def write_layout(
    path: Path,
    outcome: CalibrationOutcome,
    cards: CardsPart,
    empty: Image,
    made: CalibrationRecord,
    *,
    outputs: Outputs = FRESH,
) -> Layout:
    """Write the picture of the empty table first, then the layout that names it.

    Raises `ConfigError` LAYOUT_WRONG, as `Outputs.write`, and `ValueError` when the outcome is refused.
    """
    if outcome.fit is None or outcome.refused:
        raise ValueError("a refused set-up has no layout")
    data = png_bytes(empty)
    reference = reference_beside(path)
    outputs.require_free(reference, path)
    try:
        # The fitted plane; the matrix scaled so that the lens's centre has the depth 1, for people's eyes.
        matrix, lens = outcome.fit.plane.mm_of_px, outcome.fit.plane.lens
        assert lens is not None
        matrix = matrix / float(matrix[2] @ (*lens.centre_px, 1.0))
        bent = LensPart(focal_px=lens.focal_px, centre_px=lens.centre_px, k1=lens.k1, k2=lens.k2)
        first, second, third = ((float(row[0]), float(row[1]), float(row[2])) for row in matrix)
        layout = Layout(
            layout=VERSION,
            camera=CameraPart(width=empty.shape[1], height=empty.shape[0]),
            plane=PlanePart(homography=(first, second, third), lens=bent),
            cards=cards,
            zone=tuple(one.zone for one in outcome.zones),
            origin=Origin(
                date=made.date,
                method=made.method,
                residual_px=round(outcome.fit.residual_px, 3),
                reference=reference.name,
                sha256=hashlib.sha256(data).hexdigest(),
            ),
        )
    except ValidationError as error:
        raise wrong(path, error) from error
    outputs.write(reference, data, PUBLIC)
    outputs.write(path, layout_text(layout).encode("utf-8"), PUBLIC)
    return layout


def reference_beside(layout: Path) -> Path:
    """Name the picture of the empty table that a layout has beside it."""
    return layout.with_name(f"{layout.stem}.reference.png")


class LayoutFile(NamedTuple):
    """A layout, the file that it stands in, and that file's SHA-256."""

    layout: Layout
    path: Path
    sha256: str


def latest_layout(path: Path) -> LayoutFile:
    """The layout of a file, or the last that its camera was given since; raises as `load_layout`."""
    latest = _read(path)
    for found in map(_read, anew_beside(path)):
        if found.layout.origin.before == latest.sha256:
            latest = found
    return latest


def layout_with(path: Path, sha256: str) -> LayoutFile | None:
    """Return the layout with this SHA-256, from a file or one of its successors.

    None where no file has it; raises as `load_layout`.
    """
    found = map(_read, (path, *anew_beside(path)))
    return next((one for one in found if one.sha256 == sha256), None)


def keep_anew(
    configured: Path, before: LayoutFile, found: Recalibration, image: Image, day: date
) -> LayoutFile:
    """Write the layout of a camera's new place, and the picture from there; on disk when it returns.

    `configured` is the file of the configuration. Raises `ConfigError` LAYOUT_NOT_WRITTEN where there are
    too many, and as `Outputs.write`.
    """
    path = next_beside(configured)
    if path is None:
        raise ConfigError("LAYOUT_NOT_WRITTEN", path=str(configured), reason="too many files")
    data, reference = png_bytes(image), path.with_suffix(".reference.png")
    origin = before.layout.origin.model_copy(
        update={
            "date": day.isoformat(),
            "method": "in_place",
            "residual_px": round(found.residual_px, 3),
            "reference": reference.name,
            "sha256": hashlib.sha256(data).hexdigest(),
            "before": before.sha256,
        }
    )
    layout = before.layout.model_copy(update={"plane": found.plane, "origin": origin})
    FRESH.write(reference, data, PUBLIC)
    FRESH.write(path, layout_text(layout).encode("utf-8"), PUBLIC)
    return _read(path)


def _read(path: Path) -> LayoutFile:
    layout = load_layout(path)
    return LayoutFile(layout, path, hashlib.sha256(path.read_bytes()).hexdigest())


GRID_MM: Final = 100
_GRID_REACH_MM: Final = 4000
_LINE_STEPS: Final = 40
"""Lines of the grid lie so far apart, and reach so far; each is drawn through so many points, for lenses
bend."""

_ENLARGED: Final = 50
"""Errors are drawn so many times longer: they are parts of a pixel."""

Colour = tuple[int, int, int]
"""Blue, green, red, 0..255."""

_WHITE: Final[Colour] = (255, 255, 255)
DARK: Final[Colour] = (40, 40, 40)
_GREEN: Final[Colour] = (80, 220, 80)
_RED: Final[Colour] = (60, 60, 255)


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
        # Lines every 100 mm where the camera sees the felt, the axes stronger.
        plane = outcome.fit.plane
        height, width = drawn.shape[:2]
        seen = plane.to_mm(np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float64))
        low = np.clip(np.floor(np.nanmin(seen, axis=0) / GRID_MM), -_GRID_REACH_MM / GRID_MM, None).astype(
            int
        )
        high = np.clip(np.ceil(np.nanmax(seen, axis=0) / GRID_MM), None, _GRID_REACH_MM / GRID_MM).astype(int)
        for axis in (0, 1):
            other = np.linspace(low[1 - axis], high[1 - axis], _LINE_STEPS) * GRID_MM
            for step in range(low[axis], high[axis] + 1):
                line = np.empty((_LINE_STEPS, 2))
                line[:, axis], line[:, 1 - axis] = step * GRID_MM, other
                _line(drawn, plane.to_px(line), _WHITE, round(2 * scale) if step == 0 else 1)
        for one in outcome.zones:
            _zone(drawn, outcome.fit.plane, one, scale)
    for target in outcome.targets:
        # Draw a found target, each point with its enlarged error.
        for pixel, error in zip(target.pixels, target.errors_px, strict=True):
            start, end = (tuple(int(v) for v in np.round(at)) for at in (pixel, pixel + _ENLARGED * error))
            cv2.circle(drawn, start, max(2, round(3 * scale)), _GREEN, 1, cv2.LINE_AA)
            cv2.line(drawn, start, end, _RED, max(1, round(scale)), cv2.LINE_AA)
        _words(drawn, target.pixels.mean(0), [target.name], _WHITE, 1.2 * scale)
    legend = [f"grid {GRID_MM} mm, errors x {_ENLARGED}"]
    _words(drawn, np.array([170 * scale, drawn.shape[0] - 30 * scale]), legend, _WHITE, scale)
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


def _zone(drawn: Image, plane: FeltPlane, one: ZoneMeasurement, scale: float) -> None:
    """The outline, coloured by how high a rank is there, with the number and the figures."""
    colour = _RED
    if one.zone.number is None:
        colour = (255, 200, 60)
    elif one.whole and one.rank_px >= SETUP_LIMITS.rank_px:
        colour = _GREEN if one.rank_px >= SETUP_LIMITS.rank_px_wished else (40, 180, 255)
    corners = one.zone.corners()
    rim = np.vstack(
        [np.linspace(a, b, 12)[:-1] for a, b in zip(corners, np.roll(corners, -1, 0), strict=True)]
    )
    _line(drawn, plane.to_px(rim), colour, max(1, round(2 * scale)), closed=True)
    name = {None: one.zone.kind, DEALER: "dealer"}.get(one.zone.number, f"box {one.zone.number}")
    figures = [f"{one.px_per_mm:.2f} px/mm", f"rank {one.rank_px:.0f} px"] if one.whole else ["cut"]
    _words(drawn, plane.to_px(corners).mean(0), [name, *figures], colour, scale)
