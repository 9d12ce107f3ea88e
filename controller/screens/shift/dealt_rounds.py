"""Rounds as the history has them, for the pit's pages: amounts by bettor, payouts, hands, stops."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any, NamedTuple

from controller.history.history import FINAL, History, Row
from controller.history.shift import PHASES, SECOND_US, PhaseName

Bettor = tuple[int, int]
"""Box and seat."""


class Payment(NamedTuple):
    """An entered payout of a bettor, by a person or device, and the amount due at that time."""

    paid: int
    due: int
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
    for row in history.rows(f"SELECT * FROM round {where} ORDER BY round", place):
        number = row["round"]
        yield DealtRound(
            **_fields(row),
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


def _fields(row: Row) -> dict[str, Any]:
    alike = ("shoe", "dealer", "status", "first_seq", "last_seq", "began_us", "last_us", "won", "win")
    counts = ("opened", "variance", "cards", "by_hand", "misread")
    return {
        **{name: row[name] for name in (*alike, *counts)},
        "number": row["round"],
        "settled_us": row["pay_us"] or 0,
        "ended": row["ended"] is not None,
        "insured": bool(row["insured"]),
        "accepted": bool(row["accepted"]),
        "ruled": bool(row["corrected"]),
    }


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
        payment = Payment(
            one["paid"], one["due"], one["how"], one["by"] or one["role"], one["us"], one["seq"]
        )
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
