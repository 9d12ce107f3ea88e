"""The physical side of the simulated table: cards in a shoe, cards on the felt.

It knows the truth, whatever the table believes. A shoe's order follows from the seed and the round in which
it was put in place, so that a restarted simulation goes on with the same cards.
"""

import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from random import Random
from typing import Final, Protocol

from controller.acts.catalogue import Observation
from controller.domain import Card
from controller.engine.state import Seen, TableState
from controller.simulation.laid_cards import (
    CardNumber,
    HandName,
    LaidCard,
    LaidCards,
    felt_view,
    number_of,
    staked_boxes,
    unburned,
)
from drivers.simulated import SimulatedShoeCards
from vision.synth import DrawnTableView

NOTHING: Final = DrawnTableView()


class DealingShoe(Protocol):
    """A simulated shoe."""

    def deal(self, rank: str | None, suit: str | None) -> bool:
        """Let a card leave; False where the shoe is locked, and none does."""
        ...

    def cut_card(self) -> None:
        """Let the cut card leave."""
        ...

    def unplug(self) -> None:
        """Pull its cable."""
        ...

    def plug(self) -> None:
        """Put its cable back."""
        ...


class SilentShoe:
    """A shoe that reads nothing: its cards are seen on the layout alone."""

    def deal(self, rank: str | None, suit: str | None) -> bool:  # noqa: ARG002  # reads neither
        """Let a card leave; nothing locks this shoe."""
        return True

    def cut_card(self) -> None:
        """Let the cut card leave: the dealer enters it."""

    def unplug(self) -> None:
        """Do nothing: it has no cable."""

    def plug(self) -> None:
        """Do nothing: it has no cable."""


