"""Learn the empty table, and decide whether a card's place is empty."""

from typing import Final, Literal, NamedTuple

import cv2
import numpy as np
import numpy.typing as npt

from vision.geometry import Image, Points, scaled
from vision.tracking.change_gate import BLOCK_PX, Blocks

Mask = npt.NDArray[np.bool_]
"""height x width of the small picture."""


class FeltRule(NamedTuple):
    """Limits for felt. Source: no measurement on record."""

    unlike_share: float = 0.35
    unlike: tuple[float, float] = (10.0, 26.0)
    """A pixel is no felt when its largest channel difference exceeds this share of the felt's brightest
    channel, within these bounds in grey levels."""

    cell_px: int = 6
    window: float = 2.9
    """The felt's colour is the median over so many card lengths a side, in cells of so many small pixels a
    side each: an arm is less than half of that wide."""

    light_step_px: int = 4
    """Light is measured on every so-many-th small pixel, down and across."""

    inner: float = 0.82
    """Share of a card's outline, about its centre, that has to be felt; the rest is edge and shadow."""

    free: float = 0.2
    """A place of which other cards leave less than this share open cannot be seen."""

    empty: float = 0.85
    """A place is empty when at least this share of its open part is felt."""


_FELT_RULE: Final = FeltRule()


class FeltBackground:
    """Learn the empty table from areas long still and free of cards, in the gate's small picture."""

    def __init__(self, small: Image) -> None:
        """`small` gives the size of the pictures to come."""
        self._learnt: Image = np.zeros_like(small)
        self._known = np.zeros(small.shape[:2], bool)

    def learn(self, small: Image, blocks: Blocks) -> None:
        """Take these blocks for empty felt, its print included."""
        pixels = blocks.repeat(BLOCK_PX, 0).repeat(BLOCK_PX, 1)
        self._learnt[pixels] = small[pixels]
        self._known |= pixels

    def unlike(self, small: Image, card_px: float) -> Mask:
        """Return small pixels that match neither the felt around them nor the learnt background.

        `card_px` is a card's long side, in small pixels.
        """
        around = _felt_around(small, card_px)
        bright = _brightest(around).astype(np.float32)
        least = np.clip(_FELT_RULE.unlike_share * bright, *_FELT_RULE.unlike)
        other = _brightest(cv2.absdiff(small, around)) > least
        if self._known.any():
            learnt = cv2.convertScaleAbs(self._learnt, alpha=self._light(small))
            other &= ~self._known | (_brightest(cv2.absdiff(small, learnt)) > least)
        return np.asarray(other)

    def _light(self, small: Image) -> float:
        """Return the table's brightness relative to the learnt one."""
        step = _FELT_RULE.light_step_px
        known = self._known[::step, ::step]
        now, then = (picture[::step, ::step, 1][known] + 1.0 for picture in (small, self._learnt))
        return float(np.median(now / then)) if known.any() else 1.0


def _brightest(picture: Image) -> Image:
    """The brightest channel of each pixel."""
    return cv2.max(cv2.max(picture[..., 0], picture[..., 1]), picture[..., 2])


def _felt_around(small: Image, card_px: float) -> Image:
    """The felt's colour around each small pixel."""
    cell = _FELT_RULE.cell_px
    size = (max(8, small.shape[1] // cell), max(8, small.shape[0] // cell))
    window = 2 * round(_FELT_RULE.window * card_px / cell / 2) + 1
    coarse = cv2.medianBlur(cv2.resize(small, size, interpolation=cv2.INTER_NEAREST), window)
    return cv2.resize(coarse, small.shape[1::-1], interpolation=cv2.INTER_LINEAR)


def place_state(corners: Points, cards: list[Points], unlike: Mask) -> Literal["empty", "taken", "unseen"]:
    """Look at the place of a card that was not read.

    Outlines (4 x 2) are in small pixels; `cards` are those of cards that lie there now.

    `unseen` when the others leave too little of it open to say.
    """
    own = np.zeros(unlike.shape, np.uint8)
    cv2.fillConvexPoly(own, np.round(scaled(corners, _FELT_RULE.inner)).astype(np.int32), 1)
    size = int(own.sum())
    for card in cards:
        cv2.fillConvexPoly(own, np.round(card).astype(np.int32), 0)
    free = own.astype(bool)
    if size == 0 or free.sum() < _FELT_RULE.free * size:
        return "unseen"
    return "empty" if (~unlike[free]).mean() >= _FELT_RULE.empty else "taken"
