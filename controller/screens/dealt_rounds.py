"""The rounds of the shift as the history has them, kept up to date: amounts, payouts, hands, stops."""

import asyncio
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby, takewhile
from typing import Any, Final, NamedTuple

from controller.history.entry_line import EntryLine
from controller.history.history import FINAL, PHASES, SECOND_US, History, PhaseName, Row, shift_row
from controller.policy.money import HowKnown
from controller.runtime.api import AuditLine, TablePort
from controller.screens.felt import Bettor
from controller.screens.view import Outcome
from controller.screens.words import Money, ViewModel, money, moved


class Payment(NamedTuple):
    """An entered payout of a bettor, by a person or device."""

    paid: int
    how: str
    by: str
    at_utc_us: int
    seq: int


@dataclass(frozen=True, kw_only=True)
class DealtRound:
    """One round; see table `round` of the history for the meaning of its fields.

    `returned` is the amount due, `payments` are the entered payouts, `computed` the bettors whose payout was
    assumed. `hands` are (box, total), "BJ" for a blackjack; `results` the outcomes of each bettor's hands;
    `best` the outcome of the bettor's best part.
    """

    number: int
    shoe: int = 1
    dealer: str = ""
    status: str = "settled"
    first_seq: int = 0
    last_seq: int = 0
    began_us: int = 0
    settled_us: int = 0
    last_us: int = 0
    ended: bool = False
    won: int = 0
    win: int = 0
    opened: int = 0
    variance: float = 0.0
    cards: int = 0
    by_hand: int = 0
    misread: int = 0
    insured: bool = False
    accepted: bool = False
    ruled: bool = False
    """A ruling on it stands, which is no dealer's undo."""
    staked: dict[Bettor, int] = field(default_factory=dict)
    returned: dict[Bettor, int] = field(default_factory=dict)
    opening: dict[Bettor, int] = field(default_factory=dict)
    best: dict[Bettor, str] = field(default_factory=dict)
    results: dict[Bettor, list[str]] = field(default_factory=dict)
    payments: dict[Bettor, list[Payment]] = field(default_factory=dict)
    computed: frozenset[Bettor] = frozenset()
    hands: Sequence[tuple[int, str]] = ()
    bank: str = ""
    """The dealer's total as settled, "BJ" for a blackjack."""
    bank_bust: bool = False
    stops: Sequence[str] = ()
    answers: Sequence[tuple[int, int]] = ()
    certainties: Sequence[float] = ()
    seconds: dict[PhaseName, float] = field(default_factory=dict)

    @property
    def has_result(self) -> bool:
        """Whether the round was settled or voided, or ended in dispute."""
        return self.status in FINAL or (self.status == "disputed" and self.ended)

    def due(self, bettor: Bettor) -> int:
        """Return the amount due to a bettor by the present settlement, stake included."""
        return self.returned.get(bettor, 0)

    def paid(self, bettor: Bettor) -> int | None:
        """Return the payout of a bettor; None when it was not reported.

        A payout of 0 is not reported: the chips were taken by the end of the round.
        """
        known = self.payments.get(bettor)
        if known:
            return known[-1].paid
        taken = bettor in self.computed or (self.ended and self.due(bettor) == 0)
        return self.due(bettor) if taken else None

    def difference(self, bettor: Bettor) -> int:
        """Return the bettor's surplus (below 0: shortage); 0 when nothing was entered or is due yet."""
        paid = self.paid(bettor) if self.status in FINAL else None
        return 0 if paid is None else paid - self.due(bettor)

    @property
    def differs(self) -> int:
        """The sum of the differences of its bettors, minor units."""
        return self.won - self.win

    @property
    def is_open(self) -> bool:
        """Whether a payout differs from the amount due and the difference was not accepted."""
        return not self.accepted and any(self.difference(bettor) for bettor in self.payments)

    @property
    def corrected(self) -> bool:
        """Whether the round has a ruling or a corrected payout."""
        return self.ruled or any(len({one.paid for one in known}) > 1 for known in self.payments.values())


class Day(NamedTuple):
    """A table's rounds of one day."""

    table: str
    rounds: Sequence[DealtRound]


def dealt_rounds(history: History, numbers: Iterable[int] | None = None) -> Iterator[DealtRound]:
    """The rounds of these numbers in order, all by default."""
    known = None if numbers is None else sorted(numbers)
    if known is None:
        yield from _between(history, 0, 2**62)
        return
    for _, run in groupby(enumerate(known), lambda pair: pair[1] - pair[0]):
        of_run = [number for _, number in run]
        yield from _between(history, of_run[0], of_run[-1])


