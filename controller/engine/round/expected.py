"""The next expected act of the dealer."""

from typing import Final, Literal, NamedTuple, assert_never

from controller.acts.catalogue import CardSeen
from controller.domain import Params
from controller.engine.constants import BETS, COMPLETE, DEAL, DRAW
from controller.engine.dealer import dealer_stands
from controller.engine.round.play import owed_at
from controller.engine.settle.round_status import DISPUTED, VOIDED
from controller.engine.shoe.lifecycle import before_first_card, is_spent, needs_shuffle
from controller.engine.state import TableState

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
