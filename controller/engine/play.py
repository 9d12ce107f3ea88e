"""Decisions and what each does to a hand."""

from collections.abc import Callable
from dataclasses import replace
from typing import Final, assert_never

from controller.acts.catalogue import Decision
from controller.acts.round import Action
from controller.domain import Money, RuleSet
from controller.engine.betting import find_box
from controller.engine.hands import dealer_turn, is_pair, put_hand, stood_inferred, two_aces
from controller.engine.settle import half_of
from controller.engine.state import (
    ACTIVE,
    BETS,
    COMPLETE,
    DEAL,
    DRAW,
    INSURANCE,
    LOCKED,
    NATURAL,
    OWED_DOUBLE,
    OWED_HIT,
    OWED_NOTHING,
    OWED_SPLIT,
    PEEK,
    PLAY,
    REVEAL,
    STOOD,
    SURRENDERED,
    Box,
    Hand,
    Owed,
    Phase,
    Stakes,
    TableState,
    permitted,
    refuse,
)


def at_hand(state: TableState, boxes: tuple[Box, ...], box_at: int, hand_at: int) -> TableState:
    """The state in play with other boxes and the given hand to act."""
    return replace(state, phase=PLAY, boxes=boxes, box_at=box_at, hand_at=hand_at)


def start_play(state: TableState) -> TableState:
    """The first hand that is not done acts."""
    return advance(state, state.boxes, 0, 0)


def advance(state: TableState, boxes: tuple[Box, ...], box_at: int, hand_at: int) -> TableState:
    """Go to the next hand that is not done, from the given one on; after the last, to the dealer."""
    while box_at < len(boxes):
        hands = boxes[box_at].hands
        while hand_at < len(hands):
            hand = hands[hand_at]
            if hand.status == ACTIVE:
                if len(hand.cards) == 1 and not hand.owed:
                    boxes = put_hand(boxes, box_at, hand_at, replace(hand, owed=OWED_SPLIT))
                return at_hand(state, boxes, box_at, hand_at)
            hand_at += 1
        box_at, hand_at = box_at + 1, 0
    return dealer_turn(at_hand(state, boxes, -1, -1))


def owed_at(box: Box) -> int:
    """Index of the first hand of the box that is owed a card, or -1."""
    for index, hand in enumerate(box.hands):
        if hand.owed:
            return index
    return -1


def can_take(hand: Hand, rules: RuleSet) -> bool:
    """Whether the rules give this active hand another card; aces that may only be resplit take none."""
    return not (hand.split and rules.split_aces_one_card and two_aces(hand))


def infer_stands(state: TableState, box_at: int, hand_at: int) -> tuple[Box, ...]:
    """Hands before the given one stand, marked as inferred; `box_at` beyond the last box means all hands."""
    boxes = list(state.boxes)
    for index in range(state.box_at, min(box_at, len(boxes))):
        boxes[index] = replace(boxes[index], hands=stood_inferred(boxes[index].hands))
    if box_at < len(boxes):
        hands = boxes[box_at].hands
        boxes[box_at] = replace(boxes[box_at], hands=stood_inferred(hands[:hand_at]) + hands[hand_at:])
    return tuple(boxes)


_NOT_YET: Final[dict[Phase, str]] = {
    BETS: "ROUND_NOT_DEALT",
    DEAL: "ROUND_NOT_DEALT",
    INSURANCE: "INSURANCE_OPEN",
    PEEK: "PEEK_NEEDED",
}
_REFUSED: Final[dict[Action, str]] = {
    "hit": "HIT_NOT_ALLOWED",
    "stand": "STAND_NOT_ALLOWED",
    "double": "DOUBLE_NOT_ALLOWED",
    "split": "SPLIT_NOT_ALLOWED",
    "surrender": "SURRENDER_NOT_ALLOWED",
}


def find_hand(state: TableState, box: int, number: int) -> tuple[int, int]:
    """Indices of a hand; refuses a box without bets or a hand that does not exist."""
    box_at = find_box(state, box)
    if box_at < 0:
        refuse("NO_SUCH_HAND", box=box, hand=number)
    for hand_at, hand in enumerate(state.boxes[box_at].hands):
        if hand.number == number:
            return box_at, hand_at
    return refuse("NO_SUCH_HAND", box=box, hand=number)


