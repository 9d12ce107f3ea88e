"""What was handed back: which round it is told of, and whether it is what the settlement says."""

from controller.domain.money import Money
from controller.domain.notices import Alert
from controller.domain.observations import Paid
from controller.engine.errors import refuse
from controller.engine.round import betting
from controller.engine.settle.round_status import is_final
from controller.engine.state import TableState


def verify_paid(state: TableState, obs: Paid) -> None:
    """Refuse a payout of a round that has no result yet, or of somebody who had no bet in it."""
    at = betting.find_box(state, obs.box)
    if not is_final(state.settlement.status):
        refuse("ROUND_NOT_SETTLED", round=state.book.number)
    if at < 0 or obs.seat not in dict(state.boxes[at].bets):
        refuse("NO_BET", box=obs.box, seat=obs.seat)


def payment_alerts(state: TableState, obs: Paid) -> tuple[Alert, ...]:
    """An alert where this payout, told of this round, is not what its settlement says."""
    result = state.settlement.result
    if result is None:
        return ()
    due = next((bet.returned for bet in result.bets if (bet.box, bet.seat) == (obs.box, obs.seat)), Money(0))
    if obs.amount == due:
        return ()
    params = (("box", obs.box), ("seat", obs.seat), ("paid", Money(obs.amount)), ("expected", due))
    return (Alert("WRONG_PAYOUT", "critical", state.book.number, params),)
