"""Areas of the heat map that nothing explains: cards, what cards leave of each other, and what is none."""

import numpy as np
import pytest

from vision.geometry import Points
from vision.heat_map import CELL_KINDS, OUTPUT_CELL_PX, CellKind, HeatMap
from vision.heat_map_audit import BACK_AREA, FACE_AREA, ExplainedMask

CARD = (6, 9)
"""Cells of the heat map that a card is wide and high."""

LONG_PX = float(CARD[1] * OUTPUT_CELL_PX)


class Felt:
    """The cells of a heat map, and outlines in pixels of its picture."""

    def __init__(self) -> None:
        self.kinds = np.zeros((40, 60, len(CELL_KINDS)), np.float32)
        self.kinds[..., CELL_KINDS.index("felt")] = 1

    def lay(self, kind: CellKind, left: int, top: int, wide: int = CARD[0], high: int = CARD[1]) -> Points:
        """Cells of one kind; returns their outline."""
        self.kinds[top : top + high, left : left + wide] = 0
        self.kinds[top : top + high, left : left + wide, CELL_KINDS.index(kind)] = 1
        corners = [(left, top), (left + wide, top), (left + wide, top + high), (left, top + high)]
        return np.array(corners, float) * OUTPUT_CELL_PX

    def mask(self) -> ExplainedMask:
        heat = np.zeros((80, 120), np.float32)
        return ExplainedMask(HeatMap(self.kinds, heat, np.full((40, 60), 24.0), 1.0), LONG_PX)


def test_a_card_that_lies_alone_is_found() -> None:
    felt = Felt()
    corners = felt.lay("back", 20, 10)
    (middle,) = felt.mask().unexplained(BACK_AREA)
    assert np.hypot(*(middle - corners.mean(0))) < OUTPUT_CELL_PX
    assert felt.mask().unexplained(FACE_AREA) == []


def test_a_known_card_explains_what_it_covers() -> None:
    felt = Felt()
    corners = felt.lay("face", 20, 10)
    mask = felt.mask()
    mask.explain_cards([corners])
    assert mask.unexplained(FACE_AREA) == []


def test_a_place_explains_what_lies_around_it_and_no_more() -> None:
    felt = Felt()
    felt.lay("face", 20, 10)
    other = felt.lay("face", 40, 10)
    mask = felt.mask()
    mask.explain_around(np.array([23.0, 14.5]) * OUTPUT_CELL_PX, 0.8)
    (middle,) = mask.unexplained(FACE_AREA)
    assert np.hypot(*(middle - other.mean(0))) < OUTPUT_CELL_PX


def test_the_half_of_a_back_beside_a_card_is_told_as_covered() -> None:
    felt = Felt()
    felt.lay("back", 20, 10)
    above = felt.lay("face", 23, 10)
    mask = felt.mask()
    mask.explain_cards([above])
    assert len(mask.unexplained(BACK_AREA)) == 1


@pytest.mark.parametrize(
    "cells",
    [(20, 10, 2, 2), (20, 10, 24, 18), (20, 10, 30, 4), (20, 10, 4, 4), (0, 10, 6, 9), (54, 31, 6, 9)],
)
def test_what_is_no_card_is_not_told(cells: tuple[int, int, int, int]) -> None:
    """A speck, a tablecloth, a sleeve, a stack of chips, and cards that the border cuts."""
    felt = Felt()
    felt.lay("back", *cells)
    assert felt.mask().unexplained(BACK_AREA) == []


def test_a_fan_of_unread_cards_is_told_once() -> None:
    felt = Felt()
    felt.lay("face", 20, 10)
    felt.lay("face", 24, 10)
    assert len(felt.mask().unexplained(FACE_AREA)) == 1
