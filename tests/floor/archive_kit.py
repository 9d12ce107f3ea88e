"""An archive on the floor's network, as `stand17 archive run` has it, beside a table in the same process."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

from controller.config import FloorSection
from controller.floor.archive import Archive, Brought, journals_in
from controller.floor.intake import Intake
from controller.floor.pit_link import ArchiveIntake
from controller.floor.table_link import ServerAccess
from controller.journal.entry import Entry
from controller.ports import SystemClock, end_all
from tests.floor.broker_kit import Broker
from tests.main.copy_kit import entries


@asynccontextmanager
async def archiving(
    broker: Broker, folder: Path, took: Callable[[Brought], None], **section: Any
) -> AsyncIterator[None]:
    with Archive(folder, SystemClock()) as archive:
        access = ServerAccess(FloorSection.model_validate(broker.section() | section), "archive")
        running = asyncio.create_task(
            ArchiveIntake(Intake(archive), took, 100).run(access, lambda _reason: None)
        )
        try:
            yield
        finally:
            await ended(running)


async def ended(running: asyncio.Task[None]) -> None:
    """End it; raises what it ended with."""
    await end_all((running,))
    with suppress(asyncio.CancelledError):
        running.result()


def kept_of(folder: Path, journal: Path) -> list[Entry]:
    """What the archive has of a table's journal."""
    found = (
        [one for one in journals_in(folder) if one.name.startswith(f"{journal.stem}-")]
        if folder.exists()
        else []
    )
    return entries(found[0]) if found else []
