"""What the table waits for next: the instruction for the dealer."""

from typing import NamedTuple

from controller.domain.observations import CardSeen
from controller.engine.constants import BETS, COMPLETE, DEAL, DRAW, INSURANCE, PEEK, PLAY, REVEAL
from controller.engine.hands import must_draw
from controller.engine.play import owed_at
from controller.engine.round_status import DISPUTED, VOIDED
from controller.engine.state import TableState

Params = tuple[tuple[str, int | str], ...]


class Expected(NamedTuple):
    """A code for `line.<code>` in the catalogues and what fills its text."""

    code: str
    params: Params = ()

    def get(self, key: str) -> int | str | None:
        """One parameter, None where the code has none of that name."""
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
    if state.shoe.burn_due and state.phase in (BETS, DEAL):
        return Expected("BURN", (("count", state.shoe.burn_due),))
    return _BY_PHASE[state.phase](state)


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


def _bets(state: TableState) -> Expected:
    if state.book.shuffle_due:
        return Expected("NEW_SHOE", (("decks", state.shoe.decks),))
    return Expected("PLACE_BETS")


def _deal(state: TableState) -> Expected:
    target = state.due[0] if state.due else 0
    if target:
        return Expected("DEAL_BOX", (("box", target),))
    down = len(state.dealer.cards) == state.dealer.hole
    return Expected("DEAL_DEALER_DOWN" if down else "DEAL_DEALER")


def _insurance(state: TableState) -> Expected:
    return Expected("INSURANCE", (("box", state.offers.asked[0][0] if state.offers.asked else 0),))


def _peek(_: TableState) -> Expected:
    return Expected("PEEK")


def _play(state: TableState) -> Expected:
    box = state.boxes[state.box_at]
    owed = owed_at(box)
    if owed >= 0:
        hand = box.hands[owed]
        return Expected("CARD_OWED", (("box", box.box), ("hand", hand.number)))
    hand = box.hands[state.hand_at]
    return Expected("PLAYER", (("box", box.box), ("hand", hand.number), ("total", hand.total)))


def _reveal(_: TableState) -> Expected:
    return Expected("REVEAL")


def _draw(state: TableState) -> Expected:
    dealer = state.dealer
    if len(dealer.cards) > 1 and not must_draw(dealer, state.book.rules.dealer_hits_soft_17):
        return Expected("STAND", (("total", dealer.total),))
    return Expected("DRAW", (("total", dealer.total),))


def _complete(_: TableState) -> Expected:
    return Expected("SETTLED")


_BY_PHASE = {
    BETS: _bets,
    DEAL: _deal,
    INSURANCE: _insurance,
    PEEK: _peek,
    PLAY: _play,
    REVEAL: _reveal,
    DRAW: _draw,
    COMPLETE: _complete,
}
