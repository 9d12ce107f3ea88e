"""Where a card goes: the place that it names, or the place that is owed a card."""

from dataclasses import replace
from typing import Final, Literal, NamedTuple, assert_never

from controller.acts.catalogue import CardSeen, Decision
from controller.domain import Params
from controller.engine.betting import close, find_box
from controller.engine.hands import (
    add_card,
    after_hit,
    deal_to_dealer,
    dealer_card,
    dealer_stands,
    dealer_turn,
    put_hand,
)
from controller.engine.offers import close_offers, open_offers, skip_peek, verify_face_down
from controller.engine.play import (
    added_stakes,
    advance,
    after_split_card,
    at_hand,
    can_take,
    double_reason,
    doubled,
    infer_stands,
    owed_at,
)
from controller.engine.settle import DISPUTED, VOIDED
from controller.engine.shoe import before_first_card, hide, is_spent, needs_shuffle
from controller.engine.state import (
    ACTIVE,
    BETS,
    BURNED,
    BUST,
    COMPLETE,
    DEAL,
    DEALER,
    DOUBLED,
    DRAW,
    INSURANCE,
    NATURAL,
    OWED_DOUBLE,
    PEEK,
    PLAY,
    REVEAL,
    CardQueued,
    Hand,
    Phase,
    Place,
    Seen,
    TableState,
    fault,
)

_OFFERED: Final[dict[Phase, str]] = {INSURANCE: "INSURANCE_NOT_CLOSED", PEEK: "PEEK_MISSING"}


def wanted(card: CardSeen) -> Place | None:
    """Return the place that the observation names; None: the engine places the card."""
    if card.to is None:
        return None
    if card.to == "dealer":
        return DEALER
    if card.to == "burn":
        return BURNED
    return card.box or 0, card.hand or 0


def place(state: TableState, seen: Seen, where: Place | None, lenient: bool, ruled: bool) -> TableState:
    """Put a card where it belongs. Raises CardFault where it fits nowhere, CardQueued where it has to wait.

    `where` is None for a card that the engine places itself. `lenient` is for a card that was accepted once
    and is placed again after a correction: an offer or a peek that the corrected cards would have asked for
    then counts as passed (feed fine print, Corrections). `ruled` says that a supervisor has placed the card,
    so that face and pose are not checked.
    """
    phase = state.phase
    if phase == PLAY:
        return _in_play(state, seen, where, ruled)
    if phase == DEAL:
        return _in_deal(state, seen, where, ruled)
    if phase == BETS:
        return _opening(state, seen, where, ruled)
    if phase in _OFFERED:
        if not lenient:
            fault(_OFFERED[phase])
        passed = close_offers(state) if phase == INSURANCE else skip_peek(state)
        return place(passed, seen, where, lenient, ruled)
    return _after_hands(state, seen, where, ruled)


def _opening(state: TableState, seen: Seen, where: Place | None, ruled: bool) -> TableState:
    """The first dealt card closes the bets (feed, section 2)."""
    if where is not None and where != DEALER and find_box(state, where[0]) < 0:
        fault("CARD_TO_EMPTY_BOX", box=where[0])
    if not state.boxes:
        fault("CARD_BEFORE_BETS")
    return _in_deal(close(state), seen, where, ruled)


def _in_deal(state: TableState, seen: Seen, where: Place | None, ruled: bool) -> TableState:
    """The initial deal, in order or attributed (NL-03, DE-02, SB-05, IT-02, G-02)."""
    due, boxes, dealer, shoe = state.due, state.boxes, state.dealer, state.shoe
    if not due:
        raise CardQueued("CARD_UNREAD")
    card = seen.obs
    if card.pose == "across" and not ruled:
        fault("ACROSS_NOT_ALLOWED")
    target, due = _slot(state, where)
    if target:
        index = find_box(state, target)
        boxes = put_hand(boxes, index, 0, add_card(boxes[index].hands[0], seen))
    else:
        if len(dealer.cards) == dealer.hole:
            verify_face_down(card, ruled=ruled)
            shoe = hide(shoe, seen.card)
        elif card.face == "down" and not ruled:
            fault("UP_CARD_FACE_DOWN")
        dealer = deal_to_dealer(dealer, seen)
    state = replace(state, boxes=boxes, dealer=dealer, due=due, shoe=shoe)
    return state if due else dealt(state)


