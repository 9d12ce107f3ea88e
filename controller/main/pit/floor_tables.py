"""Tables that are played elsewhere and whose journals come here: followed, with screens for the pit."""

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Coroutine, Iterable
from contextlib import closing
from pathlib import Path
from typing import Any, Final, NamedTuple

import structlog

from controller.domain.errors import JournalError
from controller.floor.days import day_of
from controller.floor.journal_archive import file_state
from controller.journal.entry import trusted
from controller.journal.heads import opened_of
from controller.journal.store import JournalReader
from controller.ports import Clock
from controller.runtime.checkpoint.followed import FollowedCheckpoint
from controller.runtime.failures import FailureLog
from controller.runtime.followed_table import FollowedTable
from controller.screens.remote_table import RemoteTable
from controller.screens.shapes.texts import cut
from controller.screens.shift.edge_finder import EdgeFinder
from controller.screens.table_screens import TableScreens

LOOK_S: Final = 0.5
"""Time between two looks for new entries and new journals."""

PAUSE_S: Final = 0.002
"""Rest between two slices: a live table in this process goes on in it."""


OLDER_DAYS: Final = 4
"""Days that stay folded after somebody has looked at them; a shift takes some ten megabytes."""


class FoundJournal(NamedTuple):
    """A journal, and what came for it that contradicts it; None where nothing does."""

    path: Path
    error: JournalError | None = None


class _Day(NamedTuple):
    """A journal before it is folded: whose it is, when it was begun, and its file."""

    table: str
    began_utc_us: int
    path: Path

    @property
    def names(self) -> tuple[str, str]:
        """How it is asked for: the day on which it was begun, UTC; its file without the ending."""
        return day_of(self.began_utc_us).isoformat(), self.path.stem


class _Followed(NamedTuple):
    table: FollowedTable
    screens: TableScreens
    broadcasting: "asyncio.Task[None]"