def _verify_turn(state: TableState, decision: Decision) -> tuple[int, int]:
    """Refuse a decision before its time, out of turn, or at a hand that is done or owed a card."""
    box, number = decision.box, decision.hand
    if state.phase in _NOT_YET:
        refuse(_NOT_YET[state.phase], box=box, hand=number)
    box_at, hand_at = find_hand(state, box, number)
    hand = state.boxes[box_at].hands[hand_at]
    if state.phase == REVEAL and state.offers.peeked:
        refuse("DEALER_HAS_BLACKJACK", box=box, hand=number)
    if hand.status != ACTIVE:
        refuse(_REFUSED[decision.action], box=box, hand=number, reason="HAND_DONE")
    if (box_at, hand_at) != (state.box_at, state.hand_at):
        refuse("NOT_YOUR_TURN", box=box, hand=number)
    if hand.unread:
        refuse("CARD_UNREAD", box=box, hand=number)
    if owed_at(state.boxes[box_at]) >= 0:
        refuse("CARD_OWED", box=box, hand=number)
    return box_at, hand_at


def is_idle_stand(state: TableState, decision: Decision) -> bool:
    """A stand at a hand that is done is accepted and ignored (feed fine print)."""
    if decision.action != "stand" or state.phase not in (PLAY, REVEAL, DRAW, COMPLETE):
        return False
    box_at, hand_at = find_hand(state, decision.box, decision.hand)
    return state.boxes[box_at].hands[hand_at].status != ACTIVE


def _verify_hit(state: TableState, decision: Decision) -> tuple[int, int]:
    """A hit: the hand's turn, and the rules give it a card (NL-15, DE-23, IT-12)."""
    box_at, hand_at = _verify_turn(state, decision)
    if not can_take(state.boxes[box_at].hands[hand_at], state.book.rules):
        refuse("HIT_NOT_ALLOWED", box=decision.box, hand=decision.hand, reason="SPLIT_ACES")
    return box_at, hand_at


def _verify_stand(state: TableState, decision: Decision) -> tuple[int, int]:
    """A stand: the hand's turn."""
    return _verify_turn(state, decision)


def double_reason(rules: RuleSet, hand: Hand) -> str | None:
    """Why this hand may not be doubled, or None.

    NL-16, DE-16, DE-22, SB-21, SB-22, FR-24, FR-25, IT-13, IT-26.
    """
    if len(hand.cards) != 2:
        return "TWO_CARDS_ONLY"
    if not can_take(hand, rules):
        return "SPLIT_ACES"
    if hand.split and not rules.double_after_split:
        return "AFTER_SPLIT"
    match rules.double_on:
        case "any":
            return None
        case "9-11":
            low = 9
        case "10-11":
            low = 10
        case _:
            assert_never(rules.double_on)
    return None if any(low <= total <= 11 for total in _double_totals(rules, hand)) else "TOTAL"


def _double_totals(rules: RuleSet, hand: Hand) -> tuple[int, ...]:
    """Totals that count for doubling: a frozen ace has one value only (NL-17), a flexible one two."""
    if hand.aces and rules.soft_double_ace:
        return (hand.hard + hand.aces * (rules.soft_double_ace - 1),)
    return (hand.hard, hand.total)


def _verify_double(state: TableState, decision: Decision) -> tuple[int, int]:
    """A double: turn, rules, and who puts up the second stake."""
    box_at, hand_at = _verify_turn(state, decision)
    hand = state.boxes[box_at].hands[hand_at]
    reason = double_reason(state.book.rules, hand)
    if reason is not None:
        refuse("DOUBLE_NOT_ALLOWED", box=decision.box, hand=decision.hand, reason=reason)
    added_stakes(state, hand, decision)
    return box_at, hand_at


