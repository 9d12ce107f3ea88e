"""What the picture as a whole tells about single cards: their size, their paper, which lies on which."""

import numpy as np

from vision.acceptance.card_acceptance import accept_cards
from vision.acceptance.size_outliers import size_outliers
from vision.assembly.assembled_card import AssembledCard
from vision.assembly.card_joining import assemble_cards
from vision.classifier.index import Index

PIXELS = (240, 400, 3)


def index(
    x: float, y: float, height: float = 24.0, rank: int = 0, down: tuple[float, float] = (0, 1)
) -> Index:
    place, way = np.array([x, y], float), np.array(down, float)
    return Index(place, way, height, rank, 0, 0.99, 0.99, 0.99, True, [[0.0] * 3] * 2, True, 0.99)


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
    cards[4] = cards[4]._replace(indices=(*cards[4].indices, index(250, 130, 17, down=(0, -1))))
    assert size_outliers(cards, None) == set()


def lying(picture: np.ndarray, left: int, top: int, margin: int) -> list[Index]:
    """Paints a card of 68 x 96 pixels; its indices of 24 pixels stand `margin` below its edge."""
    picture[top : top + 96, left : left + 68] = 235
    middle = top + margin + 12, top + 96 - margin - 12
    return [index(left + 10, middle[0]), index(left + 58, middle[1], down=(0, -1))]


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
        indices += [index(left + 58, 77, rank=place), index(left + 10, 139, rank=place, down=(0, -1))]
    lone = lying(picture, 300, 60, 5)[1]
    cards, deck = assemble_cards([*indices, lone._replace(rank=9)], picture)
    assert deck is not None
    assert deck.four
    corners = next(card.corners for card in cards if card.best.rank == 9)
    assert corners is not None
    assert abs(corners[:, 0].min() - 300) < 8
    assert abs(corners[:, 0].max() - 368) < 8


def pairs_of_corners() -> list[Index]:
    """Three cards beside each other that show both corners: their deck is known."""
    picture = np.full(PIXELS, 40, np.uint8)
    return [one._replace(rank=place) for place in range(3) for one in lying(picture, 10 + 90 * place, 60, 5)]


def doubted(top: Index, foot: Index) -> set[str]:
    """Why two corners beside known cards are doubted; "uncertain" says nothing about geometry."""
    unclear = accept_cards([*pairs_of_corners(), top, foot]).unclear
    return {str(reason) for card, reason in unclear if card.best.rank == top.rank} - {"uncertain"}


def test_two_names_at_the_corners_of_what_must_be_one_card_are_doubted() -> None:
    """A spade at the top, and at the same card's foot its rank with the club of another card below it."""
    top, foot = index(310, 77, rank=9), index(363, 143, rank=9, down=(0, -1))._replace(suit=3)
    assert doubted(top, foot) == {"disagreement"}


def test_the_next_card_of_a_fan_contradicts_nobody() -> None:
    top, foot = index(310, 77, rank=9), index(372, 139, rank=9, down=(0, -1))._replace(suit=3)
    assert doubted(top, foot) == set()


def test_like_tens_that_face_each_other_aslant_may_be_one_card() -> None:
    top = index(310, 77, 15, rank=9, down=(-0.27, 0.96))
    assert doubted(top, index(342, 120, 15, rank=9, down=(-0.24, -0.97))) == {"like_card"}


def four_cornered(left: int, rank: int) -> list[Index]:
    """A card with an index in each corner, 48 pixels apart across and 62 along."""
    at = [(left, 77, 1), (left + 48, 77, 1), (left, 139, -1), (left + 48, 139, -1)]
    return [index(x, y, rank=rank, down=(0, way)) for x, y, way in at]


def test_a_covered_corner_with_another_cards_pip_is_doubted() -> None:
    """A card's own foot with another one's pip is no second card; what shows two corners stays."""
    known = [one for place in range(3) for one in four_cornered(10 + 90 * place, place)]
    card, foot = four_cornered(310, 9), index(360, 142, rank=9, down=(0, -1))._replace(suit=1)
    unclear = accept_cards([*known, card[0], card[2], foot]).unclear
    assert [one.best.suit for one, reason in unclear if reason == "disagreement"] == [1]


def test_two_indices_that_share_ink_are_doubted() -> None:
    one, other = index(310, 77, rank=8), index(311, 89, rank=5, down=(0, -1))
    assert doubted(one, other) == {"disagreement"}


def test_an_index_right_below_another_one_doubts_nobody() -> None:
    assert doubted(index(310, 77, rank=8), index(311, 102, rank=5)) == set()
