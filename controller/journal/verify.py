"""The check of a whole journal: chain, side file, SQLite's own check, and the table's story once more."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, Protocol

from controller.domain.errors import TableError
from controller.journal.entry import GENESIS, BadEntry, Entry
from controller.journal.store import JournalReader
from controller.journal.witness import Head, read_note


class Refold(Protocol):
    """Tells the story of the entries once more and compares."""

    def __call__(self, entry: Entry) -> str | None:
        """Take the next entry; a code when it does not follow from those before it."""
        ...

    def end(self) -> str | None:
        """Hear that there are no more; a code when something is still owed."""
        ...


class Misfit(NamedTuple):
    """The first entry that does not fit: its sequence and what is wrong with it.

    GAP, LINK, HASH, FORM, UNREADABLE: the chain. MISSING: the side file knows of this entry, the journal
    has not got it. REWRITTEN: the side file knows another hash here. Anything else: the refold's code.
    """

    seq: int
    code: str


class VerifyReport(NamedTuple):
    """What was found. `sound` is False when SQLite finds damage outside the entries.

    `vouched` is False when the side file is missing: then nothing says that the last entry is the last one.
    """

    path: str
    entries: int
    head: Head
    misfit: Misfit | None
    sound: bool
    vouched: bool

    @property
    def ok(self) -> bool:
        """Whether nothing at all is wrong."""
        return self.misfit is None and self.sound


def verify(path: Path, refold: Refold, progress: Callable[[int], None]) -> VerifyReport:
    """Walk the journal to the first entry that does not fit.

    `progress` is told each sequence that was good. Raises `JournalError` where the file is no journal or
    cannot be opened at all.
    """
    note = read_note(path)
    reader = JournalReader(path)
    try:
        head, misfit = _walk(reader, refold, note, progress)
        sound = reader.is_sound()
    finally:
        reader.close()
    return VerifyReport(str(path), head.seq, head, misfit, sound, note is not None)


def _walk(
    reader: JournalReader, refold: Refold, note: Head | None, progress: Callable[[int], None]
) -> tuple[Head, Misfit | None]:
    head = Head(0, GENESIS)
    for entry in reader.read():
        misfit = _judge(entry, refold, note)
        if misfit is not None or isinstance(entry, BadEntry):
            return head, misfit
        head = Head(entry.seq, entry.hash)
        progress(entry.seq)
    if note is not None and note.seq > head.seq:
        return head, Misfit(head.seq + 1, "MISSING")
    owed = refold.end()
    return head, None if owed is None else Misfit(head.seq + 1, owed)


def _judge(entry: Entry | BadEntry, refold: Refold, note: Head | None) -> Misfit | None:
    if isinstance(entry, BadEntry):
        return Misfit(entry.seq, entry.code)
    if note is not None and note.seq == entry.seq and note.hash != entry.hash:
        return Misfit(entry.seq, "REWRITTEN")
    try:
        code = refold(entry)
    except TableError as error:
        code = error.code
    return None if code is None else Misfit(entry.seq, code)
