"""Bets that come too late: refused, as the rules have it, and the pit gets one alert."""

from typing import Final, Literal

from controller.acts.catalogue import Bet
from controller.domain import Alert, Params
from controller.engine.constants import Phase
from controller.engine.shoe.lifecycle import before_first_card
from controller.engine.state import TableState
from controller.policy.state.counted_chips import entered_stake
from controller.policy.state.line import TableLine
from controller.policy.state.line_person import DEVICES

LATE_BET: Final = "LATE_BET"
TOO_LATE: Final = "BETS_CLOSED"
"""How the rules refuse it. While the table waits no bet is taken, late or not, and none is alerted."""

Stage = Literal["closed", "deal", "insurance", "play", "dealer"]
"""How far the round had come: no card yet, the deal, the ace's offers and the check, hands, the dealer."""

_STAGES: Final[dict[Phase, Stage]] = {
    "deal": "deal",
    "insurance": "insurance",
    "peek": "insurance",
    "play": "play",
    "reveal": "dealer",
    "draw": "dealer",
    "complete": "dealer",
}


def late_bet(state: TableState, line: TableLine) -> Alert | None:
    """Return the alert of a bet refused as `TOO_LATE`; None for a device, or a stake that lies there already.

    The alert is a warning without a hold: nothing has changed on the layout. A chip source's reading after
    the first card begins the hold STAKE_CHANGED instead. A stake of 0 is an attempt to take a bet back.
    """
    bet = line.observation
    if not isinstance(bet, Bet) or line.by.role in DEVICES:
        return None
    laid = next((dict(box.bets).get(bet.seat, 0) for box in state.boxes if box.box == bet.box), 0)
    if bet.stake in (laid, entered_stake(state, bet.box, bet.seat)):
        return None
    stage: Stage = "closed" if before_first_card(state) else _STAGES[state.phase]
    params: Params = (("box", bet.box), ("seat", bet.seat), ("stake", bet.stake), ("stage", stage))
    return Alert(LATE_BET, "warning", state.book.number, params)


def is_same_bet(one: Alert, other: Alert) -> bool:
    """Whether two alerts concern the same bet in the same round, at any stage of the round."""
    return _bet_of(one) == _bet_of(other)


def _bet_of(alert: Alert) -> tuple[object, ...]:
    params = dict(alert.params)
    return alert.code, alert.round, params.get("box"), params.get("seat"), params.get("stake")
