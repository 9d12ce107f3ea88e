"""An archive on the floor's network: runs one, and lists the tables that archive and network know."""

import asyncio
from collections.abc import Callable, Coroutine, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, NamedTuple

from controller.floor.archive import Archive, Brought
from controller.floor.days import days_of
from controller.floor.intake import Intake
from controller.floor.pit_link import ArchiveIntake, PitLink, require_synced
from controller.floor.postgresql import DatabaseKeeper, keep_beside
from controller.floor.table_link import BEAT_S, ServerAccess
from controller.i18n import text
from controller.main.archived_history import ArchivedFigures
from controller.main.linked.access import NetworkReport, floor_section
from controller.main.linked.table import PublishedState, state_in
from controller.ports import SystemClock
from controller.runtime.inbox import run_all, stop_on_signals


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
