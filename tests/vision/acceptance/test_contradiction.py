"""A rank with another card's pip contradicts the card that it stands on, or the one beside it."""

from tests.vision.index_kit import DOWN, card, four_cornered, index, pairs_of_corners
from vision.acceptance import accept_cards, find_contradictions
from vision.assembly import assemble_cards
from vision.indices import Index

SURE = 0.999


def doubted(top: Index, foot: Index) -> set[str]:
    """Why two corners beside known cards are doubted; "uncertain" says nothing about geometry."""
    unclear = accept_cards([*pairs_of_corners(), top, foot]).unclear
    return {str(reason) for card, reason in unclear if card.best.rank == top.rank} - {"uncertain"}


def test_two_names_at_the_corners_of_what_must_be_one_card_are_doubted() -> None:
    """A spade at the top, and at the same card's foot its rank with the club of another card below it."""
    top, foot = index(310, 77, rank=9, p=SURE), index(363, 143, rank=9, down=DOWN, suit=3, p=SURE)
    assert doubted(top, foot) == {"disagreement"}


def test_the_next_card_of_a_fan_contradicts_nobody() -> None:
    top, foot = index(310, 77, rank=9, p=SURE), index(372, 139, rank=9, down=DOWN, suit=3, p=SURE)
    assert doubted(top, foot) == set()


def test_like_tens_that_face_each_other_aslant_may_be_one_card() -> None:
    top = index(310, 77, 15, rank=9, down=(-0.27, 0.96))
    assert doubted(top, index(342, 120, 15, rank=9, down=(-0.24, -0.97))) == {"like_card"}


def test_a_covered_corner_with_another_cards_pip_is_doubted() -> None:
    """A card's own foot with another one's pip is no second card; what shows two corners stays."""
    known = [one for place in range(3) for one in four_cornered(10 + 90 * place, place)]
    foot = index(360, 142, rank=9, down=DOWN, suit=1, p=SURE)
    own = [one._replace(p_suit=SURE) for one in four_cornered(310, 9)]
    unclear = accept_cards([*known, own[0], own[2], foot]).unclear
    assert [one.best.suit for one, reason in unclear if reason == "disagreement"] == [1]


def test_two_indices_that_share_ink_are_doubted() -> None:
    one, other = index(310, 77, rank=8), index(311, 89, rank=5, down=DOWN)
    assert doubted(one, other) == {"disagreement"}


def test_an_index_right_below_another_one_doubts_nobody() -> None:
    assert doubted(index(310, 77, rank=8), index(311, 102, rank=5)) == set()


def test_shared_ink_contradicts_even_where_no_deck_is_known() -> None:
    one, other, third = index(100, 80, rank=8), index(101, 92, rank=5, down=DOWN), index(300, 80, rank=2)
    assert find_contradictions([card(one), card(other), card(third)], None) == {0, 1}


def test_what_is_hardly_read_contradicts_nobody() -> None:
    faint = index(101, 92, rank=5, down=DOWN, p=0.6)
    assert find_contradictions([card(index(100, 80, rank=8)), card(faint)], None) == set()


def test_a_card_whose_corners_have_found_each_other_is_never_doubted() -> None:
    cards, deck = assemble_cards(pairs_of_corners())
    beside = card(index(21, 90, rank=7, down=DOWN))
    doubts = find_contradictions([*cards, beside], deck)
    assert doubts == {len(cards)}


def test_an_index_of_any_rank_exactly_in_anothers_corner_contradicts_it() -> None:
    cards, deck = assemble_cards(pairs_of_corners())
    assert deck is not None
    top = index(310, 77, rank=9)
    right, below = deck.right * 24, deck.below * 24
    exact, off = (card(index(310 + right + shift, 77 + below, rank=4, down=DOWN)) for shift in (0, 14))
    assert find_contradictions([*cards, card(top), exact], deck) == {3, 4}
    assert find_contradictions([*cards, card(top), off], deck) == set()
