"""An index that is not as large as its neighbours' is doubted."""

import pytest

from tests.vision.index_kit import DOWN, card, index, named
from vision.acceptance import accept_cards, size_outliers
from vision.assembly import AssembledCard
from vision.deck_geometry import DeckGeometry


def row(*heights: float) -> list[AssembledCard]:
    return [AssembledCard((index(60.0 * number, 50, height),), None) for number, height in enumerate(heights)]


def test_an_index_much_smaller_or_larger_than_its_neighbours_is_doubted() -> None:
    assert size_outliers(row(24, 25, 24, 23, 17, 24, 25), None) == {4}
    assert size_outliers(row(24, 25, 24, 31, 24, 24, 25), None) == {3}
    assert size_outliers(row(24, 25, 26, 27, 28, 29, 30), None) == set()


def test_few_cards_tell_no_usual_size() -> None:
    assert size_outliers(row(24, 25, 40, 24, 25), None) == set()


def test_a_card_that_shows_two_corners_is_not_doubted_for_its_size() -> None:
    cards = row(24, 25, 24, 23, 17, 24, 25)
    cards[4] = cards[4]._replace(indices=(*cards[4].indices, index(250, 130, 17, down=DOWN)))
    assert size_outliers(cards, None) == set()


def test_an_index_of_another_size_than_the_decks_is_doubted_without_neighbours() -> None:
    deck = DeckGeometry(2.0, 3.0, four=False, maybe_four=False, index_px=24.0, pairs=3)
    assert size_outliers(row(24, 36, 16, 30), deck) == {1, 2}


def test_two_corners_of_another_size_are_a_card_nearer_to_the_camera() -> None:
    deck = DeckGeometry(2.0, 3.0, four=False, maybe_four=False, index_px=24.0, pairs=3)
    near = card(index(60, 50, 36), index(130, 160, 36, down=DOWN))
    assert size_outliers([*row(24), near], deck) == set()


def test_a_deck_that_few_pairs_have_shown_tells_no_usual_size() -> None:
    deck = DeckGeometry(2.0, 3.0, four=False, maybe_four=False, index_px=24.0, pairs=2)
    assert size_outliers(row(24, 36, 16, 30), deck) == set()


def test_a_small_index_that_is_not_sure_may_lack_half_of_its_pip() -> None:
    cards = row(24, 16, 16, 36)
    cards[1:] = [
        AssembledCard((card.best._replace(p_index=p),), None)
        for card, p in zip(cards[1:], (0.97, 0.99, 0.97), strict=True)
    ]
    for pairs, odd in ((0, set[int]()), (1, {1})):
        deck = DeckGeometry(2.0, 3.0, four=False, maybe_four=False, index_px=24.0, pairs=pairs)
        assert size_outliers(cards, deck) == odd


@pytest.mark.parametrize(("same_size", "reported"), [(True, 6), (False, 7)])
def test_ranks_of_a_deck_with_the_pip_beside_them_differ_in_width(same_size: bool, reported: int) -> None:
    heights = (24, 25, 24, 31, 24, 24, 25)
    cards = [
        named(f"{rank}h", 400 * number, 50, index_px=height)
        for number, (rank, height) in enumerate(zip("234K58J", heights, strict=True))
    ]
    assert len(accept_cards(cards, same_size=same_size).accepted) == reported
