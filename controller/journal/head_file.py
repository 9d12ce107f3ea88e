"""The side file of a journal: one writer at a time, and a second note of where the journal ended.

SQLite drops the tail of a damaged write-ahead log without a word, and a chain cannot tell that its last
links are gone. So the head is noted a second time, after each commit, in `<journal>.head`. The commit is on
disk before the note is written: a note can be behind the journal, never ahead of it, unless entries are
lost.
"""

import fcntl
import os
from pathlib import Path
from typing import Final, NamedTuple

from controller.domain.errors import JournalError
from controller.journal.private_files import PRIVATE

_NOTE: Final = "%020d %s\n"
_NOTE_LENGTH: Final = 20 + 1 + 64 + 1


class Head(NamedTuple):
    """Where a journal ends: its last sequence (0 when empty) and the hash there."""

    seq: int
    hash: bytes


class HeadFile:
    """The locked side file, for the one process that writes."""

    def __init__(self, journal: Path) -> None:
        """Take the lock, or raise JOURNAL_IN_USE while another process writes to this journal."""
        try:
            self._file = os.open(_beside(journal), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, PRIVATE)
        except OSError as error:
            code = "JOURNAL_READ_ONLY" if isinstance(error, PermissionError) else "JOURNAL_CANNOT_OPEN"
            raise JournalError(code, path=str(journal), reason=str(error)) from error
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            os.close(self._file)
            raise JournalError("JOURNAL_IN_USE", path=str(journal)) from error

    def note(self, head: Head) -> None:
        """Remember the head; not synced, since losing the note loses nothing.

        A full disk must not fail a commit that has already happened: then the older note stands.
        """
        try:
            os.pwrite(self._file, (_NOTE % (head.seq, head.hash.hex())).encode(), 0)
        except OSError:
            return

    def close(self) -> None:
        """Give the lock back."""
        os.close(self._file)


def read_head(journal: Path) -> Head | None:
    """Read the noted head, or None where there is no whole note."""
    try:
        text = Path(_beside(journal)).read_bytes()
    except OSError:
        return None
    number, _, digest = text.decode("ascii", "replace").rstrip("\n").partition(" ")
    if len(text) != _NOTE_LENGTH or not number.isdigit():
        return None
    try:
        return Head(int(number), bytes.fromhex(digest))
    except ValueError:
        return None


def _beside(journal: Path) -> str:
    return f"{journal}.head"
