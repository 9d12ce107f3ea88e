"""What goes through the table's door, and what becomes of it on the way to the disk."""

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from controller.ports import Report
from controller.runtime.api import Command, CommandAnswer, Resume
from controller.runtime.contradictions import FrameObservation
from controller.runtime.ledger.draft import Draft
from controller.runtime.witness.felt_witness import FeltLook


class SubmittedCommand(NamedTuple):
    """A person's command and who hears the answer, exactly once, on the thread of the door."""

    command: Command
    answer: Callable[[CommandAnswer], None]


DeviceItem = Report | FrameObservation | FeltLook
"""What devices bring."""


Item = SubmittedCommand | DeviceItem
"""Whatever can be brought to a table."""


class TableLimits(NamedTuple):
    """When the table holds by itself: a commit slower than this, more waiting items than this."""

    journal_slow_ms: int = 250
    inbox: int = 1024


DEFAULT_LIMITS: Final = TableLimits()


class Batch(NamedTuple):
    """What follows from some items, thought out and not written yet; `answers` in the items' order."""

    items: tuple[Item, ...]
    draft: Draft
    answers: tuple[tuple[SubmittedCommand, CommandAnswer], ...]


class CommitResult(NamedTuple):
    """A batch on disk: the sequence of its last entry, None where there was none to write."""

    last_seq: int | None
    began_ns: int
    took_ms: int


def asks_to_go_on(items: Sequence[Item]) -> bool:
    """Whether somebody asks that a held table go on."""
    commands = (item.command for item in items if isinstance(item, SubmittedCommand))
    return any(isinstance(command.action, Resume) for command in commands)
