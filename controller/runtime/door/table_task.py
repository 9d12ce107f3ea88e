"""The one task that owns a live table: items come in from anywhere, its door takes them batch by batch."""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Final

from controller.acts.permits import Act
from controller.domain import JournalError, TableError
from controller.engine.state import TableState
from controller.policy.allowed.permissions import may_ever
from controller.ports import Report
from controller.runtime.api import AuditLine, Autoplay, Command, CommandAnswer, Rejected
from controller.runtime.door.door import TableDoor
from controller.runtime.door.inbox import Inbox
from controller.runtime.door.items import Batch, DayTurn, DeviceItem, Item, SubmittedCommand
from controller.runtime.ledger import Ledger

AUDIT_LINES_MAX: Final = 500

PEOPLE_SHARE: Final = 4
"""People's commands are refused (TABLE_BUSY) while so many of them wait: the inbox divided by this."""


class TableTask:
    """A running table; `TablePort` of `controller.runtime.api`. Made and used on the loop, but `post`."""

    def __init__(self, door: TableDoor, turn: DayTurn | None = None) -> None:
        """Own the door from now on; `turn` begins the journal of the next gaming day."""
        self._door, self._turn = door, turn
        self._is_over = False
        self._lost = 0
        """Items that found no room before the day ended."""
        self._inbox: Inbox[Item] = Inbox(door.limits.inbox)
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="journal")
        self._asked = 0
        self._pulses: list[asyncio.Future[None]] = []
        self.hub: Final = door.hub

    @property
    def ledger(self) -> Ledger:
        """Everything that follows from the journal on disk."""
        return self._door.ledger

    @property
    def autoplay(self) -> bool | None:
        """See `TableDoor.autoplay`."""
        return self._door.autoplay

    async def submit(self, command: Command) -> CommandAnswer:
        """See `controller.runtime.api.TablePort.submit`."""
        if isinstance(command.action, Autoplay):
            if not may_ever(command.role, Act.AUTOPLAY):
                return Rejected("NOT_ALLOWED", (("role", command.role),))
            return self._door.set_autoplay(command.action.on)
        # People leave room for the devices: a command can be given again, a card's report cannot.
        if self._is_over or self._asked >= max(1, self._door.limits.inbox // PEOPLE_SHARE):
            return Rejected("TABLE_BUSY")
        answer: asyncio.Future[CommandAnswer] = asyncio.get_running_loop().create_future()
        self._asked += 1
        try:
            if not self._inbox.put(SubmittedCommand(command, _resolves(answer))):
                return Rejected("TABLE_BUSY")
            return await answer
        finally:
            self._asked -= 1

    def post(self, report: DeviceItem) -> None:
        """Take a device's report or what a camera sees, from any thread."""
        self._inbox.post(report)

    async def pulse(self) -> None:
        """Return as soon as the table's task has done what waited before; never while it is stuck."""
        pulse: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._pulses.append(pulse)
        self._inbox.wake()
        await asyncio.shield(pulse)

    def closed_round(self, number: int) -> TableState | None:
        """See `controller.runtime.api.TablePort.closed_round`."""
        return self._door.closed_round(number)

    async def audit(self, from_seq: int, limit: int) -> tuple[AuditLine, ...]:
        """See `controller.runtime.api.TablePort.audit`."""
        return await asyncio.get_running_loop().run_in_executor(
            self._writer,
            self._door.audit,
            from_seq,
            min(max(limit, 1), AUDIT_LINES_MAX),
            self._door.secrets(),
        )

    async def run(self) -> None:
        """Own the table until cancelled; a commit that has begun is waited for."""
        try:
            while True:
                items, lost = await self._inbox.take()
                # Those of now alone: a pulse that comes while the batch is written asks about the next one.
                pulses, self._pulses = self._pulses, []
                if self._turn is not None and self._turn.due(self._door.ledger):
                    items = await self._turned(items, self._turn)
                if items or lost:
                    await self._take(self._door.decide(items, lost))
                for pulse in pulses:
                    pulse.set_result(None)
                if self._is_over:
                    # The root goes on with the next day's table, and cancels this one.
                    await asyncio.Event().wait()
        finally:
            self._writer.shutdown()

    def close(self) -> int:
        """Write down what devices said and nobody has taken yet, once `run` has ended and they are closed.

        Returns how many of their reports could not be written.
        """
        items, lost = self._inbox.take_now()
        if self._turn is not None and self._is_over:
            self._turn.late(without_commands(items))
            return lost + self._lost
        return self._door.close([item for item in items if not isinstance(item, SubmittedCommand)], lost)

    def show(self) -> None:
        """See `TableDoor.show`."""
        self._door.show()

    async def tick(self, period_s: float) -> None:
        """Show the ages of the devices anew, again and again."""
        while True:
            self.show()
            if self._turn is not None and self._turn.due(self._door.ledger):
                self._inbox.wake()
            await asyncio.sleep(period_s)

    async def _turned(self, items: list[Item], turn: DayTurn) -> list[Item]:
        """Go on in the next day's journal, where this one may end; the items that are still this day's.

        A table that was closed waits for the command that opens it.
        """
        opener, loop = turn.opener(items), asyncio.get_running_loop()
        if opener is None and self._door.ledger.state.book.closed:
            return items
        if opener is not None and not self._door.would_take(opener):
            return items
        try:
            begun = await loop.run_in_executor(self._writer, turn.begin, self._door.ledger, opener)
        except TableError as error:
            self._inbox.put(Report("journal", 0, (), (turn.failed(error),)))
            return items
        self._is_over = True
        with suppress(JournalError):  # the new file names this one: the table goes on there all the same
            batch = self._door.last_of_day(begun.name, closes=begun.closes)
            self._door.finish(batch, await loop.run_in_executor(self._writer, self._door.write, batch))
        if opener is not None and begun.answer is not None:
            opener.answer(begun.answer)
        queued, self._lost = self._inbox.take_now()
        turn.end(begun.name, without_commands([*(item for item in items if item is not opener), *queued]))
        return []

    def take_over(self, items: Sequence[Item]) -> None:
        """Take what came behind the end of the day before."""
        for item in items:
            self._inbox.put(item)

    async def _take(self, batch: Batch | None) -> None:
        """Write a batch in the writer's thread, then finish it on the loop."""
        if batch is None:
            return
        loop = asyncio.get_running_loop()
        try:
            if batch.draft.proposals:
                written = await loop.run_in_executor(self._writer, self._door.write, batch)
            else:
                # Nothing to write: a refusal waits behind no audit that is read in the writer's thread.
                written = self._door.write(batch)
        except JournalError as error:
            self._door.fail(batch, error)
            return
        for report in self._door.finish(batch, written):
            self._inbox.put(report)


def without_commands(items: Iterable[Item]) -> list[Item]:
    """What devices said, for the next day's table; people have seen none of its entries, and ask again."""
    left: list[Item] = []
    for item in items:
        if isinstance(item, SubmittedCommand):
            item.answer(Rejected("TABLE_BUSY"))
        else:
            left.append(item)
    return left


def _resolves(answer: asyncio.Future[CommandAnswer]) -> Callable[[CommandAnswer], None]:
    """Make the listener of a command whose sender may have gone away."""

    def resolve(entered: CommandAnswer) -> None:
        if not answer.cancelled():
            answer.set_result(entered)

    return resolve
