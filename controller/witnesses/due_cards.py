"""The cards and hands that may still come, by the engine's state: turn, box, hand."""

from controller.engine.betting import close, hole_index
from controller.engine.hands import dealer_finished, hidden_hole
from controller.engine.state import ACTIVE, BETS, DEAL, DRAW, PLAY, REVEAL, Box, Hand, RuleRefusal, TableState
from controller.policy.holds import hands_of
from controller.witnesses.felt_view import DEALER_BOX


def still_to_act(state: TableState) -> list[tuple[Box, Hand]]:
    """The hand to act and those behind it that are not done."""
    return [
        (box, hand)
        for box_at, box in enumerate(state.boxes)
        for hand_at, hand in enumerate(box.hands)
        if (box_at, hand_at) >= (state.box_at, state.hand_at) and hand.status == ACTIVE
    ]


def open_hand(state: TableState, box: int, number: int) -> Hand | None:
    """Return an unfinished hand among those that may still act."""
    found = [hand for one, hand in still_to_act(state) if (one.box, hand.number) == (box, number)]
    return found[0] if state.phase == PLAY and found else None


def may_take(state: TableState, box: int) -> bool:
    """Whether a card may still come to a box, or the dealer: a vanished object there may have been one."""
    if state.phase in (BETS, DEAL):
        return box in state.due or state.phase == BETS
    if box == DEALER_BOX:
        return not dealer_finished(state)
    return any(hand.status == ACTIVE for hand in hands_of(state, box))


def open_boxes(state: TableState) -> frozenset[int]:
    """The boxes to which a card may still come, 0 the dealer."""
    return frozenset(box for box in (DEALER_BOX, *(one.box for one in state.boxes)) if may_take(state, box))


def cards_of_hands(state: TableState, *, done: bool) -> tuple[frozenset[str], ...]:
    """The names of the cards of each hand that is done, or that is not."""
    hands = [hand for box in state.boxes for hand in box.hands if (hand.status != ACTIVE) == done]
    return tuple(frozenset(seen.obs.id or "-" for seen in hand.cards) for hand in hands)


def due_box(state: TableState) -> int | None:
    """Return the target of the next card of the deal, 0 for the dealer; None when no card can come."""
    if state.phase == BETS:
        try:
            state = close(state)
        except RuleRefusal:
            return None
    return state.due[0] if state.due else None


def hole_comes_within(state: TableState, cards: int) -> bool:
    """Whether the dealer's face-down card is among the next `cards` cards of the deal."""
    if state.phase == BETS:
        try:
            state = close(state)
        except RuleRefusal:
            return False
    missing = hole_at(state) - len(state.dealer.cards)
    dealers = [place for place, box in enumerate(state.due) if box == DEALER_BOX]
    return state.phase == DEAL and 0 <= missing < len(dealers) and dealers[missing] < cards


def hole_at(state: TableState) -> int:
    """Return the index of the dealer's face-down card, -1 without one."""
    return hole_index(state.book.rules)


def hides_card_at(state: TableState, box: int | None) -> bool:
    """Whether an object at this box may be the secret card, lifted for a peek."""
    return box == DEALER_BOX and hidden_hole(state.dealer) and state.phase not in (REVEAL, DRAW)
