"""The check of a whole journal: chain, side file, SQLite's own check, and every entry folded once more."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple, Protocol

from controller.domain.errors import TableError
from controller.journal.entry import GENESIS, BadEntry, Entry
from controller.journal.head_file import Head, read_head
from controller.journal.store import JournalReader


class EntryCheck(Protocol):
    """Folds the entries once more and compares what is stored with what follows."""

    def __call__(self, entry: Entry) -> str | None:
        """Take the next entry; a code when it does not follow from those before it."""
        ...

    def end(self) -> str | None:
        """Called after the last entry; a code when an entry is missing that had to follow."""
        ...


class Misfit(NamedTuple):
    """The first entry that does not fit: its sequence and what is wrong with it.

    GAP, LINK, HASH, FORM, UNREADABLE: the chain. MISSING: the side file knows of this entry, the journal
    has not got it. REWRITTEN: the side file knows another hash here. Anything else: the check's code.
    """

    seq: int
    code: str


class VerifyReport(NamedTuple):
    """What was found. `sound` is False when SQLite finds damage outside the entries.

    `vouched` is False when the side file is missing: then nothing says that the last entry is the last one.
    `altered` names a table, view or trigger that is gone, changed or foreign, "" where there is none.
    """

    path: str
    entries: int
    head: Head
    misfit: Misfit | None
    sound: bool
    vouched: bool
    altered: str = ""

    @property
    def ok(self) -> bool:
        """Whether nothing at all is wrong."""
        return self.misfit is None and self.sound and not self.altered


def verify(path: Path, check: EntryCheck, progress: Callable[[int], None]) -> VerifyReport:
    """Walk the journal to the first entry that does not fit.

    `progress` gets each sequence that was good. Raises `JournalError` where the file is no journal or
    cannot be opened at all.
    """
    noted = read_head(path)
    reader = JournalReader(path)
    try:
        head, misfit = walk(reader.read(), check, progress, noted)
        sound, altered = reader.is_sound(), reader.altered()
    finally:
        reader.close()
    if misfit is None:
        misfit = _ended_early(head, check, noted)
    return VerifyReport(str(path), head.seq, head, misfit, sound, noted is not None, altered)


def walk(
    entries: Iterable[Entry | BadEntry],
    check: EntryCheck,
    progress: Callable[[int], None] = lambda _: None,
    noted: Head | None = None,
) -> tuple[Head, Misfit | None]:
    """Check entries in order, up to the first that does not fit; the last good one, and what is wrong.

    `noted` is the head that a side file vouches for.
    """
    head = Head(0, GENESIS)
    for entry in entries:
        misfit = _judge(entry, check, noted)
        if misfit is not None or isinstance(entry, BadEntry):
            return head, misfit
        head = Head(entry.seq, entry.hash)
        progress(entry.seq)
    return head, None


def _ended_early(head: Head, check: EntryCheck, noted: Head | None) -> Misfit | None:
    """Find out whether something has to follow the last entry."""
    if noted is not None and noted.seq > head.seq:
        return Misfit(head.seq + 1, "MISSING")
    owed = check.end()
    return None if owed is None else Misfit(head.seq + 1, owed)


def _judge(entry: Entry | BadEntry, check: EntryCheck, noted: Head | None) -> Misfit | None:
    if isinstance(entry, BadEntry):
        return Misfit(entry.seq, entry.code)
    if noted is not None and noted.seq == entry.seq and noted.hash != entry.hash:
        return Misfit(entry.seq, "REWRITTEN")
    try:
        code = check(entry)
    except TableError as error:
        code = error.code
    return None if code is None else Misfit(entry.seq, code)
