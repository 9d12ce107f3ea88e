"""Draw backs, the cut card and the joker.

Source of all sizes and colours: chosen by eye; not measured.
"""

from typing import Final

import cv2
import numpy as np

from vision.geometry import Image
from vision.synth.card import CardArt, blank_card, rounded_alpha
from vision.synth.style import CardStyle, Colour

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
    image = blank_card(style, height)
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
    image = blank_card(style, height)
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
