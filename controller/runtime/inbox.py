"""The inbox of the table's thread: its items, its failures, its supervisor.

A failure is no refusal: the table takes nothing of the item and continues; the log is for the developers.
"""

import asyncio
import signal
import traceback
from collections import Counter, deque
from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import Any, Final, Generic, NamedTuple, Protocol, TypeVar

import structlog

from controller.domain import JournalError, TableError, plain
from controller.ports import Report, Trouble, end_all
from controller.runtime.api import Command, CommandAnswer, HoldView, Rejected, Resume
from controller.runtime.contradictions import FrameObservation
from controller.runtime.draft import Draft
from controller.runtime.felt_witness import FeltLook
from controller.runtime.ledger import Ledger
from controller.runtime.restore import SYSTEM
from controller.runtime.taking import hold

_SOURCE_MAX: Final = 80
"""Characters of a source's name in the log."""


class FailureSink(Protocol):
    """Hears of each failure."""

    def failed(self, source: str, error: Exception) -> None:
        """Hear that what `source` (a role, a device) brought could not be taken because of `error`."""
        ...


class FailureLog:
    """Counts failures by the place in the program, and logs the 1st, 10th, 100th … of each place.

    Neither the error's own words nor values are logged: they can name a card that lies face down.
    """

    def __init__(self, log: structlog.typing.FilteringBoundLogger) -> None:
        """Begin with none."""
        self._log = log
        self._counts: Counter[tuple[str, str]] = Counter()

    def failed(self, source: str, error: Exception) -> None:
        """Count the failure; log the 1st, 10th, 100th at its place, without its words."""
        place = _place(error)
        key = (type(error).__name__, place)
        self._counts[key] += 1
        count = self._counts[key]
        if str(count).rstrip("0") == "1":
            self._log.error("failed", source=plain(source)[:_SOURCE_MAX], error=key[0], at=place, count=count)

    def figures(self) -> Mapping[str, float]:
        """Give the count for the house's monitoring."""
        return {"failures": float(self._counts.total())}


class IgnoredFailures:
    """Ignores failures, as in a replay."""

    def failed(self, source: str, error: Exception) -> None:
        """Do nothing."""


IGNORED_FAILURES: Final = IgnoredFailures()


def _place(error: Exception) -> str:
    """Name the line that raised, as file:line."""
    frames = traceback.extract_tb(error.__traceback__)
    return f"{frames[-1].filename.rpartition('/')[2]}:{frames[-1].lineno}" if frames else "?"


ItemT = TypeVar("ItemT")


class Inbox(Generic[ItemT]):
    """First in, first out, for one reader. Full means refused and counted, never dropped in silence."""

    def __init__(self, limit: int) -> None:
        """Make it for the running loop; `limit` items may wait."""
        self._loop = asyncio.get_running_loop()
        self._limit = limit
        self._items: deque[ItemT] = deque()
        self._filled = asyncio.Event()
        self._overflowed = 0

    def put(self, item: ItemT) -> bool:
        """Add an item; False, and counted, when there is no room. Only from the loop's own thread."""
        self._filled.set()
        if len(self._items) >= self._limit:
            self._overflowed += 1
            return False
        self._items.append(item)
        return True

    def wake(self) -> None:
        """Let `take` return, with nothing where nothing waits. Only from the loop's own thread."""
        self._filled.set()

    def post(self, item: ItemT) -> None:
        """Add an item from any thread; an overflow shows in the next `take`."""
        self._loop.call_soon_threadsafe(self.put, item)

    async def take(self) -> tuple[list[ItemT], int]:
        """Wait for items; return all of them, with the number dropped since."""
        await self._filled.wait()
        return self.take_now()

    def take_now(self) -> tuple[list[ItemT], int]:
        """Take all that wait now; as `take`. Only from the loop's own thread."""
        self._filled.clear()
        items, overflowed = list(self._items), self._overflowed
        self._items.clear()
        self._overflowed = 0
        return items, overflowed


class SubmittedCommand(NamedTuple):
    """A person's command and who hears the answer, exactly once, on the thread of the door.

    `then` are further commands of the same press: all are taken, or none.
    """

    command: Command
    answer: Callable[[CommandAnswer], None]
    then: tuple[Command, ...] = ()


class LaterRefusal(Exception):
    """A later command of a press was refused: the earlier ones are taken back, and its record with them."""

    def __init__(self, answer: Rejected) -> None:
        super().__init__(answer.code)
        self.answer = answer


DeviceItem = Report | FrameObservation | FeltLook
"""What devices bring."""


