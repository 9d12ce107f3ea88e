"""Corners become cards, and their outlines end where the paper ends."""

import numpy as np

from tests.vision.index_kit import DOWN, four_cornered, index, lying, pairs_of_corners
from vision.assembly import assemble_cards

PIXELS = (240, 400, 3)


def test_two_opposite_corners_are_one_card_and_its_outline_holds_both() -> None:
    cards, deck = assemble_cards(pairs_of_corners())
    assert [len(card.indices) for card in cards] == [2, 2, 2]
    assert deck is not None
    assert (deck.pairs, deck.four) == (3, False)
    for card in cards:
        assert card.corners is not None
        (left, top), (right, foot) = card.corners.min(0), card.corners.max(0)
        assert all(left < x < right and top < y < foot for x, y in (index.centre for index in card.indices))


def test_of_two_like_cards_side_by_side_the_corners_that_are_not_one_cards_stand_for_them() -> None:
    """A six of which both corners show lies a little beside one that shows its foot alone: who has which?"""
    head, foot = index(116, 114, rank=5), index(164, 176, rank=5, down=DOWN)
    other = index(156, 179, rank=5, down=DOWN)
    cards, deck = assemble_cards([*pairs_of_corners(), head, foot, other])
    assert deck is not None
    sixes = [card for card in cards if card.best.rank == 5]
    assert sorted(len(card.indices) for card in sixes) == [1, 2]
    assert {card.best.centre[0] for card in sixes} == {164, 156}
    assert [card.doubtful for card in sixes] == [False, False]


def test_four_corners_of_a_name_are_one_card() -> None:
    cards, deck = assemble_cards([one for place in range(3) for one in four_cornered(10 + 90 * place, place)])
    assert [len(card.indices) for card in cards] == [4, 4, 4]
    assert deck is not None
    assert deck.four


def test_a_red_and_a_black_card_of_one_rank_side_by_side_are_two_whatever_tint_their_ink_has() -> None:
    """Of a dark green club and a diamond in a fan only the left corners show."""
    cards, _ = assemble_cards(
        [
            *(one for place in range(2) for one in four_cornered(10 + 90 * place, place)),
            *(one._replace(suit=0) for one in four_cornered(190, 2)[::2]),
            *(one._replace(suit=1) for one in four_cornered(238, 2)[::2]),
        ]
    )
    assert sorted((card.best.suit, len(card.indices)) for card in cards if card.best.rank == 2) == [
        (0, 2),
        (1, 2),
    ]


def test_where_no_geometry_is_known_only_the_surest_of_like_indices_counts() -> None:
    cards, deck = assemble_cards([index(50, 50, p=0.9), index(300, 60, p=0.99), index(200, 200, rank=3)])
    assert deck is None
    assert [(float(card.best.centre[0]), card.doubtful) for card in cards if card.best.rank == 0] == [
        (300.0, False),
        (50.0, True),
    ]
    assert [card.doubtful for card in cards if card.best.rank == 3] == [False]


def test_outlines_end_where_the_paper_ends() -> None:
    for margin in (3, 8):
        picture = np.full(PIXELS, 40, np.uint8)
        indices = [
            one._replace(rank=place)
            for place in range(4)
            for one in lying(picture, 10 + 90 * place, 60, margin)
        ]
        cards, _ = assemble_cards(indices, picture)
        for card in cards:
            assert card.corners is not None
            top, foot = card.corners[:, 1].min(), card.corners[:, 1].max()
            assert abs(top - 60) < 3
            assert abs(foot - 156) < 3


def test_a_lone_corner_of_a_deck_with_four_lies_on_the_side_of_the_paper() -> None:
    picture = np.full(PIXELS, 40, np.uint8)
    indices = []
    for place in range(3):
        left = 10 + 90 * place
        indices += [one._replace(rank=place) for one in lying(picture, left, 60, 5)]
        indices += [index(left + 58, 77, rank=place), index(left + 10, 139, rank=place, down=DOWN)]
    lone = lying(picture, 300, 60, 5)[1]
    cards, deck = assemble_cards([*indices, lone._replace(rank=9)], picture)
    assert deck is not None
    assert deck.four
    corners = next(card.corners for card in cards if card.best.rank == 9)
    assert corners is not None
    assert abs(corners[:, 0].min() - 300) < 8
    assert abs(corners[:, 0].max() - 368) < 8
