"""Hands as a person at the table sees them: the face-down card has no rank until it is turned."""

from typing import NamedTuple

from controller.domain import Card, Money
from controller.engine.constants import HandStatus
from controller.engine.dealer import hidden_hole
from controller.engine.state import TableState


class HandView(NamedTuple):
    """One hand of a box. `total` is the one that counts; `soft`: an ace in it counts 11.

    `stakes` are (seat, amount in minor units) of every bettor on this hand.
    """

    box: int
    hand: int
    cards: tuple[Card, ...]
    total: int
    soft: bool
    status: HandStatus
    stakes: tuple[tuple[int, Money], ...]


class DealerView(NamedTuple):
    """The dealer's hand; a card that lies face down is None, and `total` leaves it out."""

    cards: tuple[Card | None, ...]
    total: int


def hands_of(state: TableState) -> tuple[HandView, ...]:
    """Every hand in the order of play."""
    return tuple(
        HandView(
            box.box,
            hand.number,
            tuple(seen.card for seen in hand.cards),
            hand.total,
            hand.total != hand.hard,
            hand.status,
            hand.stakes,
        )
        for box in state.boxes
        for hand in box.hands
    )


def dealer_of(state: TableState) -> DealerView:
    """The dealer's cards, the hole card masked while it is face down."""
    dealer = state.dealer
    hidden = dealer.hole if hidden_hole(dealer) else -1
    cards = tuple(None if at == hidden else seen.card for at, seen in enumerate(dealer.cards))
    return DealerView(cards, dealer.total)
