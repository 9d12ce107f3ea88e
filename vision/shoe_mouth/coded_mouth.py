"""Decode a shoe's mouth camera beside a counting reader: which sheet a picture shows, and its index.

Six lights in the picture carry the code: three are always on. The twenty choices of three are ordered by
value, the first light lowest. The first choice means an empty mouth; the next sixteen number the sheets that
entered. hardware/open-shoe-protocol.md lists them, section 4.
"""

from collections.abc import Sequence
from typing import Final, Literal, NamedTuple

import numpy as np

from vision.geometry import Image
from vision.shoe_mouth.events import IndexDetection
from vision.shoe_mouth.upright_reader import UprightReader

_LIGHTS: Final = 6
ENTRIES: Final = 16
WAYS: Final = tuple(word for word in range(1 << _LIGHTS) if word.bit_count() == _LIGHTS // 2)

_LIT: Final = 128
"""A light is on from this grey level. Source: a diode in sight is at the end of the scale after 8 ms of
exposure (hardware/shoe-reader/design/light.py), one that is off is as dark as the floor."""

_SHEET_LEVEL: Final = 40
"""A window that is darker on the average shows no sheet, or no flash: nothing is sought in it."""

CODED_READ_PX: Final = 320
"""Longer side of the picture when it is read: five pixels to a millimetre, at which the smallest index of
hardware/shoe-reader/design/geometry.py is 88 pixels high and the largest 180. Read with what is beside the
pane: cut to the pane, 32 of 32 cards of five of twelve drawn decks were not named where the index is near
its edge."""


class CodedPicture(NamedTuple):
    """A decoded picture. `entry`: the sheet's number, "empty" without one, "unclear" between two."""

    entry: int | Literal["empty", "unclear"]
    detections: tuple[IndexDetection, ...] = ()


def _entry_of(word: int) -> int | Literal["empty", "unclear"]:
    """Read which lights are on, the lowest bit first."""
    if word not in WAYS:
        return "unclear"
    place = WAYS.index(word)
    if place == 0:
        return "empty"
    return place - 1 if place <= ENTRIES else "unclear"


class CodedMouth:
    """Looks at the pictures of one mouth, every one of them. May be used by one thread at a time."""

    def __init__(self, reader: UprightReader, spots: Sequence[tuple[float, float]], radius: float) -> None:
        """`spots` are the six lights' middles in pixels of the whole picture, the lowest bit first."""
        self._reader = reader
        self._spots = tuple(spots)
        self._radius = max(1, round(radius))

    def look(self, picture: Image, window: Image) -> CodedPicture:
        """Take the next picture and its upright window (height x width x 3, BGR)."""
        entry = _entry_of(self._word(picture))
        if entry == "unclear" or window.size == 0 or float(window[::8, ::8].mean()) < _SHEET_LEVEL:
            return CodedPicture(entry)
        return CodedPicture(entry, self._reader.detect(window))

    def _word(self, picture: Image) -> int:
        return sum(self._is_lit(picture, x, y) << place for place, (x, y) in enumerate(self._spots))

    def _is_lit(self, picture: Image, x: float, y: float) -> bool:
        left, top, reach = round(x), round(y), self._radius
        spot = picture[max(top - reach, 0) : top + reach + 1, max(left - reach, 0) : left + reach + 1]
        return bool(spot.size) and float(np.median(spot)) >= _LIT
