"""What the reader's camera takes: sheets under one flash, moving, with noise and the lights of the code.

The picture's right is where cards come from, its left where they leave, its top the guided side; an index
stands upright in it. The camera sees all of it in a mirror: what it sends is turned over, left to right.
Pictures are drawn at half the camera's scale, with the noise of a whole one: the table's reader shrinks both
to the same 320 pixels.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

import cv2
import numpy as np
from design.geometry import CODE_SPOTS, READER, CardSize, Design
from design.light import flash_lux
from numpy.typing import NDArray

Image = NDArray[np.uint8]
Picture = NDArray[np.float32]

EMPTY: Final = 10.0
"""Grey of the tunnel's black roof under the flash."""

GAMMA: Final = 2.2
"""A camera's greys are the light to the power of one part in this. Source: what UVC cameras send (sRGB)."""

PAPER_SHARE: Final = 0.85
"""Paper fills this share of the scale: exposure is set so that it does not clip."""

SHRINK: Final = 2
"""Pixels of the camera to one that is drawn."""

READ_NOISE: Final = 2.0
SHOT_NOISE: Final = 0.35
"""Grey levels: of the dark, and times the root of the grey. Source: estimate for some 6,000 electrons at full
scale, as pixels of 3 um have."""

LIGHT: Final = 250.0
CODE_MARGIN: Final = 2.0
"""A code light that is on for half an exposure is at the end of the scale (`light.code_filled`)."""

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


def scale_of(design: Design = READER) -> float:
    """Pixels of a drawn picture to a millimetre of the card."""
    return design.px_per_mm / SHRINK


def size_of(design: Design = READER) -> tuple[int, int]:
    """Width and height of a drawn picture."""
    return design.optics.width_px // SHRINK, design.optics.height_px // SHRINK


def code_spots(design: Design = READER) -> tuple[tuple[float, float], ...]:
    """Middles of the code's six lights in the picture as it is sent, pixels, the lowest bit first."""
    scale, seen = scale_of(design), design.picture
    return tuple(((x - seen.x0) * scale, (y - seen.y0) * scale) for x, y in CODE_SPOTS)


def window_px(design: Design = READER) -> tuple[float, float, float, float]:
    """The pane in the picture: left, top, width and height, pixels."""
    scale, seen, pane = scale_of(design), design.picture, design.window
    return (
        (seen.x1 - pane.x1) * scale,
        (pane.y0 - seen.y0) * scale,
        (pane.x1 - pane.x0) * scale,
        (pane.y1 - pane.y0) * scale,
    )


def take_picture(
    sheets: Sequence[Sheet],
    lit: Mapping[int, float],
    rng: np.random.Generator,
    *,
    speed_m_s: float = 0.0,
    flash: bool = True,
    design: Design = READER,
) -> Image:
    """One picture, 640 x 400, BGR: `sheets` from the highest to the lowest, the lights of the words `lit`.

    `lit` has the share of the exposure during which each word was on; `flash`: one fell into the exposure.
    """
    across, down = size_of(design)
    picture = np.full((down, across, 3), EMPTY * flash, np.float32)
    for sheet in sheets if flash else ():
        picture = _over(picture, sheet, design)
    _smear(picture, speed_m_s * design.flash_us / 1000 * scale_of(design))
    _frame(picture, design)
    for place, (x, y) in enumerate(code_spots(design)):
        share = sum(part for word, part in lit.items() if word >> place & 1)
        if share > 0:
            # Drawn before the picture is turned over.
            middle = round(across - 1 - x), round(y)
            radius = round(CODE_RADIUS_MM * scale_of(design))
            grey = min(LIGHT, LIGHT * CODE_MARGIN * share)
            cv2.circle(picture, middle, radius, (grey,) * 3, -1, cv2.LINE_AA)
    noise = np.roll(_noise(picture.shape), int(rng.integers(picture.size)))
    np.sqrt(picture, out=(spread := np.empty_like(picture)))
    picture += noise * (READ_NOISE + SHOT_NOISE * spread)
    return np.asarray(cv2.flip(cv2.convertScaleAbs(np.maximum(picture, 0)), 1), np.uint8)