def split_reason(rules: RuleSet, box: Box, hand: Hand) -> str | None:
    """Why this hand may not be split, or None.

    NL-18, DE-18, DE-19, DE-20, SB-17, SB-19, FR-20, FR-22, IT-10, IT-11.
    """
    if not is_pair(hand, rules.split_on):
        return "NO_PAIR"
    if rules.max_hands and len(box.hands) >= rules.max_hands:
        return "MAX_HANDS"
    if hand.split and two_aces(hand) and not rules.resplit_aces:
        return "RESPLIT_ACES"
    return None


def _verify_split(state: TableState, decision: Decision) -> tuple[int, int]:
    """A split: turn, rules, and who puts up the second stake."""
    box_at, hand_at = _verify_turn(state, decision)
    box = state.boxes[box_at]
    reason = split_reason(state.book.rules, box, box.hands[hand_at])
    if reason is not None:
        refuse("SPLIT_NOT_ALLOWED", box=decision.box, hand=decision.hand, reason=reason)
    added_stakes(state, box.hands[hand_at], decision)
    return box_at, hand_at


def surrender_reason(rules: RuleSet, box: Box, hand: Hand) -> str | None:
    """Why this hand may not be surrendered, or None (NL-27, NL-28, DE-14, DE-15, SB-26, FR-26, IT-27)."""
    if rules.surrender == "none":
        return "NOT_OFFERED"
    if len(hand.cards) != 2:
        return "FIRST_ACTION_ONLY"
    if len(box.hands) > 1 and not rules.surrender_after_split:
        return "AFTER_SPLIT"
    return None


def _verify_surrender(state: TableState, decision: Decision) -> tuple[int, int]:
    """A surrender: turn, rules, and half a stake that can be paid (G-01)."""
    box_at, hand_at = _verify_turn(state, decision)
    box = state.boxes[box_at]
    reason = surrender_reason(state.book.rules, box, box.hands[hand_at])
    if reason is not None:
        refuse("SURRENDER_NOT_ALLOWED", box=decision.box, hand=decision.hand, reason=reason)
    for _, stake in box.hands[hand_at].stakes:
        half_of(state.book.rules, stake)
    return box_at, hand_at


def added_stakes(state: TableState, hand: Hand, decision: Decision) -> Stakes:
    """Return each bettor's added stake for a double or split; 0 for a bettor who does not follow (SB-02)."""
    named = dict(decision.stakes or ())
    bettors = {seat for seat, _ in hand.stakes}
    strangers = (set(named) | set(decision.seats or ())) - bettors
    if strangers:
        refuse("NO_BET", box=decision.box, seat=min(strangers))
    added = []
    for index, (seat, stake) in enumerate(hand.stakes):
        follows = decision.seats is None or seat in decision.seats
        amount = Money(named.get(seat, stake if follows else 0))
        if amount != stake and (amount or index == 0):
            refuse("SECOND_STAKE", box=decision.box, seat=seat, stake=amount, limit=stake)
        added.append((seat, amount))
    _verify_own_chips(state, decision.box, Money(sum(amount for _, amount in added)))
    return tuple(added)


def _verify_own_chips(state: TableState, number: int, amount: Money) -> None:
    """Refuse an amount that the player's own chips do not cover (NL-30)."""
    for box, chips in state.book.chips:
        if box == number:
            entry = state.boxes[find_box(state, number)]
            on_hands = sum(stake for hand in entry.hands for _, stake in hand.stakes)
            out = on_hands + sum(stake for _, stake in entry.insurance)
            if out + amount > chips:
                refuse("NOT_ENOUGH_CHIPS", box=box, chips=Money(chips - out), stake=amount)


def hit(state: TableState, decision: Decision) -> TableState:
    """The hand is owed a card."""
    box_at, hand_at = _verify_hit(state, decision)
    hand = replace(state.boxes[box_at].hands[hand_at], owed=OWED_HIT)
    return at_hand(state, put_hand(state.boxes, box_at, hand_at, hand), box_at, hand_at)


def stand(state: TableState, decision: Decision) -> TableState:
    """The hand takes no more cards; the next one acts."""
    if is_idle_stand(state, decision):
        return state
    box_at, hand_at = _verify_stand(state, decision)
    hand = replace(state.boxes[box_at].hands[hand_at], status=STOOD)
    return advance(state, put_hand(state.boxes, box_at, hand_at, hand), box_at, hand_at)


