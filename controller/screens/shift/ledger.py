"""The ledger: box by box what was staked, due and paid, how that is known; differences first."""

from collections.abc import Iterable, Iterator
from typing import Final

from controller.policy.state.payouts import HowKnown
from controller.screens.shapes.base import ViewModel
from controller.screens.shapes.values import Money
from controller.screens.shapes.view import Outcome
from controller.screens.shift.day_rounds import Bettor, DayRound
from controller.screens.shift.record import ShiftRecord
from controller.screens.shift.sentences import moved, plain

ROWS_MAX: Final = 60
"""Rows without a difference; the rounds of the day have every other one."""

SIDE: Final = frozenset({"insurance"})
"""Parts of a bet that belong to no hand."""


class LedgerRow(ViewModel):
    """What one bettor staked, won and was paid in a round.

    `hands` are his totals as they stand on the felt ("20", "BJ", "18 · 20"), `results` one for each hand.
    `due` and `paid` are what changes hands on top of the stake, with a sign; `paid` and `difference` are None
    while nobody has said what was paid. `was` is what was entered before a correction of the payout.
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
    """Rows with an open difference first, then the newest; `more` are not listed.

    `differences` counts the open ones of the shift, `sum` is what the players got too much by them.
    """

    rows: tuple[LedgerRow, ...]
    more: int
    payouts: int
    differences: int
    sum: Money


def ledger_of(record: ShiftRecord) -> ShiftLedger:
    """The ledger of the shift so far."""
    rounds = [one for one in record.day.rounds.values() if one.settled]
    differ = differing(rounds)
    newest = [(one, at) for one in reversed(rounds) for at in sorted(one.staked, reverse=True)]
    others = [place for place in newest if place not in differ]
    shown = [*reversed(differ), *others[:ROWS_MAX]]
    return ShiftLedger(
        rows=tuple(ledger_row(one, at) for one, at in shown),
        more=max(0, len(others) - ROWS_MAX),
        payouts=sum(len(one.payments) for one in rounds),
        differences=len(differ),
        sum=moved(sum(one.difference(at) for one, at in differ)),
    )


def differing(rounds: Iterable[DayRound]) -> list[tuple[DayRound, Bettor]]:
    """Who got too much or too little in which of these rounds, and nobody has accepted it."""
    return [(one, at) for one in rounds if one.is_open for at in one.payments if one.difference(at)]


def ledger_rows(played: DayRound) -> tuple[LedgerRow, ...]:
    """The rows of one settled round, box by box."""
    return tuple(ledger_row(played, bettor) for bettor in sorted(played.staked))


def ledger_row(played: DayRound, bettor: Bettor) -> LedgerRow:
    """One bettor's row."""
    staked, paid = played.staked.get(bettor, 0), played.paid(bettor)
    entered = played.payments.get(bettor, [])
    before = [one.paid for one in entered if one.paid != paid]
    return LedgerRow(
        round=played.number,
        box=bettor[0],
        seat=bettor[1],
        hands=" · ".join(hand_names(played, bettor[0])),
        results=tuple(_results(played, bettor)),
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


def hand_names(played: DayRound, box: int) -> Iterator[str]:
    """The totals of a box's hands, "BJ" for a blackjack."""
    natural = {part["hand"] for part in _parts(played, box) if part["outcome"] in ("blackjack", "even_money")}
    for hand in played.settled.get("hands", ()):
        if hand["box"] == box:
            yield "BJ" if hand["hand"] in natural else str(hand["total"])


def _parts(played: DayRound, box: int) -> Iterator[dict[str, object]]:
    for bet in played.settled.get("bets", ()):
        if bet["box"] == box:
            yield from bet["parts"]


def _results(played: DayRound, bettor: Bettor) -> Iterator[Outcome]:
    for bet in played.settled.get("bets", ()):
        if (bet["box"], bet["seat"]) == bettor:
            yield from (part["outcome"] for part in bet["parts"] if part["kind"] not in SIDE)
