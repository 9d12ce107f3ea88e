"""Which cards overlap, and what is proven by an index that shows or does not."""

from tests.vision.assembly.table_kit import Laid, photographed
from tests.vision.index_kit import card, index
from vision.hands import covered_cards, find_overlaps, proven_order

LOWER = Laid(100, 100, rank=2, second=False)
"""Its foot is covered by the next."""

UPPER = Laid(130, 120, rank=4)


def test_cards_that_share_area_overlap_and_neighbours_do_not() -> None:
    touching, apart = Laid(100 + 68, 100, rank=5), Laid(400, 100, rank=6)
    assert photographed(Laid(100, 100), UPPER).pairs == {(0, 1)}
    assert photographed(Laid(100, 100), touching, apart).pairs == set()


def test_a_hidden_index_proves_which_card_lies_below() -> None:
    overlaps = photographed(LOWER, UPPER)
    assert (proven_order(overlaps, 1, 0), proven_order(overlaps, 0, 1)) == (1, -1)
    assert covered_cards(overlaps) == {0}


def test_the_order_in_which_cards_are_known_proves_nothing() -> None:
    assert covered_cards(photographed(UPPER, LOWER)) == {1}


def test_all_indices_in_sight_prove_nothing() -> None:
    overlaps = photographed(Laid(100, 100), Laid(100, 190, rank=4))
    assert overlaps.pairs == {(0, 1)}
    assert covered_cards(overlaps) == set()


def test_print_on_anothers_outline_lies_on_it() -> None:
    """Its second index shows in the middle of the other card: that one cannot lie on it."""
    overlaps = photographed(Laid(100, 100, rank=2), Laid(80, 60, rank=4, second=False))
    assert covered_cards(overlaps) == {1}


def test_without_a_deck_nothing_is_proven() -> None:
    assert covered_cards(photographed(LOWER, UPPER, deck=None)) == set()


def test_cards_of_unknown_size_overlap_where_their_indices_are_near() -> None:
    lone = [card(index(x, 100, 20.0)) for x in (100, 170, 400)]
    picture = photographed().image
    assert find_overlaps(lone, None, picture).pairs == {(0, 1)}