@lru_cache(maxsize=1)
def _noise(shape: tuple[int, ...]) -> Picture:
    """Standard noise, the same one each time: a picture gets it from another place on."""
    return np.random.default_rng(17).standard_normal(shape, np.float32)


@lru_cache(maxsize=1)
def _evenness(design: Design) -> Picture:
    """The grey of paper at each place under these lamps, 1 where it is brightest."""
    across, down = size_of(design)
    seen, step = design.picture, 20
    x = seen.x1 - (np.arange(0, across + step, step)) / scale_of(design)
    y = seen.y0 + (np.arange(0, down + step, step)) / scale_of(design)
    coarse = np.array([[flash_lux((at_x, at_y), design) for at_x in x] for at_y in y], np.float32)
    whole = cv2.resize(coarse, (across, down), interpolation=cv2.INTER_LINEAR)
    left, top, wide, high = (round(part) for part in window_px(design))
    brightest = whole[top : top + high, left : left + wide].max()
    return np.asarray(np.minimum(whole / brightest, 1.0) ** (1 / GAMMA), np.float32)[..., None]


def _over(picture: Picture, sheet: Sheet, design: Design) -> Picture:
    """Lay a sheet over what is there."""
    matrix = _pose(sheet, design)
    size = size_of(design)
    alpha = cv2.warpAffine(sheet.alpha, matrix, size, flags=cv2.INTER_AREA)[..., None] / np.float32(255)
    face = cv2.warpAffine(sheet.face, matrix, size, flags=cv2.INTER_AREA).astype(np.float32)
    laid = picture + alpha * (face * np.float32(PAPER_SHARE) * _evenness(design) - picture)
    # The circle of confusion grows with the distance from the plane of focus, as `depth_mm` has it.
    apart = abs(sheet.height_mm - design.focus_z()) / (design.depth_mm() / 2)
    return np.asarray(cv2.GaussianBlur(laid, (0, 0), FOCUS_PX + apart / 2), np.float32)


def _pose(sheet: Sheet, design: Design) -> NDArray[np.float64]:
    """From pixels of the face to pixels of the picture: the leading edge is the left one of both.

    A card that lies higher is further from the lens, and its face is drawn towards the picture's middle.
    """
    scale, seen = scale_of(design), design.picture
    height, width = sheet.face.shape[:2]
    left, top = (seen.x1 - sheet.leading_x) * scale, (sheet.side_y - seen.y0) * scale
    across, down = sheet.size.along * scale / width, sheet.size.across * scale / height
    laid = np.array([[across, 0, left], [0, down, top], [0, 0, 1]])
    turn = np.vstack([cv2.getRotationMatrix2D((left, top), sheet.turn_deg, 1.0), [0, 0, 1]])
    nearer = design.path_mm / (design.path_mm + sheet.height_mm)
    middle = [side / 2 * (1 - nearer) for side in size_of(design)]
    shrunk = np.array([[nearer, 0, middle[0]], [0, nearer, middle[1]], [0, 0, 1]])
    return np.asarray((shrunk @ turn @ laid)[:2])


def _smear(picture: Picture, pixels: float) -> None:
    """Blur by the motion during the flash: a box of so many pixels along the way."""
    if pixels <= 0:
        return
    whole = int(np.ceil(pixels / 2 + 0.5)) * 2 + 1
    at = np.arange(whole) - whole // 2
    covered = np.minimum(at + 0.5, pixels / 2) - np.maximum(at - 0.5, -pixels / 2)
    kernel = np.maximum(covered, 0).astype(np.float32)[None]
    kernel /= kernel.sum()
    picture[:] = cv2.filter2D(picture, -1, kernel)


def _frame(picture: Picture, design: Design) -> None:
    """Beside the pane the camera sees the black underside of the floor."""
    left, top, across, down = (round(part) for part in window_px(design))
    inside = picture[top : top + down, left : left + across].copy()
    picture[:] = EMPTY / 2
    picture[top : top + down, left : left + across] = inside
