"""A felt in millimetres with sheets and cards on it, and a camera with tilt and lens above it."""

from typing import NamedTuple

import cv2
import numpy as np
from hypothesis import strategies as st

from vision.calibration.felt_plane import FeltPlane, Lens
from vision.calibration.sheets import draw_page, page
from vision.geometry import Image, Points
from vision.synth.card import draw_back, draw_card
from vision.synth.style import CASINO_STYLE

PX_PER_MM = 2.0
ART_PX = 264
REACH_PX = 140
STEP = 8
LOW_MM = np.array([-300.0, -300.0])
HIGH_MM = np.array([2140.0, 1340.0])
TABLE_MM = (1840.0, 1035.0)
CENTRE_MM = np.array([920.0, 517.5])


class Shot(NamedTuple):
    """How the camera stands: picture size, tilt in degrees about an axis, straight picture's k1."""

    width: int = 1920
    height: int = 1080
    tilt_deg: float = 0.0
    axis_deg: float = 0.0
    k1: float = 0.0
    turn_deg: float = 0.0
    view_mm: float = 1900.0

    def plane(self) -> FeltPlane:
        """The true way from pixels to millimetres: a pinhole camera that looks at the table's middle."""
        focal = float(self.width)
        distance = focal * self.view_mm / self.width
        turn, tilt, axis = (np.deg2rad(angle) for angle in (self.turn_deg, self.tilt_deg, self.axis_deg))
        lean, _ = cv2.Rodrigues(tilt * np.array([np.cos(axis), np.sin(axis), 0.0]))
        spin, _ = cv2.Rodrigues(np.array([0.0, 0.0, turn]))
        rotation = lean @ spin
        # A place (x, y) on the felt, from the middle, is at rotation @ (x, y, 0) + (0, 0, distance).
        to_camera = np.column_stack([rotation[:, 0], rotation[:, 1], [0, 0, distance]])
        centre = ((self.width - 1) / 2, (self.height - 1) / 2)
        lens = np.array([[focal, 0, centre[0]], [0, focal, centre[1]], [0, 0, 1]])
        shift = np.array([[1, 0, -CENTRE_MM[0]], [0, 1, -CENTRE_MM[1]], [0, 0, 1]])
        px_of_mm = lens @ to_camera @ shift
        return FeltPlane(np.linalg.inv(px_of_mm), Lens(focal, centre, self.k1, 0.0) if self.k1 else None)


SIZES = st.sampled_from([(1280, 720), (1920, 1080), (3840, 2160), (1600, 1200)])
shots = st.builds(
    lambda size, **rest: Shot(*size, **rest),
    SIZES,
    tilt_deg=st.floats(0, 20),
    axis_deg=st.floats(0, 360),
    k1=st.floats(-0.15, 0.15),
    turn_deg=st.floats(-180, 180),
)


def felt(seed: int = 1) -> Image:
    """An empty canvas of the felt."""
    size = ((HIGH_MM - LOW_MM) * PX_PER_MM).astype(int)
    rng = np.random.default_rng(seed)
    small = rng.normal(0, 6, (size[1] // 2, size[0] // 2)).astype(np.float32)
    grain = cv2.resize(small, (int(size[0]), int(size[1])))
    tones = [np.clip(grain + np.float32(tone), 0, 255).astype(np.uint8) for tone in (62, 104, 24)]
    return np.asarray(cv2.merge(tones), np.uint8)


def lay(
    canvas: Image, art: Image, art_px_per_mm: float, at_mm: tuple[float, float], turn_deg: float = 0
) -> None:
    """Put a picture on the canvas, its upper left corner at a place, turned clockwise about it."""
    turn = np.deg2rad(turn_deg)
    scale = PX_PER_MM / art_px_per_mm
    cos, sin = np.cos(turn) * scale, np.sin(turn) * scale
    start = (np.array(at_mm) - LOW_MM) * PX_PER_MM
    # Pixel centres: the middle of pixel (0, 0) is half a pixel from the corner on both sides.
    half = np.array([[cos, -sin], [sin, cos]]) @ (0.5, 0.5) - 0.5
    matrix = np.array([[cos, -sin, start[0] + half[0]], [sin, cos, start[1] + half[1]]])
    small = cv2.GaussianBlur(art, (0, 0), max(0.1, 0.4 / scale)) if scale < 0.9 else art
    colour = cv2.cvtColor(small, cv2.COLOR_GRAY2BGR) if small.ndim == 2 else small
    size = (canvas.shape[1], canvas.shape[0])
    mask = cv2.warpAffine(np.full(art.shape[:2], 255, np.uint8), matrix, size)
    drawn = cv2.warpAffine(colour, matrix, size, borderMode=cv2.BORDER_REPLICATE)
    canvas[mask > 127] = drawn[mask > 127]


def lay_sheet(
    canvas: Image, name: str, at_mm: tuple[float, float], turn_deg: float = 0, print_scale: float = 1.0
) -> None:
    """Put a printed sheet on the felt: the upper left corner of its board at a place."""
    drawn = page(name)
    first = drawn.black[:-6]
    left, top = min(black.x for black in first), min(black.y for black in first)
    turn = np.deg2rad(turn_deg)
    back = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]]) @ (left, top) * print_scale
    corner = np.array(at_mm) - back
    sheet = draw_page(drawn, 4)
    paper = np.clip(sheet.astype(int), 25, 235).astype(np.uint8)
    lay(canvas, paper, 4 / print_scale, (float(corner[0]), float(corner[1])), turn_deg)


