"""What lies on the simulated felt, for the camera that looks at it."""

from collections.abc import Callable, Mapping
from typing import Final

from controller.domain.cards import Card
from controller.engine.state import Seen, TableState
from vision.synth import DEALER, DrawnTableView, TableCard, TableHand

TrueCard = Callable[[Seen], Card]
"""Which card was in truth dealt, whatever the table believes."""

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
