"""Card-sized things that no index explains: face-down cards, the cut card, jokers, unread cards."""

from typing import Final, NamedTuple

import cv2
import numpy as np
from cv2.typing import RotatedRect

from vision.classifier.networks import IndexNetwork
from vision.geometry.arrays import Image, Points
from vision.geometry.outlines import NEXT, scaled
from vision.inference.crop_sampling import CROP_HEIGHT, CROP_WIDTH
from vision.labels import STATES
from vision.proposal.paper_mask import STEP

COARSE: Final = STEP
FELT_GRID: Final = 24
UNLIKE_FELT: Final = 26.0
"""Distance from the felt's colour (largest channel difference) that makes a pixel part of a thing."""

ASPECT: Final = (0.58, 0.82)
FILLED: Final = 0.86
"""A lone card fills its smallest rectangle at least so far (rounded corners, blur)."""

SIZE_SLACK: Final = 0.35
BACK_SURE: Final = 0.9
CUT_COLOUR: Final = 70
CUT_PLAIN: Final = 14.0
"""A cut card is strongly coloured (grey levels between channels) and has no print (deviation)."""

RIM: Final = CROP_WIDTH // 8
"""So many pixels at the border of a sheet's crop may be felt."""

PRINT_LEAST: Final = 1.0
"""Deviation below which a card-sized thing carries no print at all: every back does, cut cards need not."""

WHITE_LEAST: Final = 0.45
"""Share of white in what is paper."""

SIDE_MIN_PX: Final = 40


class Sheet(NamedTuple):
    """A thing of a card's shape: corners clockwise from the start of a short side, and what it is.

    `kind` is back, cut, joker, paper (white, unread) or thing.
    """

    corners: Points
    kind: str
    p: float


def _felt(small: Image) -> Image:
    """The felt's colour around each pixel: the median over wide windows."""
    size = (max(8, small.shape[1] // FELT_GRID), max(8, small.shape[0] // FELT_GRID))
    coarse = cv2.medianBlur(cv2.resize(small, size, interpolation=cv2.INTER_NEAREST), 11)
    return cv2.resize(coarse, (small.shape[1], small.shape[0]), interpolation=cv2.INTER_LINEAR)


def things_on(sample: Image) -> Image:
    """255 where something lies on the felt, else 0, in each pixel of a sample (`paper.sample_of`)."""
    if not sample.size:
        return np.zeros((0, 0), np.uint8)
    small = cv2.blur(sample, (2, 2))
    blue, green, red = cv2.split(cv2.absdiff(small, _felt(small)))
    _, mask = cv2.threshold(cv2.max(cv2.max(blue, green), red), UNLIKE_FELT, 255, cv2.THRESH_BINARY)
    return cv2.morphologyEx(mask, cv2.MORPH_CLOSE, np.ones((3, 3), np.uint8))


def _unexplained(things: Image, explained: list[Points]) -> Image:
    """What is left of a mask outside the explained outlines, without specks; the mask itself is changed."""
    outlines = np.array(explained).reshape(-1, 4, 2)
    for corners in np.round(scaled(outlines, 1.05) / COARSE).astype(np.int32):
        cv2.fillConvexPoly(things, corners, 0)
    return cv2.morphologyEx(things, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))


def _sides(rectangle: RotatedRect) -> tuple[float, float]:
    """The short and the long side of a rectangle, in full pixels."""
    short, long = sorted((side + 1) * COARSE for side in rectangle[1])
    return short, long


def _corners(rectangle: RotatedRect) -> Points:
    """In full pixels, from the start of a short side on."""
    corners = cv2.boxPoints(rectangle).astype(np.float64)
    sides = np.hypot(*(corners[NEXT] - corners).T)
    return ((corners[NEXT] if sides[0] > sides[1] else corners) + 0.5) * COARSE - 0.5


def _fills(contour: Image, rectangle: RotatedRect) -> bool:
    """Whether a thing fills its rectangle as a card does."""
    wide, high = rectangle[1]
    return cv2.contourArea(cv2.convexHull(contour)) >= FILLED * max(wide * high, 1.0 / COARSE**2)


def _is_small(contour: Image) -> bool:
    """Whether no rectangle around it has sides of SIDE_MIN_PX: the upright one is no smaller."""
    _, _, wide, high = cv2.boundingRect(contour)
    return wide * high * COARSE**2 < SIDE_MIN_PX**2


def card_crop(image: Image, corners: Points) -> Image:
    """A whole card squeezed into the network's crop."""
    target = np.array([[0, 0], [CROP_WIDTH, 0], [CROP_WIDTH, CROP_HEIGHT], [0, CROP_HEIGHT]], np.float32)
    matrix = cv2.getPerspectiveTransform(corners.astype(np.float32), target)
    return cv2.warpPerspective(image, matrix, (CROP_WIDTH, CROP_HEIGHT), borderMode=cv2.BORDER_REPLICATE)


def _is_card_shaped(short: float, long: float, card_long: float | None) -> bool:
    if short < SIDE_MIN_PX or not ASPECT[0] < short / long < ASPECT[1]:
        return False
    return card_long is None or abs(long / card_long - 1) < SIZE_SLACK


def _kind(image: Image, corners: Points, network: IndexNetwork) -> tuple[str, float]:
    crop = card_crop(image, corners)
    printed = cv2.blur(crop, (3, 3))[RIM:-RIM, RIM:-RIM].reshape(-1, 3).std(axis=0).max()
    spread = crop.max(axis=2).astype(int) - crop.min(axis=2)
    white = (crop.min(axis=2) > 0.6 * crop.max()) & (spread < 60)
    if printed < PRINT_LEAST and white.mean() < WHITE_LEAST:
        return "cut", 1.0
    state = network.classify(np.stack([crop, crop[::-1, ::-1]])).state.mean(0)
    for kind in ("back", "cut", "joker"):
        if state[STATES.index(kind)] > BACK_SURE:
            return kind, float(state[STATES.index(kind)])
    if spread.mean() > CUT_COLOUR and printed < CUT_PLAIN:
        return "cut", 1.0
    return ("paper", float(white.mean())) if white.mean() > WHITE_LEAST else ("thing", 0.0)


def find_sheets(
    image: Image, things: Image, explained: list[Points], card_long: float | None, network: IndexNetwork
) -> list[Sheet]:
    """Card-shaped things outside the explained outlines; `card_long` is a card's long side where known.

    `things` is `things_on` its sample, and is used up.
    """
    if not things.size:
        return []
    contours, _ = cv2.findContours(
        _unexplained(things, explained), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE
    )
    sheets = []
    for contour in contours:
        if len(contour) < 4 or _is_small(contour):
            continue
        rectangle = cv2.minAreaRect(contour)
        if _is_card_shaped(*_sides(rectangle), card_long) and _fills(contour, rectangle):
            corners = _corners(rectangle)
            sheets.append(Sheet(corners, *_kind(image, corners, network)))
    return sheets
