"""Simulated contents of a shoe, for the demo and tests. The controller itself never shuffles anything."""

from collections.abc import Iterable, Iterator
from random import Random

from controller.domain import RANKS, SUITS, Card


class SimulatedShoeCards:
    """The cards of one shoe in an order that `random` decides; iterating deals them, the first one first.

    `left` is the number of cards still in it, `cut_after` the number of those that lay before the cut card,
    `decks` the number of its packs.
    """

    def __init__(
        self,
        random: Random,
        decks: int,
        behind_cut: float = 0.25,
        *,
        without: Iterable[Card] = (),
        stacked: int = 0,
    ) -> None:
        """`decks` of 52 cards; `behind_cut` is the share of cards behind the cut card, 0 to 1.

        `without` are cards of these packs that lie on the table. `stacked`: every card of one kind lies among
        the first so many, so that one more of it is soon one too many; 0 leaves the order to chance.
        """
        cards = [Card(rank, suit) for rank in RANKS for suit in SUITS] * decks
        for card in without:
            cards.remove(card)
        random.shuffle(cards)
        self._cards = _stacked(cards, stacked, random) if stacked else cards
        self.decks = decks
        self.left = len(cards)
        self.cut_after = self.left - round(self.left * behind_cut)

    def __iter__(self) -> Iterator[Card]:
        """Deal the rest of the shoe."""
        return self

    def __next__(self) -> Card:
        """Deal the next card; `StopIteration` when the shoe is empty."""
        if not self.left:
            raise StopIteration
        card = self._cards[-self.left]
        self.left -= 1
        return card

    def put_back(self) -> None:
        """The card that was dealt last has not left the shoe after all."""
        self.left += 1

    @property
    def cut_card_due(self) -> bool:
        """Whether the cut card is what comes out next."""
        return len(self._cards) - self.left == self.cut_after

    @property
    def out(self) -> tuple[Card, ...]:
        """The cards that have been dealt, the first one first."""
        return tuple(self._cards[: len(self._cards) - self.left])

    def ahead(self, count: int) -> tuple[Card, ...]:
        """The next cards, as far as they come before the cut card or all behind it."""
        begin = len(self._cards) - self.left
        end = begin + count
        return tuple(self._cards[begin : self.cut_after if begin < self.cut_after < end else end])


def _stacked(cards: list[Card], front: int, random: Random) -> list[Card]:
    """Bring every card of the kind on top among the first `front` ones."""
    others = [card for card in cards if card != cards[0]]
    copies = [card for card in cards if card == cards[0]]
    first = [*copies, *others[: front - len(copies)]]
    random.shuffle(first)
    return [*first, *others[front - len(copies) :]]
