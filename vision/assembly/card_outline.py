"""The outline of a card around its indices."""

from math import atan2, cos, hypot, sin
from typing import Final

import numpy as np

from vision.assembly.deck_geometry import DeckGeometry
from vision.assembly.paper_edges import mean_brightness
from vision.classifier import Index
from vision.geometry import CARD_ASPECT, Image, Points

LEFT: Final = 1
RIGHT: Final = -1
"""The upper corner of its card in which an index stands."""

_WIDER_BY: Final = 0.3
"""A card is at least so many heights of the index wider than its indices are apart.

Source: no measurement on record.
"""


def outline_around(index: Index, deck: DeckGeometry, side: int) -> Points:
    """The card (4 x 2, clockwise from its upper left) around an index in its upper LEFT or RIGHT corner."""
    tall = deck.below + 1 + 2 * deck.margin
    wide = max(tall * CARD_ASPECT, deck.right + _WIDER_BY)
    left = -(wide - deck.right) / 2 - (deck.right if side == RIGHT else 0.0)
    top = -0.5 - deck.margin
    steps = ((left, top), (left + wide, top), (left + wide, top + tall), (left, top + tall))
    (x, y), (down_x, down_y) = index.centre.tolist(), (index.down * index.index_px).tolist()
    return np.array(
        [(x + right * down_y + below * down_x, y - right * down_x + below * down_y) for right, below in steps]
    )


def outline_of_pair(one: Index, other: Index, deck: DeckGeometry) -> Points:
    """The card of two opposite indices: place, turn and size all follow from the line between them."""
    (x, y), (down_x, down_y) = (other.centre - one.centre).tolist(), one.down.tolist()
    index_px = hypot(x, y) / deck.diagonal
    turn = atan2(y, x) - atan2(
        deck.below * down_y - deck.right * down_x, deck.below * down_x + deck.right * down_y
    )
    down = np.array([down_x * cos(turn) - down_y * sin(turn), down_x * sin(turn) + down_y * cos(turn)])
    return outline_around(one._replace(down=down, index_px=index_px), deck, LEFT)


def side_with_paper(image: Image | None, index: Index, deck: DeckGeometry, side: int) -> int:
    """On which side a lone index of a deck with four lies: where there is paper. `side` without a picture."""
    if image is None:
        return side
    left, right = (mean_brightness(image, outline_around(index, deck, way)) for way in (LEFT, RIGHT))
    return LEFT if left >= right else RIGHT
