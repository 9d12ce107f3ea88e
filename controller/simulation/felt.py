"""The cards in the simulated shoe and on the simulated layout.

It contains the truth, independent of the table's state. A dealing camera sees the cards before the table has
them. The order of a shoe follows from the seed and the round in which it was put in place, so that a
restarted simulation continues with the same cards.
"""

import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from random import Random
from typing import Final, Literal, NamedTuple, Protocol

from controller.acts.catalogue import CardSeen, Decision, Observation
from controller.domain import Card
from controller.engine import expected, step
from controller.engine.hands import hidden_hole
from controller.engine.state import BETS, BURNED, DEAL, Seen, TableState
from drivers.simulated import SimulatedShoeCards
from vision.synth import DEALER, DrawnTableView, TableCard, TableHand

TrueCard = Callable[[Seen], Card]
"""The card that was in truth dealt."""

CardNumber = Callable[[Seen], int]
"""The number of the card in the shoe, counted from 1; 0 where it is unknown."""

HandName = tuple[int, int]
"""Box and hand."""

_AS_ENTERED: Final[Mapping[int, HandName]] = {}


def felt_view(
    state: TableState, truth: TrueCard, elsewhere: Mapping[int, HandName] = _AS_ENTERED
) -> DrawnTableView:
    """Lay every card where the dealer would: at its hand, face as dealt, doubles across.

    `elsewhere` are the cards, by the number that the shoe gave them, that in truth lie at another hand than
    the table believes.
    """
    places: dict[HandName, list[TableCard]] = {
        (box.box, hand.number): [] for box in state.boxes for hand in box.hands
    }
    for box in state.boxes:
        for hand in box.hands:
            for seen in hand.cards:
                place = elsewhere.get(number_of(seen), (box.box, hand.number))
                places.setdefault(place, []).append(_laid(seen, truth))
    hands = tuple(TableHand(*place, tuple(cards)) for place, cards in places.items())
    dealer = state.dealer
    hidden = -1 if dealer.revealed else dealer.hole
    row = tuple(_laid(seen, truth, down=place == hidden) for place, seen in enumerate(dealer.cards))
    return DrawnTableView((*hands, TableHand(DEALER, 1, row)), _staked_boxes(state), state.shoe.cut)


def _staked_boxes(state: TableState) -> tuple[int, ...]:
    """The boxes with a stake."""
    return tuple(box.box for box in state.boxes if any(stake for _, stake in box.bets))


def number_of(seen: Seen) -> int:
    """The number that the shoe gave a card, counted from 1; 0 where it gave none."""
    return int((seen.obs.id or "").rpartition(".")[2] or 0)


def _laid(seen: Seen, truth: TrueCard, *, down: bool = False) -> TableCard:
    card = truth(seen)
    return TableCard(card.rank, card.suit, "down" if down else "up", seen.obs.pose == "across")


_NOBODYS_PLACE: Final = 6
"""Where a card that belongs to nobody is laid: at the dealer, clear of his own."""


class LaidCard(NamedTuple):
    """A card on the layout: `hand` is the number of the hand in its box, `place` counts its cards from 0.

    `box` DEALER (0) is the dealer's row.
    """

    card: Card
    box: int
    hand: int = 1
    place: int = 0
    face: Literal["up", "down"] = "up"
    across: bool = False


