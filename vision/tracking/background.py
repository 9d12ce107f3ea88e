"""What the empty table looks like, and whether a card's place is empty."""

from typing import Final, Literal

import cv2
import numpy as np
import numpy.typing as npt

from vision.geometry.arrays import Image, Points
from vision.geometry.outlines import scaled
from vision.tracking.change_gate import BLOCK, Blocks

UNLIKE: Final = (10.0, 26.0)
UNLIKE_SHARE: Final = 0.35
"""A pixel is no felt when its largest channel difference exceeds this share of the felt's brightest channel,
within these bounds in grey levels."""

COARSE: Final = 6
WINDOW: Final = 11
"""The felt's colour is the median over WINDOW x WINDOW cells of COARSE x COARSE small pixels."""

SAMPLE: Final = 4
"""Light is measured on every so-many-th small pixel, down and across."""

INNER: Final = 0.82
"""Share of a card's outline, about its centre, that has to be felt; the rest is edge and shadow."""

FREE_LEAST: Final = 0.2
"""A place of which other cards leave less than this open cannot be seen."""

FELT_LEAST: Final = 0.85
"""A place is empty when at least this share of its open part is felt."""

Mask = npt.NDArray[np.bool_]


class Felt:
    """Learns the empty table from what has long been still and free of cards. Works on the small picture."""

    def __init__(self, small: Image) -> None:
        """`small` gives the size of the pictures to come."""
        self._learnt: Image = np.zeros_like(small)
        self._known = np.zeros(small.shape[:2], bool)

    def learn(self, small: Image, blocks: Blocks) -> None:
        """Take these blocks for empty felt (its print included)."""
        pixels = blocks.repeat(BLOCK, 0).repeat(BLOCK, 1)
        self._learnt[pixels] = small[pixels]
        self._known |= pixels

    def unlike(self, small: Image) -> Mask:
        """Small pixels that are neither like the felt around them nor like what was learnt there."""
        around = _felt_around(small)
        least = np.clip(UNLIKE_SHARE * _brightest(around).astype(np.float32), *UNLIKE)
        other = _brightest(cv2.absdiff(small, around)) > least
        if self._known.any():
            learnt = cv2.convertScaleAbs(self._learnt, alpha=self._light(small))
            other &= ~self._known | (_brightest(cv2.absdiff(small, learnt)) > least)
        return np.asarray(other)

    def _light(self, small: Image) -> float:
        """How much brighter the table is than when it was learnt."""
        known = self._known[::SAMPLE, ::SAMPLE]
        now, then = (picture[::SAMPLE, ::SAMPLE, 1][known] + 1.0 for picture in (small, self._learnt))
        return float(np.median(now / then)) if known.any() else 1.0


def _brightest(picture: Image) -> Image:
    """The brightest channel of each pixel."""
    return cv2.max(cv2.max(picture[..., 0], picture[..., 1]), picture[..., 2])


def _felt_around(small: Image) -> Image:
    """The felt's colour around each small pixel."""
    size = (max(8, small.shape[1] // COARSE), max(8, small.shape[0] // COARSE))
    coarse = cv2.medianBlur(cv2.resize(small, size, interpolation=cv2.INTER_NEAREST), WINDOW)
    return cv2.resize(coarse, small.shape[1::-1], interpolation=cv2.INTER_LINEAR)


def place_is(corners: Points, cards: list[Points], unlike: Mask) -> Literal["empty", "taken", "unseen"]:
    """Look at the place of a card that was not read; outlines in small pixels, `cards` those that lie now.

    `unseen` when the others leave too little of it open to tell.
    """
    own = np.zeros(unlike.shape, np.uint8)
    cv2.fillConvexPoly(own, np.round(scaled(corners, INNER)).astype(np.int32), 1)
    size = int(own.sum())
    for card in cards:
        cv2.fillConvexPoly(own, np.round(card).astype(np.int32), 0)
    free = own.astype(bool)
    if size == 0 or free.sum() < FREE_LEAST * size:
        return "unseen"
    return "empty" if (~unlike[free]).mean() >= FELT_LEAST else "taken"