class World:
    """One shoe on its line and one felt. Cards are dealt by one task; the felt is read by the camera."""

    def __init__(
        self,
        shoe: DealingShoe,
        seed: int,
        *,
        stacked: int = 0,
        camera_deals: bool = False,
        number: CardNumber = number_of,
    ) -> None:
        """Begin before the first shoe; `stacked` as `SimulatedShoeCards` has it.

        `camera_deals`: cards lie on the layout before the table knows of them. Else they are laid as it knows
        them. `number` tells which card one of the table is.
        """
        self._card_number = number
        self._shoe = shoe
        self._seed = seed
        self._stacked = stacked
        self._cards: SimulatedShoeCards | None = None
        self._number = 0
        self._out = 0
        self._counted = 0
        self._cut_card_out = False
        self._dealt: list[Card] = []
        self._lock = threading.Lock()
        self._felt = NOTHING
        self._elsewhere: dict[int, HandName] = {}
        self._smeared = False
        self._unplugged = False
        self._laid = LaidCards(number) if camera_deals else None
        self._state: TableState | None = None
        self._before = 0
        self._restored: dict[int, Card] = {}
        self._earlier: dict[str | None, Card] = {}

    @property
    def camera_deals(self) -> bool:
        """Whether a camera sees the cards on the layout before the table knows of them."""
        return self._laid is not None

    @property
    def shoe_reads(self) -> bool:
        """Whether anything reads the cards that leave the shoe."""
        return not isinstance(self._shoe, SilentShoe)

    def resume(self, loaded_in: int, state: TableState) -> None:
        """Go on where another run stopped: the shoe was loaded in that round, these cards are out of it."""
        self._load(loaded_in, state.shoe.decks)
        out = [next(self._shuffled()) for _ in range(state.shoe.seen)]
        self._out = self._counted = state.shoe.seen
        self._number = state.shoe.number
        known = [seen for seen in cards_at_hands(state) if self.camera_deals or seen.obs.id is not None]
        first = state.shoe.seen - state.cards_seen
        if self._laid is None:
            # The shoe's line numbers its cards anew: what it deals now has the numbers of these once more.
            self._earlier = {
                seen.obs.id: out[first + seen.n - 1] if seen.obs.rank is None else seen.card for seen in known
            }
        else:
            self._before = max(map(self._card_number, known), default=0)
            self._restored = {self._card_number(seen): out[first + seen.n - 1] for seen in known}
            with self._lock:
                self._laid.lay_known(state, self._restored)

    def follow(self, state: TableState) -> None:
        """Put a fresh, shuffled shoe in place when the table counts one from its first card.

        Where discards were shuffled in the middle of a round, what lies on the table is not in it. It stays
        in place while a card is out that the table has not counted yet.
        """
        again = state.shoe.number != self._number or (state.shoe.seen == 0 and self._counted > 0)
        self._counted = state.shoe.seen
        if self._cards is None or again:
            on_table = [self.truth(seen) for seen in cards_at_hands(state)] if state.shoe.seen else []
            self._load(state.book.number, state.shoe.decks, on_table)
            self._number = state.shoe.number

    @property
    def out(self) -> int:
        """How many cards have left the shoe that is in place."""
        return self._out

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

    def deal(
        self,
        read_as: Card | None = None,
        lies_at: HandName | None = None,
        entered: Iterable[Observation] = (),
    ) -> Card | None:
        """Let the next card leave the shoe; returns it, None where the shoe is locked.

        `read_as` is what the reader makes of it, where that is not the card. `lies_at` is the hand to which
        the dealer gives it, where it belongs to another one. `entered` are the decisions that it shows to a
        camera over the layout.
        """
        self._burn_unseen()
        card = next(self._shuffled())
        with self._lock:
            self._dealt.append(card)
            if lies_at is not None:
                self._elsewhere[len(self._dealt)] = lies_at
            self._lay(card, entered)
        read = card if read_as is None else read_as
        # Laid down before the reader reports it: the table asks the felt as soon as a card is reported.
        if self._shoe.deal(read.rank, read.suit):
            self._out += 1
            return card
        self._shuffled().put_back()
        with self._lock:
            self._elsewhere.pop(len(self._dealt), None)
            self._dealt.pop()
            if self._laid is not None:
                self._laid.take_back()
        return None

    def never_reported(self, count: int) -> None:
        """The shoe's line was out: its reader gives the last `count` cards no number of their own."""
        with self._lock:
            del self._dealt[len(self._dealt) - count :]

    def _burn_unseen(self) -> None:
        """Let the burn cards out before the first card that is dealt, where no reader reports them."""
        if self.shoe_reads or self._state is None:
            return
        # What the table counts as out beyond what was dealt, it counts as burned.
        counted = max(0, self._state.shoe.seen - self._out)
        for _ in range(counted + unburned(self._state)):
            self._dealt.append(next(self._shuffled()))
            self._out += 1

    def _lay(self, card: Card, entered: Iterable[Observation]) -> None:
        """Lay a card on the layout, unless it is burned."""
        state = self._state
        if self._laid is None or state is None or (self.shoe_reads and unburned(state)):
            return
        self._laid.lay(self._before + len(self._dealt), card, state, entered)

    def move_apart(self, state: TableState, entered: Iterable[Observation]) -> None:
        """Move a pair apart on the layout, as the last of `entered` decided it in this state."""
        self._change(lambda laid: laid.move_apart(state, entered))

    def turn_up(self) -> None:
        """Turn the dealer's face-down card on the layout."""
        self._change(LaidCards.turn_up)

    def clear(self) -> None:
        """Take all cards off the layout."""
        self._change(LaidCards.clear)

    def lying_cards(self) -> dict[int, LaidCard]:
        """The cards on the layout by their numbers, where a camera deals; may be asked from any thread."""
        with self._lock:
            return {} if self._laid is None else self._laid.cards

    def _change(self, change: Callable[[LaidCards], None]) -> None:
        with self._lock:
            if self._laid is not None:
                change(self._laid)

    def ahead(self, count: int) -> tuple[Card, ...]:
        """The next cards of the shoe; fewer where the cut card or the end comes before."""
        return self._shuffled().ahead(count)

    def used_up(self) -> tuple[Card, ...]:
        """Kinds of which every card has left the shoe."""
        shoe = self._shuffled()
        counted = Counter(shoe.out)
        return tuple(card for card, count in counted.items() if count == shoe.decks)

    @property
    def out_of_place(self) -> bool:
        """Whether a card lies at another hand than it belongs to."""
        return bool(self._elsewhere)

    def lay_right(self) -> None:
        """Lay every card where it belongs."""
        with self._lock:
            self._elsewhere = {}

    @property
    def unplugged(self) -> bool:
        """Whether the shoe's cable is out."""
        return self._unplugged

    def pull_cable(self) -> None:
        """Pull the shoe's cable."""
        self._unplugged = True
        self._shoe.unplug()

    def plug_cable(self) -> None:
        """Put the shoe's cable back."""
        self._unplugged = False
        self._shoe.plug()

    @property
    def smeared(self) -> bool:
        """Whether the lens of the camera over the table is smeared; may be asked from any thread."""
        return self._smeared

    def smear_lens(self) -> None:
        """Smear the lens of the camera over the table."""
        self._smeared = True

    def wipe_lens(self) -> None:
        """Wipe the lens."""
        self._smeared = False

    def show(self, state: TableState) -> None:
        """Lay the cards as the dealer has laid them; the picture shows what was in truth dealt."""
        self._state = state
        if self._laid is None:
            view = felt_view(state, self.truth, self._elsewhere)
            with self._lock:
                self._felt = view
            return
        with self._lock:
            self._laid.follow(state)

    def felt(self) -> DrawnTableView:
        """Return what the camera sees now; may be asked from any thread."""
        with self._lock:
            if self._laid is None or self._state is None:
                return self._felt
            return self._laid.view(staked_boxes(self._state), cut=self._state.shoe.cut)

    def truth(self, seen: Seen) -> Card:
        """Tell which card left the shoe; for a card of an earlier run, what the table knows of it."""
        if seen.obs.id in self._earlier:
            return self._earlier[seen.obs.id]
        number = self._card_number(seen)
        at = number - self._before
        return self._dealt[at - 1] if 0 < at <= len(self._dealt) else self._restored.get(number, seen.card)

    def _load(self, number: int, decks: int, without: Iterable[Card] = ()) -> None:
        order = Random(f"{self._seed} {number}")
        self._cards = SimulatedShoeCards(order, decks, without=without, stacked=self._stacked)
        self._out = 0
        self._cut_card_out = False

    def _shuffled(self) -> SimulatedShoeCards:
        assert self._cards is not None, "nobody has put a shoe in place"
        return self._cards


def cards_at_hands(state: TableState) -> Iterator[Seen]:
    """The cards of this round that lie at the boxes and at the dealer."""
    for box in state.boxes:
        for hand in box.hands:
            yield from hand.cards
    yield from state.dealer.cards
