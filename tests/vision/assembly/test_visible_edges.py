"""Which of two cards shows its edge on the other one."""

import pytest

from tests.vision.assembly.table_kit import Laid, photographed
from vision.hands import order_by_edges
from vision.reading import RANKS


@pytest.mark.parametrize("shift", [(24, 0), (-24, 8), (30, -30), (0, 40)])
def test_the_card_whose_edge_shows_lies_on_top(shift: tuple[int, int]) -> None:
    lower, upper = Laid(200, 150), Laid(200 + shift[0], 150 + shift[1])
    overlaps = photographed(lower, upper)
    assert order_by_edges(overlaps, 1, 0) == 1
    assert order_by_edges(overlaps, 0, 1) == -1


def test_paper_without_a_visible_edge_decides_nothing() -> None:
    overlaps = photographed(Laid(200, 150), Laid(224, 150), edges=False)
    assert order_by_edges(overlaps, 1, 0) == 0


def test_court_art_has_edges_of_its_own_and_decides_nothing() -> None:
    overlaps = photographed(Laid(200, 150, rank=RANKS.index("Q")), Laid(224, 150))
    assert order_by_edges(overlaps, 1, 0) == 0


def test_a_third_cards_edge_is_not_taken_for_theirs() -> None:
    """Two cards under a third one: along their own edges they are compared where it leaves them bare."""
    cards = Laid(200, 150), Laid(240, 150), Laid(215, 205)
    overlaps = photographed(*cards)
    assert order_by_edges(overlaps, 1, 0) == 1
    assert order_by_edges(overlaps, 2, 0) == 1
    assert order_by_edges(overlaps, 2, 1) == 1
