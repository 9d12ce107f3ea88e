"""Lay drawn cards on a felt and take their picture; random tables for training; camera faults.

Source of all shares, ranges and strengths: chosen by eye after photographs of tables; not measured. The
shipped networks were trained with them. models/MODEL_CARD.md, Data, names those that were found to matter.
Frames are BGR, uint8.
"""

from collections.abc import Callable
from typing import Final, NamedTuple

import cv2
import numpy as np

from vision.geometry import Image, Points
from vision.reading import RANKS, SUITS
from vision.synth.card import (
    CardArt,
    IndexBox,
    Rectangle,
    draw_back,
    draw_card,
    draw_cut_card,
    draw_joker,
    index_points,
)
from vision.synth.style import CardStyle, Colour, random_style

_VISIBLE_STEPS: Final = 13
"""Points along each side of the grid that says how much of a glyph shows."""


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


def _visible(
    picture: RenderedScene, art: Image, number: int, corners: tuple[float, float, float, float]
) -> float:
    """Share of the print in a card rectangle (left, top, right, foot in card pixels) that nothing covers.

    Paper does not count: a thin slice off the side of an 8 leaves a 3, though most of the rectangle shows.
    """
    left, top, right, foot = corners
    steps = np.linspace(left, right, _VISIBLE_STEPS), np.linspace(top, foot, _VISIBLE_STEPS)
    grid = np.stack(np.meshgrid(*steps), -1).reshape(-1, 2)
    # 0.2: paper and its edge are lighter than this.
    # The ink of the card's print at n x 2 points, 0..1, in the darkest channel.
    x = grid[:, 0].round().astype(int).clip(0, art.shape[1] - 1)
    y = grid[:, 1].round().astype(int).clip(0, art.shape[0] - 1)
    ink = np.maximum(np.asarray(1.0 - art[y, x].min(1) / 255.0) - 0.2, 0) + 1e-6
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
    # 0.5: half the width of a pip in heights from the rank's foot to its own: beside it the card's body
    # begins.
    slim = min(half, 0.5 * (pip[1] - pip[0]))
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


def light(frame: Image, rng: np.random.Generator) -> Image:
    """A colour cast and a slow fall of brightness across the frame."""
    height, width = frame.shape[:2]
    corners = rng.uniform(0.55, 1.05, (3, 3)).astype(np.float32) * rng.uniform(0.55, 1.05)
    field = cv2.resize(corners, (width, height), interpolation=cv2.INTER_CUBIC)
    cast = rng.uniform(0.82, 1.06, 3).astype(np.float32) if rng.random() < 0.6 else np.ones(3, np.float32)
    return np.asarray(np.clip(frame * field[..., None] * cast, 0, 255), np.uint8)


