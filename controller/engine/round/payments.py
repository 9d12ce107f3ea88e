"""Payouts: the round that a payout belongs to, and its comparison with the settlement."""

from controller.acts.catalogue import Paid
from controller.domain import Alert, Money
from controller.engine.errors import refuse
from controller.engine.round import betting
from controller.engine.settle.not_payable import NOT_PAYABLE, unpayable
from controller.engine.settle.round_status import is_final
from controller.engine.state import TableState


def rounds(state: TableState, obs: Paid) -> bool:
    """Whether this payout rounds an amount that the house's chips cannot pay (G-01)."""
    if state.settlement.code != NOT_PAYABLE:
        return False
    return any((bet.box, bet.seat) == (obs.box, obs.seat) for bet in unpayable(state))


def due(state: TableState, box: int, seat: int) -> Money:
    """Return the amount due to a bettor; 0 for a seat without a bet. An unpayable amount is rounded down."""
    result = state.settlement.result
    bets = result.bets if result is not None else ()
    if state.settlement.code == NOT_PAYABLE:
        bets = unpayable(state)
    return next((bet.returned for bet in bets if (bet.box, bet.seat) == (box, seat)), Money(0))


def verify_paid(state: TableState, obs: Paid) -> None:
    """Refuse a payout of a round without a result, or to a seat without a bet in it.

    A seat that was paid before a ruling removed its bet may still enter a payout.
    """
    at = betting.find_box(state, obs.box)
    if not is_final(state.settlement.status) and not rounds(state, obs):
        refuse("ROUND_NOT_SETTLED", round=state.book.number)
    paid = any(entry[:2] == (obs.box, obs.seat) for entry in state.settlement.paid)
    if not paid and (at < 0 or obs.seat not in dict(state.boxes[at].bets)):
        refuse("NO_BET", box=obs.box, seat=obs.seat)


def payment_alerts(state: TableState, obs: Paid) -> tuple[Alert, ...]:
    """Return an alert when this round's payout differs from its settlement."""
    if state.settlement.result is None:
        return ()
    expected = due(state, obs.box, obs.seat)
    if obs.amount == expected:
        return ()
    params = (("box", obs.box), ("seat", obs.seat), ("paid", Money(obs.amount)), ("expected", expected))
    return (Alert("WRONG_PAYOUT", "critical", state.book.number, params),)
