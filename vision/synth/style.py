"""A drawn deck's design: glyphs of ranks and pips, sizes and colours as fractions of the card's height.

Source of all ranges and formulas: chosen by eye; not measured.
"""

from functools import cache
from pathlib import Path
from typing import Final, Literal, NamedTuple

import cv2
import numpy as np

from vision.geometry import Image, Points

MASK_PX: Final = 96
"""Side of every mask in the bank; glyphs are stretched to fill it."""

GLYPHS: Final = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "J", "Q", "K", "1", "0")
BANK_PATH: Final = Path(__file__).with_name("glyphs.npz")

LETTERS: Final = tuple("BCDEFHNPRSTVW")
"""Letters of other languages' aces and court cards: Valet, Dame, Roi, Bube, Heer, Fante, As and so on."""

LETTERS_PATH: Final = Path(__file__).with_name("letters.npz")


class Glyph(NamedTuple):
    """A mask (0 or 255, MASK_PX square) and the width over height that it is drawn with."""

    mask: Image
    aspect: float


class GlyphBank(NamedTuple):
    """Every glyph of every font: `ranks[font][glyph]`, `signs[set][suit]`; suits in the order c d h s."""

    names: tuple[str, ...]
    held_out: tuple[bool, ...]
    ranks: tuple[tuple[Glyph, ...], ...]
    signs: tuple[tuple[Glyph, ...], ...]


def _glyphs(packed: Image, aspects: Image) -> tuple[tuple[Glyph, ...], ...]:
    masks = np.unpackbits(packed, axis=-1) * np.uint8(255)
    return tuple(
        tuple(Glyph(mask, float(aspect)) for mask, aspect in zip(row, line, strict=True))
        for row, line in zip(masks, aspects, strict=True)
    )


@cache
def bank() -> GlyphBank:
    """The committed bank, read once."""
    with np.load(BANK_PATH) as file:
        return GlyphBank(
            tuple(str(name) for name in file["names"]),
            tuple(bool(flag) for flag in file["held_out"]),
            _glyphs(file["ranks"], file["rank_aspects"]),
            _glyphs(file["signs"], file["sign_aspects"]),
        )


@cache
def _letters() -> tuple[tuple[Glyph, ...], ...]:
    """LETTERS of every font, in the order of the bank's fonts; read once."""
    with np.load(LETTERS_PATH) as file:
        return _glyphs(file["letters"], file["aspects"])


def _one_glyph(font: int, sign: str) -> Glyph:
    if sign in GLYPHS:
        return bank().ranks[font][GLYPHS.index(sign)]
    return _letters()[font][LETTERS.index(sign)]


def rank_glyph(font: int, printed: str) -> Glyph:
    """Return the print of a rank as one mask; several signs (10, AS) are set tightly, as on cards."""
    if len(printed) == 1:
        return _one_glyph(font, printed)
    gap = np.zeros((MASK_PX, round(MASK_PX * 0.09)), np.uint8)
    parts: list[Image] = []
    for glyph in (_one_glyph(font, sign) for sign in printed):
        width = max(4, round(MASK_PX * glyph.aspect))
        parts += [*([gap] if parts else []), cv2.resize(glyph.mask, (width, MASK_PX))]
    wide = np.hstack(parts)
    return Glyph(cv2.resize(wide, (MASK_PX, MASK_PX)), wide.shape[1] / MASK_PX)


def _fill(mask: Image, outline: Points) -> None:
    cv2.fillPoly(mask, [np.round(outline * 16).astype(np.int32)], 255, cv2.LINE_AA, 4)


def _disc(mask: Image, x: float, y: float, radius: float) -> None:
    centre = (round(x * 16), round(y * 16))
    cv2.circle(mask, centre, round(radius * 16), 255, -1, cv2.LINE_AA, 4)


def _heart(fullness: float) -> Image:
    """Two lobes and a point; `fullness` 0..1 bulges the flanks."""
    side = MASK_PX - 1
    mask = np.zeros((MASK_PX, MASK_PX), np.uint8)
    radius = side * 0.262
    _disc(mask, radius, radius, radius)
    _disc(mask, side - radius, radius, radius)
    t = np.linspace(0, 1, 24)
    bulge = 0.02 + 0.10 * fullness
    x = side * (0.5 - 0.485 * (1 - t) - bulge * np.sin(np.pi * t))
    y = side * (0.33 + 0.67 * t)
    left = np.stack([np.maximum(x, 0), y], 1)
    right = np.stack([side - left[::-1, 0], left[::-1, 1]], 1)
    _fill(mask, np.vstack([[[side * 0.5, side * 0.2]], left, right]))
    return mask