_FIELDS: Final = (
    "round AS number, shoe, dealer, status, first_seq, last_seq, began_us, coalesce(pay_us, 0) AS settled_us,"
    " last_us, ended IS NOT NULL AS ended, won, win, opened, variance, cards, by_hand, misread,"
    " insured > 0 AS insured, accepted > 0 AS accepted, corrected > 0 AS ruled"
)


def _between(history: History, first: int, last: int) -> Iterator[DealtRound]:
    place = (first, last)

    def by_round(sql: str) -> dict[int, list[Row]]:
        rows = history.rows(sql, place)
        return {number: list(of) for number, of in groupby(rows, lambda row: int(row["round"]))}

    where = "WHERE round BETWEEN ? AND ?"
    bets = by_round(f"SELECT * FROM bet {where} ORDER BY round, box, seat")
    parts = by_round(f"SELECT * FROM part {where} AND kind <> 'insurance' ORDER BY round, box, seat, nth")
    hands = by_round(f"SELECT * FROM hand {where} ORDER BY round, box, hand")
    payouts = by_round(f"SELECT * FROM payout {where} ORDER BY round, seq")
    stakes = by_round(f"SELECT * FROM stake {where} ORDER BY round")
    stops = by_round("SELECT within AS round, code FROM stop WHERE within BETWEEN ? AND ? AND asks = 0"
                     " ORDER BY within, seq")  # fmt: skip
    answers = by_round(f"SELECT round, box, took FROM answer {where} ORDER BY round, seq")
    sure = by_round(f"SELECT round, p FROM certainty {where} AND p IS NOT NULL ORDER BY round, seq")
    phases = by_round(f"SELECT round, name, took FROM phase {where} ORDER BY round, nth")
    for row in history.rows(f"SELECT {_FIELDS} FROM round {where} ORDER BY round", place):
        number = row["number"]
        yield DealtRound(
            **row,
            **_money(bets.get(number, ()), parts.get(number, ()), payouts.get(number, ())),
            **_hands(hands.get(number, ())),
            opening={
                (one["box"], one["seat"]): one["amount"] for one in stakes.get(number, ()) if one["amount"]
            },
            stops=[one["code"] for one in stops.get(number, ())],
            answers=[(one["box"], one["took"]) for one in answers.get(number, ())],
            certainties=[one["p"] for one in sure.get(number, ())],
            seconds={one["name"]: one["took"] / SECOND_US for one in phases.get(number, ())},
        )


def _money(bets: Iterable[Row], parts: Iterable[Row], payouts: Iterable[Row]) -> dict[str, Any]:
    staked, returned, best = {}, {}, {}
    for bet in bets:
        at = (bet["box"], bet["seat"])
        staked[at], returned[at], best[at] = bet["staked"], bet["returned"], bet["result"]
    results: dict[Bettor, list[str]] = {}
    for part in parts:
        results.setdefault((part["box"], part["seat"]), []).append(part["outcome"])
    payments: dict[Bettor, list[Payment]] = {}
    computed = set[Bettor]()
    for one in payouts:
        at = (one["box"], one["seat"])
        if one["how"] == "computed":
            computed.add(at)
            continue
        payment = Payment(one["paid"], one["how"], one["by"] or one["role"], one["us"], one["seq"])
        payments.setdefault(at, []).append(payment)
    return {
        "staked": staked,
        "returned": returned,
        "best": best,
        "results": results,
        "payments": payments,
        "computed": frozenset(computed - payments.keys()),
    }


def _hands(hands: Iterable[Row]) -> dict[str, Any]:
    named = [(one["box"], "BJ" if one["blackjack"] else str(one["total"] or "")) for one in hands]
    bust = any(one["bust"] for one in hands if one["box"] == 0)
    bank = next((text for box, text in named if box == 0), "")
    return {"hands": [one for one in named if one[0]], "bank": bank, "bank_bust": bust}


def mean_seconds(rounds: Sequence[DealtRound]) -> dict[PhaseName, float]:
    """The mean seconds of each part over the settled ones of these rounds."""
    settled = [one for one in rounds if one.status == "settled"]
    sums: dict[PhaseName, float] = {}
    for one in settled:
        for name, spent in one.seconds.items():
            sums[name] = sums.get(name, 0.0) + spent
    return {name: sums[name] / len(settled) for name in PHASES if name in sums}


LINES: Final = 500
"""Entries that are read at once; between two reads the table may write."""


