"""A table that is not played any more, for the floor: its journal or recording in, its last view out."""

import asyncio
import json
from pathlib import Path
from typing import Final

from controller.screens.shapes.view import TableView
from controller.studio.round_cut import LAST, round_cut


class RecordedTable:
    """Played once, by a process of its own, when somebody first looks; used on the table's loop."""

    def __init__(self, file: Path) -> None:
        """Nothing is read yet; the table is named by its file until it is."""
        self._file: Final = file
        self._view: TableView | None = None
        self._reading: asyncio.Task[None] | None = None

    @property
    def name(self) -> str:
        """The table's name, its file's until that has been read."""
        return self._file.stem if self._view is None else self._view.table

    async def view(self) -> TableView | None:
        """How the table was left; None while its file is being played, and where it cannot be."""
        if self._reading is None:
            self._reading = asyncio.create_task(self._read())
        return self._view

    async def _read(self) -> None:
        cut = await asyncio.to_thread(round_cut, self._file, LAST)
        if cut is not None:
            self._view = TableView.model_validate(json.loads(cut.steps[-1])["view"])