def glare(frame: Image, rng: np.random.Generator) -> Image:
    """Add one or two soft highlights."""
    height, width = frame.shape[:2]
    veil = np.zeros((height // 8, width // 8), np.float32)
    for _ in range(int(rng.integers(1, 3))):
        centre = (int(rng.integers(0, width // 8)), int(rng.integers(0, height // 8)))
        axes = (int(rng.integers(3, 14)), int(rng.integers(3, 14)))
        cv2.ellipse(veil, centre, axes, float(rng.uniform(0, 180)), 0, 360, float(rng.uniform(40, 170)), -1)
    veil = cv2.resize(cv2.GaussianBlur(veil, (0, 0), 4), (width, height))
    return np.clip(frame + veil[..., None], 0, 255).astype(np.uint8)


def shadows(frame: Image, rng: np.random.Generator) -> Image:
    """A hard or soft edged darker part."""
    height, width = frame.shape[:2]
    mask = np.zeros((height // 4, width // 4), np.float32)
    corners = rng.integers(-20, max(width, height) // 4 + 20, (int(rng.integers(3, 6)), 2)).astype(np.int32)
    cv2.fillPoly(mask, [cv2.convexHull(corners)], 1.0)
    soft = cv2.GaussianBlur(mask, (0, 0), float(rng.uniform(0.8, 8)))
    field = 1 - cv2.resize(soft, (width, height)) * float(rng.uniform(0.1, 0.5))
    return np.asarray(frame * field[..., None], np.uint8)


def motion(frame: Image, rng: np.random.Generator, length_px: float) -> Image:
    """Blur along one direction."""
    size = max(3, int(length_px) | 1)
    kernel = np.zeros((size, size), np.float32)
    turn = rng.uniform(0, np.pi)
    reach = np.array([np.cos(turn), np.sin(turn)]) * size / 2
    middle = np.array([size // 2, size // 2])
    first, last = (middle - reach).astype(int), (middle + reach).astype(int)
    cv2.line(kernel, (int(first[0]), int(first[1])), (int(last[0]), int(last[1])), 1.0, 1)
    return cv2.filter2D(frame, -1, kernel / max(float(kernel.sum()), 1e-6))


def blur(frame: Image, rng: np.random.Generator, detail_px: float) -> Image:
    """Defocus, motion or a lost resolution, scaled to a height in pixels that stays readable to people."""
    kind = rng.random()
    if kind < 0.45:
        return cv2.GaussianBlur(frame, (0, 0), float(rng.uniform(0.3, 0.05 * detail_px + 0.35)))
    if kind < 0.6:
        return motion(frame, rng, rng.uniform(2, 0.13 * detail_px + 2))
    if kind < 0.75:
        factor = float(rng.uniform(max(0.5, 9 / detail_px) if detail_px > 9 else 0.95, 1.0))
        small = cv2.resize(frame, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA)
        return cv2.resize(small, (frame.shape[1], frame.shape[0]), interpolation=cv2.INTER_LINEAR)
    return frame


def sensor(frame: Image, rng: np.random.Generator) -> Image:
    """Noise, sharpening, JPEG."""
    if rng.random() < 0.7:
        sigma = float(rng.uniform(1, 9))
        noise = rng.standard_normal(frame.shape, np.float32) * sigma
        frame = np.clip(frame + noise, 0, 255).astype(np.uint8)
    if rng.random() < 0.4:
        soft = cv2.GaussianBlur(frame, (0, 0), 1.2)
        amount = float(rng.uniform(0.3, 1.2))
        frame = cv2.addWeighted(frame, 1 + amount, soft, -amount, 0)
    if rng.random() < 0.7:
        quality = [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(35, 96))]
        frame = np.asarray(cv2.imdecode(cv2.imencode(".jpg", frame, quality)[1], cv2.IMREAD_COLOR))
    return frame


def disturb(frame: Image, rng: np.random.Generator, detail_px: float) -> Image:
    """A random chain of faults, as a camera would add them.

    Blur is scaled to `detail_px`; in training that is the height of the rank alone (`rank_px`).
    """
    frame = light(frame, rng)
    if rng.random() < 0.35:
        frame = shadows(frame, rng)
    if rng.random() < 0.25:
        frame = glare(frame, rng)
    return sensor(blur(frame, rng, detail_px), rng)


ART_PX: Final = 352
"""Height at which cards are drawn before they are scaled to the picture."""

FELTS: Final[tuple[Colour, ...]] = (
    (60, 110, 30),
    (45, 70, 20),
    (110, 60, 20),
    (120, 40, 30),
    (40, 30, 150),
    (50, 20, 90),
    (40, 40, 40),
    (90, 90, 20),
    (25, 50, 90),
    (140, 90, 40),
)


_TIGHT_SHARE: Final = 0.28
_TIGHT: Final = (1.0, 2.4)
"""Share of the hands whose cards cover the lower ones but for their ranks, and their step in heights of a
rank: what stands beside such a rank is another card's pip."""


DARK_SHARE: Final = 0.15
_BRIGHT_SHARE: Final = 0.12
_DARK_GAIN: Final = (0.15, 0.6)
_BRIGHT_GAIN: Final = (1.1, 1.7)
"""Shares of the pictures that are under- and overexposed, and by which factors."""


CARD_HEIGHTS_PX: Final = (75.0, 330.0)
"""Long side of a card in its picture, evenly spread in its logarithm."""


class DeckArt(NamedTuple):
    """The card art of a scene; `face(rank, suit)` is None for a card that the deck lacks.

    `rank_share` is the height of the rank alone as a share of the card's, for scaling blur. Cards are drawn
    from `ranks`; a rank that is listed twice comes twice as often.
    """

    face: Callable[[str, str], CardArt | None]
    back: Callable[[], CardArt]
    joker: Callable[[], CardArt]
    rank_share: float
    ranks: tuple[str, ...] = RANKS


def drawn_deck(style: CardStyle) -> DeckArt:
    """A deck of our own drawing."""
    return DeckArt(
        lambda rank, suit: draw_card(style, rank, suit, ART_PX),
        lambda: draw_back(style, ART_PX),
        lambda: draw_joker(style, ART_PX),
        style.rank_height,
    )


def random_deck(rng: np.random.Generator, held_out: bool = False) -> DeckArt:
    """A deck that never existed."""
    return drawn_deck(random_style(rng, held_out))


def random_felt(rng: np.random.Generator, size: int) -> Image:
    """A square of cloth in any colour, with or without print."""
    colour = np.array(FELTS[rng.integers(len(FELTS))], np.float32) * rng.uniform(0.6, 1.3)
    if rng.random() < 0.08:
        colour = np.array((225, 230, 232), np.float32) * rng.uniform(0.7, 1.0)
    grain = rng.normal(0, rng.uniform(1, 9), (size // 2, size // 2, 1)).astype(np.float32)
    coarse = rng.normal(0, rng.uniform(1, 14), (8, 8, 1)).astype(np.float32)
    felt = colour + cv2.resize(grain, (size, size))[..., None] + cv2.resize(coarse, (size, size))[..., None]
    if rng.random() < 0.15:
        y = np.arange(size, dtype=np.float32)[:, None, None]
        felt = felt + 25 * np.sin(y / rng.uniform(3, 20) + rng.uniform(0, 6))
    picture: Image = np.clip(felt, 0, 255).astype(np.uint8)
    for _ in range(int(rng.integers(0, 4))):
        _print(picture, rng)
    return picture


def _print(felt: Image, rng: np.random.Generator) -> None:
    """Words and arcs as layouts carry them."""
    size = felt.shape[0]
    ink = (40, 200, 230) if rng.random() < 0.5 else (235, 235, 235)
    at = (int(rng.integers(-50, size)), int(rng.integers(0, size)))
    text = str(
        rng.choice(["BLACKJACK PAYS 3 TO 2", "INSURANCE 2 : 1", "DEALER", "17", "A K Q J 10 9 8 7 6 5 4 3 2"])
    )
    cv2.putText(
        felt, text, at, int(rng.integers(0, 5)), float(rng.uniform(0.4, 2)), ink, int(rng.integers(1, 4))
    )
    axes = (int(rng.integers(60, size)), int(rng.integers(60, size)))
    cv2.ellipse(felt, at, axes, 0, 0, 180, ink, int(rng.integers(1, 4)), cv2.LINE_AA)


def _offsets(
    rng: np.random.Generator, height: float, count: int, rank_px: float
) -> list[tuple[float, float, float]]:
    """Steps of the cards of one hand: right, down, turn, in the hand's own frame."""
    kind, width = rng.random(), height * 0.7
    right, up = rng.uniform(0.2, 0.75) * width, rng.uniform(-0.05, 0.5) * height
    if kind < _TIGHT_SHARE:
        right, up = rng.uniform(0.05, 0.75) * width, rng.uniform(*_TIGHT) * rank_px * rng.choice([1, 1, -1])
    splay = rng.uniform(6, 22) * rng.choice([-1, 1])
    steps = []
    for step in range(count):
        wobble = rng.normal(0, 2.0)
        if kind < 0.55:
            place = (step * right, -step * up, wobble)
        elif kind < 0.8:
            turn = np.deg2rad(splay * step)
            place = (float(np.sin(turn)) * height, float(1 - np.cos(turn)) * height, splay * step + wobble)
        else:
            place = (rng.uniform(-1, 1) * height, rng.uniform(-1, 1) * height, rng.uniform(0, 360))
        steps.append(place)
    if count > 1 and rng.random() < 0.2:
        last = steps[-1]
        steps[-1] = (
            last[0] + rng.uniform(-0.2, 0.2) * width,
            last[1] + rng.uniform(0.1, 0.5) * height,
            90 + wobble,
        )
    return steps


def _pick(rng: np.random.Generator, deck: DeckArt) -> tuple[CardArt, str | None, str | None, str]:
    chance = rng.random()
    if chance < 0.09:
        return deck.back(), None, None, "down"
    if chance < 0.12:
        return draw_cut_card(random_style(rng), ART_PX), None, None, "cut"
    if chance < 0.15:
        return deck.joker(), None, None, "joker"
    for _ in range(99):
        rank, suit = deck.ranks[rng.integers(len(deck.ranks))], SUITS[rng.integers(4)]
        art = deck.face(rank, suit)
        if art is not None:
            return art, rank, suit, "up"
    return deck.back(), None, None, "down"


def _hand(rng: np.random.Generator, deck: DeckArt, size: int, height: float, most: int) -> list[DrawnCard]:
    x, y, angle = rng.uniform(0.1, 0.9) * size, rng.uniform(0.1, 0.9) * size, rng.uniform(0, 360)
    cos, sin = np.cos(np.deg2rad(angle)), np.sin(np.deg2rad(angle))
    cards, rank_px = [], deck.rank_share * height
    for right, down, turn in _offsets(rng, height, int(rng.integers(1, most + 1)), rank_px):
        art, rank, suit, face = _pick(rng, deck)
        place = (x + cos * right - sin * down, y + sin * right + cos * down)
        cards.append(DrawnCard(art, *place, angle + turn, height, rank, suit, face))
    return cards


def random_tilt(rng: np.random.Generator, size: int, strongest_deg: float, least_deg: float = 0) -> Points:
    """A homography (3 x 3) that leans the picture about its middle, towards any side."""
    turn, lean = rng.uniform(0, 2 * np.pi), np.deg2rad(rng.uniform(least_deg, strongest_deg))
    spin = np.array([[np.cos(turn), -np.sin(turn), 0], [np.sin(turn), np.cos(turn), 0], [0, 0, 1]])
    fall = np.array([[1, 0, 0], [0, np.cos(lean), 0], [0, np.sin(lean) / (1.6 * size), 1]])
    shift = np.array([[1, 0, size / 2], [0, 1, size / 2], [0, 0, 1.0]])
    return np.asarray(shift @ spin.T @ fall @ spin @ np.linalg.inv(shift))


def _random_chips(rng: np.random.Generator, size: int, height: float) -> list[DrawnChip]:
    """Return up to five chips, under or on the cards."""
    count = int(rng.integers(0, 6)) if rng.random() < 0.5 else 0
    chips = []
    for _ in range(count):
        colour = FELTS[rng.integers(len(FELTS))] if rng.random() < 0.7 else (230, 230, 230)
        x, y = (float(value) for value in rng.uniform(0, size, 2))
        chips.append(
            DrawnChip(x, y, height * float(rng.uniform(0.17, 0.24)), colour, bool(rng.random() < 0.4))
        )
    return chips


def cover_with_arm(
    picture: RenderedScene, rng: np.random.Generator, height: float, aims: list[tuple[float, float]]
) -> None:
    """Draw a few skin-coloured fingers over the table, most of them near one of `aims`."""
    size = picture.frame.shape[0]
    skin = np.array(rng.choice([(150, 180, 225), (110, 140, 195), (60, 85, 140)])) * rng.uniform(0.8, 1.1)
    start = rng.uniform(0, size, 2)
    for _ in range(int(rng.integers(1, 5))):
        end = start + rng.normal(0, height, 2)
        thick = max(3, int(height * rng.uniform(0.06, 0.3)))
        # 0.6: share of the fingers that point at an index.
        if aims and rng.random() < 0.6:
            end = np.array(aims[rng.integers(len(aims))]) + rng.normal(0, 0.1 * height, 2)
            start = end + rng.normal(0, height, 2)
        first, last = tuple(int(v) for v in start), tuple(int(v) for v in end)
        cv2.line(picture.frame, first, last, tuple(float(v) for v in skin), thick, cv2.LINE_AA)
        cv2.line(picture.owner, first, last, -2, thick)


def random_scene(
    rng: np.random.Generator,
    deck: DeckArt,
    size: int = 640,
    tilt_deg: float = 40,
    most_cards: int = 5,
    *,
    heights_px: tuple[float, float] = CARD_HEIGHTS_PX,
) -> Scene:
    """A square picture of two to eight hands, more where the cards are small; one to `most_cards` a hand."""
    height = float(np.exp(rng.uniform(*np.log(heights_px))))
    hands = int(rng.integers(2, 4 + int(400 / height)))
    cards = [card for _ in range(hands) for card in _hand(rng, deck, size, height, most_cards)]
    tilt = random_tilt(rng, size, tilt_deg)
    chips = tuple(_random_chips(rng, size, height))
    return Scene(size, size, random_felt(rng, size), tuple(cards), chips, tilt, float(rng.uniform(0.1, 0.5)))


def shoot(scene: Scene, rng: np.random.Generator, rank_share: float) -> RenderedScene:
    """The picture with an occasional arm over it and with camera faults; `rank_share` as in `DeckArt`."""
    picture = take_picture(scene)
    height = scene.cards[0].height
    if rng.random() < 0.25:
        aims = [truth.foot if rng.random() < 0.3 else truth.top for truth in index_truths(scene, picture)]
        cover_with_arm(picture, rng, height, aims)
    return picture._replace(frame=disturb(_exposed(picture.frame, rng), rng, height * rank_share))


def _exposed(frame: Image, rng: np.random.Generator) -> Image:
    """The frame as a camera takes it that has too little or too much light, now and then."""
    chance = rng.random()
    if chance < DARK_SHARE:
        return cv2.convertScaleAbs(frame, alpha=float(rng.uniform(*_DARK_GAIN)))
    if chance < DARK_SHARE + _BRIGHT_SHARE:
        return cv2.convertScaleAbs(frame, alpha=float(rng.uniform(*_BRIGHT_GAIN)))
    return frame