def shoot(
    canvas: Image, shot: Shot, seed: int = 0, *, noise: float = 2.0, blur: float = 0.5, light: float = 1.0
) -> Image:
    """The camera's picture, BGR."""
    source = canvas_pixels(shot)
    shrink = PX_PER_MM * shot.view_mm / shot.width
    soft = cv2.GaussianBlur(canvas, (0, 0), 0.4 * shrink) if shrink > 1.1 else canvas
    frame = cv2.remap(soft, source[..., 0], source[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    if blur:
        frame = cv2.GaussianBlur(frame, (0, 0), blur)
    rng = np.random.default_rng(seed)
    grain = rng.standard_normal(frame.shape, np.float32) * noise
    return np.asarray(np.clip(frame * light + grain, 0, 255), np.uint8)


def canvas_pixels(shot: Shot) -> Points:
    """Where on the canvas each pixel looks; between every eighth one a straight line is good enough."""
    y, x = (np.arange(-1, size // STEP + 2) * STEP + (STEP - 1) / 2 for size in (shot.height, shot.width))
    nodes = np.stack(np.meshgrid(x, y), -1)
    places = shot.plane().to_mm(nodes.reshape(-1, 2)).reshape(nodes.shape)
    coarse = ((places - LOW_MM) * PX_PER_MM - 0.5).astype(np.float32)
    whole = cv2.resize(coarse, None, fx=STEP, fy=STEP, interpolation=cv2.INTER_LINEAR)
    return np.asarray(whole[STEP : STEP + shot.height, STEP : STEP + shot.width])


def grid_mm(step: float = 60.0) -> Points:
    """Places all over the table."""
    x, y = np.meshgrid(np.arange(0, TABLE_MM[0] + 1, step), np.arange(0, TABLE_MM[1] + 1, step))
    return np.column_stack([x.ravel(), y.ravel()])


class Laid(NamedTuple):
    """A card on the felt: its middle in millimetres, turn clockwise in degrees."""

    rank: str
    suit: str
    x_mm: float
    y_mm: float
    turn_deg: float = 0.0
    face: str = "up"


def lay_cards(canvas: Image, cards: list[Laid], size_mm: tuple[float, float] = (63.0, 88.0)) -> None:
    """Put drawn cards on the canvas, from the lowest to the topmost."""
    for card in cards:
        art = (
            draw_back(CASINO_STYLE, ART_PX)
            if card.face == "down"
            else draw_card(CASINO_STYLE, card.rank, card.suit, ART_PX)
        )
        height, width = art.image.shape[:2]
        turn = np.deg2rad(card.turn_deg)
        stretch = np.diag([size_mm[0] / width, size_mm[1] / height]) * PX_PER_MM
        linear = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]]) @ stretch
        middle = (np.array([card.x_mm, card.y_mm]) - LOW_MM) * PX_PER_MM - 0.5
        low = np.floor(middle).astype(int) - REACH_PX
        window = canvas[low[1] : low[1] + 2 * REACH_PX, low[0] : low[0] + 2 * REACH_PX]
        matrix = np.column_stack([linear, middle - low - linear @ ((width - 1) / 2, (height - 1) / 2)])
        size = (2 * REACH_PX, 2 * REACH_PX)
        face = cv2.warpAffine(art.image, matrix, size, flags=cv2.INTER_AREA, borderMode=cv2.BORDER_REPLICATE)
        alpha = cv2.warpAffine(art.alpha, matrix, size)[..., None] / 255.0
        window[:] = (window * (1 - alpha) + face * alpha).astype(np.uint8)
