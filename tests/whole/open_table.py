"""A table that has come up, as whoever opens it gives it, and what reads its record once more."""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Final, NamedTuple

from controller.config import TableConfig
from controller.engine.state import TableState
from controller.journal.entry import trusted
from controller.journal.store import Journal, JournalReader
from controller.ports import Clock, Health, ReportSink, SideDisk, StartWork, Tap
from controller.runtime.api import AuditLine, Command, CommandAnswer
from controller.runtime.door import TableDoor, TableTask
from controller.runtime.ledger import Ledger
from controller.runtime.restore import follow, restore

PATH_LENGTH: Final = 200
"""Characters of the path of a seeded table's folder."""


class OpenTable(NamedTuple):
    """A table that has come up, its record, and `open_beside`, which starts what works behind its back.

    `close_beside` ends that in order. `named` gives the codes that a check and the next start have for a
    journal that is closed.
    """

    door: TableDoor
    journal: Journal
    open_beside: Callable[[ReportSink, StartWork], None]
    close_beside: Callable[[], None]
    config: TableConfig
    tap: Tap | None
    named: Callable[..., set[str]]


TableOpening = Callable[[Clock, SideDisk, Callable[[], tuple[Health, ...]], ReportSink], OpenTable]
"""Opens the table as `run` does, on this disk, with these devices and this clock; what fails is reported."""


class KeypadPort:
    """The table as the keypad's handler has it; see `TablePort`."""

    def __init__(self, task: TableTask, submit: Callable[[Command], Awaitable[CommandAnswer]]) -> None:
        """`submit` takes what a key means."""
        self._task, self._submit = task, submit

    async def submit(self, command: Command, *then: Command) -> CommandAnswer:
        """Decide a command and write it; no inbox is between."""
        assert not then, "a key is one command"
        return await self._submit(command)

    def closed_round(self, number: int) -> TableState | None:
        """The closed round of this number as screens may see it."""
        return self._task.closed_round(number)

    async def audit(self, from_seq: int, limit: int) -> tuple[AuditLine, ...]:
        """At most `limit` entries from `from_seq` on."""
        return await self._task.audit(from_seq, limit)


def deepened(folder: Path) -> Path:
    """Make a folder inside whose path has one length wherever this one lies.

    Holds and warnings name files in the journal, and what a power cut tears of it follows its length.
    """
    path = folder.resolve()
    assert len(str(path)) < PATH_LENGTH - 1, f"{path} is too long"
    (deep := path / ("_" * (PATH_LENGTH - 1 - len(str(path))))).mkdir()
    return deep


def folded(path: Path, seq: int) -> tuple[Ledger, Ledger]:
    """Fold the journal from its first entry: up to an entry, and all of it."""
    reader = JournalReader(path)
    try:
        entries = list(reader.read())
    finally:
        reader.close()
    first = again = restore(entries[:seq])
    assert first is not None, "no journal was written"
    assert again is not None, "no journal was written"
    for entry in entries[seq:]:
        again = follow(again, trusted(entry))
    return first, again
