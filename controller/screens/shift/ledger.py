"""The ledger, box by box: staked, due, paid, and the source of the payout; differences first."""

from collections.abc import Iterable
from typing import Final

from controller.policy.money import HowKnown
from controller.screens.shapes.view import Outcome
from controller.screens.shapes.words import Money, ViewModel
from controller.screens.shift.dealt_rounds import Bettor, DealtRound
from controller.screens.shift.reader import LiveShift
from controller.screens.shift.sentences import moved, plain

ROWS_MAX: Final = 60
"""Rows without a difference; the rounds of the day have every other one."""


class LedgerRow(ViewModel):
    """One bettor's stake, result and payout in a round.

    `hands` are the bettor's totals as on the layout ("20", "BJ", "18 · 20"), `results` one per hand. `due`
    and `paid` are the signed amounts beside the stake; `paid` and `difference` are None while no payout was
    reported. `was` is the entry before a correction of the payout.
    """

    round: int
    box: int
    seat: int
    hands: str
    results: tuple[Outcome, ...]
    stake: Money
    due: Money
    paid: Money | None
    difference: Money | None
    differs: bool
    was: Money | None
    how: HowKnown | None
    by: str
    at_utc_us: int


class ShiftLedger(ViewModel):
    """Rows with an open difference first, then the newest; `more` counts the rows not listed.

    `differences` counts the open ones of the shift, `sum` is the players' surplus in them.
    """

    rows: tuple[LedgerRow, ...]
    more: int
    payouts: int
    differences: int
    sum: Money


def ledger_of(shift: LiveShift) -> ShiftLedger:
    """The ledger of the shift so far."""
    rounds = shift.finished
    differ = differing(rounds)
    newest = [(one, at) for one in reversed(rounds) for at in sorted(one.staked, reverse=True)]
    others = [place for place in newest if place not in differ]
    shown = [*reversed(differ), *others[:ROWS_MAX]]
    return ShiftLedger(
        rows=tuple(_ledger_row(one, at) for one, at in shown),
        more=max(0, len(others) - ROWS_MAX),
        payouts=sum(len(one.payments) + len(one.computed) for one in rounds),
        differences=len(differ),
        sum=moved(sum(one.difference(at) for one, at in differ)),
    )


def differing(rounds: Iterable[DealtRound]) -> list[tuple[DealtRound, Bettor]]:
    """Return the rounds and bettors with a difference that was not accepted."""
    return [(one, at) for one in rounds if one.is_open for at in one.payments if one.difference(at)]


def ledger_rows(played: DealtRound) -> tuple[LedgerRow, ...]:
    """The rows of one settled round, box by box."""
    return tuple(_ledger_row(played, bettor) for bettor in sorted(played.staked))


def _ledger_row(played: DealtRound, bettor: Bettor) -> LedgerRow:
    """Return one bettor's row."""
    staked, paid = played.staked.get(bettor, 0), played.paid(bettor)
    entered = played.payments.get(bettor, [])
    before = [one.paid for one in entered if one.paid != paid]
    return LedgerRow(
        round=played.number,
        box=bettor[0],
        seat=bettor[1],
        hands=" · ".join(total for box, total in played.hands if box == bettor[0]),
        results=tuple(played.results.get(bettor, ())),  # type: ignore[arg-type]  # the journal's words, checked here
        stake=plain(staked),
        due=moved(played.due(bettor) - staked),
        paid=None if paid is None else moved(paid - staked),
        difference=None if paid is None else moved(played.difference(bettor)),
        differs=played.difference(bettor) != 0,
        was=moved(before[-1] - staked) if before else None,
        how=entered[-1].how if entered else None if paid is None else "computed",  # type: ignore[arg-type]  # the journal's word, checked here
        by=entered[-1].by if entered else "",
        at_utc_us=entered[-1].at_utc_us if entered else played.settled_us,
    )