def double(state: TableState, decision: Decision) -> TableState:
    """The second stake is up and one card is owed."""
    box_at, hand_at = _verify_double(state, decision)
    hand = state.boxes[box_at].hands[hand_at]
    hand = doubled(state.book.rules, hand, added_stakes(state, hand, decision))
    return at_hand(state, put_hand(state.boxes, box_at, hand_at, hand), box_at, hand_at)


def doubled(rules: RuleSet, hand: Hand, added: Stakes) -> Hand:
    """The doubled hand before its card; an ace may freeze at its value (NL-17)."""
    stakes = tuple(
        [(seat, Money(stake + more)) for (seat, stake), (_, more) in zip(hand.stakes, added, strict=True)]
    )
    hard, aces = hand.hard, hand.aces
    if rules.soft_double_ace:
        hard, aces = hard + aces * (rules.soft_double_ace - 1), 0
    return replace(hand, hard=hard, aces=aces, stakes=stakes, owed=OWED_DOUBLE, doubled=True)


def split(state: TableState, decision: Decision) -> TableState:
    """Two hands of one card each; the new one takes the next free number and plays right after the old."""
    box_at, hand_at = _verify_split(state, decision)
    box = state.boxes[box_at]
    old = box.hands[hand_at]
    added = added_stakes(state, old, decision)
    both = state.book.rules.split_draw == "both"
    first, second = old.cards
    points = old.hard // 2
    aces = 1 if old.aces else 0
    new_stakes = tuple([pair for pair in added if pair[1]])
    here = Hand(old.number, (first,), points, aces, old.stakes, ACTIVE, OWED_SPLIT, False, True, 0)
    number = max(hand.number for hand in box.hands) + 1
    owed: Owed = OWED_SPLIT if both else OWED_NOTHING
    there = Hand(number, (second,), points, aces, new_stakes, ACTIVE, owed, False, True, 0)
    hands = (*box.hands[:hand_at], here, there, *box.hands[hand_at + 1 :])
    boxes = (*state.boxes[:box_at], replace(box, hands=hands), *state.boxes[box_at + 1 :])
    return at_hand(state, boxes, box_at, hand_at)


def after_split_card(hand: Hand, rules: RuleSet, box: Box) -> Hand:
    """A split hand with its second card: aces get one (NL-20, DE-20, SB-18, FR-23), or may be resplit.

    Its 21 is no blackjack unless the house says so (NL-31, DE-21, SB-20, FR-30, IT-24).
    """
    if rules.split_21_is_blackjack and hand.aces and hand.total == 21:
        return replace(hand, status=NATURAL)
    if not rules.split_aces_one_card or hand.cards[0].obs.rank != "A" or hand.unread:
        return hand
    resplit = rules.resplit_aces and two_aces(hand)
    if resplit and not (rules.max_hands and len(box.hands) >= rules.max_hands):
        return hand
    return replace(hand, status=LOCKED)


def surrender(state: TableState, decision: Decision) -> TableState:
    """Half the stake is given up; the hand is done."""
    box_at, hand_at = _verify_surrender(state, decision)
    hand = replace(state.boxes[box_at].hands[hand_at], status=SURRENDERED)
    return advance(state, put_hand(state.boxes, box_at, hand_at, hand), box_at, hand_at)


VERIFY: Final[dict[Action, Callable[[TableState, Decision], tuple[int, int]]]] = {
    "hit": _verify_hit,
    "stand": _verify_stand,
    "double": _verify_double,
    "split": _verify_split,
    "surrender": _verify_surrender,
}
DO: Final[dict[Action, Callable[[TableState, Decision], TableState]]] = {
    "hit": hit,
    "stand": stand,
    "double": double,
    "split": split,
    "surrender": surrender,
}


def can_decide(state: TableState, decision: Decision) -> bool:
    """Whether the decision is allowed."""
    return permitted(VERIFY[decision.action], state, decision)


def decide(state: TableState, decision: Decision) -> TableState:
    """The box holder's decision (SB-01, FR-02)."""
    return DO[decision.action](state, decision)
