"""Keeps the history of the shift up to date: each entry of the journal is read once."""

import asyncio
import json
from collections.abc import Iterable
from itertools import takewhile
from typing import Final

from controller.history.entry_line import EntryLine
from controller.history.history import History, Row
from controller.history.shift import shift_row
from controller.runtime.api import AuditLine, TablePort
from controller.runtime.snapshot import BROKEN
from controller.screens.shift.dealt_rounds import DealtRound, dealt_rounds

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
            if _is_read(line, body):
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
    def dealing(self) -> str:
        """The present dealer, "" without a signed-in dealer."""
        return self.history.dealing

    @property
    def shoe(self) -> int:
        """The number of the shoe in place, counted over the day."""
        return self.history.shoe

    @property
    def finished(self) -> list[DealtRound]:
        """The rounds of the day that have a result, in order."""
        return [one for one in self.rounds.values() if one.has_result]

    @property
    def kinds(self) -> list[str]:
        """The kinds of all entries."""
        return [row["kind"] for row in self.history.rows("SELECT DISTINCT kind FROM entry ORDER BY kind")]

    @property
    def broken(self) -> tuple[int, str] | None:
        """The first entry that breaks the journal's chain, and the code of the fault."""
        found = self.history.rows(
            "SELECT seq, code FROM entry WHERE kind = ? ORDER BY seq LIMIT 1", (BROKEN,)
        )
        return (found[0]["seq"], found[0]["code"]) if found else None


def entry_line(line: AuditLine) -> EntryLine:
    """A line of the audit trail as the history takes it."""
    body = json.loads(line.body)
    fields = {} if "unreadable" in body else body
    return EntryLine(line.seq, line.kind, line.at_utc_us, line.round, line.actor, fields, line.caused_by)


def _is_read(line: AuditLine, body: dict[str, object]) -> bool:
    """Whether the entry is a card that a device has read."""
    by_device = line.kind == "fact" and line.actor.startswith("device:")
    return by_device and body.get("obs") == "card" and body.get("rank") is not None


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
