"""Tables that are played elsewhere and whose journals come here: followed, with screens for the pit."""

import asyncio
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final, NamedTuple

from controller.domain.errors import JournalError
from controller.ports import Clock
from controller.runtime.checkpoint.followed import FollowedCheckpoint
from controller.runtime.followed_table import FollowedTable
from controller.screens.desk import Desk
from controller.screens.table_screens import TableScreens

LOOK_S: Final = 0.5
"""Time between two looks for new entries and new journals."""

PAUSE_S: Final = 0.002
"""Rest between two slices: a live table in this process goes on in it."""


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
        desk: Callable[[str], Desk | None] = lambda _name: None,
    ) -> None:
        """`journals` finds the files, in a thread; `report` is given each that cannot be read.

        `checkpoint` says where the state of a journal is kept, so that it need not be folded whole again.
        `desk` gives where the table of a name can be reached.
        """
        self._desk = desk
        self._journals, self._clock, self._report = journals, clock, report
        self._checkpoint = checkpoint
        self.refused: Final[dict[Path, JournalError]] = {}
        """What came and cannot be read as a table at all."""
        self._seen: dict[Path, FollowedTable] = {}
        self._followed: dict[str, _Followed] = {}
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
            for one in self._followed.values():
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
        await self._forward(table)
        if known is not None:
            known.broadcasting.cancel()
        desk = self._desk(name)
        screens = TableScreens(table, table.hub, time.monotonic, journal=path, desk=desk)
        self._followed[name] = _Followed(table, screens, asyncio.create_task(screens.broadcaster.run()))
        in_order = {one: self._followed[one].screens for one in sorted(self._followed)}
        self.screens.clear()
        self.screens.update(in_order)
        self.opened.set()

    async def _forward(self, table: FollowedTable) -> None:
        while await asyncio.to_thread(table.fold):
            await asyncio.sleep(PAUSE_S)
        table.publish()
