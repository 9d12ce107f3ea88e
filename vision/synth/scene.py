"""Lay drawn cards on a felt and render the picture, with the visible share of each index.

Source of the numbers: chosen by eye; not measured. The shipped networks were trained with them.
"""

from typing import Final, NamedTuple

import cv2
import numpy as np

from vision.geometry import Image, Points
from vision.synth.card import CardArt, IndexBox, Rectangle, index_points
from vision.synth.style import Colour

_VISIBLE_STEPS: Final = 13
"""Points along each side of the grid that says how much of a glyph shows."""

_PIP_HALF: Final = 0.5
"""Half the width of a pip in heights from the rank's foot to its own: beside it the card's body begins."""

_INK_LEAST: Final = 0.2
"""Paper and its edge are lighter than this."""


class DrawnCard(NamedTuple):
    """One card on the table, in pixels of the frame before the camera's tilt.

    `angle` turns clockwise as seen, in degrees; `height` is the card's long side. `face` is up, down or cut.
    """

    art: CardArt
    x: float
    y: float
    angle: float
    height: float
    rank: str | None = None
    suit: str | None = None
    face: str = "up"


class DrawnChip(NamedTuple):
    """A chip seen from above; `over` puts it on the cards instead of under them, `figure` is its print."""

    x: float
    y: float
    radius: float
    colour: Colour
    over: bool = False
    figure: str = ""


class Scene(NamedTuple):
    """Everything on the table, cards from the lowest to the topmost. `tilt` maps frame to picture (3 x 3)."""

    width: int
    height: int
    felt: Image
    cards: tuple[DrawnCard, ...] = ()
    chips: tuple[DrawnChip, ...] = ()
    tilt: Points | None = None
    shadow: float = 0.35


class IndexTruth(NamedTuple):
    """An index's place in the picture and its visible share (0..1)."""

    card: int
    top: tuple[float, float]
    foot: tuple[float, float]
    half_width: float
    rank_visible: float
    pip_visible: float


class RenderedScene(NamedTuple):
    """A rendered scene: the frame, the topmost card of each pixel (-1 = none) and each card's matrix."""

    frame: Image
    owner: Image
    matrices: tuple[Points, ...]


def _card_matrix(card: DrawnCard, tilt: Points | None) -> Points:
    """Card pixels to picture pixels, 3 x 3."""
    height, width = card.art.image.shape[:2]
    scale, turn = card.height / height, np.deg2rad(card.angle)
    cos, sin = np.cos(turn) * scale, np.sin(turn) * scale
    centre = np.array([[1, 0, -width / 2], [0, 1, -height / 2], [0, 0, 1]])
    place = np.array([[cos, -sin, card.x], [sin, cos, card.y], [0, 0, 1]])
    matrix = place @ centre
    return np.asarray(matrix if tilt is None else tilt @ matrix)


def _project_points(matrix: Points, points: Points) -> Points:
    """Maps n x 2 points by a homography."""
    mapped = np.column_stack([points, np.ones(len(points))]) @ matrix.T
    return np.asarray(mapped[:, :2] / mapped[:, 2:])


def card_quad(card: DrawnCard, tilt: Points | None) -> Points:
    """The card's four corners in the picture, clockwise from its upper left one."""
    height, width = card.art.image.shape[:2]
    corners = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float64)
    return _project_points(_card_matrix(card, tilt), corners)


def _shrunk(card: DrawnCard, matrix: Points) -> tuple[Image, Image, Points]:
    """The art near its final size, so that the warp need not average many pixels."""
    height, width = card.art.image.shape[:2]
    scale = min(1.0, 1.15 * card.height / height)
    if scale > 0.9:
        return card.art.image, card.art.alpha, matrix
    size = (max(2, round(width * scale)), max(2, round(height * scale)))
    image = cv2.resize(card.art.image, size, interpolation=cv2.INTER_AREA)
    alpha = cv2.resize(card.art.alpha, size, interpolation=cv2.INTER_AREA)
    return image, alpha, matrix @ np.diag([width / size[0], height / size[1], 1.0])


def _region(quad: Points, shape: tuple[int, ...], margin: int) -> tuple[int, int, int, int]:
    x0, y0 = np.floor(quad.min(0)).astype(int) - margin
    x1, y1 = np.ceil(quad.max(0)).astype(int) + margin
    return max(x0, 0), max(y0, 0), min(x1, shape[1]), min(y1, shape[0])


