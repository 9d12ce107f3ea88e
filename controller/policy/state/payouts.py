"""Payouts: the amount due, the amount paid, its source, and the unconfirmed payouts."""

from typing import Literal, NamedTuple

from controller.acts.catalogue import Paid
from controller.acts.money import PayoutKnown
from controller.domain import BetResult, Money, TableError
from controller.engine.round.payments import due
from controller.engine.settle.round_status import SETTLED
from controller.engine.settle.settlement import AT_ONCE
from controller.engine.state import TableState
from controller.policy.state.line_person import DEVICES, PIT_ROLES, Person
from controller.policy.state.options import TableOptions
from controller.policy.state.rounds import is_void, round_of

HowKnown = PayoutKnown | Literal["computed"]
"""`computed`: nobody has confirmed it, the next bet or the cleared table says that it was paid as settled."""


class Payout(NamedTuple):
    """One payout in the books; amounts include the stakes that are handed back."""

    round: int
    box: int
    seat: int
    expected: Money
    paid: Money
    how: HowKnown

    @property
    def difference(self) -> Money:
        """The amount that the bettor got too much; negative when the bettor got too little."""
        return Money(self.paid - self.expected)


def payout_of(state: TableState, given: Paid, by: Person) -> Payout | None:
    """Return the payout of a report; None when its round is not kept any more."""
    number = given.round or state.book.number
    within = round_of(state, number)
    if within is None or within.settlement.result is None:
        return None
    expected = due(within, given.box, given.seat)
    how = known(given, by, expected)
    return Payout(number, given.box, given.seat, expected, Money(given.amount), how)


def known(given: Paid, by: Person, expected: Money) -> PayoutKnown:
    """Return the source of an amount; a person's line with the due amount and no source is a confirmation."""
    if by.role in DEVICES:
        return "measured"
    if given.how is not None:
        return given.how
    return "confirmed" if given.amount == expected else "entered"


def not_confirmed(state: TableState) -> tuple[Payout, ...]:
    """Return the unreported payouts of this settled round, by box and seat."""
    number = state.book.number
    return tuple(
        [
            Payout(number, bet.box, bet.seat, bet.returned, bet.returned, "computed")
            for bet in not_entered(state)
            if bet.returned
        ]
    )


def not_entered(state: TableState) -> tuple[BetResult, ...]:
    """Return the bettors of this settled round whose payout was not reported.

    A stake that was lost or halved during play is taken at once, without a later report.
    """
    settlement = state.settlement
    if settlement.status != SETTLED or settlement.result is None:
        return ()
    found = {entry[:2] for entry in settlement.paid}
    return tuple(
        [
            bet
            for bet in settlement.result.bets
            if (bet.box, bet.seat) not in found and any(part.outcome not in AT_ONCE for part in bet.parts)
        ]
    )


def require_payouts(state: TableState, options: TableOptions) -> None:
    """Raise PAYOUT_NOT_TOLD where the house wants every payout reported before the table goes on."""
    if not options.paid_by_next_bet:
        for bet in not_entered(state):
            raise TableError("PAYOUT_NOT_TOLD", box=bet.box, seat=bet.seat)


def require_known_way(state: TableState, given: Paid, by: Person, options: TableOptions) -> None:
    """Raise PAYOUT_TO_ENTER where a tap confirms winnings, and the house enters or measures them.

    A stake that is taken or stays is confirmed with a tap in every house: nothing was given. So is a
    correction of a payout that has been reported before.
    """
    confirms = given.how == "confirmed" and by.role not in PIT_ROLES
    within = round_of(state, given.round or state.book.number)
    if not confirms or options.payouts in ("confirm", None) or within is None or is_void(within):
        return
    result = within.settlement.result
    if any(entry[:2] == (given.box, given.seat) for entry in within.settlement.paid):
        return
    for bet in result.bets if result is not None else ():
        if (bet.box, bet.seat) == (given.box, given.seat) and winnings(bet):
            raise TableError("PAYOUT_TO_ENTER", box=bet.box, seat=bet.seat)


def winnings(bet: BetResult) -> Money:
    """Return the bettor's winnings without the stakes; 0 when the dealer gives nothing."""
    return Money(sum([max(part.returned - part.stake, 0) for part in bet.parts]))
