"""Recognise things too small for a card on a felt of known scale: chips, their print, layout letters."""

from typing import Final, NamedTuple

import cv2
import numpy as np

from vision.geometry import Image
from vision.reading import PointPx


class SmallThingRule(NamedTuple):
    """When a thing is certainly no card. Lengths are in millimetres, colours in steps of CIELAB's 8-bit form.

    Source: of 1,223 indices and 14 other cards of 24 drawn tables of decks left out none is too small, in
    full light; 188 of 339 chips are. In a light of 0.4 four were, on felts of no colour.
    """

    window: float = 70.0
    """So far around a place the picture is looked at, to each side."""

    longest: float = 50.0
    """What is no longer than this is no card, not even a bridge card's short side (57)."""

    apart: float = 8.0
    """A thing so near to the place is the one that is meant."""

    differs: float = 12.0
    """So much, in one of the three channels, a thing differs from the felt around it.

    As little as a card in deep shade on the felt of its own hue does.
    """

    bright: float = 60.0
    colourless: float = 14.0
    """On felt as light as this and of as little colour a card may not stand out, least of all in the dark:
    nothing there is surely no card."""


_SMALL_THING_RULE: Final = SmallThingRule()

_NEUTRAL: Final = 128.0
"""Of both colour channels where there is no colour. Source: OpenCV's 8-bit CIELAB."""


def is_too_small(image: Image, at: PointPx, px_per_mm: float) -> bool:
    """Whether the thing at a place of a BGR picture stands alone on the felt and is too small for a card.

    Anything that touches a card, a hand or the window's edge is not: it may be part of a card.
    """
    rule = _SMALL_THING_RULE
    half, (x, y) = round(rule.window * px_per_mm), (round(at[0]), round(at[1]))
    left, top = max(x - half, 0), max(y - half, 0)
    window = image[top : y + half + 1, left : x + half + 1]
    unlike = _unlike_felt(window, px_per_mm)
    if unlike is None:
        return False
    _, parts = cv2.connectedComponents(unlike)
    rows, columns = np.nonzero(parts)
    apart = np.hypot(columns - (x - left), rows - (y - top))
    near = np.unique(parts[rows, columns][apart <= rule.apart * px_per_mm])
    return all(_is_small(parts == part, rule.longest * px_per_mm) for part in near)


def _unlike_felt(window: Image, px_per_mm: float) -> Image | None:
    """Return the difference from the felt, which fills most of a window's rim.

    None where a card may not differ from it.
    """
    lab = cv2.cvtColor(cv2.blur(window, (3, 3)), cv2.COLOR_BGR2LAB).astype(np.float32)
    rim = np.concatenate([lab[0], lab[-1], lab[:, 0], lab[:, -1]])
    felt = np.median(rim, 0)
    colour = float(np.abs(felt[1:] - _NEUTRAL).max())
    if felt[0] >= _SMALL_THING_RULE.bright and colour < _SMALL_THING_RULE.colourless:
        return None
    unlike = (np.abs(lab - felt).max(2) > _SMALL_THING_RULE.differs).astype(np.uint8)
    side = 2 * round(px_per_mm) + 1
    return np.asarray(cv2.morphologyEx(unlike, cv2.MORPH_CLOSE, np.ones((side, side), np.uint8)))


def _is_small(part: Image, longest_px: float) -> bool:
    rim = part[0].any() or part[-1].any() or part[:, 0].any() or part[:, -1].any()
    _, sides, _ = cv2.minAreaRect(np.argwhere(part)[:, ::-1].astype(np.float32))
    return not rim and max(sides) < longest_px
