"""What lies on the simulated felt, for the camera that looks at it."""

from collections.abc import Callable

from controller.domain.cards import Card
from controller.engine.state import Seen, TableState
from vision.synth import DEALER, TableCard, TableHand, TableView

TrueCard = Callable[[Seen], Card]
"""Which card was in truth dealt, whatever the table believes."""


def felt_view(state: TableState, truth: TrueCard) -> TableView:
    """Lay every card where the dealer would: at its hand, face as dealt, doubles across."""
    hands = tuple(
        TableHand(box.box, hand.number, tuple(_laid(seen, truth) for seen in hand.cards))
        for box in state.boxes
        for hand in box.hands
    )
    dealer = state.dealer
    hidden = -1 if dealer.revealed else dealer.hole
    row = tuple(_laid(seen, truth, down=place == hidden) for place, seen in enumerate(dealer.cards))
    staked = tuple(box.box for box in state.boxes if any(stake for _, stake in box.bets))
    return TableView((*hands, TableHand(DEALER, 1, row)), staked, state.shoe.cut)


def _laid(seen: Seen, truth: TrueCard, *, down: bool = False) -> TableCard:
    card = truth(seen)
    return TableCard(card.rank, card.suit, "down" if down else "up", seen.obs.pose == "across")