def _diamond(fullness: float) -> Image:
    """Four corners with sides that curve inwards (0) or are straight (1)."""
    side = MASK_PX - 1
    mask = np.zeros((MASK_PX, MASK_PX), np.uint8)
    t = np.linspace(0, np.pi / 2, 16)
    power = 2.8 - 0.8 * fullness
    x, y = np.cos(t) ** power, np.sin(t) ** power
    quarter = np.stack([x, y], 1)
    signs = ((1, 1, 1), (-1, 1, -1), (-1, -1, 1), (1, -1, -1))
    outline = np.vstack([quarter[::step] * (sx, sy) for sx, sy, step in signs])
    _fill(mask, (outline + 1) * side / 2)
    return mask


def _stem(mask: Image, width: float, top: float) -> None:
    side = MASK_PX - 1
    t = np.linspace(0, 1, 12)
    x = 0.03 + width * t**2.2
    y = top + (1 - top) * t
    left = np.stack([0.5 - x, y], 1)
    right = np.stack([0.5 + x[::-1], y[::-1]], 1)
    _fill(mask, np.vstack([left, right]) * side)


def _spade(fullness: float) -> Image:
    mask = np.zeros((MASK_PX, MASK_PX), np.uint8)
    body = cv2.resize(_heart(fullness)[::-1], (MASK_PX, round(MASK_PX * 0.84)))
    mask[: body.shape[0]] = body
    _stem(mask, 0.16 + 0.12 * fullness, 0.55)
    return mask


def _club(fullness: float) -> Image:
    mask = np.zeros((MASK_PX, MASK_PX), np.uint8)
    side = MASK_PX - 1
    radius = side * (0.225 + 0.03 * fullness)
    _disc(mask, side / 2, radius, radius)
    _disc(mask, radius, side * 0.58, radius)
    _disc(mask, side - radius, side * 0.58, radius)
    _disc(mask, side / 2, side * 0.48, side * 0.11)
    _stem(mask, 0.12 + 0.12 * fullness, 0.45)
    return mask


@cache
def drawn_pips(fullness_tenths: int) -> tuple[Glyph, ...]:
    """Clubs, diamonds, hearts, spades from formulas; 0 is slim, 10 is full."""
    fullness = fullness_tenths / 10
    return (
        Glyph(_club(fullness), 0.98 + 0.06 * fullness),
        Glyph(_diamond(fullness), 0.72 + 0.12 * fullness),
        Glyph(_heart(fullness), 0.86 + 0.14 * fullness),
        Glyph(_spade(fullness), 0.82 + 0.12 * fullness),
    )


Colour = tuple[int, int, int]
"""Blue, green, red, 0..255."""

FORMULA_PIPS: Final = -1
"""As `pip_set`: pips from formulas instead of a font's signs."""


class CardStyle(NamedTuple):
    """One deck's design. Lengths are fractions of the card's height unless said otherwise."""

    font: int
    pip_set: int
    fullness_tenths: int
    aspect: float
    rank_height: float
    rank_stretch: float
    weight: float
    pip_height: float
    gap: float
    margin_x: float
    margin_y: float
    ten_squeeze: float
    suit_colours: tuple[Colour, Colour, Colour, Colour]
    paper: Colour
    body_pip: float
    body_inset: float
    clearance: float
    court_frame: bool
    corners: int
    seed: int
    body_top: float = 0.06
    letters: tuple[str, str, str, str] = ("A", "J", "Q", "K")
    """What is printed for ace, jack, queen and king."""

    pip_level: float | None = None
    """Of a pip to the right of its rank: 0 where their tops are level, 1 where their feet are.

    None where the pip stands below the rank.
    """

    lower: Literal["turned", "upright", "pip_first"] = "turned"
    """The index of the lower right corner: the upper one turned, as it is, or as it is with the pip above."""

    one_pip: bool = False
    """Ace to ten show one large pip each."""

    def printed(self, rank: str) -> str:
        """Return the corner print of a card of that rank."""
        return self.letters["AJQK".index(rank)] if rank in "AJQK" else rank


