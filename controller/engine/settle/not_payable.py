"""Payouts with a part of a unit, in a house that rounds none: they wait until the pit enters them (G-01)."""

from dataclasses import replace

from controller.acts.catalogue import Paid
from controller.domain import BetResult, Params, RuleSet
from controller.engine.errors import RuleRefusal
from controller.engine.settle.settlement import settle
from controller.engine.state import TableState

NOT_PAYABLE = "NOT_PAYABLE"


def rounded_down(rules: RuleSet) -> RuleSet:
    """The same rules with a part of a unit left to the house."""
    return rules._replace(rounding="house")


def unpayable(state: TableState) -> tuple[BetResult, ...]:
    """Return the results whose payout is no whole number of units, rounded down."""
    found = []
    for bet in settle(state, rounded_down(state.book.rules)):
        box = next(box for box in state.boxes if box.box == bet.box)
        alone = replace(box, bets=tuple([one for one in box.bets if one[0] == bet.seat]))
        try:
            settle(replace(state, boxes=(alone,)), state.book.rules)
        except RuleRefusal:
            found.append(bet)
    return tuple(found)


def waiting(state: TableState) -> tuple[BetResult, ...]:
    """Return the unpayable results for which no supervisor has entered a payout."""
    known = [fact.obs for fact in state.log if isinstance(fact.obs, Paid) and fact.ruled]
    entered = {(paid.box, paid.seat) for paid in known}
    return tuple([bet for bet in unpayable(state) if (bet.box, bet.seat) not in entered])


def wanted(bet: BetResult) -> Params:
    """Return the parameters of an unpayable result's hold: box, seat, and the amount rounded down."""
    return (("box", bet.box), ("seat", bet.seat), ("expected", bet.returned))