Item = SubmittedCommand | DeviceItem
"""Whatever can be brought to a table."""


class TableLimits(NamedTuple):
    """Limits beyond which the table holds by itself: the time of a commit, the number of waiting items."""

    journal_slow_ms: int = 250
    inbox: int = 1024


DEFAULT_LIMITS: Final = TableLimits()


class BegunDay(NamedTuple):
    """A new gaming day's journal, on the disk: its file's name, and the answer to the command that opened it.

    `closes`: the day before was opened and never closed.
    """

    name: str
    answer: CommandAnswer | None
    closes: bool


class DayTurn(Protocol):
    """Begins the journal of the next gaming day; see `controller.main.record.DayChange`."""

    def due(self, ledger: Ledger) -> bool:
        """Whether this day's journal may end now."""
        ...

    def opener(self, items: Sequence[Item]) -> SubmittedCommand | None:
        """The command that opens the table."""
        ...

    def begin(self, ledger: Ledger, opener: SubmittedCommand | None) -> BegunDay:
        """Write the new file. Raises `TableError`."""
        ...

    def end(self, name: str, left: Sequence[Item]) -> None:
        """Continue the table in the file of this name, with the items that are left."""
        ...

    def late(self, items: Sequence[Item]) -> None:
        """Items that came behind the end."""
        ...

    def failed(self, error: TableError) -> Trouble:
        """Return the alert for the pit after the new file could not be begun."""
        ...


class Batch(NamedTuple):
    """Decided items that are not written yet; `answers` in the items' order."""

    items: tuple[Item, ...]
    draft: Draft
    answers: tuple[tuple[SubmittedCommand, CommandAnswer], ...]


class CommitResult(NamedTuple):
    """A written batch: the sequence of its last entry, None for a batch without entries."""

    last_seq: int | None
    began_ns: int
    took_ms: int


def asks_to_go_on(items: Sequence[Item]) -> bool:
    """Whether an item is a resume of a held table."""
    commands = (item.command for item in items if isinstance(item, SubmittedCommand))
    return any(isinstance(command.action, Resume) for command in commands)


class Unwritten:
    """The reports that wait for the disk, up to a limit, and the number of lost ones."""

    def __init__(self, most: int) -> None:
        """Begin with a journal that can be written."""
        self._most = most
        self.fault: HoldView | None = None
        self.reports = list[Report]()
        self.lost = 0

    def fail(self, error: JournalError, at_utc_us: int) -> None:
        """Begin the hold for a failed write."""
        self.fault = HoldView(error.code, tuple(error.params.items()), at_utc_us, SYSTEM)
        self.reports = []

    def over(self) -> None:
        """All is on disk."""
        self.fault, self.reports, self.lost = None, [], 0

    def keep(self, items: Sequence[Item], code: str) -> None:
        """Keep devices' reports, refuse people's commands."""
        refusal = Rejected("TABLE_HELD", (("reason", code),))
        for item in items:
            if isinstance(item, SubmittedCommand):
                item.answer(refusal)
            elif isinstance(item, Report) and len(self.reports) < self._most:
                self.reports.append(item)
            elif isinstance(item, Report):
                self.lost += 1

    def record(self, draft: Draft) -> None:
        """Have the hold recorded at last; the reports of meanwhile come behind it."""
        if self.fault is not None:
            hold(draft, self.fault.code, self.fault.params, SYSTEM)


async def run_all(tasks: Mapping[str, Coroutine[Any, Any, None]], *stops: asyncio.Event) -> None:
    """Run all tasks until one of `stops` is set, then cancel them and wait for them.

    A task that ends by itself, with or without an error, takes the others with it: its own error is
    raised, or TASK_ENDED with its name, so that the process ends loudly and is started again.
    """
    running = {asyncio.create_task(work, name=name) for name, work in tasks.items()}
    waiters = {asyncio.create_task(_wait(stop), name="stop") for stop in stops}
    done, _ = await asyncio.wait({*running, *waiters}, return_when=asyncio.FIRST_COMPLETED)
    await end_all((*running, *waiters))
    await asyncio.gather(*running, *waiters, return_exceptions=True)
    ended = done - waiters
    if ended:
        _raise_for(ended.pop())


def stop_on_signals() -> asyncio.Event:
    """Make the event that SIGINT and SIGTERM set, on the running loop."""
    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    return stop


async def _wait(stop: asyncio.Event) -> None:
    await stop.wait()


def _raise_for(task: asyncio.Task[None]) -> None:
    error = task.exception()
    if error is None:
        raise TableError("TASK_ENDED", task=task.get_name())
    raise error
