"""What the reader's camera takes: sheets under one flash, moving, with noise and the lights of the code.

The picture's right is where cards come from, its left where they leave, its top the guided side; an index
stands upright in it.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Final, NamedTuple

import cv2
import numpy as np
from design.geometry import CODE_SPOTS, READER, CardSize, Design
from numpy.typing import NDArray

Image = NDArray[np.uint8]
Picture = NDArray[np.float32]

EMPTY: Final = 10.0
"""Grey of the tunnel's black roof under the flash."""

PAPER_SHARE: Final = 0.85
"""Paper fills this share of the scale: exposure is set so that it does not clip."""

READ_NOISE: Final = 2.0
SHOT_NOISE: Final = 0.35
"""Grey levels: of the dark, and times the root of the grey. Source: estimate for some 6,000 electrons at full
scale, as pixels of 3 um have."""

LIGHT: Final = 250.0
CODE_RADIUS_MM: Final = 2.0
"""A disc of diffuser over each light: three of them are more than a hundredth of the picture, so that a
camera whose picture is black has lost its reader, too."""

FOCUS_PX: Final = 0.5
"""Blur of lens and sensor at the plane of focus (standard deviation). Source: estimate."""


class Sheet(NamedTuple):
    """A sheet under the flash: its face (upright, BGR), opacity, size, place of its edges, turn, height."""

    face: Image
    alpha: Image
    size: CardSize
    leading_x: float
    side_y: float = 0.0
    turn_deg: float = 0.0
    height_mm: float = 0.2


def code_spots(design: Design = READER) -> tuple[tuple[float, float], ...]:
    """Middles of the code's six lights in the picture, pixels, the lowest bit first."""
    scale, seen = design.px_per_mm, design.picture
    return tuple(((seen.x1 - x) * scale, (y - seen.y0) * scale) for x, y in CODE_SPOTS)


def window_px(design: Design = READER) -> tuple[float, float, float, float]:
    """The pane in the picture: left, top, width and height, pixels."""
    scale, seen, pane = design.px_per_mm, design.picture, design.window
    return (
        (seen.x1 - pane.x1) * scale,
        (pane.y0 - seen.y0) * scale,
        (pane.x1 - pane.x0) * scale,
        (pane.y1 - pane.y0) * scale,
    )


def take_picture(
    sheets: Sequence[Sheet],
    word: int,
    rng: np.random.Generator,
    *,
    speed_m_s: float = 0.0,
    flash: float = 1.0,
    design: Design = READER,
) -> Image:
    """One picture, 640 x 400, BGR: `sheets` from the highest to the lowest, the lights of `word`.

    `flash` is the share of the flash's light that the sensor collected, 0 where it missed it.
    """
    optics = design.optics
    picture = np.full((optics.height_px, optics.width_px, 3), EMPTY * flash, np.float32)
    for sheet in sheets:
        picture = _over(picture, sheet, flash, design)
    _smear(picture, design.blur_px(speed_m_s))
    _frame(picture, design)
    for place, (x, y) in enumerate(code_spots(design)):
        if word >> place & 1:
            radius = round(CODE_RADIUS_MM * design.px_per_mm)
            cv2.circle(picture, (round(x), round(y)), radius, (LIGHT,) * 3, -1, cv2.LINE_AA)
    noise = np.roll(_noise(picture.shape), int(rng.integers(picture.size)))
    np.sqrt(picture, out=(spread := np.empty_like(picture)))
    picture += noise * (READ_NOISE + SHOT_NOISE * spread)
    return np.asarray(cv2.convertScaleAbs(np.maximum(picture, 0)), np.uint8)


@lru_cache(maxsize=1)
def _noise(shape: tuple[int, ...]) -> Picture:
    """Standard noise, the same one each time: a picture gets it from another place on."""
    return np.random.default_rng(17).standard_normal(shape, np.float32)


def _over(picture: Picture, sheet: Sheet, flash: float, design: Design) -> Picture:
    """Lay a sheet over what is there."""
    matrix = _pose(sheet, design)
    size = (design.optics.width_px, design.optics.height_px)
    alpha = cv2.warpAffine(sheet.alpha, matrix, size, flags=cv2.INTER_AREA)[..., None] / np.float32(255)
    face = cv2.warpAffine(sheet.face, matrix, size, flags=cv2.INTER_AREA).astype(np.float32)
    laid = picture + alpha * (face * np.float32(PAPER_SHARE * flash) - picture)
    # The circle of confusion grows with the distance from the plane of focus, as `depth_mm` has it.
    apart = abs(sheet.height_mm - design.focus_z()) / (design.depth_mm() / 2)
    return np.asarray(cv2.GaussianBlur(laid, (0, 0), FOCUS_PX + apart / 2), np.float32)


def _pose(sheet: Sheet, design: Design) -> NDArray[np.float64]:
    """From pixels of the face to pixels of the picture: the leading edge is the left one of both."""
    scale, seen = design.px_per_mm, design.picture
    height, width = sheet.face.shape[:2]
    left, top = (seen.x1 - sheet.leading_x) * scale, (sheet.side_y - seen.y0) * scale
    across, down = sheet.size.along * scale / width, sheet.size.across * scale / height
    laid = np.array([[across, 0, left], [0, down, top], [0, 0, 1]])
    turn = np.vstack([cv2.getRotationMatrix2D((left, top), sheet.turn_deg, 1.0), [0, 0, 1]])
    return np.asarray((turn @ laid)[:2])


def _smear(picture: Picture, pixels: float) -> None:
    """Blur by the motion during the flash: a box of so many pixels along the way."""
    if pixels <= 0:
        return
    side = min(pixels, 1.0) / 2
    kernel = np.array([[side / 2, 1 - side, side / 2]], np.float32)
    picture[:] = cv2.filter2D(picture, -1, kernel)


def _frame(picture: Picture, design: Design) -> None:
    """Beside the pane the camera sees the black underside of the floor."""
    left, top, across, down = (round(part) for part in window_px(design))
    inside = picture[top : top + down, left : left + across].copy()
    picture[:] = EMPTY / 2
    picture[top : top + down, left : left + across] = inside
