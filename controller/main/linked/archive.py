"""Runs an archive on the floor's network."""

import asyncio
from collections.abc import Callable, Coroutine, Mapping, Sequence
from pathlib import Path
from typing import Any

from controller.floor.database.keeper import DatabaseKeeper, keep_beside
from controller.floor.intake import Intake
from controller.floor.journal_archive import Archive, Brought
from controller.floor.link.archive_intake import ArchiveIntake, require_synced
from controller.floor.link.connection import ServerAccess
from controller.i18n import text
from controller.main.archived_history import ArchivedFigures
from controller.main.linked.access import NetworkReport, floor_section
from controller.ports import SystemClock
from controller.runtime.door.supervisor import run_all, stop_on_signals


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
    """Take what tables send until SIGINT or SIGTERM, and keep it in a database, too, where one is named.

    `took` gets what became of each run, `say` sentences.

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
