"""The items of the table's door, and their states on the way to the disk."""

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple, Protocol

from controller.domain import TableError
from controller.ports import Report, Trouble
from controller.runtime.api import Command, CommandAnswer, Rejected, Resume
from controller.runtime.contradictions import FrameObservation
from controller.runtime.ledger import Ledger
from controller.runtime.ledger.draft import Draft
from controller.runtime.witness.felt_witness import FeltLook


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
