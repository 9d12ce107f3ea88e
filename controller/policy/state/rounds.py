"""Lookups in the running round and the closed rounds."""

from typing import Final

from controller.acts.catalogue import Bet, CardSeen
from controller.domain import RANKS, SUITS, Params, Suit
from controller.engine.constants import ACTIVE, BURNED, DEAL, STRUCK
from controller.engine.dealer import hidden_hole
from controller.engine.facts import Fact, Fault
from controller.engine.hands import hole_of
from controller.engine.round.betting import deal_order
from controller.engine.round.payments import due
from controller.engine.settle.round_status import VOIDED, is_final, standing_faults
from controller.engine.shoe.composition import hide, too_many
from controller.engine.state import Hand, TableState


def round_of(state: TableState, number: int) -> TableState | None:
    """Return the round of this number; None when it is not kept any more."""
    if number == state.book.number:
        return state
    return next((old for old in state.book.past if old.book.number == number), None)


def rounds_begun(state: TableState) -> int:
    """The number of the last round that a bet or a card has begun, 0 without any."""
    is_begun = any(isinstance(fact.obs, Bet | CardSeen) for fact in state.log)
    return state.book.number if is_begun else state.book.number - 1


def card_fact(state: TableState, number: int) -> Fact | None:
    """The fact of the card of this number in the round."""
    return next((fact for fact in state.log if fact.n == number and number), None)


def is_out(fact: Fact) -> bool:
    """Whether a card was struck or burned."""
    return fact.at in (STRUCK, BURNED)


def faults_of(state: TableState) -> tuple[tuple[Fault, int], ...]:
    """The faults that keep the round from settling, each with the number of its card (0: no card)."""
    if is_void(state):
        return ()
    return tuple([(fault, state.log[fault.fact].n) for fault in standing_faults(state)])


def is_void(state: TableState) -> bool:
    """Whether the whole round was voided."""
    return state.settlement.status == VOIDED


def missed(state: TableState) -> int | None:
    """Return the target that the deal passed over: a box, 0 for the dealer, None when the order was kept."""
    if state.phase != DEAL or not state.due:
        return None
    boxes = tuple([box.box for box in state.boxes if not box.void])
    order = deal_order(state.book.rules, boxes)
    return None if order[-len(state.due) :] == state.due else state.due[0]


def may_act(state: TableState, number: int) -> bool:
    """Whether a hand of this box may still act."""
    hands = [hand for box in state.boxes if box.box == number and not box.void for hand in box.hands]
    return any(hand.status == ACTIVE for hand in hands)


def hands_of(state: TableState, number: int) -> tuple[Hand, ...]:
    """Return the hands of this box; none without a bet."""
    return next((box.hands for box in state.boxes if box.box == number), ())


def waits_for_rank(state: TableState, number: int) -> bool:
    """Whether the card of this number still needs its rank."""
    fact = card_fact(state, number)
    if fact is None or is_out(fact) or is_void(state) or not isinstance(fact.obs, CardSeen):
        return False
    lying = {seen.n for box in state.boxes if box.void for hand in box.hands for seen in hand.cards}
    return fact.obs.rank is None and number not in lying


def is_one_too_many(table: TableState, state: TableState, number: int) -> bool:
    """Whether more cards of this card's kind were counted than the shoe contains."""
    fact = card_fact(state, number)
    if fact is None or is_out(fact) or not isinstance(fact.obs, CardSeen):
        return False
    return too_many(table.shoe, fact.obs.rank, fact.obs.suit)


def payout_differs(state: TableState, box: int, seat: int) -> bool:
    """Whether a known payout of this bettor differs from the amount due.

    A void round returns the stakes. While a round is open again or disputed, no amount is due yet: a payout
    of 0 must not pass for a correct one.
    """
    paid = next((entry[2] for entry in state.settlement.paid if entry[:2] == (box, seat)), None)
    settled = is_final(state.settlement.status)
    return paid is not None and not (settled and due(state, box, seat) == paid)


TOO_MANY: Final = frozenset({"TOO_MANY_OF_A_KIND", "REST_CARD_EXTRA"})
"""Alerts that a card may explain which was never turned."""


def names_unturned(state: TableState, params: Params) -> bool:
    """Whether a kind is surplus only because a card that was never turned belongs to it.

    In a house that shuffles each round, the count contains no earlier round.
    """
    fields = dict(params)
    rank, suit = fields.get("rank"), fields.get("suit") or None
    if state.book.rules.shuffled_each_round:
        return False
    shoe = state.shoe
    for kept in state.book.past:
        hole = hole_of(kept.dealer)
        same = kept.shoe.number == shoe.number and hidden_hole(kept.dealer)
        if same and hole is not None and hole.n > kept.shoe.earlier and hole.obs.rank == rank:
            shoe = hide(shoe, hole.card)
    return shoe is not state.shoe and not any(
        too_many(shoe, known, colour) for known in RANKS if known == rank for colour in _suits(suit)
    )


def _suits(suit: object) -> tuple[Suit | None, ...]:
    return tuple(known for known in SUITS if known == suit) or (None,)
