"""Simulated contents of a shoe, for the demo and tests. The controller itself never shuffles anything."""

from collections.abc import Iterable, Iterator
from random import Random

from controller.domain.cards import RANKS, SUITS, Card


class SimulatedShoeCards:
    """The cards of one shoe in an order that `random` decides; iterating deals them, the first one first.

    `left` is the number of cards still in it, `cut_after` the number of those that lay before the cut card.
    """

    def __init__(
        self, random: Random, decks: int, behind_cut: float = 0.25, *, without: Iterable[Card] = ()
    ) -> None:
        """`decks` of 52 cards; `behind_cut` is the share of cards behind the cut card, 0 to 1.

        `without` are cards of these packs that lie on the table.
        """
        cards = [Card(rank, suit) for rank in RANKS for suit in SUITS] * decks
        for card in without:
            cards.remove(card)
        random.shuffle(cards)
        self._cards: Iterator[Card] = iter(cards)
        self.left = len(cards)
        self.cut_after = self.left - round(self.left * behind_cut)
        self._total = self.left

    def __iter__(self) -> Iterator[Card]:
        """Deal the rest of the shoe."""
        return self

    def __next__(self) -> Card:
        """Deal the next card; `StopIteration` when the shoe is empty."""
        card = next(self._cards)
        self.left -= 1
        return card

    @property
    def cut_card_due(self) -> bool:
        """Whether the cut card is what comes out next."""
        return self._total - self.left == self.cut_after
