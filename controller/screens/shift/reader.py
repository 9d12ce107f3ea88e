"""Keeps the record of the shift up to date: each entry of the journal is read once."""

import asyncio
from typing import Final

from controller.runtime.api import TablePort
from controller.screens.shift.record import ShiftRecord

LINES: Final = 500
"""Entries that are read at once; between two reads the table may write."""


class ShiftReader:
    """Reads what is new whenever somebody looks; used on the table's loop."""

    def __init__(self, table: TablePort) -> None:
        """Nothing is read before somebody looks."""
        self._table = table
        self._record = ShiftRecord()
        self._reading = asyncio.Lock()

    async def read(self) -> ShiftRecord:
        """The record up to the newest entry."""
        async with self._reading:
            record = self._record
            while lines := await self._table.audit(record.next_seq, LINES):
                for line in lines:
                    record.take(line)
            return record