def _slot(state: TableState, where: Place | None) -> tuple[int, tuple[int, ...]]:
    """Return the target of a card in the initial deal (a box, 0 for the dealer) and the remaining targets."""
    due = state.due
    if where is None:
        return due[0], due[1:]
    target = where[0]
    if target not in due or where[1] > 1:
        _fault_in_deal(state, where)
    at = due.index(target)
    return target, due[:at] + due[at + 1 :]


def _fault_in_deal(state: TableState, where: Place) -> None:
    """Raise the fault of a card for a target that the deal does not owe."""
    box = where[0]
    if box and find_box(state, box) < 0:
        fault("CARD_TO_EMPTY_BOX", box=box)
    owed = state.due[0]
    if owed:
        fault("MISSED_CARD", box=owed, got=box)
    fault("DEALER_MISSED_CARD", got=box)


def dealt(state: TableState) -> TableState:
    """The initial deal is complete: find the naturals, then offers, check and play.

    With an unread card on the table the round waits in the deal for its rank.
    """
    if state.dealer.unread or any(box.hands[0].unread for box in state.boxes if not box.void):
        return state
    boxes = state.boxes
    for index, box in enumerate(boxes):
        hand = box.hands[0]
        if hand.hard == 11 and hand.aces and not box.void:
            boxes = put_hand(boxes, index, 0, replace(hand, status=NATURAL))
    if boxes is not state.boxes:
        state = replace(state, boxes=boxes)
    return open_offers(state)


def _in_play(state: TableState, seen: Seen, where: Place | None, ruled: bool) -> TableState:
    """A hit, a double laid across, the second card of a split hand, or a later hand's card."""
    box_at, hand_at = state.box_at, state.hand_at
    box = state.boxes[box_at]
    if box.hands[hand_at].unread:
        raise CardQueued("CARD_UNREAD")
    owed = owed_at(box)
    if owed >= 0:
        return _owed_card(state, seen, where, owed, ruled)
    target = _target(state, where, owed)
    if target is None:
        return _dealer_first(state, seen, ruled)
    if target > (box_at, hand_at):
        _verify_none_short(state, target)
        box_at, hand_at = target
        state = at_hand(state, infer_stands(state, box_at, hand_at), box_at, hand_at)
    hand = _take(state, seen, box_at, hand_at, ruled)
    boxes = put_hand(state.boxes, box_at, hand_at, hand)
    if hand.status == ACTIVE:
        return at_hand(state, boxes, box_at, hand_at)
    return advance(state, boxes, box_at, hand_at)


def _owed_card(state: TableState, seen: Seen, where: Place | None, owed: int, ruled: bool) -> TableState:
    """The card that a hand of this box is owed; where both split hands are, either may come first."""
    box_at = state.box_at
    box = state.boxes[box_at]
    target = _target(state, where, owed)
    if target is None or target[0] != box_at or not box.hands[target[1]].owed:
        fault("CARD_OWED", box=box.box, hand=box.hands[owed].number)
    hand = _take(state, seen, box_at, target[1], ruled)
    boxes = put_hand(state.boxes, box_at, target[1], hand)
    if boxes[box_at].hands[state.hand_at].status == ACTIVE:
        return at_hand(state, boxes, box_at, state.hand_at)
    if owed_at(boxes[box_at]) >= 0:
        return at_hand(state, boxes, box_at, owed_at(boxes[box_at]))
    return advance(state, boxes, box_at, state.hand_at)


def _target(state: TableState, where: Place | None, owed: int) -> tuple[int, int] | None:
    """Indices of the hand that the card belongs to; None is the dealer."""
    if where is None:
        return _expected_target(state, owed)
    if where == DEALER:
        return None
    box_at = find_box(state, where[0])
    if box_at < 0:
        fault("CARD_TO_EMPTY_BOX", box=where[0])
    if not where[1] and box_at == state.box_at and owed >= 0:
        return box_at, owed
    box = state.boxes[box_at]
    for hand_at, hand in enumerate(box.hands):
        named = hand.number == where[1] or not where[1]
        if named and hand.status == ACTIVE and (box_at, hand_at) >= (state.box_at, state.hand_at):
            return box_at, hand_at
    return fault("CARD_TO_DONE_HAND", box=box.box, hand=where[1] or 1)


def _expected_target(state: TableState, owed: int) -> tuple[int, int] | None:
    """Return an unattributed card's target: the owed hand, the acting hand, the next hand; None: dealer."""
    if owed >= 0:
        return state.box_at, owed
    if can_take(state.boxes[state.box_at].hands[state.hand_at], state.book.rules):
        return state.box_at, state.hand_at
    for box_at in range(state.box_at, len(state.boxes)):
        for hand_at, hand in enumerate(state.boxes[box_at].hands):
            if hand.status == ACTIVE and (box_at, hand_at) > (state.box_at, state.hand_at):
                return box_at, hand_at
    return None


