"""Overlapping cards make one hand, told from the lowest card to the topmost."""

from itertools import permutations

import numpy as np
import pytest

from tests.vision.assembly.table_kit import Laid, photographed
from tests.vision.objects.table_kit import placed
from vision.hands import Overlaps, face_up_cards, group_hands, lies_on, order_hand, seen_orders
from vision.reader import CardReader
from vision.reading import RANKS
from vision.synth import Scene, felt_with_print, take_picture

FAN = (Laid(100, 200, 1, second=False), Laid(124, 184, 2, second=False), Laid(148, 168, 3))
"""A hand as dealers lay it: each card right of and above the one below it."""


def told(overlaps: Overlaps) -> list[tuple[str | None, int]]:
    return [(one.rank, one.hand) for one in face_up_cards(overlaps).cards]


def test_hands_are_told_from_left_to_right() -> None:
    apart, split = Laid(400, 200, 7), Laid(400 + 68, 200, 8)
    assert [sorted(hand) for hand in group_hands(photographed(split, *FAN, apart))] == [[1, 2, 3], [4], [0]]


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_a_hand_is_told_from_its_lowest_card_however_it_was_found(order: tuple[int, ...]) -> None:
    overlaps = photographed(*FAN)
    found = overlaps._replace(cards=[overlaps.cards[number] for number in order])
    proofs = overlaps.proofs[np.ix_(order, order)]
    pairs = {(i, j) for i in range(3) for j in range(i + 1, 3)}
    assert told(found._replace(proofs=proofs, pairs=pairs)) == [(RANKS[rank], 1) for rank in (1, 2, 3)]


def test_custom_decides_where_neither_index_nor_edge_does() -> None:
    overlaps = photographed(Laid(200, 200, 1), Laid(180, 290, 2), edges=False)
    assert lies_on(overlaps, 0, 1) > 0
    assert lies_on(overlaps, 1, 0) < 0
    ordered = order_hand(overlaps, [0, 1], seen_orders(overlaps))[0]
    assert [overlaps.cards[number].best.rank for number in ordered] == [2, 1]


def test_a_card_of_which_no_outline_is_known_shows_no_edge() -> None:
    overlaps = photographed(Laid(200, 200, 1), Laid(180, 290, 2), edges=False)
    cards = [overlaps.cards[0]._replace(corners=None), overlaps.cards[1]]
    found = face_up_cards(overlaps._replace(cards=cards))
    assert {one.rank for one in found.cards} == {RANKS[1], RANKS[2]}
    assert len(found.guessed) == 1


def with_openness(overlaps: Overlaps, *lies_open: float | None) -> Overlaps:
    """The same cards, so surely open to view each."""
    pairs = zip(overlaps.cards, lies_open, strict=True)
    return overlaps._replace(cards=[card._replace(lies_open=openness) for card, openness in pairs])


LEFT_AND_DOWN = (Laid(300, 100, 1), Laid(280, 130, 2), Laid(260, 160, 3))
"""A fan as a camera behind the dealer sees it: each card left of and below the one under it."""


def test_a_guessed_order_is_told_as_a_guess_and_a_seen_one_is_not() -> None:
    hidden, seen = photographed(*LEFT_AND_DOWN[:2], edges=False), photographed(*LEFT_AND_DOWN[:2])
    guess = face_up_cards(hidden)
    assert guess.guessed == [guess.cards[1].at]
    assert face_up_cards(seen).guessed == []


@pytest.mark.parametrize("step", [(24, -16), (-24, 16)], ids=["right and up", "left and down"])
def test_hands_that_show_their_order_tell_that_of_one_that_does_not(step: tuple[int, int]) -> None:
    """A dealer lays each hand alike: pairs of two hands are enough, those of one hand are not."""
    laid = [Laid(x + n * step[0], 150 + n * step[1], 1) for x in (80, 280) for n in range(3)]
    hidden = [Laid(480 + n * step[0], 150 + n * step[1], 2 + n) for n in range(2)]
    overlaps = photographed(*laid, *hidden, edges=False)
    proofs = np.zeros_like(overlaps.proofs)
    proofs[[1, 2], [0, 1]] = 1
    one_hand = face_up_cards(overlaps._replace(proofs=proofs))
    proofs[[4, 5], [3, 4]] = 1
    hands = face_up_cards(overlaps._replace(proofs=proofs))
    assert (len(one_hand.guessed) > 0, hands.guessed) == (True, [])
    assert [card.rank for card in hands.cards][-2:] == ["3", "4"]


def test_the_card_that_lies_open_is_the_topmost() -> None:
    hidden = photographed(*LEFT_AND_DOWN[:2], edges=False)
    for openness, order in (((0.1, 0.9), ["2", "3"]), ((0.9, 0.1), ["3", "2"])):
        hands = face_up_cards(with_openness(hidden, *openness))
        assert ([card.rank for card in hands.cards], hands.guessed) == (order, [])


@pytest.mark.parametrize("openness", [(0.5, 0.6), (None, 0.9)], ids=["hardly different", "not looked at"])
def test_little_difference_in_openness_decides_nothing(openness: tuple[float | None, float]) -> None:
    hidden = photographed(*LEFT_AND_DOWN[:2], edges=False)
    assert len(face_up_cards(with_openness(hidden, *openness)).guessed) == 1


def test_a_fan_goes_on_as_its_topmost_card_shows() -> None:
    """Only the topmost card lies open; the two below it follow the same way."""
    hands = face_up_cards(with_openness(photographed(*LEFT_AND_DOWN, edges=False), 0.0, 0.0, 1.0))
    assert ([card.rank for card in hands.cards], hands.guessed) == (["2", "3", "4"], [])


def test_a_card_laid_across_a_fan_says_nothing_of_its_way() -> None:
    aside = Laid(310, 150, 3)
    cards = (*LEFT_AND_DOWN[:2], aside)
    hands = face_up_cards(with_openness(photographed(*cards, edges=False), 0.0, 0.0, 1.0))
    assert hands.cards[-1].rank == "4"
    assert len(hands.guessed) == 1


def test_cards_that_do_not_overlap_do_not_lie_on_each_other() -> None:
    assert lies_on(photographed(Laid(100, 100), Laid(400, 100)), 0, 1) == 0


def test_a_card_laid_against_custom_is_told_where_it_lies(reader: CardReader) -> None:
    """The later card lies left of and below the earlier one; its edge shows it."""
    lower, upper = placed(960, 500, 0, "6h"), placed(935, 525, 0, "9s")
    seen = []
    for cards in ((lower, upper), (upper, lower)):
        others = [placed(250 + 200 * n, 850, 3.0 * n, name) for n, name in enumerate(("7h", "8s", "Kd"))]
        read = reader.read(take_picture(Scene(1920, 1080, felt_with_print(), (*others, *cards))).frame)
        seen.append([one.rank for one in read.cards if abs(one.at[0] - 920) < 80 and one.at[1] < 700])
    assert seen == [["6", "9"], ["9", "6"]]
