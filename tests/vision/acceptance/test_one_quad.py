"""With a deck's profile at a calibrated camera each index shows its whole card: two of one are one card."""

import numpy as np
import pytest

from tests.vision.index_kit import DOWN, card, named
from vision.acceptance import Acceptance
from vision.face_witness import one_card_a_quad, outlined_by_place
from vision.geometry import CARD_ASPECT, IndexPlace

PLACE = IndexPlace(0.15, 0.15, 0.2)
CARD_PX = 150.0


def told(head: str, foot: str, aside: float = 0.0) -> list[str]:
    """What is told of two indices that face each other at the corners of one card, or so far from that."""
    across, along = 0.7 * CARD_ASPECT * CARD_PX, 0.7 * CARD_PX
    lower = named(foot, 100 + across + aside, 100 + along, down=np.array(DOWN), p_rank=0.99)
    read = Acceptance([card(named(head)), card(lower)], [], None)
    left = one_card_a_quad(outlined_by_place(read, PLACE, CARD_PX), CARD_PX).accepted
    return [f"{one.best.rank}{'' if one.best.suit_open else one.best.suit}" for one in left]


KING = 12


@pytest.mark.parametrize(
    ("foot", "aside", "found"),
    [
        ("Kh", 0.0, [f"{KING}2"]),
        ("Kd", 0.0, [f"{KING}"]),
        ("6h", 0.0, []),
        ("6h", 33.0, [f"{KING}2", "52"]),
    ],
    ids=["the same", "another suit", "another rank", "the next card of a fan"],
)
def test_two_indices_of_one_outline_are_one_card(foot: str, aside: float, found: list[str]) -> None:
    assert told("Kh", foot, aside) == found
