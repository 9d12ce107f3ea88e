"""Masks of rank glyphs and suit pips: a bank of free fonts and pips drawn from formulas.

Source of the formulas' numbers: chosen by eye; not measured.
"""

from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

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
