"""What lies on the simulated layout, for the camera that looks at it.

Where a camera deals, it sees the cards before the table knows of them.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Final, Literal, NamedTuple

from controller.acts.catalogue import CardSeen, Decision, Observation
from controller.domain import Card
from controller.engine import expected, step
from controller.engine.constants import BETS, BURNED, DEAL
from controller.engine.dealer import hidden_hole
from controller.engine.state import Seen, TableState
from vision.synth import DEALER, DrawnTableView, TableCard, TableHand

TrueCard = Callable[[Seen], Card]
"""Which card was in truth dealt, whatever the table believes."""

CardNumber = Callable[[Seen], int]
"""Which card of the shoe it is, counted from 1; 0 where nobody knows."""

HandName = tuple[int, int]
"""Box and hand."""

AS_ENTERED: Final[Mapping[int, HandName]] = {}


def felt_view(
    state: TableState, truth: TrueCard, elsewhere: Mapping[int, HandName] = AS_ENTERED
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
    return DrawnTableView((*hands, TableHand(DEALER, 1, row)), staked_boxes(state), state.shoe.cut)


def staked_boxes(state: TableState) -> tuple[int, ...]:
    """The boxes with a stake."""
    return tuple(box.box for box in state.boxes if any(stake for _, stake in box.bets))


def number_of(seen: Seen) -> int:
    """The number that the shoe gave a card, counted from 1; 0 where it gave none."""
    return int((seen.obs.id or "").rpartition(".")[2] or 0)


def _laid(seen: Seen, truth: TrueCard, *, down: bool = False) -> TableCard:
    card = truth(seen)
    return TableCard(card.rank, card.suit, "down" if down else "up", seen.obs.pose == "across")


NOBODYS_PLACE: Final = 6
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
        """What lies there now."""
        return dict(self._cards)

    def follow(self, state: TableState) -> None:
        """Lay what the table knows as the dealer would; cards of an earlier round are taken away.

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
        self._cards[number] = landing(after_all(state, entered), card)

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
        """The layout for whoever draws it."""
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
    for _ in range(unburned(state)):
        state = step(state, CardSeen(None, None, to="burn", face="down")).state
    return state


def unburned(state: TableState) -> int:
    """How many cards are to be burned before the next one is dealt."""
    return state.shoe.burn_due if state.phase in (BETS, DEAL) else 0


def after_all(state: TableState, entered: Iterable[Observation]) -> TableState:
    """The state once all this was said."""
    state = burned(state)
    for observation in entered:
        state = step(state, observation).state
    return state


def landing(state: TableState, card: Card) -> LaidCard:
    """Where a card comes to lie: at the hand that takes one in this state, else clear of the dealer's."""
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
    return LaidCard(card, DEALER, place=NOBODYS_PLACE)


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
