"""The pit's page and an archive on the floor's network.

The views of a remote table are its own while it can be reached, else those of its archived journal.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, NamedTuple

import structlog
from pydantic import ValidationError

from controller.domain import TableError
from controller.floor.archive import Archive, Brought
from controller.floor.days import days_of
from controller.floor.intake import Intake
from controller.floor.messages import AskedCommand, answer_of, signed_command
from controller.floor.pit_link import ArchiveIntake, PitLink, require_synced
from controller.floor.postgresql import DatabaseKeeper, keep_beside
from controller.floor.table_link import BEAT_S, Changed, ServerAccess
from controller.i18n import text
from controller.journal.head_file import TableKey
from controller.main.archived_history import ArchivedFigures
from controller.main.linked_table import (
    VIEW_MAX,
    NetworkReport,
    PublishedState,
    bounded,
    floor_section,
    state_in,
)
from controller.ports import SystemClock
from controller.runtime.inbox import FailureLog, run_all, stop_on_signals
from controller.screens.commands import Commands, ScreenCommand
from controller.screens.tiles import Tile, away_tile, unread_tile
from controller.screens.view import TableView
from controller.screens.views import RenderedView, Views, render
from controller.screens.words import ViewModel
from controller.web.parts import Archived

LOOK_S: Final = 0.5
"""Time between two looks whether the table can be reached again."""


class LinkedView(ViewModel):
    """A view as the table itself has it; `version` counts there, and begins anew with the table."""

    version: int
    view: TableView


class LinkedViews:
    """The newer of the table's and the local view; the table is asked only while a screen is open."""

    def __init__(self, local: Views, ask: Callable[[int], Awaitable[LinkedView | None]]) -> None:
        """`ask` gives a view newer than a version, or after a moment the same; None out of reach."""
        self._local, self._ask = local, ask
        self._asked = self._seen = 0
        self._rendered: RenderedView | None = None
        self._wanted, self._replaced = asyncio.Event(), asyncio.Event()

    def latest(self) -> RenderedView:
        """The newer of the table's view and the local one."""
        self._wanted.set()
        local, shown = self._local.latest().view, self._rendered
        return self._show(local) if shown is None or local.seq > shown.seq else shown

    async def newer(self, version: int) -> RenderedView:
        """Wait for a view after `version`."""
        while (found := self.latest()).version <= version:
            with suppress(TimeoutError):
                async with asyncio.timeout(LOOK_S):
                    await self._replaced.wait()
        return found

    def wake(self) -> None:
        """Wake the local views."""
        self._local.wake()

    async def run(self) -> None:
        """Follow the table until cancelled, as long as a screen was open since the last question."""
        await asyncio.gather(self._local.run(), self._follow())

    async def await_pictures(self, period_s: float) -> None:
        """Wait for pictures of the local views."""
        await self._local.await_pictures(period_s)

    async def _follow(self) -> None:
        while True:
            await self._wanted.wait()
            self._wanted.clear()
            found = await self._ask(self._asked)
            if found is None:
                with suppress(TimeoutError):
                    async with asyncio.timeout(LOOK_S):
                        self._seen = (await self._local.newer(self._seen)).version
                continue
            self._asked, shown = found.version, self._rendered
            if shown is None or (found.view.seq >= shown.seq and found.view != shown.view):
                self._show(found.view)

    def _show(self, view: TableView) -> RenderedView:
        """Publish a view to all waiting screens."""
        shown = self._rendered = render(view, self._rendered)
        self._replaced.set()
        self._replaced = asyncio.Event()
        return shown


_AWAY_S: Final = 3.5
"""A table shows itself each second; one that has not for so long is out of reach."""

_AWAY_LOOK_S: Final = 0.25
"""Time between two looks for tables that are out of reach."""

_FORGET_S: Final = 24 * 3600.0
"""A table that was out of reach for so long has no tile any more."""

_TWICE_S: Final = 5.0
"""Two machines under one key are seen again and again, as long as both are there."""

_DOUBT_S: Final = 600.0
"""How long a forged state is shown on a tile."""

_DOUBTED_MAX: Final = 100
"""Forged names that are kept at most."""

_KEY_DIGITS: Final = 8
"""Of a key, as people compare it with a list."""


class _Seen(NamedTuple):
    """A machine's last state, and the beginning of its unbroken presence."""

    state: PublishedState
    at_s: float
    since_s: float