_FOREIGN_LETTERS: Final[tuple[tuple[str, ...], ...]] = (
    ("1", "AS", "A", "E", "T", "S"),
    ("V", "B", "F", "C", "S", "KN", "P", "N"),
    ("D", "V", "C", "H", "R", "B", "F"),
    ("R", "H", "C", "W", "P", "D", "T", "E"),
)
"""What other languages print for ace, jack, queen and king, and other letters that such a card might have."""

_INK_BLACK: Final[Colour] = (28, 24, 24)
_INK_RED: Final[Colour] = (36, 24, 196)

CASINO_STYLE: Final = CardStyle(
    font=bank().names.index("RobotoCondensed-Bold"),
    pip_set=5,
    fullness_tenths=6,
    aspect=63 / 88,
    rank_height=0.175,
    rank_stretch=1.0,
    weight=0.0,
    pip_height=0.13,
    gap=0.03,
    margin_x=0.04,
    margin_y=0.05,
    ten_squeeze=0.58,
    suit_colours=(_INK_BLACK, _INK_RED, _INK_RED, _INK_BLACK),
    paper=(244, 248, 248),
    body_pip=0.15,
    body_inset=0.30,
    clearance=0.034,
    court_frame=True,
    corners=2,
    seed=17,
)
"""The demo's own deck: jumbo index, two colours."""


def _near(rng: np.random.Generator, colour: Colour, spread: int) -> Colour:
    blue, green, red = (int(np.clip(part + rng.integers(-spread, spread + 1), 0, 255)) for part in colour)
    return blue, green, red


def _suit_colours(rng: np.random.Generator) -> tuple[Colour, Colour, Colour, Colour]:
    black, red = _near(rng, (26, 24, 24), 26), _near(rng, (36, 24, 205), 36)
    if rng.random() < 0.10:
        return _near(rng, (30, 110, 20), 30), _near(rng, (190, 60, 20), 40), red, black
    return black, red, red, black


def random_style(rng: np.random.Generator, held_out: bool = False) -> CardStyle:
    """A deck that never existed; `held_out` takes only fonts that training never sees."""
    fonts = [index for index, flag in enumerate(bank().held_out) if flag == held_out]
    jumbo = rng.random() < 0.35
    rank = rng.uniform(0.13, 0.22) if jumbo else rng.uniform(0.075, 0.13)
    pip_set = FORMULA_PIPS if rng.random() < 0.5 else int(rng.integers(len(bank().signs)))
    return CardStyle(
        font=int(rng.choice(fonts)),
        pip_set=pip_set,
        fullness_tenths=int(rng.integers(0, 11)),
        aspect=float(rng.uniform(0.635, 0.73)),
        rank_height=float(rank),
        rank_stretch=float(rng.uniform(0.62, 1.15)),
        weight=float(rng.uniform(-0.6, 1.0)),
        pip_height=float(rank * rng.uniform(0.5, 1.0)),
        gap=float(rank * rng.uniform(0.04, 0.4)),
        margin_x=float(rng.uniform(0.022, 0.06)),
        margin_y=float(rng.uniform(0.025, 0.07)),
        ten_squeeze=float(rng.uniform(0.55, 0.9)),
        suit_colours=_suit_colours(rng),
        paper=_near(rng, (240, 246, 247), 8),
        body_pip=float(rng.uniform(0.10, 0.19)),
        body_inset=float(rng.uniform(0.24, 0.33)),
        clearance=float(rng.uniform(0.006, 0.035)),
        court_frame=bool(rng.random() < 0.75),
        corners=4 if rng.random() < 0.15 else 2,
        seed=int(rng.integers(1 << 30)),
    )


def foreign_style(rng: np.random.Generator, held_out: bool = False) -> CardStyle:
    """Return a random deck design with letters of another language; `held_out` as for `random_style`."""
    one, two, three, four = (str(rng.choice(letters)) for letters in _FOREIGN_LETTERS)
    return random_style(rng, held_out)._replace(letters=(one, two, three, four))
