"""What the entries of a journal add up to, one after the other."""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from controller.engine.shoe.table_day import is_same_slip
from controller.runtime.api import AuditLine
from controller.runtime.snapshot.audit import BROKEN
from controller.screens.shift.day_rounds import DayRound, DayRounds
from controller.screens.shift.sentences import Body, amount_of, body_of
from controller.screens.shift.shoe_check import ShoeRecord

READ_STEPS: Final = (0, 60, 90, 99)
"""Certainties in per cent: below 60 and 90 a person is asked (the pad), and 99 is as good as certain."""


class HoldRecord(NamedTuple):
    """How often the table has waited for one reason, and for how long in all; `since` of one that stands."""

    times: int = 0
    waited_us: int = 0
    since: int | None = None


class FillRecord(NamedTuple):
    """A fill that counts: its slip, the amount in minor units, and when it came."""

    slip: str
    amount: int
    at_utc_us: int


class ShiftRecord:
    """The shift so far, since the table was last opened for the day."""

    def __init__(self) -> None:
        """Nothing has happened yet."""
        self.next_seq = 1
        self.day: Final = DayRounds()
        self.holds: dict[str, HoldRecord] = {}
        self.disputes = 0
        self.drops: list[tuple[str, int]] = []
        self.opened: int | None = None
        """What the float was counted as when the table opened, minor units; None where nobody has said so."""
        self.closed: int | None = None
        """What it was counted as at closing; None where it has not been, or the table was opened since."""
        self.fills: list[FillRecord] = []
        self.kinds: set[str] = set()
        self.broken: tuple[int, str] | None = None
        """The first entry that does not fit the journal's chain, and what is wrong with it."""
        self.reads: dict[int, int] = dict.fromkeys(READ_STEPS, 0)
        """Cards of ended rounds by their reader's certainty: the step that it reaches, per cent."""
        self.reads_unsaid = 0
        """Cards of a device that says nothing of its certainty."""
        self.next_read = 1
        self.shoe: Final = ShoeRecord()
        self.dealer = ""
        self._taken: Final[dict[str, Callable[[AuditLine, Body], None]]] = {
            "fact": self._fact,
            "held": self._held,
            "released": self._released,
            "resumed": self._resumed,
            "disputed": self._disputed,
        }

    def take(self, line: AuditLine) -> None:
        """Add the next entry."""
        self.next_seq = line.seq + 1
        self.kinds.add(line.kind)
        if line.kind == BROKEN:
            self.broken = self.broken or (line.seq, json.loads(line.body)["code"])
        body = body_of(line)
        if not body:
            return
        self.shoe.take(line.kind, line.seq, line.at_utc_us, body, first=not self.day.rounds)
        self.day.take(line, body, self.shoe.number, self.dealer)
        take = self._taken.get(line.kind)
        if take is not None:
            take(line, body)

    def take_read(self, line: AuditLine) -> None:
        """Count a card's certainty; the entry must be of a round that has ended."""
        self.next_read = line.seq + 1
        if line.kind != "fact" or not line.actor.startswith("device:"):
            return
        body = json.loads(line.body)
        if body.get("obs") != "card" or body.get("rank") is None:
            return
        certainty = body.get("p")
        if certainty is None:
            self.reads_unsaid += 1
        else:
            if (dealt := self.day.rounds.get(line.round or 0)) is not None:
                dealt.certainties.append(float(certainty))
            self.reads[max(step for step in READ_STEPS if step <= 100 * certainty)] += 1

    @property
    def drop(self) -> int:
        """What went into the box on this day."""
        return sum(amount for _, amount in self.drops)

    def _fact(self, line: AuditLine, body: Body) -> None:
        match body["obs"]:
            case "dealer":
                self.dealer = body["id"] if body["at"] == "in" else ""
            case "table" if body["state"] == "open":
                self.day.clear()
                self.holds, self.drops, self.closed, self.fills = {}, [], None, []
                self.disputes = 0
            case _:
                self._money(line, body)

    def _money(self, line: AuditLine, body: Body) -> None:
        match body["obs"]:
            case "drop":
                self.drops.append((body.get("slip") or "", body["amount"]))
            case "count" if body["at"] == "open":
                self.opened, self.closed = amount_of(body), None
            case "count" if body["at"] == "close":
                self.closed = amount_of(body)
            case "fill":
                self.fills.append(FillRecord(body["slip"], amount_of(body), line.at_utc_us))
            case "slip_void" if body["kind"] == "fill":
                self.fills = [fill for fill in self.fills if not is_same_slip(fill.slip, body["slip"])]
            case "slip_void" if body["kind"] == "drop":
                slip, nth = body.get("slip"), body.get("nth")
                self.drops = [
                    (number, 0 if at == nth or (slip and is_same_slip(number, slip)) else amount)
                    for at, (number, amount) in enumerate(self.drops, 1)
                ]

    def _held(self, line: AuditLine, body: Body) -> None:
        known = self.holds.get(body["code"], HoldRecord())
        since = line.at_utc_us if known.since is None else known.since
        self.holds[body["code"]] = known._replace(times=known.times + 1, since=since)

    def _released(self, line: AuditLine, body: Body) -> None:
        self._end(body["code"], line.at_utc_us)

    def _resumed(self, line: AuditLine, _body: Body) -> None:
        for code in self.holds:
            self._end(code, line.at_utc_us)

    def _disputed(self, _line: AuditLine, _body: Body) -> None:
        self.disputes += 1

    def _end(self, code: str, at_utc_us: int) -> None:
        known = self.holds.get(code)
        if known is not None and known.since is not None:
            waited = known.waited_us + at_utc_us - known.since
            self.holds[code] = known._replace(waited_us=waited, since=None)


class Day(NamedTuple):
    """A table's rounds of one day."""

    table: str
    rounds: Sequence[DayRound]


def days_of(lines: Iterable[AuditLine]) -> Iterator[Day]:
    """Each day of a journal, with the certainties of its cards.

    Those of its last round are left out: a card of it may still lie face down.
    """
    record, table = ShiftRecord(), ""
    rounds = record.day.rounds
    read: list[AuditLine] = []
    for line in lines:
        if line.kind == "opened":
            table = str(body_of(line).get("table", ""))
        record.take(line)
        if record.day.rounds is not rounds:
            yield Day(table, list(rounds.values()))
            rounds, read = record.day.rounds, []
        elif read and read[-1].round != line.round:
            for one in read:
                record.take_read(one)
            read = []
        read.append(line)
    yield Day(table, list(rounds.values()))
