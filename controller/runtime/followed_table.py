"""A table that another controller plays: its journal, as far as it has arrived, in; snapshots out.

The journal belongs to another program: the archive's, which grows, or a closed one. Nothing is written to
it, and the table takes no command from here.
"""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Final

from controller.domain import JournalError
from controller.engine.state import TableState
from controller.journal.entry import trusted
from controller.journal.heads import opened_of
from controller.journal.store import JournalReader
from controller.ports import DeviceState, Health
from controller.runtime.api import (
    Accepted,
    AuditLine,
    Command,
    HoldView,
    Mode,
    Params,
    Rejected,
    TableSnapshot,
)
from controller.runtime.ledger import Ledger
from controller.runtime.restore import SYSTEM, follow, opened_by
from controller.runtime.snapshot import SnapshotHub, audit_lines, closed_round, secrets_of, snapshot_of

SLICE: Final = 200
"""Entries that are folded at once, some 20 ms: between two slices a live table on this machine goes on."""


CONTRADICTS: Final = "RECORD_CONTRADICTS"
"""Code of the stop over a record that contradicts itself, or what was kept of it."""

BROKEN: Final = "CHAIN_BROKEN"


class FollowedTable:
    """A `TablePort` (`controller.runtime.api`) that refuses everything. Used on the loop, but `fold`."""

    def __init__(self, path: Path, utc_us: Callable[[], int]) -> None:
        """Begin with the first entry. Raises `JournalError` where there is none to read."""
        self.path: Final = path
        self._utc_us = utc_us
        self._seen: tuple[tuple[int, int], ...] = ()
        self._contradicted: HoldView | None = None
        self._unreadable: HoldView | None = None
        with _reading(path) as journal:
            self._mode = _mode_of(journal)
            found = next(journal.read(), None)
            if found is None:
                raise JournalError("NOT_OPENED", seq=1, kind="-")
            self.ledger: Ledger = opened_by(trusted(found))
        self.hub: Final = SnapshotHub(self._snapshot())
        self._shown = self._state()

    def fold(self) -> bool:
        """Fold a slice of the new entries, in any thread; return whether there may be more.

        Only one call may run at a time. An entry that contradicts its predecessor ends the following, see
        `doubt`. An unreadable entry stops it until it can be read.
        """
        seen = files_state(self.path)
        if self._contradicted is not None or seen == self._seen:
            return False
        try:
            with _reading(self.path) as journal:
                new = [trusted(entry) for entry in islice(journal.read(self.ledger.seq + 1), SLICE)]
                ledger = self.ledger
                for entry in new:
                    ledger = follow(ledger, entry)
                self.ledger = ledger
        except JournalError as error:
            if error.code == BROKEN:
                self.doubt(error)
            else:
                self._unreadable = self._unreadable or self._hold(error.code, tuple(error.params.items()))
            return False
        self._unreadable = None
        if len(new) < SLICE:
            self._seen = seen
        return len(new) == SLICE

    def doubt(self, error: JournalError) -> None:
        """Show a stop: an entry contradicts the earlier ones, and nothing newer is shown."""
        if self._contradicted is None:
            self._contradicted = self._hold(CONTRADICTS, (("reason", error.code),))

    def publish(self) -> None:
        """Publish the changes since the last call."""
        if self._state() != self._shown:
            self._shown = self._state()
            self.hub.publish(self._snapshot())

    async def submit(self, _command: Command, *_then: Command) -> Accepted | Rejected:
        """Refuse: only the table's own controller takes commands."""
        return Rejected("TABLE_ELSEWHERE")

    def closed_round(self, number: int) -> TableState | None:
        """Return the closed round of this number as screens may see it; None if it is no longer kept."""
        return closed_round(self.ledger, number)

    async def audit(self, from_seq: int, limit: int) -> tuple[AuditLine, ...]:
        """At most `limit` entries from `from_seq` on, up to the newest one that is folded."""
        return await asyncio.to_thread(self._audit, self.ledger, from_seq, limit)

    def _audit(self, ledger: Ledger, from_seq: int, limit: int) -> tuple[AuditLine, ...]:
        """Return folded entries only: whether a later one must be hidden is not known yet."""
        folded = max(ledger.seq + 1 - from_seq, 0)
        with _reading(self.path) as journal:
            return audit_lines(islice(journal.read(from_seq), folded), limit, secrets_of(ledger))

    def _snapshot(self) -> TableSnapshot:
        return snapshot_of(
            self.ledger,
            at_utc_us=self.ledger.at_utc_us or self._utc_us(),
            mode=self._mode,
            health=_devices(self.ledger),
            faults=self._faults(),
            kept=0,
            autoplay=None,
        )

    def _state(self) -> tuple[int, tuple[HoldView, ...]]:
        """Return the inputs of a snapshot."""
        return self.ledger.seq, self._faults()

    def _faults(self) -> tuple[HoldView, ...]:
        return tuple(one for one in (self._contradicted, self._unreadable) if one is not None)

    def _hold(self, code: str, params: Params) -> HoldView:
        return HoldView(code, params, self._utc_us(), SYSTEM)


@contextmanager
def _reading(path: Path) -> Iterator[JournalReader]:
    """Open the journal for each reading: without a log it is read as one that never changes."""
    journal = JournalReader(path)
    try:
        yield journal
    finally:
        journal.close()


def _devices(ledger: Ledger) -> Iterator[Health]:
    """Yield the devices in their last journalled state; the journal does not contain their kinds."""
    for name, entered in ledger.devices:
        state: DeviceState = "lost" if entered == "lost" else "stale" if entered == "stale" else "live"
        yield Health(name, "other", state, "", None, "")


def files_state(path: Path) -> tuple[tuple[int, int], ...]:
    """Return the times and sizes that change with each write to the journal or its log."""
    found = [file.stat() for file in (path, Path(f"{path}-wal")) if file.exists()]
    return tuple((one.st_mtime_ns, one.st_size) for one in found)


def _mode_of(journal: JournalReader) -> Mode:
    """Return the mode by the last start: a live table or a simulation."""
    started = journal.of_kind("started")
    return "simulation" if started and opened_of(started[-1][1]).get("mode") == "simulation" else "live"
