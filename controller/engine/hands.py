"""Hands and the dealer's cards: totals, naturals, the face-down card."""

from dataclasses import replace
from typing import Final

from controller.domain import POINTS, Rank, SplitOn
from controller.engine.state import (
    ACTIVE,
    BUST,
    COMPLETE,
    DRAW,
    FULL,
    INFERRED,
    NATURAL,
    OWED_NOTHING,
    REVEAL,
    SURRENDERED,
    Box,
    Dealer,
    Hand,
    HandStatus,
    Phase,
    Seen,
    TableState,
    fault,
)


def best(hard: int, aces: int) -> int:
    """The total that counts: one ace as 11 unless that goes above 21 (NL-05, DE-03, SB-16, FR-04, IT-03)."""
    return hard + 10 if aces and hard <= 11 else hard


def add_card(hand: Hand, seen: Seen) -> Hand:
    """The hand with one more card; an unread card adds nothing yet and is counted in `unread`."""
    hard, aces, unread = hand.hard, hand.aces, hand.unread
    rank = seen.obs.rank
    if rank is None:
        unread += 1
    else:
        hard += POINTS[rank]
        if rank == "A":
            aces += 1
    cards = hand.cards + (seen,)
    return replace(hand, cards=cards, hard=hard, aces=aces, owed=OWED_NOTHING, unread=unread)


def after_hit(hand: Hand, hit_on_21: bool) -> Hand:
    """Return the hand as bust, full at 21 where no card may follow, or still active (NL-15, DE-23)."""
    if hand.unread:
        return hand
    total = hand.total
    if total > 21:
        return replace(hand, status=BUST)
    if total == 21 and not hit_on_21:
        return replace(hand, status=FULL)
    return hand


def is_pair(hand: Hand, split_on: SplitOn) -> bool:
    """Whether two cards may be split: equal rank, or equal value (NL-18, DE-18, SB-17, FR-20, IT-10)."""
    if len(hand.cards) != 2 or hand.unread:
        return False
    first, second = hand.cards[0].obs.rank, hand.cards[1].obs.rank
    if split_on == "rank" or first is None or second is None:
        return first == second
    return POINTS[first] == POINTS[second]


def two_aces(hand: Hand) -> bool:
    """Whether the hand is a pair of aces."""
    return len(hand.cards) == 2 and hand.aces == 2


def put_hand(boxes: tuple[Box, ...], box_at: int, hand_at: int, hand: Hand) -> tuple[Box, ...]:
    """The boxes with one hand replaced."""
    old = boxes[box_at]
    hands = old.hands
    box = replace(old, hands=(hand,) if len(hands) == 1 else (*hands[:hand_at], hand, *hands[hand_at + 1 :]))
    return (box,) if len(boxes) == 1 else (*boxes[:box_at], box, *boxes[box_at + 1 :])


def stood_inferred(hands: tuple[Hand, ...]) -> tuple[Hand, ...]:
    """Infer a stand for each active hand, after a card to a later hand."""
    return tuple([replace(hand, status=INFERRED) if hand.status == ACTIVE else hand for hand in hands])


def deal_to_dealer(dealer: Dealer, seen: Seen) -> Dealer:
    """The dealer's hand with one more card; the face-down one adds nothing to the shown total."""
    hard, aces, unread = dealer.hard, dealer.aces, dealer.unread
    rank = seen.obs.rank
    if len(dealer.cards) != dealer.hole or dealer.revealed:
        if rank is None:
            unread += 1
        else:
            hard += POINTS[rank]
            aces += rank == "A"
    return replace(dealer, cards=dealer.cards + (seen,), hard=hard, aces=aces, unread=unread)


def hole_of(dealer: Dealer) -> Seen | None:
    """The dealt hole card, turned or not."""
    if 0 <= dealer.hole < len(dealer.cards):
        return dealer.cards[dealer.hole]
    return None


def up_rank(dealer: Dealer) -> Rank | None:
    """Rank of the up card: the first card that was dealt open."""
    for index, seen in enumerate(dealer.cards):
        if index != dealer.hole:
            return seen.obs.rank
    return None


def turned(dealer: Dealer, seen: Seen) -> Dealer:
    """The dealer's hand with the hole card turned, as it was read."""
    index = dealer.hole
    cards = (*dealer.cards[:index], seen, *dealer.cards[index + 1 :])
    rank = seen.obs.rank
    points = POINTS[rank] if rank is not None else 0
    hard, aces = dealer.hard + points, dealer.aces + (rank == "A")
    return replace(dealer, cards=cards, revealed=True, hard=hard, aces=aces)


def makes_blackjack(up: Rank | None, hole: Rank | None) -> bool:
    """Ace and ten-card in two cards (NL-06, DE-04, FR-05, IT-04)."""
    if up is None or hole is None:
        return False
    return {POINTS[up], POINTS[hole]} == {1, 10}


def open_blackjack(dealer: Dealer) -> bool:
    """Whether the dealer's two open cards make a blackjack."""
    hidden = dealer.hole >= 0 and not dealer.revealed
    return len(dealer.cards) == 2 and not hidden and dealer.total == 21 and not dealer.unread


def must_draw(dealer: Dealer, hits_soft_17: bool) -> bool:
    """Draws to 16, stands on 17; soft 17 by the house (NL-07, DE-24, SB-08, FR-07, IT-18)."""
    total = dealer.total
    if total == 17 and hits_soft_17:
        return dealer.aces > 0 and dealer.hard <= 11
    return total < 17


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
