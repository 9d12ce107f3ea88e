"""The tables of a floor as archive and network have them: known, live, archived up to, how far behind."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

from controller.floor.days import days_of
from controller.floor.link.connection import ServerAccess
from controller.floor.link.pit_link import PitLink
from controller.floor.link.table_link import BEAT_S
from controller.main.linked.access import floor_section
from controller.main.linked.state import PublishedState, state_in

LISTEN_S: Final = 2.5 * BEAT_S
"""Each table shows itself once a second."""


class TableStatus(NamedTuple):
    """One table: its archived entries of the newest day, and the time of the last receipt, UTC microseconds.

    `live` is None where no network was asked; `lag` are entries that the archive lacks, None where the table
    does not show itself, or is on a day of which the archive has nothing.
    """

    table: str
    live: bool | None
    journal: str
    archived: int
    lag: int | None
    received_utc_us: int


def floor_status(archive: Path, servers: Sequence[str], network: Path | None) -> tuple[TableStatus, ...]:
    """Each table that the archive knows, then those that only show themselves.

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
    """What tables show within some seconds, by their names."""
    found: dict[str, PublishedState] = {}

    def stated(key: str, data: bytes) -> None:
        state = state_in(data)
        if state is not None and state.table == key:
            found[state.tile.table] = state

    link = PitLink(stated, lambda _reason: None, lambda _error: None)
    with suppress(TimeoutError):
        async with asyncio.timeout(LISTEN_S):
            await link.run(access)
    return found