def _verify_none_short(state: TableState, target: tuple[int, int]) -> None:
    """No hand between may be owed its second card (feed fine print, Inferred stands)."""
    short = short_before(state, target)
    if short is not None:
        fault("CARD_OWED", box=short[0], hand=short[1])


def short_before(state: TableState, target: tuple[int, int]) -> Place | None:
    """The first hand, from the one to act to the one at these indices, that waits for its second card."""
    for box_at in range(state.box_at, min(target[0] + 1, len(state.boxes))):
        box = state.boxes[box_at]
        for hand_at, hand in enumerate(box.hands):
            if (box_at, hand_at) < target and hand.status == ACTIVE and len(hand.cards) == 1:
                return box.box, hand.number
    return None


def _take(state: TableState, seen: Seen, box_at: int, hand_at: int, ruled: bool) -> Hand:
    """The hand with one more card, and in the status that follows from it."""
    rules = state.book.rules
    box = state.boxes[box_at]
    hand = box.hands[hand_at]
    if seen.obs.pose == "across" and hand.owed != OWED_DOUBLE and not ruled:
        hand = _across(state, box.box, hand)
    elif not can_take(hand, rules):
        fault("CARD_TO_DONE_HAND", box=box.box, hand=hand.number)
    second = len(hand.cards) == 1
    hand = add_card(hand, seen)
    if second:
        hand = after_split_card(hand, rules, box)
        return after_hit(hand, rules.hit_on_21) if hand.status == ACTIVE else hand
    if not hand.doubled:
        return after_hit(hand, rules.hit_on_21)
    bust = not hand.unread and hand.total > 21
    return replace(hand, status=BUST if bust else DOUBLED)


def _across(state: TableState, box: int, hand: Hand) -> Hand:
    """A card laid across is a double where doubling is legal, never silently a hit (feed fine print)."""
    rules = state.book.rules
    if hand.owed or double_reason(rules, hand) is not None:
        fault("ACROSS_NOT_ALLOWED", box=box, hand=hand.number)
    added = added_stakes(state, hand, Decision(box, hand.number, "double"))
    return doubled(rules, hand, added)


def _dealer_first(state: TableState, seen: Seen, ruled: bool) -> TableState:
    """A card at the dealer: the hands before it stand, then it is the dealer's (feed, inferred stands)."""
    _verify_none_short(state, (len(state.boxes), 0))
    boxes = infer_stands(state, len(state.boxes), 0)
    state = dealer_turn(at_hand(state, boxes, -1, -1))
    return _after_hands(state, seen, DEALER, ruled)


def _after_hands(state: TableState, seen: Seen, where: Place | None, ruled: bool) -> TableState:
    """A card after the players' turn: the dealer's, or a fault."""
    if where is not None and where != DEALER:
        code = "CARD_TO_DONE_HAND" if find_box(state, where[0]) >= 0 else "CARD_TO_EMPTY_BOX"
        fault(code, box=where[0], hand=where[1] or 1)
    if state.phase == REVEAL and state.offers.peeked:
        fault("CARD_AFTER_DEALER_BLACKJACK")
    if state.dealer.unread and state.phase == DRAW:
        raise CardQueued("CARD_UNREAD")
    return dealer_card(state, seen, ruled=ruled)


def places(state: TableState) -> dict[int, Place]:
    """Map each placed card's number to its place."""
    lying = {
        seen.n: (box.box, hand.number) for box in state.boxes for hand in box.hands for seen in hand.cards
    }
    return lying | {seen.n: DEALER for seen in state.dealer.cards}


ExpectedCode = Literal[
    "NEW_SHOE",
    "BURN",
    "PLACE_BETS",
    "DEAL_BOX",
    "DEAL_DEALER",
    "DEAL_DEALER_DOWN",
    "WHICH_CARD",
    "INSURANCE",
    "PEEK",
    "PLAYER",
    "CARD_OWED",
    "REVEAL",
    "DRAW",
    "STAND",
    "SETTLED",
    "VOIDED",
    "DISPUTED",
]


class Expected(NamedTuple):
    """The code of a sentence `line.<code>` in the catalogues, and its parameters."""

    code: ExpectedCode
    params: Params = ()

    def get(self, key: str) -> int | str | None:
        """Return one parameter; None when the code has no parameter of that name."""
        return dict(self.params).get(key)