class LiveShift:
    """A history that grows, with its rounds of the last day by number."""

    def __init__(self, history: History | None = None) -> None:
        """Go on with `history`, or begin before the first entry."""
        self.history: Final = history or History()
        self._rounds: dict[int, DealtRound] = {}
        self._day = self.history.day
        of_day = self.history.rows("SELECT round FROM round WHERE day = ?", (self._day,))
        self._touched = {row["round"] for row in of_day}
        self.seq = self.history.seq
        """The last entry read."""

    def take(self, lines: Iterable[EntryLine]) -> None:
        """Add the next entries."""
        self._touched |= self.history.take(lines)

    def take_certainties(self, lines: Iterable[AuditLine]) -> None:
        """Add how certain the cards of ended rounds were read."""
        found = []
        for line in lines:
            body = json.loads(line.body)
            by_device = line.kind == "fact" and line.actor.startswith("device:")
            if by_device and body.get("obs") == "card" and body.get("rank") is not None:
                found.append((line.seq, line.round or 0, body.get("p")))
                self._touched.add(line.round or 0)
        self.history.take_certainties(found)

    @property
    def rounds(self) -> dict[int, DealtRound]:
        """The rounds of the day."""
        self.select_rounds()
        return self._rounds

    def select_rounds(self) -> None:
        """Select the rounds that changed since the last time."""
        if self.history.day != self._day:
            self._day, self._rounds = self.history.day, {}
        if self._touched:
            of_day = {
                row["round"]
                for row in self.history.rows("SELECT round FROM round WHERE day = ?", (self._day,))
            }
            last = next(reversed(self._rounds), 0)
            changed = {one.number: one for one in dealt_rounds(self.history, self._touched & of_day)}
            self._rounds |= changed
            if any(number < last for number in changed):
                self._rounds = dict(sorted(self._rounds.items()))
            self._touched.clear()

    @property
    def row(self) -> Row:
        """The sums of the day; see view `shift`."""
        return shift_row(self.history)

    @property
    def finished(self) -> list[DealtRound]:
        """The rounds of the day that have a result, in order."""
        return [one for one in self.rounds.values() if one.has_result]


def entry_line(line: AuditLine) -> EntryLine:
    """A line of the audit trail as the history takes it."""
    body = json.loads(line.body)
    fields = {} if "unreadable" in body else body
    return EntryLine(line.seq, line.kind, line.at_utc_us, line.round, line.actor, fields, line.caused_by)


class ShiftReader:
    """Reads the new entries on each request; used on the table's loop."""

    def __init__(self, table: TablePort) -> None:
        """Begin unread."""
        self._table = table
        self._shift = LiveShift()
        self._next_read = 1
        self._aside: tuple[range, ...] = ()
        self._reading = asyncio.Lock()

    async def read(self) -> LiveShift:
        """The shift up to the newest entry."""
        async with self._reading:
            while lines := await self._table.audit(self._shift.seq + 1, LINES):
                known = [line for line in lines if not any(line.seq in one for one in self._aside)]
                self._shift.take(map(entry_line, known))
                self._shift.seq = lines[-1].seq
                aside = tuple(_aside(line) for line in lines if line.kind == "set_aside")
                if aside:
                    # Nothing followed from these entries: all is read again without them.
                    self._aside = (*self._aside, *aside)
                    self._shift, self._next_read = LiveShift(), 1
            return self._shift

    async def read_cards(self, running: int) -> LiveShift:
        """Read on, with the certainties of the cards of all rounds before the running one.

        Those of the running round wait: one of its cards may be face down.
        """
        shift = await self.read()
        async with self._reading:
            while lines := await self._table.audit(self._next_read, LINES):
                ended = list(takewhile(lambda line: (line.round or 0) < running, lines))
                shift.take_certainties(ended)
                self._next_read = ended[-1].seq + 1 if ended else self._next_read
                if len(ended) < len(lines):
                    return shift
            return shift


def _aside(line: AuditLine) -> range:
    body = json.loads(line.body)
    return range(int(body.get("seq", 0)), int(body.get("last", -1)) + 1)


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
        stake=money(staked),
        due=moved(played.due(bettor) - staked),
        paid=None if paid is None else moved(paid - staked),
        difference=None if paid is None else moved(played.difference(bettor)),
        differs=played.difference(bettor) != 0,
        was=moved(before[-1] - staked) if before else None,
        how=entered[-1].how if entered else None if paid is None else "computed",  # type: ignore[arg-type]  # the journal's word, checked here
        by=entered[-1].by if entered else "",
        at_utc_us=entered[-1].at_utc_us if entered else played.settled_us,
    )
