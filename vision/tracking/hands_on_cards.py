"""Which things on the felt a hand holds: what is no felt and no card, larger than a card, and touches them.

Works on the change gate's small picture. An arm reaches the picture's edge; where its sleeve cannot be told
from the felt, the hand alone is longer than a card. Chips and print are neither.
"""

from collections.abc import Iterable
from typing import Final, NamedTuple

import cv2
import numpy as np

from vision.geometry import Image, Points, scaled
from vision.tracking.background import Mask


class HandRule(NamedTuple):
    """What a hand looks like. Lengths are in card lengths. Source: drawn arms (`tests/witnesses`)."""

    thick: float = 0.25
    """Print, letters and single fingers are thinner than this; palm, wrist and sleeve are not."""

    longest_card: float = 1.2
    """What is in one piece and longer than this, along its own direction, is no card: light blurs its edge."""

    fingers: float = 0.5
    """A palm lies no further than this from what its fingers hold."""

    grown: float = 1.1
    """A known outline is taken so many times as large: it may be off, and light blurs its edge."""


HAND_RULE: Final = HandRule()

TOUCHES_PX: Final = 2
"""Small pixels between an outline and what touches it, at most: the width of the edge that light blurs."""


class HandsOnCards:
    """The hands of one picture."""

    def __init__(self, unlike: Mask, cards: Iterable[Points], papers: Points, card_px: float) -> None:
        """`unlike` says which small pixels are no felt; `cards` are outlines (4 x 2) of cards in sight.

        `papers` (n x 2) are places of unread things that lie free: of so many a piece may be that much longer.
        All lengths are in small pixels; `card_px` is a card's long side.
        """
        self._card_px = card_px
        self._rest: Image = unlike.astype(np.uint8)
        for outline in cards:
            cv2.fillConvexPoly(self._rest, self._grown(outline), 0)
        self._hands = self._thick_pieces(papers)

    def hold(self, outline: Points) -> bool:
        """Whether a hand touches what has this outline (4 x 2)."""
        (left, top), (right, foot) = outline.min(0), outline.max(0)
        reach = HAND_RULE.fingers * self._card_px
        rows = slice(max(int(top - reach), 0), max(int(foot + reach) + 1, 0))
        columns = slice(max(int(left - reach), 0), max(int(right + reach) + 1, 0))
        hands = self._hands[rows, columns]
        if not hands.any():
            return False
        near: Image = np.zeros(self._rest.shape, np.uint8)
        cv2.fillConvexPoly(near, self._grown(outline), 1)
        side = 2 * TOUCHES_PX + 1
        near = cv2.dilate(near[rows, columns], np.ones((side, side), np.uint8))
        _, pieces = cv2.connectedComponents(self._rest[rows, columns])
        touching = np.unique(pieces[(near > 0) & (pieces > 0)]).tolist()
        held: list[int] = pieces[hands].tolist()
        return not set(touching).isdisjoint(held)

    def _grown(self, outline: Points) -> Image:
        return np.round(scaled(outline, HAND_RULE.grown)).astype(np.int32)

    def _thick_pieces(self, papers: Points) -> Mask:
        """The pieces of what is no felt and no known card that are hands."""
        side = max(3, round(HAND_RULE.thick * self._card_px))
        thick = cv2.morphologyEx(self._rest, cv2.MORPH_OPEN, np.ones((side, side), np.uint8))
        count, pieces, stats, _ = cv2.connectedComponentsWithStats(thick)
        tall, wide = pieces.shape
        hands = np.zeros(count, bool)
        for number in range(1, count):
            left, top, width, height, _ = stats[number].tolist()
            at_edge = left == 0 or top == 0 or left + width == wide or top + height == tall
            hands[number] = at_edge or self._is_long(pieces, number, papers)
        return np.asarray(hands[pieces])

    def _is_long(self, pieces: Image, number: int, papers: Points) -> bool:
        rows, columns = np.nonzero(pieces == number)
        _, sides, _ = cv2.minAreaRect(np.column_stack([columns, rows]).astype(np.float32))
        here = [pieces[int(y), int(x)] == number for x, y in papers]
        return bool(max(sides) > (HAND_RULE.longest_card + sum(here)) * self._card_px)
