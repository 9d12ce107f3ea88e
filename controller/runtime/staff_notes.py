"""Events of people, and of the people's file, recorded in the journal by the table's own task."""

import asyncio
from collections import deque
from typing import Final

from controller.people.person import PeopleBook
from controller.people.sign_in import StaffEvent, changes_after
from controller.runtime.api import Accepted, Command, TablePort

_ACTOR: Final = "sign-in"
_UNWRITTEN_MAX: Final = 256
"""Events that wait for a journal which cannot be written; whoever repairs it has to get in before that."""


class StaffNotes:
    """Writes events in order. While the journal cannot be written they wait, and sign-ins still work."""

    def __init__(self, table: TablePort) -> None:
        """Write to the journal of this table."""
        self.table = table
        """Set anew where the table goes on in another journal."""
        self._waiting: deque[StaffEvent] = deque(maxlen=_UNWRITTEN_MAX)
        self._turn = asyncio.Lock()

    async def note(self, event: StaffEvent) -> None:
        """Write an event down; returns when it is on disk, or waits for a journal that works."""
        self._waiting.append(event)
        async with self._turn:
            while self._waiting:
                command = Command("", _ACTOR, "system", None, self._waiting[0])
                if not isinstance(await self.table.submit(command), Accepted):
                    return
                self._waiting.popleft()

    async def follow(self, book: PeopleBook, noted: int, every_s: float) -> None:
        """Write down each change of the people's file after change `noted`, until cancelled."""
        while True:
            for event in changes_after(book.register(), noted):
                await self.note(event)
            changes = book.register().changes
            noted = changes[-1].number if changes else noted
            await asyncio.sleep(every_s)