class LaidCards:
    """The layout of one table, card by card under the number that the shoe gave each. Not for two threads."""

    def __init__(self, number: CardNumber | None = None) -> None:
        """Begin with an empty layout; `number` tells which card one of the table is."""
        self._number = number or number_of
        self._cards: dict[int, LaidCard] = {}
        self._round = 0

    @property
    def cards(self) -> dict[int, LaidCard]:
        """The cards on the layout by their numbers."""
        return dict(self._cards)

    def follow(self, state: TableState) -> None:
        """Lay the table's cards as the dealer would; remove the cards of an earlier round.

        A pair that hands have moved apart stays apart, though the table has not seen it yet. A card that the
        pit has burned is put aside.
        """
        if state.book.number != self._round:
            self._round = state.book.number
            self._cards = {}
        for fact in state.log:
            if isinstance(fact.obs, CardSeen) and fact.at == BURNED:
                self._cards.pop(self._number(Seen(fact.n, fact.obs)), None)
        self._arrange(state)

    def lay(self, number: int, card: Card, state: TableState, entered: Iterable[Observation] = ()) -> None:
        """Lay the next card for whom it is in this state, once `entered` was decided."""
        self._cards[number] = _landing(after_all(state, entered), card)

    def move_apart(self, state: TableState, entered: Iterable[Observation]) -> None:
        """Move a pair apart as the last of `entered` decided it."""
        self._arrange(after_all(state, entered))

    def turn_up(self) -> None:
        """Turn the dealer's face-down card."""
        self._cards = {number: laid._replace(face="up") for number, laid in self._cards.items()}

    def take_back(self) -> None:
        """Take the card that was laid last off again: it has not left the shoe."""
        if self._cards:
            self._cards.popitem()

    def lay_known(self, state: TableState, truth: Mapping[int, Card]) -> None:
        """Lay the cards of a round that was open when the demo was stopped; `truth` by their numbers."""
        self._round = state.book.number
        for seen, laid in placed(state):
            number = self._number(seen)
            self._cards[number] = laid._replace(card=truth.get(number, laid.card))

    def clear(self) -> None:
        """Take every card away."""
        self._cards = {}

    def view(self, staked: tuple[int, ...], *, cut: bool) -> DrawnTableView:
        """The layout as it is drawn."""
        hands: dict[HandName, list[LaidCard]] = {}
        for laid in self._cards.values():
            hands.setdefault((laid.box, laid.hand), []).append(laid)
        rows = tuple(TableHand(*name, tuple(_drawn(found))) for name, found in hands.items())
        return DrawnTableView(rows, staked, cut)

    def _arrange(self, state: TableState) -> None:
        """Push each card to where its hand lies."""
        known = {self._number(seen): laid for seen, laid in placed(state)}
        apart: dict[int, int] = {}
        for laid in self._cards.values():
            apart[laid.box] = max(apart.get(laid.box, 1), laid.hand)
        hands = {box.box: max((hand.number for hand in box.hands), default=1) for box in state.boxes}
        for number, laid in known.items():
            if number not in self._cards:
                continue
            if laid.box == DEALER or hands[laid.box] >= apart.get(laid.box, 1):
                self._cards[number] = self._cards[number]._replace(
                    box=laid.box, hand=laid.hand, place=laid.place, across=laid.across
                )


def _drawn(hand: list[LaidCard]) -> list[TableCard]:
    """The cards of a hand from its lowest."""
    ordered = sorted(hand, key=lambda laid: laid.place)
    return [TableCard(laid.card.rank, laid.card.suit, laid.face, laid.across) for laid in ordered]


def burned(state: TableState) -> TableState:
    """The state with its burn cards among the discards: no camera sees them go there."""
    for _ in range(_unburned(state)):
        state = step(state, CardSeen(None, None, to="burn", face="down")).state
    return state


def _unburned(state: TableState) -> int:
    """Return the number of cards to burn before the next one is dealt."""
    return state.shoe.burn_due if state.phase in (BETS, DEAL) else 0


def after_all(state: TableState, entered: Iterable[Observation]) -> TableState:
    """The state after these entries."""
    state = burned(state)
    for observation in entered:
        state = step(state, observation).state
    return state


def _landing(state: TableState, card: Card) -> LaidCard:
    """Return the place of a card: at the hand that takes one in this state, else beside the dealer's."""
    if expected(state).code == "PLAYER" and state.current is not None:
        box, hand = state.current
        state = step(state, Decision(box.box, hand.number, "hit")).state
    down = expected(state).code == "DEAL_DEALER_DOWN"
    across = any(hand.owed == 2 for box in state.boxes for hand in box.hands)
    seen = CardSeen(None, None, face="down") if down else CardSeen(card.rank, card.suit)
    after = step(state, seen).state
    for known, laid in placed(after) if after.cards_seen > state.cards_seen else ():
        if known.n == after.cards_seen:
            return laid._replace(card=card, face="down" if down else "up", across=across)
    return LaidCard(card, DEALER, place=_NOBODYS_PLACE)


