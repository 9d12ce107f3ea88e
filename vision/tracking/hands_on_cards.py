"""Find cards and objects that a hand holds: the hand is larger than a card and touches them.

Works on the change gate's small picture. A hand is neither felt nor card. An arm reaches the picture's
edge; where its sleeve matches the felt, the hand alone is longer than a card. Chips and print are neither.
"""

import math
from collections.abc import Iterable
from typing import Final, NamedTuple

import cv2
import numpy as np

from vision.geometry import Image, Points, scaled
from vision.tracking.background import Mask


class HandRule(NamedTuple):
    """Limits for a hand. Lengths are in card lengths. Source: drawn arms (`tests/witnesses`)."""

    thick: float = 0.25
    """Print, letters and single fingers are thinner than this; palm, wrist and sleeve are not."""

    longest: float = 0.7
    longest_card: float = 1.2
    """A piece longer than this, along its own direction, is a hand: beside a card of which the outline is
    known (chips are 0.45 wide), and where the card is a part of it, for light blurs its edge."""

    fingers: float = 0.5
    """A palm lies no further than this from what its fingers hold."""

    grown: float = 1.1
    """A known outline is taken so many times as large: it may be off, and light blurs its edge."""


_HAND_RULE: Final = HandRule()

_TOUCHES_PX: Final = 2
"""Small pixels between an outline and what touches it, at most: the width of the edge that light blurs."""


class HandsOnCards:
    """The hands of one picture."""

    def __init__(
        self,
        unlike: Mask,
        cards: Iterable[Points],
        covered: Iterable[Points],
        papers: Points,
        card_px: float,
    ) -> None:
        """`unlike` marks small pixels that are no felt; `cards` are outlines (4 x 2) of visible cards.

        `covered` are outlines of cards under others, where the card or a hand may show. `papers` (n x 2) are
        places of other free things: a piece may be longer by that many cards. All lengths are in small
        pixels; `card_px` is a card's long side.
        """
        self._card_px = card_px
        self._beside: Image = unlike.astype(np.uint8)
        for outline in cards:
            cv2.fillConvexPoly(self._beside, self._grown(outline), 0)
        self._rest: Image = self._beside.copy()
        for outline in covered:
            cv2.fillConvexPoly(self._rest, self._grown(outline), 0)
        self._held: Image = np.zeros_like(self._rest)
        side = max(3, round(_HAND_RULE.thick * card_px))
        thick = cv2.morphologyEx(self._rest, cv2.MORPH_OPEN, np.ones((side, side), np.uint8))
        _, self._thick, stats, _ = cv2.connectedComponentsWithStats(thick)
        self._lengths = [
            0.0,
            *(self._length(number, stats[number].tolist()) for number in range(1, len(stats))),
        ]
        for x, y in papers:
            self._lengths[self._thick[int(y), int(x)]] -= card_px

    def note_held(self, outline: Points) -> None:
        """Mark the grown outline of a held card: what touches it counts as part of the hand."""
        cv2.fillConvexPoly(self._held, self._grown(outline), 1)

    def hold(self, outline: Points, *, known: bool) -> bool:
        """Whether a hand touches this outline (4 x 2), or may do so beyond the picture's edge.

        `known`: the outline is the card's own; else it is a square about an index.
        """
        (left, top), (right, foot) = outline.min(0), outline.max(0)
        tall, wide = self._rest.shape
        if left < _TOUCHES_PX or top < _TOUCHES_PX or right > wide - _TOUCHES_PX or foot > tall - _TOUCHES_PX:
            return True
        reach = _HAND_RULE.fingers * self._card_px
        rows = slice(max(int(top - reach), 0), max(int(foot + reach) + 1, 0))
        columns = slice(max(int(left - reach), 0), max(int(right + reach) + 1, 0))
        limit = (_HAND_RULE.longest if known else _HAND_RULE.longest_card) * self._card_px
        hands = [
            number
            for number in np.unique(self._thick[rows, columns]).tolist()
            if self._lengths[number] > limit
        ]
        near: Image = np.zeros(self._rest.shape, np.uint8)
        cv2.fillConvexPoly(near, self._grown(outline), 1)
        _, pieces = cv2.connectedComponents(self._beside[rows, columns])
        touching = set(pieces[_widened(near[rows, columns])].tolist()) - {0}
        held: list[int] = pieces[np.isin(self._thick[rows, columns], hands)].tolist()
        if not known:
            held += pieces[_widened(self._held[rows, columns])].tolist()
        return not touching.isdisjoint(held)

    def _grown(self, outline: Points) -> Image:
        return np.round(scaled(outline, _HAND_RULE.grown)).astype(np.int32)

    def _length(self, number: int, stats: list[int]) -> float:
        """Return a thick piece's length along its own axis; infinite at the picture's edge."""
        left, top, width, height, _ = stats
        tall, wide = self._thick.shape
        if left == 0 or top == 0 or left + width == wide or top + height == tall:
            return math.inf
        rows, columns = np.nonzero(self._thick == number)
        _, sides, _ = cv2.minAreaRect(np.column_stack([columns, rows]).astype(np.float32))
        return float(max(sides)) + 1


def _widened(area: Image) -> Mask:
    """Return an area grown by _TOUCHES_PX."""
    side = 2 * _TOUCHES_PX + 1
    return np.asarray(cv2.dilate(area, np.ones((side, side), np.uint8)) > 0)
