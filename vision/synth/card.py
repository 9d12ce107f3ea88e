"""Draw cards: faces, court art, backs, the cut card, jokers.

Source of all sizes and colours: chosen by eye; not measured. A body network has to say that a card is a court
card, not which one.
"""

from functools import lru_cache
from typing import Final, NamedTuple

import cv2
import numpy as np

from vision.geometry import BESIDE_TIMES, Image, Points
from vision.synth.style import FORMULA_PIPS, CardStyle, Colour, Glyph, bank, drawn_pips, rank_glyph

_INKS: tuple[Colour, ...] = ((40, 30, 190), (30, 190, 235), (140, 60, 30), (30, 28, 28), (60, 120, 40))


def _checks(region: Image, rng: np.random.Generator, first: Colour, second: Colour) -> None:
    pitch = max(3, int(region.shape[0] * rng.uniform(0.03, 0.09)))
    y, x = np.mgrid[0 : region.shape[0], 0 : region.shape[1]]
    slant = rng.choice([0, 1, -1])
    mask = ((x + slant * y) // pitch + (y // pitch if rng.random() < 0.5 else 0)) % 2 == 0
    region[mask] = first
    region[~mask] = second


def _coat(region: Image, rng: np.random.Generator) -> None:
    """Slanted bands and patches of checks over the lower part of the half figure."""
    height, width = region.shape[:2]
    for _ in range(int(rng.integers(3, 7))):
        ink = _INKS[rng.integers(len(_INKS))]
        x0, x1 = sorted(int(value) for value in rng.integers(0, width, 2))
        y0 = int(rng.uniform(0.35, 0.9) * height)
        corners = np.array(
            [[x0, y0], [x1, y0 + height // 8], [x1 + width // 8, height], [x0 - width // 8, height]]
        )
        cv2.fillPoly(region, [corners.astype(np.int32)], ink)
        cv2.polylines(region, [corners.astype(np.int32)], True, (30, 30, 30), 1, cv2.LINE_AA)
    x, y = int(rng.integers(0, width // 2)), int(height * rng.uniform(0.5, 0.8))
    first, second = (_INKS[i] for i in rng.permutation(len(_INKS))[:2])
    _checks(region[y : y + height // 5, x : x + width // 2], rng, first, second)


def _head(region: Image, rng: np.random.Generator, rank: str) -> None:
    height, width = region.shape[:2]
    middle, level = int(width * rng.uniform(0.45, 0.65)), int(height * 0.36)
    size = int(height * 0.13)
    hair = _INKS[rng.integers(3)]
    cv2.ellipse(
        region, (middle, level), (int(size * 1.25), int(size * 1.5)), 0, 0, 360, hair, -1, cv2.LINE_AA
    )
    cv2.ellipse(region, (middle, level), (int(size * 0.8), size), 0, 0, 360, (205, 222, 240), -1, cv2.LINE_AA)
    for side in (-1, 1):
        cv2.circle(
            region, (middle + side * size // 3, level - size // 4), max(1, size // 8), (40, 40, 40), -1
        )
    cv2.line(
        region,
        (middle - size // 3, level + size // 2),
        (middle + size // 3, level + size // 2),
        (40, 40, 160),
        1,
    )
    spikes = {"J": 2, "Q": 5, "K": 3}[rank]
    x = np.linspace(middle - size * 1.2, middle + size * 1.2, 2 * spikes + 1)
    y = np.where(np.arange(2 * spikes + 1) % 2 == 0, level - size * 1.1, level - size * 1.9)
    crown = np.vstack([np.stack([x, y], 1), [[x[-1], level - size * 0.8], [x[0], level - size * 0.8]]])
    cv2.fillPoly(region, [crown.astype(np.int32)], (40, 190, 235), cv2.LINE_AA)
    cv2.polylines(region, [crown.astype(np.int32)], True, (30, 30, 30), 1, cv2.LINE_AA)


def _draw_court(image: Image, style: CardStyle, rank: str, pip: tuple[Image, Colour], clear: float) -> None:
    """Draws a double-headed jack, queen or king into the middle, from `clear` pixels off the left edge."""
    shape, colour = pip
    rng = np.random.default_rng((style.seed, "JQK".index(rank), sum(colour)))
    height, width = image.shape[:2]
    left = int(min(clear, 0.36 * width))
    top = int(height * 0.075)
    half = image[top : height // 2, left : width - left]
    _coat(half, rng)
    _head(half, rng, rank)
    size = max(4, int(half.shape[0] * 0.28))
    mark = cv2.resize(shape, (size, size), interpolation=cv2.INTER_AREA)
    corner = half[2 : 2 + size, 2 : 2 + size]
    corner[mark[: corner.shape[0], : corner.shape[1]] > 127] = colour
    lower = image[height - height // 2 : height - top, left : width - left]
    lower[:] = half[::-1, ::-1][: lower.shape[0]]
    if style.court_frame:
        edge = (120, 60, 30) if style.seed % 2 else (40, 40, 40)
        cv2.rectangle(image, (left, top), (width - left - 1, height - top - 1), edge, max(1, height // 180))


_SUIT_ORDER: Final = "cdhs"
_EDGE_BGR: Final = (168, 172, 172)
"""Colour of a card's edge.

Source: chosen by eye; not measured.
"""


_COLUMNS: Final = {"l": 0.0, "m": 0.5, "r": 1.0}
_LAYOUTS: Final[dict[str, str]] = {
    "A": "m50",
    "2": "m0 m100",
    "3": "m0 m50 m100",
    "4": "l0 r0 l100 r100",
    "5": "l0 r0 m50 l100 r100",
    "6": "l0 r0 l50 r50 l100 r100",
    "7": "l0 r0 m25 l50 r50 l100 r100",
    "8": "l0 r0 m25 l50 r50 m75 l100 r100",
    "9": "l0 r0 l33 r33 m50 l66 r66 l100 r100",
    "10": "l0 r0 m17 l33 r33 l66 r66 m83 l100 r100",
}
"""Pips of each rank: column (left, middle, right) and height in percent of the pip field, as on common
decks."""


Rectangle = tuple[float, float, float, float]
"""Left, top, right and foot."""


class IndexBox(NamedTuple):
    """An index as drawn, in pixels of the card.

    `top` and `foot` are the middle of the rank's top and of the pip's foot, `rank_foot` ends the rank,
    `half_width` is half the wider of rank and pip.

    Where the pip stands beside the rank, `top` and `foot` are those of the crop that shows both
    (`BESIDE_TIMES`), `rank_foot` is a rank's height below `top`, and `parts` are rank and pip.
    """

    top: tuple[float, float]
    foot: tuple[float, float]
    rank_foot: tuple[float, float]
    half_width: float
    parts: tuple[Rectangle, Rectangle] | None = None


class CardArt(NamedTuple):
    """A drawn card: picture, opacity (0 outside the rounded corners) and its indices."""

    image: Image
    alpha: Image
    indices: tuple[IndexBox, ...]


def _pip_glyph(style: CardStyle, suit: str) -> Glyph:
    """The suit's pip in this deck."""
    pips = drawn_pips(style.fullness_tenths) if style.pip_set == FORMULA_PIPS else bank().signs[style.pip_set]
    return pips[_SUIT_ORDER.index(suit)]


def rounded_alpha(width: int, height: int) -> Image:
    """Opacity of a sheet with rounded corners."""
    mask = np.zeros((height, width), np.uint8)
    # 0.036: rounding of the corners, as a fraction of the height. Source: about 3 mm of 88 on poker cards.
    radius = max(1, round(height * 0.036))
    cv2.rectangle(mask, (radius, 0), (width - 1 - radius, height - 1), 255, -1)
    cv2.rectangle(mask, (0, radius), (width - 1, height - 1 - radius), 255, -1)
    for x in (radius, width - 1 - radius):
        for y in (radius, height - 1 - radius):
            cv2.circle(mask, (x, y), radius, 255, -1, cv2.LINE_AA)
    return mask


def stamp(image: Image, mask: Image, colour: Colour, x: float, y: float) -> None:
    """Paint a mask with its top left corner at x, y, clipped to the image."""
    left, top = round(x), round(y)
    height, width = image.shape[:2]
    x0, y0, x1, y1 = (
        max(left, 0),
        max(top, 0),
        min(left + mask.shape[1], width),
        min(top + mask.shape[0], height),
    )
    if x1 <= x0 or y1 <= y0:
        return
    alpha = mask[y0 - top : y1 - top, x0 - left : x1 - left, None].astype(np.float32) / 255
    region = image[y0:y1, x0:x1]
    ink = np.array(colour, np.float32)
    region[:] = (region * (1 - alpha) + ink * alpha).astype(np.uint8)


def _sized_glyph(glyph: Glyph, height: float, stretch: float = 1.0, weight_px: float = 0.0) -> Image:
    """The glyph at a height in pixels; `weight_px` thickens (or thins) its strokes on the bank's grid."""
    mask = glyph.mask
    steps = round(abs(weight_px))
    if steps:
        kernel = np.ones((2 * steps + 1, 2 * steps + 1), np.uint8)
        padded = cv2.copyMakeBorder(mask, steps, steps, steps, steps, cv2.BORDER_CONSTANT, value=0)
        mask = cv2.dilate(padded, kernel) if weight_px > 0 else cv2.erode(mask, kernel)
    size = (max(2, round(height * glyph.aspect * stretch)), max(2, round(height)))
    return cv2.resize(mask, size, interpolation=cv2.INTER_AREA)


def _rank_mask(style: CardStyle, rank: str, height: int) -> Image:
    printed = style.printed(rank)
    stretch = style.rank_stretch * (style.ten_squeeze if len(printed) > 1 else 1.0)
    return _sized_glyph(
        rank_glyph(style.font, printed), style.rank_height * height, stretch, style.weight * 2
    )


def _draw_index(image: Image, style: CardStyle, rank: str, suit: str, left: bool) -> IndexBox:
    """The index of the upper left or upper right corner."""
    height, width = image.shape[:2]
    rank_mask = _rank_mask(style, rank, height)
    pip_mask = _sized_glyph(_pip_glyph(style, suit), style.pip_height * height)
    half = max(rank_mask.shape[1], pip_mask.shape[1]) / 2
    middle = style.margin_x * height + half if left else width - style.margin_x * height - half
    top = style.margin_y * height
    rank_foot = top + rank_mask.shape[0]
    pip_top = rank_foot + style.gap * height
    colour = style.suit_colours[_SUIT_ORDER.index(suit)]
    stamp(image, rank_mask, colour, middle - rank_mask.shape[1] / 2, top)
    stamp(image, pip_mask, colour, middle - pip_mask.shape[1] / 2, pip_top)
    foot = pip_top + pip_mask.shape[0]
    return IndexBox((middle, top), (middle, foot), (middle, rank_foot), half)


def _draw_beside(image: Image, style: CardStyle, rank: str, suit: str, level: float) -> IndexBox:
    """The index of the upper left corner, its pip to the right of its rank."""
    height = image.shape[0]
    masks = _rank_mask(style, rank, height), _sized_glyph(_pip_glyph(style, suit), style.pip_height * height)
    left, colour = style.margin_x * height, style.suit_colours[_SUIT_ORDER.index(suit)]
    top, parts = style.margin_y * height, list[Rectangle]()
    for mask in masks:
        high, wide = mask.shape
        stamp(image, mask, colour, left, top)
        parts.append((left, top, left + wide, top + high))
        left += wide + style.gap * height
        top += level * (high - masks[1].shape[0])
    outline = parts[0][0], min(parts[0][1], parts[1][1]), parts[1][2], max(parts[0][3], parts[1][3])
    x, y, width = (outline[0] + outline[2]) / 2, (outline[1] + outline[3]) / 2, outline[2] - outline[0]
    begin = y - BESIDE_TIMES * width / 2
    foot = begin + BESIDE_TIMES * width
    return IndexBox((x, begin), (x, foot), (x, begin + masks[0].shape[0]), width / 2, (parts[0], parts[1]))


def _clear_of_index(style: CardStyle, rank: str, suit: str, height: int) -> float:
    """Return the index's inner edge in pixels; body art begins beside it."""
    widths = (
        _rank_mask(style, rank, height).shape[1],
        _sized_glyph(_pip_glyph(style, suit), style.pip_height * height).shape[1],
    )
    wide = max(widths) if style.pip_level is None else sum(widths) + style.gap * height
    return float(style.margin_x * height + wide + style.clearance * height)


def _draw_pips(image: Image, style: CardStyle, rank: str, suit: str) -> None:
    height, width = image.shape[:2]
    glyph, clear = _pip_glyph(style, suit), _clear_of_index(style, rank, suit, height)
    # 1.9: on some decks the ace's pip is so many times as large as others. Source: chosen by eye; not
    # measured.
    size = style.body_pip * height * (1.9 if rank == "A" and style.seed % 3 == 0 else 1.0)
    if style.one_pip:
        # 0.36: the pip of a deck that has one on each card, in heights of the card. Source: chosen by eye;
        # not measured.
        size = 0.36 * height
    elif rank not in "A23":
        # 0.86: A body's pip is at most this share of the room between index and middle. Source: chosen by
        # eye; not measured.
        size = min(size, (width / 2 - clear) * 0.86 / glyph.aspect)
    mask = _sized_glyph(glyph, size)
    inset_x = max(style.body_inset * width, clear + mask.shape[1] / 2)
    inset_y = style.body_top * height + size / 2
    for pip_place in _LAYOUTS["A" if style.one_pip else rank].split():
        x = inset_x + _COLUMNS[pip_place[0]] * (width - 2 * inset_x)
        y = inset_y + int(pip_place[1:]) / 100 * (height - 2 * inset_y)
        turned = mask[::-1, ::-1] if y > height / 2 + 1 else mask
        stamp(
            image,
            turned,
            style.suit_colours[_SUIT_ORDER.index(suit)],
            x - mask.shape[1] / 2,
            y - mask.shape[0] / 2,
        )


def _turned(box: IndexBox, width: int, height: int) -> IndexBox:
    def turn(point: tuple[float, float]) -> tuple[float, float]:
        return width - point[0], height - point[1]

    def turned(part: Rectangle) -> Rectangle:
        return width - part[2], height - part[3], width - part[0], height - part[1]

    parts = box.parts and (turned(box.parts[0]), turned(box.parts[1]))
    return IndexBox(turn(box.top), turn(box.foot), turn(box.rank_foot), box.half_width, parts)


def _lower_ink(style: CardStyle, ink: Image) -> Image:
    """The ink of the lower corners; where it is not turned no box says where it stands."""
    if style.lower == "turned":
        return ink[::-1, ::-1]
    rows = np.flatnonzero((ink < 255).any((1, 2)))
    columns = np.flatnonzero((ink < 255).any((0, 2)))
    block = ink[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
    if style.lower == "pip_first":
        rank = np.searchsorted(rows, rows[0] + round(style.rank_height * len(ink)))
        block = np.concatenate([block[rank:], block[:rank]])
    lower = np.full_like(ink, 255)
    height, width = block.shape[:2]
    foot, right = len(ink) - rows[0], ink.shape[1] - columns[0]
    lower[foot - height : foot, right - width : right] = block
    return lower


def _blank_card(style: CardStyle, height: int) -> Image:
    """Paper with an edge, `height` pixels high."""
    width = round(height * style.aspect)
    image = np.full((height, width, 3), style.paper, np.uint8)
    cv2.rectangle(image, (0, 0), (width - 1, height - 1), _EDGE_BGR, max(1, height // 200))
    return image


@lru_cache(maxsize=512)
def draw_card(style: CardStyle, rank: str, suit: str, height: int) -> CardArt:
    """A face of `height` pixels. Cached: callers must not write into the arrays."""
    image = _blank_card(style, height)
    width = image.shape[1]
    if rank in "JQK":
        left = max(_clear_of_index(style, rank, suit, height), style.body_inset * 0.6 * width)
        pip = _pip_glyph(style, suit).mask, style.suit_colours[_SUIT_ORDER.index(suit)]
        _draw_court(image, style, rank, pip, left)
    else:
        _draw_pips(image, style, rank, suit)
    ink = np.full_like(image, 255)
    if style.pip_level is None:
        boxes = [_draw_index(ink, style, rank, suit, left=True)]
    else:
        boxes = [_draw_beside(ink, style, rank, suit, style.pip_level)]
    if style.corners == 4 and style.pip_level is None:
        boxes.append(_draw_index(ink, style, rank, suit, left=False))
    face = np.minimum(np.minimum(image, ink), _lower_ink(style, ink))
    if style.lower == "turned":
        boxes += [_turned(box, width, height) for box in boxes]
    return CardArt(face, rounded_alpha(width, height), tuple(boxes))


def index_points(box: IndexBox) -> Points:
    """Top, foot and rank foot as an array, for warping."""
    return np.array([box.top, box.foot, box.rank_foot], np.float64)


_BACK_INKS: Final[tuple[Colour, ...]] = (
    (150, 60, 20),
    (40, 30, 160),
    (60, 110, 30),
    (60, 60, 60),
    (120, 30, 90),
)
_CUT_INKS: Final[tuple[Colour, ...]] = (
    (30, 210, 240), (40, 40, 220), (60, 190, 60), (30, 120, 250), (200, 90, 30), (60, 60, 60),
)  # fmt: skip
_PRINTED_SHARE: Final = 0.4
"""Share of cut cards that carry a word, a ring or a stripe."""


def _weave(x: Image, y: Image, pitch: float, rng: np.random.Generator) -> Image:
    tilt = rng.uniform(0.5, 2.0)
    return np.asarray(np.sin((x + tilt * y) * 2 * np.pi / pitch) * np.sin((x - tilt * y) * 2 * np.pi / pitch))


def _dots(x: Image, y: Image, pitch: float, _rng: np.random.Generator) -> Image:
    return np.asarray(np.cos(x * 2 * np.pi / pitch) + np.cos(y * 2 * np.pi / pitch) - 0.6)


def _rings(x: Image, y: Image, pitch: float, _rng: np.random.Generator) -> Image:
    return np.asarray(np.sin(np.hypot(x - x.mean(), y - y.mean()) * 2 * np.pi / pitch))


def _plain(x: Image, y: Image, _pitch: float, rng: np.random.Generator) -> Image:
    """Draw one colour with an emblem in the middle, as casinos' own backs."""
    far = np.hypot((x - x.mean()) / x.max(), (y - y.mean()) / y.max())
    return np.asarray(np.where(far < rng.uniform(0.1, 0.3), 1.0, -1.0))


def draw_back(style: CardStyle, height: int) -> CardArt:
    """A back with a pattern; border, colour and pattern follow the style's seed."""
    rng = np.random.default_rng(style.seed)
    image = _blank_card(style, height)
    width = image.shape[1]
    border = 0 if rng.random() < 0.2 else round(height * rng.uniform(0.02, 0.06))
    colour = np.array(_BACK_INKS[rng.integers(len(_BACK_INKS))], np.float32)
    y, x = np.mgrid[0 : height - 2 * border, 0 : width - 2 * border].astype(np.float32)
    pattern = (_weave, _weave, _dots, _rings, _plain)[rng.integers(5)]
    light = pattern(x, y, height * rng.uniform(0.02, 0.06), rng) > rng.uniform(0.0, 0.5)
    field = np.where(light[..., None], np.array(style.paper, np.float32) * 0.92, colour).astype(np.uint8)
    image[border : height - border, border : width - border] = field
    return CardArt(image, rounded_alpha(width, height), ())


def _print_on(image: Image, ink: Colour, rng: np.random.Generator) -> None:
    height, width = image.shape[:2]
    kind = rng.integers(3)
    if kind == 0:
        size, at = width / 130, (int(width * 0.08), int(height * rng.uniform(0.2, 0.8)))
        cv2.putText(
            image, "CUT CARD", at, cv2.FONT_HERSHEY_DUPLEX, size, ink, max(1, height // 150), cv2.LINE_AA
        )
    elif kind == 1:
        cv2.circle(
            image, (width // 2, height // 2), int(width * rng.uniform(0.15, 0.4)), ink, max(2, height // 60)
        )
    else:
        row = int(height * rng.uniform(0.1, 0.8))
        cv2.rectangle(image, (0, row), (width, row + height // 12), ink, -1)


def draw_cut_card(style: CardStyle, height: int) -> CardArt:
    """A plastic sheet in a strong colour, plain or with a little print."""
    rng = np.random.default_rng(style.seed + 1)
    width = round(height * style.aspect)
    image = np.full((height, width, 3), _CUT_INKS[rng.integers(len(_CUT_INKS))], np.uint8)
    if rng.random() < _PRINTED_SHARE:
        _print_on(image, (240, 240, 240) if rng.random() < 0.5 else (25, 25, 25), rng)
    return CardArt(image, rounded_alpha(width, height), ())


def draw_joker(style: CardStyle, height: int) -> CardArt:
    """A joker: its name down the corner, a star in the middle; no index."""
    image = _blank_card(style, height)
    width = image.shape[1]
    colour = style.suit_colours[style.seed % 4]
    ink = np.full_like(image, 255)
    size = style.rank_height * height * 0.5
    for row, letter in enumerate("JOKER"):
        at = (round(style.margin_x * height), round(style.margin_y * height + size * (row * 1.15 + 1)))
        cv2.putText(
            ink, letter, at, cv2.FONT_HERSHEY_DUPLEX, size / 22, colour, max(1, round(size / 12)), cv2.LINE_AA
        )
    turn = np.linspace(0, 2 * np.pi, 11)[:-1] - np.pi / 2
    radius = np.where(np.arange(10) % 2 == 0, 0.3, 0.13) * width
    star = np.stack([width / 2 + radius * np.cos(turn), height / 2 + radius * np.sin(turn)], 1)
    cv2.fillPoly(image, [star.astype(np.int32)], colour, cv2.LINE_AA)
    return CardArt(np.minimum(np.minimum(image, ink), ink[::-1, ::-1]), rounded_alpha(width, height), ())
