"""Cards of paper on a dark felt, with the indices that can be seen of each."""

from typing import NamedTuple

import cv2
import numpy as np

from tests.vision.index_kit import DOWN, card, index
from vision.assembly import AssembledCard
from vision.deck_geometry import DeckGeometry
from vision.geometry import Image
from vision.hands import Overlaps, find_overlaps

WIDE_PX, HIGH_PX = 68, 96
RIGHT_PX, BELOW_PX = 48, 62
DECK = DeckGeometry(RIGHT_PX / 24, BELOW_PX / 24, four=False, maybe_four=False, index_px=24.0, pairs=3)
"""The deck of `index_kit.lying`: indices of 24 pixels, in two corners."""


class Laid(NamedTuple):
    """A card by its upper left corner, its rank's number, and which of its two indices can be seen."""

    left: int
    top: int
    rank: int = 0
    first: bool = True
    second: bool = True

    def card(self) -> AssembledCard:
        """What is known of it once it is assembled."""
        first = index(self.left + 10, self.top + 17, rank=self.rank)
        second = index(self.left + 58, self.top + 79, rank=self.rank, down=DOWN)
        seen = [one for one, there in ((first, self.first), (second, self.second)) if there]
        right, foot = self.left + WIDE_PX, self.top + HIGH_PX
        corners = [(self.left, self.top), (right, self.top), (right, foot), (self.left, foot)]
        return card(*seen, corners=corners if self.first else corners[2:] + corners[:2])


def photographed(*cards: Laid, deck: DeckGeometry | None = DECK, edges: bool = True) -> Overlaps:
    """The overlaps of some cards, laid one after the other; their edges can be seen, or not."""
    picture: Image = np.full((400, 600, 3), 40, np.uint8)
    for one in cards:
        low, high = (one.left, one.top), (one.left + WIDE_PX - 1, one.top + HIGH_PX - 1)
        cv2.rectangle(picture, low, high, (235, 235, 235), -1)
        if edges:
            cv2.rectangle(picture, low, high, (150, 150, 150), 2)
    return find_overlaps([one.card() for one in cards], deck, picture)
