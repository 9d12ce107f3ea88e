"""Runs an archive on the floor's network."""

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from pathlib import Path
from typing import Any

from controller.floor.intake import Intake
from controller.floor.journal_archive import Archive, Brought
from controller.floor.link.archive_intake import ArchiveIntake, require_synced
from controller.floor.link.connection import Access
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
    took: Callable[[Brought], None],
    told: Callable[[str], None],
) -> None:
    """Take what tables send until SIGINT or SIGTERM; `took` gets what became of each run.

    Raises `ConfigError` as `floor_section` and `require_synced`, `JournalError` as `Archive`.
    """
    section = floor_section(servers, file)
    if monitor:
        require_synced(monitor)
    with Archive(folder, SystemClock()) as archive:
        intake = ArchiveIntake(Intake(archive), took, stream_mb)
        running = intake.run(Access(section, "archive"), NetworkReport(told).changed)
        asyncio.run(_until_stopped(running))


async def _until_stopped(running: Coroutine[Any, Any, None]) -> None:
    await run_all({"archive": running}, stop_on_signals())