def expected(state: TableState) -> Expected:
    """The one next thing. It depends on an unturned hole card only where the house checks for blackjack."""
    settlement = state.settlement
    if settlement.status == DISPUTED:
        return Expected("DISPUTED", (("code", settlement.code or ""),))
    if settlement.status == VOIDED:
        return Expected("VOIDED")
    unread = unread_card(state)
    if unread:
        return Expected("WHICH_CARD", (("card", unread),))
    if _needs_shoe(state):
        return Expected("NEW_SHOE", (("decks", state.shoe.decks),))
    if state.shoe.burn_due and state.phase in (BETS, DEAL):
        return Expected("BURN", (("count", state.shoe.burn_due),))
    return _next_in_phase(state)


def _needs_shoe(state: TableState) -> bool:
    """Whether a fresh shoe comes first: before the bets, or when a card is due and the shoe is spent.

    A house that burns cards must load its first shoe. Otherwise the day's first card would be taken for a
    card without a bet.
    """
    shoe, book = state.shoe, state.book
    if before_first_card(state):
        first = book.number == 1 and not shoe.loaded and not shoe.seen and not state.boxes
        return needs_shuffle(state) or shoe.ended or shoe.void or (first and book.rules.burn_cards > 0)
    return is_spent(shoe) and _next_in_phase(state).code in _CARD_DUE


def _next_in_phase(state: TableState) -> Expected:
    """Return the expected act of the phase, without disputes, unread cards and burn cards."""
    match state.phase:
        case "bets":
            return Expected("PLACE_BETS")
        case "deal":
            return _deal(state)
        case "insurance":
            return Expected("INSURANCE", (("box", state.offers.asked[0][0] if state.offers.asked else 0),))
        case "play":
            return _play(state)
        case "draw":
            return _draw(state)
        case "peek" | "reveal" | "complete" as phase:
            return Expected(_ALONE[phase])
        case phase:
            assert_never(phase)


def unread_card(state: TableState) -> int:
    """Number of the first card that keeps the round waiting for its rank, 0 where there is none."""
    for fact in state.log:
        card = fact.obs
        if isinstance(card, CardSeen) and card.rank is None and fact.n in _waiting(state):
            return fact.n
    return 0


def _waiting(state: TableState) -> set[int]:
    """Numbers of unread cards that the round cannot go on without."""
    hole = state.dealer.hole
    numbers = {
        seen.n for index, seen in enumerate(state.dealer.cards) if seen.obs.rank is None and index != hole
    }
    for box in state.boxes:
        if box.void:
            continue
        for hand in box.hands:
            if hand.unread and (not hand.doubled or state.phase == COMPLETE):
                numbers |= {seen.n for seen in hand.cards if seen.obs.rank is None}
    return numbers


def _deal(state: TableState) -> Expected:
    target = state.due[0] if state.due else 0
    if target:
        return Expected("DEAL_BOX", (("box", target),))
    down = len(state.dealer.cards) == state.dealer.hole
    return Expected("DEAL_DEALER_DOWN" if down else "DEAL_DEALER")


def _play(state: TableState) -> Expected:
    box = state.boxes[state.box_at]
    owed = owed_at(box)
    if owed >= 0:
        hand = box.hands[owed]
        return Expected("CARD_OWED", (("box", box.box), ("hand", hand.number)))
    hand = box.hands[state.hand_at]
    return Expected("PLAYER", (("box", box.box), ("hand", hand.number), ("total", hand.total)))


def _draw(state: TableState) -> Expected:
    return Expected("STAND" if dealer_stands(state) else "DRAW", (("total", state.dealer.total),))


_CARD_DUE: Final[frozenset[ExpectedCode]] = frozenset(
    ("DEAL_BOX", "DEAL_DEALER", "DEAL_DEALER_DOWN", "CARD_OWED", "DRAW")
)
"""What is answered by a card out of the shoe, whatever anybody decides."""
_ALONE: Final[dict[Literal["peek", "reveal", "complete"], ExpectedCode]] = {
    "peek": "PEEK",
    "reveal": "REVEAL",
    "complete": "SETTLED",
}
"""Phases in which one thing is to be done, whatever else lies on the table."""


def owed_anywhere(state: TableState) -> bool:
    """Whether the deal, a hand or the dealer is owed the next card."""
    if state.phase == DEAL:
        return bool(state.due)
    if state.current is not None:
        return owed_at(state.boxes[state.box_at]) >= 0
    return state.phase == DRAW