class FloorTables:
    """Used on one loop. Of a table with several journals the one that was begun last is followed."""

    def __init__(
        self,
        journals: Callable[[], Iterable[FoundJournal]],
        clock: Clock,
        report: Callable[[Path, JournalError], None] = lambda _path, _error: None,
        checkpoint: Callable[[Path], FollowedCheckpoint] | None = None,
        remote: Callable[[str], RemoteTable | None] = lambda _name: None,
    ) -> None:
        """`journals` finds the files, in a thread; `report` is given each that cannot be read.

        `checkpoint` says where the state of a journal is kept, so that it need not be folded whole again.
        `remote` gives where the table of a name can be reached.
        """
        self._remote = remote
        self._journals, self._clock, self._report = journals, clock, report
        self._checkpoint = checkpoint
        self.refused: Final[dict[Path, JournalError]] = {}
        """What came and cannot be read as a table at all."""
        self._days: dict[Path, _Day] = {}
        self._contradicted: dict[Path, JournalError] = {}
        self._followed: dict[str, _Followed] = {}
        self._older: dict[Path, _Followed] = {}
        self._drawn: dict[Path, int] = {}
        self._dropped: dict[Path, object] = {}
        self._failures = FailureLog(structlog.get_logger())
        self._looking, self._edge = asyncio.Lock(), EdgeFinder()
        self.screens: Final[dict[str, TableScreens]] = {}
        """By the tables' names, in their order; a table is there once its journal has been read whole."""
        self.opened: Final = asyncio.Event()
        """Set once the first table is there, or the first look has found none."""

    async def follow(self) -> None:
        """Look again and again, until cancelled."""
        try:
            while True:
                await self.look()
                await asyncio.sleep(LOOK_S)
        finally:
            for one in (*self._followed.values(), *self._older.values()):
                one.broadcasting.cancel()

    async def look(self) -> None:
        """Take what is new by now. Raises what `journals` raises."""
        for path, error in await asyncio.to_thread(lambda: tuple(self._journals())):
            if error is not None:
                self._contradicted[path] = error
            if path not in self._days:
                await self._read(path)
        for day in self._newest().values():
            known = self._followed.get(day.table)
            if known is None or known.table.path != day.path:
                await self._apart(day, self._follow(day, known))
        for day in self._newest().values():
            if day.table in self._followed:
                await self._apart(day, self._draw(self._followed[day.table]))
        self.opened.set()

    async def _apart(self, day: _Day, work: Coroutine[Any, Any, None]) -> None:
        """Do something for one table: what its journal leads to befalls no other one."""
        try:
            await work
        except Exception as error:
            # A journal that came from elsewhere can hold what no table of ours writes.
            self._failures.failed("floor", error)
            self._dropped[day.path] = file_state(day.path)
            self._refuse(day.path, JournalError("TABLE_NOT_SHOWN", path=str(day.path)))
            self._drop(day.table)

    async def _draw(self, one: _Followed) -> None:
        """Fold what is new, and draw the tile once: a table without one is not among the others."""
        await self._forward(one.table)
        seq = one.table.ledger.seq
        if self._drawn.get(one.table.path) != seq:
            await one.screens.tile(elsewhere=True)
            self._drawn[one.table.path] = seq

    def _drop(self, table: str) -> None:
        known = self._followed.pop(table, None)
        if known is not None:
            known.broadcasting.cancel()
        self.screens.pop(table, None)

    def _newest(self) -> dict[str, _Day]:
        """The day of each table that was begun last; months of journals are no more than looked at."""
        return {day.table: day for day in sorted(self._days.values(), key=lambda day: day.began_utc_us)}

    async def _read(self, path: Path) -> None:
        try:
            self._days[path] = await asyncio.to_thread(_day_of, path)
            self.refused.pop(path, None)
        except JournalError as error:
            self._refuse(path, error)

    async def _follow(self, day: _Day, known: _Followed | None) -> None:
        if self._dropped.get(day.path) == file_state(day.path):
            return
        try:
            folded = await self._folded(day.path, self._remote(day.table))
            await self._draw(folded)
        except JournalError as error:
            self._refuse(day.path, error)
            return
        self.refused.pop(day.path, None)
        if known is not None:
            known.broadcasting.cancel()
        self._followed[day.table] = folded
        in_order = {one: self._followed[one].screens for one in sorted(self._followed)}
        self.screens.clear()
        self.screens.update(in_order)
        self.opened.set()

    def _refuse(self, path: Path, error: JournalError) -> None:
        """Asked again at the next look: the file may not be whole yet."""
        if str(self.refused.get(path)) != str(error):
            self._report(path, error)
        self.refused[path] = error

    def days_of(self, table: str) -> tuple[str, ...]:
        """What a table's days are asked for by, newest first; two of one day by their files."""
        own = [day for day in self._days.values() if day.table == table]
        own.sort(key=lambda day: day.began_utc_us, reverse=True)
        twice = Counter(day.names[0] for day in own)
        return tuple(day.names[twice[day.names[0]] > 1] for day in own)

    async def older(self, address: str) -> TableScreens | None:
        """A day that nobody follows any more, folded when asked for: a table's name, "@", a day's name."""
        name, _, named = address.rpartition("@")
        found = [day for day in self._days.values() if day.table == name and named in day.names]
        if not found:
            return None
        path = max(found, key=lambda day: day.began_utc_us).path
        followed = self._followed.get(name)
        if followed is not None and followed.table.path == path:
            return followed.screens
        async with self._looking:
            if path not in self._older:
                self._older[path] = await self._folded(path)
                if len(self._older) > OLDER_DAYS:
                    self._older.pop(next(iter(self._older))).broadcasting.cancel()
            # What came late for that day.
            await self._forward(self._older[path].table)
            return self._older[path].screens

    async def _folded(self, path: Path, remote: RemoteTable | None = None) -> _Followed:
        """A journal folded whole, of a table that can be reached at `remote`. Raises `JournalError`."""
        kept = None if self._checkpoint is None else self._checkpoint(path)
        table = await asyncio.to_thread(FollowedTable, path, self._clock.utc_us, kept)
        await self._forward(table)
        screens = TableScreens(table, table.hub, time.monotonic, journal=path, remote=remote, edge=self._edge)
        return _Followed(table, screens, asyncio.create_task(screens.broadcaster.run()))

    async def _forward(self, table: FollowedTable) -> None:
        while await asyncio.to_thread(table.fold):
            await asyncio.sleep(PAUSE_S)
        if table.path in self._contradicted:
            table.doubt(self._contradicted[table.path])
        table.publish()


def _day_of(path: Path) -> _Day:
    """Whose a journal is, by its first entry. Raises `JournalError`."""
    with closing(JournalReader(path)) as journal:
        found = next(journal.read(), None)
    if found is None:
        raise JournalError("NOT_OPENED", seq=1, kind="-")
    first = trusted(found)
    return _Day(cut(str(opened_of(first.body).get("table", ""))), first.at_utc_us, path)
