"""The rounds of a simulated table on the tester's screen, while the table goes on."""

import asyncio
from pathlib import Path
from typing import Final

from fastapi import APIRouter, HTTPException

from controller.replay.files.table_file import read_table_file
from controller.studio.bodies import StepView, StudioFileRow, StudioFileView
from controller.studio.step_view import step_view
from controller.studio.studio_file import StudioFile
from controller.web.reading import ReadersOnly

NUMBER: Final = 0
"""The one file of the list."""


class RunningJournal:
    """The journal of a table that goes on; used on the table's loop."""

    def __init__(self, path: Path) -> None:
        """Nothing is read before somebody looks."""
        self.path: Final = path
        self._file: StudioFile | None = None

    async def again(self) -> StudioFile:
        """Read what has been reported by now; rounds that are not over are left out."""
        self._file = await asyncio.to_thread(self._read)
        return self._file

    async def kept(self) -> StudioFile:
        """What was read last: steps keep their numbers while somebody goes through them."""
        return self._file or await self.again()

    def _read(self) -> StudioFile:
        file = read_table_file(str(self.path))
        return StudioFile(file, at_table=file.at_table, running=True)


def table_replay(journal: Path) -> APIRouter:
    """Make the routes of the tester's screen over this journal, for whoever may look at the table."""
    router = APIRouter(dependencies=[ReadersOnly], include_in_schema=False)
    running = RunningJournal(journal)

    @router.get("/api/studio")
    async def listed() -> list[StudioFileRow]:
        return [StudioFileRow(name=journal.name, kind="journal")]

    @router.get("/api/studio/{number}")
    async def one(number: int) -> StudioFileView:
        _require(number)
        return (await running.again()).view(journal.name)

    @router.get("/api/studio/{number}/step/{at}")
    async def step(number: int, at: int) -> StepView:
        _require(number)
        file = await running.kept()
        if not 0 <= at < len(file.steps):
            raise HTTPException(404)
        return step_view(file.source, file.steps[at], at)

    return router


def _require(number: int) -> None:
    if number != NUMBER:
        raise HTTPException(404)