class LinkedFloor:
    """The tables of the network by their names; used on one loop."""

    def __init__(
        self,
        access: ServerAccess,
        key: TableKey | None,
        changed: Changed,
        table_of: Callable[[str], str | None],
    ) -> None:
        """Prepare the floor; `key` signs questions to tables; without one no table is asked.

        `table_of` returns the table of a key, None for an unknown key.
        """
        failures = FailureLog(structlog.get_logger())
        self._access, self.key, self._table_of = access, key, table_of
        self.link: Final = PitLink(
            self._state, changed, lambda error: failures.failed("floor", error), self._doubt, self._see_twice
        )
        self._seen: dict[str, _Seen] = {}
        self._doubted: dict[str, tuple[str, float]] = {}
        self._twice: dict[str, float] = {}
        self._count, self._changed = 0, asyncio.Event()

    async def news(self, after: int) -> int:
        """Wait for a change after number `after`; returns the newest number."""
        while self._count == after:
            await self._changed.wait()
        return self._count

    async def run(self) -> None:
        """Follow the network, until cancelled."""
        await asyncio.gather(self.link.run(self._access), self._miss())

    def tiles(self, archived: Archived = lambda _table, _journal: None) -> Mapping[str, Tile]:
        """Return the tile of each table; for an unreachable table its last one.

        An unproved state has a tile of its own that says so, and shows nothing else.
        """
        now_s = time.monotonic()
        found = [one for one in self._seen.values() if now_s < one.at_s + _FORGET_S]
        # Of two machines of one table the present one counts; of two present ones, the earlier.
        found.sort(key=lambda one: (one.at_s + _AWAY_S > now_s, -one.since_s))
        doubted = {
            f"{self._table_of(key) or ''} {key[:_KEY_DIGITS]}".strip(): code
            for key, (code, at_s) in self._doubted.items()
            if now_s < at_s + _DOUBT_S
        }
        return {name: unread_tile(name, TableError(code)) for name, code in doubted.items()} | {
            one.state.tile.table: self._tile(one, now_s, archived) for one in found
        }

    def live(self, name: str) -> PublishedState | None:
        """Return the table of this name; None when it is unreachable. Raises `TableError` TABLE_TWICE."""
        now_s = time.monotonic()
        found = [one for one in self._seen.values() if one.state.tile.table == name]
        if self._is_twice(name, now_s):
            raise TableError("TABLE_TWICE")
        return next((one.state for one in found if now_s < one.at_s + _AWAY_S), None)

    def _is_twice(self, name: str, now_s: float) -> bool:
        """Whether two machines run as this table now: two keys, or two runs under one."""
        live = [
            one for one in self._seen.values() if one.state.tile.table == name and now_s < one.at_s + _AWAY_S
        ]
        under_one = any(now_s < self._twice.get(one.state.table, -_TWICE_S) + _TWICE_S for one in live)
        # One that has ended was last there before the other one came.
        last_s = min((one.at_s for one in live), default=0)
        return under_one or (len(live) > 1 and last_s > max(one.since_s for one in live))

    def _see_twice(self, key: str) -> None:
        self._twice[key] = time.monotonic()
        if len(self._twice) > _DOUBTED_MAX:
            del self._twice[next(iter(self._twice))]
        self._count_up()

    def remote(self, name: str) -> "LinkedTable":
        """The table of this name."""
        return LinkedTable(self, name)

    def _state(self, key: str, data: bytes) -> None:
        state = state_in(data)
        if state is None or state.table != key or self._table_of(key) != state.tile.table:
            self._doubt(key, "TABLE_NOT_KNOWN")
            return
        if self._doubted.get(state.table, ("",))[0] == "TABLE_NOT_KNOWN":
            del self._doubted[state.table]
        known, now_s = self._seen.get(state.table), time.monotonic()
        was_there = known is not None and now_s < known.at_s + _AWAY_S
        since_s = known.since_s if known is not None and was_there else now_s
        self._seen[state.table] = _Seen(state, now_s, since_s)
        if known is None or known.state.tile != state.tile:
            self._count_up()

    def _doubt(self, key: str, code: str = "TABLE_NOT_PROVED") -> None:
        """Record a state that this key has not signed, or that is not its table's."""
        if len(self._doubted) >= _DOUBTED_MAX and key not in self._doubted:
            return
        if key not in self._doubted:
            self._count_up()
        self._doubted[key] = code, time.monotonic()

    async def _miss(self) -> None:
        """Report the tables that become unreachable, and those that come back."""
        known = frozenset[str]()
        while True:
            now_s = time.monotonic()
            away = frozenset(key for key, one in self._seen.items() if now_s > one.at_s + _AWAY_S)
            if away != known:
                self._count_up()
            known = away
            await asyncio.sleep(_AWAY_LOOK_S)

    def _count_up(self) -> None:
        self._count += 1
        self._changed.set()
        self._changed = asyncio.Event()

    def _tile(self, seen: _Seen, now_s: float, archived: Archived) -> Tile:
        state = seen.state
        if now_s > seen.at_s + _AWAY_S:
            return away_tile(state.tile)
        if self._is_twice(state.tile.table, now_s):
            return away_tile(state.tile, "TABLE_TWICE")
        known = archived(state.tile.table, state.journal)
        # The round that runs is archived while it is played.
        behind = None if known is None else max(0, state.tile.round - 1 - known)
        return state.tile.model_copy(update={"elsewhere": self.key is None, "behind": behind})