def _lay(layers: tuple[Image, Image], card: DrawnCard, matrix: Points, number: int, shadow: float) -> None:
    frame, owner = layers
    image, alpha, matrix = _shrunk(card, matrix)
    height, width = image.shape[:2]
    quad = _project_points(matrix, np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float64))
    margin = max(3, round(card.height * 0.03))
    x0, y0, x1, y1 = _region(quad, frame.shape, margin)
    if x1 - x0 < 2 or y1 - y0 < 2:
        return
    local = np.array([[1, 0, -x0], [0, 1, -y0], [0, 0, 1.0]]) @ matrix
    size = (x1 - x0, y1 - y0)
    face = cv2.warpPerspective(image, local, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    cover = cv2.warpPerspective(alpha, local, size, flags=cv2.INTER_LINEAR)
    region = frame[y0:y1, x0:x1]
    blurred = cv2.blur(cover, (margin, margin))
    drop = np.roll(blurred, (margin // 3, margin // 3), (0, 1))
    shaded = region * (1 - shadow * (drop.astype(np.float32) / 255))[..., None]
    weight = (cover.astype(np.float32) / 255)[..., None]
    region[:] = (shaded * (1 - weight) + face * weight).astype(np.uint8)
    owner[y0:y1, x0:x1][cover > 127] = number


def _draw_chip(frame: Image, owner: Image, chip: DrawnChip) -> None:
    centre, radius = (round(chip.x), round(chip.y)), round(chip.radius)
    cv2.circle(frame, (centre[0] + 2, centre[1] + 2), radius, (20, 20, 20), -1, cv2.LINE_AA)
    cv2.circle(frame, centre, radius, chip.colour, -1, cv2.LINE_AA)
    for start in range(0, 360, 60):
        cv2.ellipse(
            frame, centre, (radius - 1, radius - 1), 0, start, start + 24, (235, 235, 235), 3, cv2.LINE_AA
        )
    cv2.circle(frame, centre, round(radius * 0.62), (225, 225, 225), 1, cv2.LINE_AA)
    if chip.figure:
        face, ink = cv2.FONT_HERSHEY_DUPLEX, (20, 20, 20) if sum(chip.colour) > 380 else (235, 235, 235)
        (width, height), _ = cv2.getTextSize(chip.figure, face, 1.0, 2)
        size = 1.1 * radius / max(width, height)
        at = (round(chip.x - size * width / 2), round(chip.y + size * height / 2))
        cv2.putText(frame, chip.figure, at, face, size, ink, max(1, round(2 * size)), cv2.LINE_AA)
    cv2.circle(owner, centre, radius, -2, -1)


def take_picture(scene: Scene) -> RenderedScene:
    """Renders the scene without camera faults."""
    frame = scene.felt.copy()
    owner = np.full(frame.shape[:2], -1, np.int16)
    for chip in scene.chips:
        if not chip.over:
            _draw_chip(frame, owner, chip)
    matrices = tuple(_card_matrix(card, scene.tilt) for card in scene.cards)
    for number, (card, matrix) in enumerate(zip(scene.cards, matrices, strict=True)):
        _lay((frame, owner), card, matrix, number, scene.shadow)
    for chip in scene.chips:
        if chip.over:
            _draw_chip(frame, owner, chip)
    return RenderedScene(frame, owner, matrices)


def _ink_at(art: Image, points: Points) -> Points:
    """Return the ink of the card's print at n x 2 points, 0..1, in the darkest channel."""
    x = points[:, 0].round().astype(int).clip(0, art.shape[1] - 1)
    y = points[:, 1].round().astype(int).clip(0, art.shape[0] - 1)
    return np.asarray(1.0 - art[y, x].min(1) / 255.0)


def _visible(
    picture: RenderedScene, art: Image, number: int, corners: tuple[float, float, float, float]
) -> float:
    """Share of the print in a card rectangle (left, top, right, foot in card pixels) that nothing covers.

    Paper does not count: a thin slice off the side of an 8 leaves a 3, though most of the rectangle shows.
    """
    left, top, right, foot = corners
    steps = np.linspace(left, right, _VISIBLE_STEPS), np.linspace(top, foot, _VISIBLE_STEPS)
    grid = np.stack(np.meshgrid(*steps), -1).reshape(-1, 2)
    ink = np.maximum(_ink_at(art, grid) - _INK_LEAST, 0) + 1e-6
    points = np.round(_project_points(picture.matrices[number], grid)).astype(int)
    owner = picture.owner
    inside = (points >= 0).all(1) & (points[:, 0] < owner.shape[1]) & (points[:, 1] < owner.shape[0])
    seen = owner[points[inside, 1], points[inside, 0]] == number
    return float(ink[inside][seen].sum() / ink.sum())


def _parts_below(box: IndexBox) -> tuple[Rectangle, Rectangle]:
    """Return rank and pip of an index with its pip below its rank."""
    x, half = box.top[0], box.half_width
    rank = sorted((box.top[1], box.rank_foot[1]))
    pip = sorted((box.rank_foot[1], box.foot[1]))
    slim = min(half, _PIP_HALF * (pip[1] - pip[0]))
    return (x - half, rank[0], x + half, rank[1]), (x - slim, pip[0], x + slim, pip[1])


def _truth(picture: RenderedScene, art: Image, number: int, box: IndexBox) -> IndexTruth:
    matrix = picture.matrices[number]
    points = index_points(box)
    top, foot, _ = _project_points(matrix, points)
    beside = points[:1] + np.array([[box.half_width, 0.0]])
    side = _project_points(matrix, beside)[0]
    rank, pip = box.parts or _parts_below(box)
    return IndexTruth(
        number,
        (float(top[0]), float(top[1])),
        (float(foot[0]), float(foot[1])),
        float(np.hypot(*(side - top))),
        _visible(picture, art, number, rank),
        _visible(picture, art, number, pip),
    )


def index_truths(scene: Scene, picture: RenderedScene) -> list[IndexTruth]:
    """Every index of every face-up card."""
    return [
        _truth(picture, card.art.image, number, box)
        for number, card in enumerate(scene.cards)
        if card.face == "up"
        for box in card.art.indices
    ]
