"""How a deck's indices stand on its cards, found from the indices of one picture."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.vision.index_kit import DOWN, four_cornered, index, pairs_of_corners
from vision.deck_geometry import (
    NO_CORNER,
    CornerOffset,
    DeckGeometry,
    corner_misfit,
    estimate_deck_geometry,
)
from vision.indices import Index


def corner_pair(x: float, y: float, turn_deg: float, right: float, below: float, rank: int) -> list[Index]:
    """Both indices (24 pixels) of a turned card; the second one stands `right` and `below` of the first."""
    turn = math.radians(turn_deg)
    down, aside = np.array([-math.sin(turn), math.cos(turn)]), np.array([math.cos(turn), math.sin(turn)])
    foot = np.array([x, y]) + 24 * (right * aside + below * down)
    (down_x, down_y), (foot_x, foot_y) = down.tolist(), foot.tolist()
    return [
        index(x, y, rank=rank, down=(down_x, down_y)),
        index(foot_x, foot_y, rank=rank, down=(-down_x, -down_y)),
    ]


def deck_of(*indices: Index) -> DeckGeometry:
    deck = estimate_deck_geometry([*indices])
    assert deck is not None
    return deck


@given(st.floats(1.8, 3.4), st.floats(3.0, 5.0), st.lists(st.floats(0, 360), min_size=3, max_size=6))
@settings(max_examples=60, deadline=None)
def test_cards_in_any_turn_tell_the_same_deck(right: float, below: float, turns: list[float]) -> None:
    pairs = [corner_pair(300.0 * n, 0, turn, right, below, rank=n) for n, turn in enumerate(turns)]
    deck = deck_of(*(one for pair in pairs for one in pair))
    assert (deck.right, deck.below) == pytest.approx((right, below))
    assert (deck.pairs, deck.index_px, deck.four) == (len(turns), 24.0, False)


def test_one_odd_pair_does_not_change_the_deck() -> None:
    odd = corner_pair(1000, 0, 0, 5.0, 6.0, rank=9)
    deck = deck_of(*pairs_of_corners(), *odd)
    assert (deck.right, deck.below, deck.pairs) == pytest.approx((2.0, 62 / 24, 3))


def test_an_index_in_each_corner_makes_a_deck_of_four() -> None:
    assert deck_of(*(one for place in range(3) for one in four_cornered(10 + 90 * place, place))).four
    assert not deck_of(*pairs_of_corners()).four


def test_no_two_like_indices_tell_no_deck() -> None:
    assert estimate_deck_geometry([]) is None
    assert estimate_deck_geometry([index(60 * n, 80, rank=n) for n in range(5)]) is None


@pytest.mark.parametrize(
    "other",
    [
        index(148, 139, 40, rank=9, down=DOWN),
        index(1200, 139, rank=9, down=DOWN),
        index(148, 139, rank=9, down=(-1.0, 0.0)),
    ],
)
def test_indices_of_two_cards_are_no_pair(other: Index) -> None:
    """Too unlike in height, too far apart, and at right angles."""
    assert estimate_deck_geometry([index(100, 77, rank=9), other]) is None


def test_an_index_fits_the_corner_where_the_deck_has_one() -> None:
    deck, first = deck_of(*pairs_of_corners()), index(500, 77, rank=9)
    opposite = CornerOffset(deck.right, deck.below, turned=True)
    fits = [corner_misfit(first, index(548 + off, 139, down=DOWN), opposite, deck) for off in (0, 4, 30)]
    assert fits[0] == pytest.approx(0)
    assert fits[0] < fits[1] < deck.fit < fits[2]
    assert corner_misfit(first, index(548, 139), opposite, deck) == NO_CORNER


def test_a_misjudged_height_does_not_tear_a_card_in_two() -> None:
    deck, first = deck_of(*pairs_of_corners()), index(500, 77, 30.0, rank=9)
    opposite = CornerOffset(deck.right, deck.below, turned=True)
    assert corner_misfit(first, index(548, 139, 30.0, down=DOWN), opposite, deck) == pytest.approx(0)