def placed(state: TableState) -> list[tuple[Seen, LaidCard]]:
    """The cards of the round as the table knows them, each with its place."""
    found = [
        (seen, LaidCard(seen.card, box.box, hand.number, place, across=seen.obs.pose == "across"))
        for box in state.boxes
        for hand in box.hands
        for place, seen in enumerate(hand.cards)
    ]
    hole = state.dealer.hole if hidden_hole(state.dealer) else -1
    for place, seen in enumerate(state.dealer.cards):
        face: Literal["up", "down"] = "down" if place == hole else "up"
        found.append((seen, LaidCard(seen.card, DEALER, 1, place, face)))
    return found


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
    """One shoe on its line and one layout. One task deals the cards; the camera reads the layout."""

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
        """Whether a camera sees the cards on the layout before the table has them."""
        return self._laid is not None

    @property
    def shoe_reads(self) -> bool:
        """Whether a reader reads the cards that leave the shoe."""
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
            # The shoe's line restarts its card numbers, so new cards repeat the numbers of these.
            self._earlier = {
                seen.obs.id: out[first + seen.n - 1] if seen.obs.rank is None else seen.card for seen in known
            }
        else:
            self._before = max(map(self._card_number, known), default=0)
            self._restored = {self._card_number(seen): out[first + seen.n - 1] for seen in known}
            with self._lock:
                self._laid.lay_known(state, self._restored)

    def follow(self, state: TableState) -> None:
        """Put a fresh, shuffled shoe in place when the table's count begins anew.

        After a shuffle of discards during a round, the cards on the table are not in it. The old shoe stays
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
        """Return the number of cards that have left the present shoe."""
        return self._out

    @property
    def has_shoe(self) -> bool:
        """Whether a shoe with cards is in place."""
        return self._cards is not None

    @property
    def cut_card_due(self) -> bool:
        """Whether the cut card comes out next."""
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
        """Let the next card leave the shoe; return it, None when the shoe is locked.

        `read_as` is the reader's reading if it is wrong. `lies_at` is the hand to which the dealer gives it
        if that is wrong. `entered` are the decisions that it shows to a camera over the layout.
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
        """Deal the burn cards before the first dealt card, when no reader reports them."""
        if self.shoe_reads or self._state is None:
            return
        # Cards that the table counts as out beyond the dealt ones are burned cards.
        counted = max(0, self._state.shoe.seen - self._out)
        for _ in range(counted + _unburned(self._state)):
            self._dealt.append(next(self._shuffled()))
            self._out += 1

    def _lay(self, card: Card, entered: Iterable[Observation]) -> None:
        """Lay a card on the layout, unless it is burned."""
        state = self._state
        if self._laid is None or state is None or (self.shoe_reads and _unburned(state)):
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
        """Whether a card lies at a wrong hand."""
        return bool(self._elsewhere)

    def lay_right(self) -> None:
        """Lay every card where it belongs."""
        with self._lock:
            self._elsewhere = {}

    @property
    def unplugged(self) -> bool:
        """Whether the shoe's cable is unplugged."""
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
        """Whether the lens of the camera over the table is smeared; from any thread."""
        return self._smeared

    def smear_lens(self) -> None:
        """Smear the lens of the camera over the table."""
        self._smeared = True

    def wipe_lens(self) -> None:
        """Wipe the lens."""
        self._smeared = False

    def show(self, state: TableState) -> None:
        """Lay the cards as the dealer has laid them; the picture shows the true cards."""
        self._state = state
        if self._laid is None:
            view = felt_view(state, self.truth, self._elsewhere)
            with self._lock:
                self._felt = view
            return
        with self._lock:
            self._laid.follow(state)

    def felt(self) -> DrawnTableView:
        """Return the camera's present view; from any thread."""
        with self._lock:
            if self._laid is None or self._state is None:
                return self._felt
            return self._laid.view(_staked_boxes(self._state), cut=self._state.shoe.cut)

    def truth(self, seen: Seen) -> Card:
        """Return the card that left the shoe; for a card of an earlier run, the table's."""
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
