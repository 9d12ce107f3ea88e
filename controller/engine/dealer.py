"""The dealer's turn: whether a bet still depends on the dealer's cards, and the next phase."""

from dataclasses import replace
from typing import Final

from controller.domain import Rank
from controller.engine.constants import BUST, COMPLETE, DRAW, NATURAL, REVEAL, SURRENDERED, HandStatus, Phase
from controller.engine.errors import fault
from controller.engine.hands import (
    deal_to_dealer,
    must_draw,
    turned,
    up_rank,
)
from controller.engine.state import Box, Dealer, Seen, TableState

TEN_OR_ACE: Final[frozenset[Rank]] = frozenset(("10", "J", "Q", "K", "A"))
_DECIDED: Final[frozenset[HandStatus]] = frozenset((BUST, SURRENDERED))


def hidden_hole(dealer: Dealer) -> bool:
    """Whether the dealer has a face-down card that was not turned."""
    return not dealer.revealed and 0 <= dealer.hole < len(dealer.cards)


def _blackjack_open(state: TableState) -> bool:
    """Whether the dealer's known cards still allow a blackjack."""
    dealer = state.dealer
    if not hidden_hole(dealer) and len(dealer.cards) > 1:
        return False
    if state.offers.peeked is not None:
        return state.offers.peeked
    return up_rank(dealer) in TEN_OR_ACE


def dealer_stands(state: TableState) -> bool:
    """Whether the dealer has at least two cards and may take no other (NL-07, DE-24, SB-08, FR-07, IT-18).

    A face-down card is not counted: until the reveal, the answer concerns the open cards only.
    """
    dealer = state.dealer
    return len(dealer.cards) > 1 and not must_draw(dealer, state.book.rules.dealer_hits_soft_17)


def dealer_finished(state: TableState) -> bool:
    """Whether the dealer's whole hand is open and complete."""
    return not hidden_hole(state.dealer) and dealer_stands(state)


def depends(state: TableState) -> bool:
    """Whether a bet still depends on cards that the dealer has not shown."""
    possible = _blackjack_open(state)
    dealer = state.dealer
    insured = possible and up_rank(dealer) == "A"
    finished = dealer_finished(state)
    return True in [_box_depends(box, possible, insured, finished) for box in state.boxes if not box.void]


def _box_depends(box: Box, possible: bool, insured: bool, finished: bool) -> bool:
    """Whether a bet of this box depends on cards that the dealer has not shown.

    `possible`: the dealer may still have a blackjack. `insured`: the insurance bets depend on it.
    `finished`: the dealer's whole hand is known.
    """
    if box.insurance and insured:
        return True
    if box.even and len(box.even) == len(box.bets):
        return False
    for hand in box.hands:
        if hand.status == NATURAL:
            if possible:
                return True
        elif hand.status not in _DECIDED and not finished:
            return True
    return False


def dealer_turn(state: TableState) -> TableState:
    """Return the phase after the last hand: complete, reveal of the hole card, or draw."""
    if not depends(state):
        return in_phase(state, COMPLETE)
    return in_phase(state, REVEAL if hidden_hole(state.dealer) else DRAW)


def in_phase(state: TableState, phase: Phase) -> TableState:
    """The state in another phase, no hand to act."""
    return replace(state, phase=phase, box_at=-1, hand_at=-1)


def dealer_card(state: TableState, seen: Seen, *, ruled: bool) -> TableState:
    """A card at the dealer after the players are done (NL-07, DE-24, SB-08, FR-07, IT-18)."""
    dealer = state.dealer
    if state.phase not in (DRAW, COMPLETE) and not ruled:
        fault("HOLE_NOT_REVEALED")
    if hidden_hole(dealer) and not ruled:
        fault("HOLE_NOT_REVEALED")
    if dealer_stands(state):
        code = "DEALER_DREW_ON_17" if dealer.total <= 21 else "DEALER_DREW_AFTER_BUST"
        fault(code, total=dealer.total)
    state = replace(state, dealer=deal_to_dealer(dealer, seen))
    if state.phase == COMPLETE or state.dealer.unread:
        return state
    return dealer_turn(state)


def turn_hole(state: TableState, seen: Seen) -> TableState:
    """The hole card is turned: the round goes on to the dealer's turn, or stays complete."""
    state = replace(state, dealer=turned(state.dealer, seen))
    return state if state.phase == COMPLETE else dealer_turn(state)