class LinkedTable:
    """One table of the network."""

    def __init__(self, floor: LinkedFloor, name: str) -> None:
        """Make it; nothing is asked yet."""
        self._floor, self._name = floor, name

    def views(self, local: Views) -> Views:
        """The views of the table, or `local` ones while it is out of reach."""
        return LinkedViews(local, self._view)

    def commands(self, local: Commands) -> Commands:
        """Commands to the table, or `local` ones while it is out of reach."""
        return _LinkedCommands(self._floor, self._name, local)

    async def _view(self, newer_than: int) -> LinkedView | None:
        """Return a view newer than this one, or the same after a moment; None for an unreachable table."""
        try:
            table = self._floor.live(self._name)
            if table is None:
                return None
            data = await self._floor.link.view(table.table, newer_than)
            return LinkedView.model_validate_json(bounded(data, VIEW_MAX))
        except (TableError, ValidationError, ValueError):
            return None


class _LinkedCommands:
    def __init__(self, floor: LinkedFloor, name: str, local: Commands) -> None:
        self._floor, self._name, self._local = floor, name, local

    async def take(self, command: ScreenCommand) -> int:
        """Sign it and have the table do it; where it cannot be reached it is refused as ever."""
        table, key = self._floor.live(self._name), self._floor.key
        if table is None or key is None:
            return await self._local.take(command)
        asked = AskedCommand(
            table=table.table,
            journal=table.journal,
            command_id=command.command_id,
            actor=command.actor,
            expected_seq=command.expected_seq,
            act=command.act.model_dump(mode="json"),
            second=command.second,
        )
        return answer_of(await self._floor.link.ask(table.table, signed_command(asked, key)))


def run_archive(
    servers: Sequence[str],
    folder: Path,
    file: Path | None,
    monitor: str,
    stream_mb: int,
    *,
    database: str,
    took: Callable[[Brought], None],
    say: Callable[[str], None],
) -> None:
    """Store the tables' entries until SIGINT or SIGTERM, and in a database when one is named.

    `took` gets the result of each run, `say` sentences.

    Raises `ConfigError` as `floor_section` and `require_synced`, `JournalError` as `Archive`.
    """
    section = floor_section(servers, file)
    if monitor:
        require_synced(monitor)
    with Archive(folder, SystemClock()) as archive:
        taking = Intake(archive)
        say(text("floor.archive_key", {"key": taking.key.public}))
        intake = ArchiveIntake(taking, took, stream_mb)
        work = {"archive": intake.run(ServerAccess(section, "archive"), NetworkReport(say).changed)}
        if database:
            work["database"] = keep_beside(
                archive,
                lambda find: DatabaseKeeper(folder, database, find, figures=ArchivedFigures()),
                took,
            )
        asyncio.run(_until_stopped(work))


async def _until_stopped(work: Mapping[str, Coroutine[Any, Any, None]]) -> None:
    await run_all(work, stop_on_signals())


_LISTEN_S: Final = 2.5 * BEAT_S
"""Each table shows itself once a second."""


class TableStatus(NamedTuple):
    """One table: its archived entries of the newest day, and the time of the last receipt, UTC microseconds.

    `live` is None without a network; `lag` is the number of entries that the archive lacks, None for a table
    without a state, or on a day that the archive lacks.
    """

    table: str
    live: bool | None
    journal: str
    archived: int
    lag: int | None
    received_utc_us: int


def floor_status(archive: Path, servers: Sequence[str], network: Path | None) -> tuple[TableStatus, ...]:
    """Return each table that the archive knows, then the tables that have only a state.

    Raises `ConfigError` as `floor_section`, `JournalError` as `days_of`.
    """
    asked = bool(servers) or network is not None
    shown = asyncio.run(_shown(ServerAccess(floor_section(servers, network), "pit"))) if asked else {}
    found = {day.table: day for day in days_of(archive).days}
    rows = []
    for table, day in sorted(found.items()):
        state, path = shown.pop(table, None), archive / day.journal
        same = state is not None and state.journal.startswith(path.stem.rpartition("-")[2])
        lag = max(0, state.seq - day.entries) if state is not None and same else None
        live = state is not None if asked else None
        rows.append(TableStatus(table, live, day.journal, day.entries, lag, path.stat().st_mtime_ns // 1000))
    return (*rows, *(TableStatus(name, True, "", 0, None, 0) for name in sorted(shown)))


async def _shown(access: ServerAccess) -> dict[str, PublishedState]:
    """Return the states that tables send within some seconds, by their names."""
    found: dict[str, PublishedState] = {}

    def stated(key: str, data: bytes) -> None:
        state = state_in(data)
        if state is not None and state.table == key:
            found[state.tile.table] = state

    link = PitLink(stated, lambda _reason: None, lambda _error: None)
    with suppress(TimeoutError):
        async with asyncio.timeout(_LISTEN_S):
            await link.run(access)
    return found
