"""The physical side of the simulated table: cards in a shoe, cards on the felt.

It knows the truth, whatever the table believes. A shoe's order follows from the seed and the round in which
it was put in place, so that a restarted simulation goes on with the same cards.
"""

import threading
from collections.abc import Iterable, Iterator
from random import Random
from typing import Final, Protocol

from controller.domain.cards import Card
from controller.engine.state import Seen, TableState
from controller.simulation.felt import felt_view
from drivers.simulated import SimulatedShoeCards
from vision.synth import TableView

NOTHING: Final = TableView()


class DealingShoe(Protocol):
    """A simulated shoe."""

    def deal(self, rank: str | None, suit: str | None) -> None:
        """Let a card leave."""
        ...

    def cut_card(self) -> None:
        """Let the cut card leave."""
        ...


class World:
    """One shoe on its line and one felt. Cards are dealt by one task; the felt is read by the camera."""

    def __init__(self, shoe: DealingShoe, seed: int) -> None:
        """Begin before the first shoe."""
        self._shoe = shoe
        self._seed = seed
        self._cards: SimulatedShoeCards | None = None
        self._number = 0
        self._out = 0
        self._cut_card_out = False
        self._dealt: list[Card] = []
        self._lock = threading.Lock()
        self._felt = NOTHING

    def resume(self, loaded_in: int, state: TableState) -> None:
        """Go on where another run stopped: the shoe was loaded in that round, these cards are out of it."""
        self._load(loaded_in, state.shoe.decks)
        for _ in range(state.shoe.seen):
            next(self._shuffled())
        self._out = state.shoe.seen
        self._number = state.shoe.number

    def follow(self, state: TableState) -> None:
        """Put a fresh, shuffled shoe in place when the table counts one from its first card.

        Where discards were shuffled in the middle of a round, what lies on the table is not in it.
        """
        again = state.shoe.number != self._number or (state.shoe.seen == 0 and self._out > 0)
        if self._cards is None or again:
            on_table = [self.truth(seen) for seen in lying(state)] if state.shoe.seen else []
            self._load(state.book.number, state.shoe.decks, on_table)
            self._number = state.shoe.number

    @property
    def has_shoe(self) -> bool:
        """Whether a shoe is in place that a card can leave."""
        return self._cards is not None

    @property
    def cut_card_due(self) -> bool:
        """Whether the cut card is what comes out next."""
        return self._shuffled().cut_card_due and not self._cut_card_out

    def deal_cut_card(self) -> None:
        """Let the cut card leave the shoe."""
        self._cut_card_out = True
        self._shoe.cut_card()

    def deal(self) -> None:
        """Let the next card leave the shoe."""
        card = next(self._shuffled())
        self._out += 1
        with self._lock:
            self._dealt.append(card)
        self._shoe.deal(card.rank, card.suit)

    def show(self, state: TableState) -> None:
        """Lay the cards as the dealer has laid them; the picture shows what was in truth dealt."""
        view = felt_view(state, self.truth)
        with self._lock:
            self._felt = view

    def felt(self) -> TableView:
        """Return what the camera sees now; may be asked from any thread."""
        with self._lock:
            return self._felt

    def truth(self, seen: Seen) -> Card:
        """Tell which card left the shoe; for a card of an earlier run, what the table knows of it."""
        number = int((seen.obs.id or "").rpartition(".")[2] or 0)
        return self._dealt[number - 1] if 0 < number <= len(self._dealt) else seen.card

    def _load(self, number: int, decks: int, without: Iterable[Card] = ()) -> None:
        self._cards = SimulatedShoeCards(Random(f"{self._seed} {number}"), decks, without=without)
        self._out = 0
        self._cut_card_out = False

    def _shuffled(self) -> SimulatedShoeCards:
        assert self._cards is not None, "nobody has put a shoe in place"
        return self._cards


def lying(state: TableState) -> Iterator[Seen]:
    """The cards of this round that lie at the boxes and at the dealer."""
    for box in state.boxes:
        for hand in box.hands:
            yield from hand.cards
    yield from state.dealer.cards
