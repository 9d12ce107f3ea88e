"""A simulated shoe holds the right cards, in an order that its seed repeats."""

from collections import Counter
from random import Random

from drivers.simulated import SimulatedShoeCards


def test_six_decks_are_six_of_each_card() -> None:
    counted = Counter(SimulatedShoeCards(Random(1), 6))
    assert len(counted) == 52
    assert set(counted.values()) == {6}


def test_the_seed_repeats_the_order_and_another_one_does_not() -> None:
    assert list(SimulatedShoeCards(Random(7), 2)) == list(SimulatedShoeCards(Random(7), 2))
    assert list(SimulatedShoeCards(Random(7), 2)) != list(SimulatedShoeCards(Random(8), 2))


def test_the_cut_card_is_due_once_at_its_place() -> None:
    cards = SimulatedShoeCards(Random(1), 4, behind_cut=0.25)
    due = [dealt for dealt, _ in enumerate(cards, start=1) if cards.cut_card_due]
    assert due == [156]
