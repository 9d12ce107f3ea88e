"""Tables that are played elsewhere and whose journals come here: followed, with screens for the pit."""

import asyncio
import time
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, NamedTuple

from controller.domain.errors import JournalError
from controller.ports import Clock
from controller.runtime.checkpoint.followed import FollowedCheckpoint
from controller.runtime.followed_table import FollowedTable
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
    ) -> None:
        """`journals` finds the files, in a thread; `report` is given each that cannot be read.

        `checkpoint` says where the state of a journal is kept, so that it need not be folded whole again.
        """
        self._journals, self._clock, self._report = journals, clock, report
        self._checkpoint = checkpoint
        self.refused: Final[dict[Path, JournalError]] = {}
        """What came and cannot be read as a table at all."""
        self._seen: dict[Path, FollowedTable] = {}
        self._followed: dict[str, _Followed] = {}
        self._older: dict[str, _Followed] = {}
        self._looking = asyncio.Lock()
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
            if path not in self._seen:
                await self._open(path)
            if error is not None and path in self._seen:
                self._seen[path].doubt(error)
        for one in tuple(self._followed.values()):
            await self._forward(one.table)
        self.opened.set()

    async def _open(self, path: Path) -> None:
        try:
            kept = None if self._checkpoint is None else self._checkpoint(path)
            table = await asyncio.to_thread(FollowedTable, path, self._clock.utc_us, kept)
        except JournalError as error:
            # Asked again at the next look: the file may not be whole yet.
            if str(self.refused.get(path)) != str(error):
                self._report(path, error)
            self.refused[path] = error
            return
        self.refused.pop(path, None)
        self._seen[path] = table
        name = table.hub.latest().table
        known = self._followed.get(name)
        if known is not None and known.table.began_utc_us >= table.began_utc_us:
            return
        shown = await self._shown(table)
        if known is not None:
            known.broadcasting.cancel()
        self._followed[name] = shown
        in_order = {one: self._followed[one].screens for one in sorted(self._followed)}
        self.screens.clear()
        self.screens.update(in_order)
        self.opened.set()

    async def older(self, address: str) -> TableScreens | None:
        """A day that nobody follows any more, folded when somebody looks: the table's name, "@", and the day.

        It is the day on which the journal was begun, UTC, or the name of its file without the ending.
        """
        async with self._looking:
            if address not in self._older:
                name, _, day = address.rpartition("@")
                found = [one for one in self._seen.values() if one.hub.latest().table == name]
                found = [one for one in found if day in (_day(one), one.path.stem)]
                if not found:
                    return None
                self._older[address] = await self._shown(max(found, key=lambda one: one.began_utc_us))
                if len(self._older) > OLDER_DAYS:
                    self._older.pop(next(iter(self._older))).broadcasting.cancel()
            one = self._older[address]
            # What came late for that day.
            await self._forward(one.table)
            return one.screens

    async def _shown(self, table: FollowedTable) -> _Followed:
        await self._forward(table)
        screens = TableScreens(table, table.hub, time.monotonic, journal=table.path)
        return _Followed(table, screens, asyncio.create_task(screens.broadcaster.run()))

    async def _forward(self, table: FollowedTable) -> None:
        while await asyncio.to_thread(table.fold):
            await asyncio.sleep(PAUSE_S)
        table.publish()


def _day(table: FollowedTable) -> str:
    return datetime.fromtimestamp(table.began_utc_us / 1e6, UTC).date().isoformat()
