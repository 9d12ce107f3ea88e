"""The side file of a journal: one writer at a time, and a second note of where the journal ends.

SQLite drops the tail of a damaged write-ahead log without a word, and a chain cannot tell that its last
links are gone. So the head is noted a second time in `<journal>.head`: before a commit where the journal
ends and where it will end, after it where it ends now. What lies on the disk after a kill is one of the two;
a journal that ends before the first has lost entries. With a key the note is signed:

    head   = seq, 20 digits; a blank; hash, 64 hexadecimal digits; a line feed
    note   = head head heads key " " signature LF      (where it ends, where it will end, Ed25519)
    heads  = as head: the number of signed heads beside the journal, SHA-256 of their lines
    signed = "stand17 note" LF head head heads

Without a key it is the first head alone. Notes of older programs have no `heads`.

The end mark, `<journal>.mark`, outlives a note that was removed or put back. It has two slots of one length,
written in turn at each signed head, so that a torn write leaves the other one:

    slot   = head heads key " " signature LF
    signed = "stand17 mark" LF head heads
"""

import hashlib
import os
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

from controller.domain import JournalError
from controller.journal.table_key import TableKey, is_signed_by
from controller.outputs import lock
from controller.ports import MACHINE_DISK, SideDisk

_HEAD: Final = "%020d %s\n"
_HEAD_LENGTH: Final = 20 + 1 + 64 + 1
_SIGNATURE_LENGTH: Final = 64 + 1 + 128 + 1
_OLD_LENGTH: Final = 2 * _HEAD_LENGTH + _SIGNATURE_LENGTH
_NOTE_LENGTH: Final = 3 * _HEAD_LENGTH + _SIGNATURE_LENGTH
_SLOT_LENGTH: Final = 2 * _HEAD_LENGTH + _SIGNATURE_LENGTH
_SLOTS: Final = 2


class Head(NamedTuple):
    """The end of a journal: its last sequence (0 when empty) and the hash there."""

    seq: int
    hash: bytes


LOST: Final = Head(0, b"\xff" * 32)
"""Stands for the end of a commit where a program ended with reports that it could not write."""

WITHDRAWN: Final = Head(0, bytes(32))
"""What stands for the end of a commit that has failed: no commit ends in front of the first entry."""


NO_HEADS: Final = Head(0, hashlib.sha256().digest())
"""No head has been signed yet."""


class HeadNote(NamedTuple):
    """The side file's content: the end of the journal before and after a commit, and the signer.

    `key` is the public key of the signature, "" for an unsigned note. `genuine` is False for an invalid
    signature, or an unreadable note. `heads` is the number of signed heads with the hash of their lines; None
    in a note without it.
    """

    head: Head
    following: Head
    key: str
    genuine: bool
    heads: Head | None = None


class EndMark(NamedTuple):
    """The last entry that the table has signed a head of, and how many signed heads there were then."""

    end: Head
    heads: Head


class HeadFile:
    """The locked side file, for the one process that writes."""

    def __init__(self, journal: Path, key: TableKey | None = None, disk: SideDisk = MACHINE_DISK) -> None:
        """Take the lock, or raise JOURNAL_IN_USE while another process writes to this journal."""
        self._key, self._path, self.disk = key, Path(_beside(journal)), disk
        self.heads = NO_HEADS
        """The signed heads that the next note vouches for."""
        self._is_lost = self._is_marked = False
        self._mark_path = mark_path(journal)
        try:
            self._file = lock(self._path, disk.open)
        except BlockingIOError as error:
            raise JournalError("JOURNAL_IN_USE", path=str(journal)) from error
        except OSError as error:
            code = "JOURNAL_READ_ONLY" if isinstance(error, PermissionError) else "JOURNAL_CANNOT_OPEN"
            raise JournalError(code, path=str(journal), reason=str(error)) from error

    def announce(self, head: Head, following: Head) -> None:
        """Remember, before a commit, where it begins and where it will end; without a key nothing."""
        if self._key is not None:
            self._write(self._lines(head, following), self._key)

    def note(self, head: Head) -> None:
        """Remember the head after a commit; not synced, since losing the note loses nothing."""
        self._write(_line(head) if self._key is None else self._lines(head, head), self._key)

    def withdraw(self, head: Head) -> None:
        """Note that the commit behind this head has failed; without a key nothing.

        A commit whose sync failed is refused, but its entries can be in the write-ahead log, where a restart
        finds them.
        """
        if self._key is not None:
            self._write(self._lines(head, WITHDRAWN), self._key)

    def lose(self, head: Head) -> None:
        """Remember that the program ends with reports that it could not write; without a key nothing.

        The note is written over itself: a full disk has room for it.
        """
        self._is_lost = True
        self.note(head)

    def mark(self, head: Head) -> None:
        """Sign the end of the journal and the number of signed heads; without a key nothing.

        The first mark of a run fills both slots: a contradicting one has held its start. A mark that cannot
        be written leaves an older one, which is valid too.
        """
        if self._key is None:
            return
        text = _line(head) + _line(self.heads)
        slot = f"{text}{_signed(self._key, text, MARK)}".encode()
        first = self.heads.seq % _SLOTS
        with suppress(OSError):
            handle = self.disk.open(self._mark_path, os.O_WRONLY | os.O_CREAT)
            try:
                for number in (first,) if self._is_marked else (first, 1 - first):
                    self.disk.write(self._mark_path, handle, slot, number * _SLOT_LENGTH)
                self._is_marked = True
            finally:
                os.close(handle)

    def close(self) -> None:
        """Give the lock back."""
        os.close(self._file)

    def _lines(self, head: Head, following: Head) -> str:
        return _line(head) + _line(LOST if self._is_lost else following) + _line(self.heads)

    def _write(self, heads: str, key: TableKey | None) -> None:
        """A full disk must not fail a commit that has already happened: then the older note stands."""
        if key is not None:
            heads += _signed(key, heads, NOTE)
        try:
            self.disk.write(self._path, self._file, heads.encode(), 0)
            if key is None:
                # The rest of the signed note.
                self.disk.shorten(self._path, self._file, len(heads))
        except OSError:
            return


def read_head(journal: Path) -> Head | None:
    """Read the noted head, with any signature; None without a whole note."""
    note = read_note(journal)
    return None if note is None or note == UNREADABLE else note.head


def read_note(journal: Path) -> HeadNote | None:
    """Read the note; None without one, `UNREADABLE` for another content."""
    try:
        with Path(_beside(journal)).open("rb") as file:
            text = file.read(_NOTE_LENGTH + 1).decode("ascii", "replace")
    except OSError:
        return None
    if not text:
        return None
    head, following = _head_in(text[:_HEAD_LENGTH]), _head_in(text[_HEAD_LENGTH : 2 * _HEAD_LENGTH])
    if head is not None and len(text) == _HEAD_LENGTH:
        return HeadNote(head, head, "", genuine=True)
    if head is None or following is None or len(text) not in (_OLD_LENGTH, _NOTE_LENGTH):
        return UNREADABLE
    noted, signed = text[:-_SIGNATURE_LENGTH], text[-_SIGNATURE_LENGTH:]
    key, _, signature = signed.rstrip("\n").partition(" ")
    heads = _head_in(noted[2 * _HEAD_LENGTH :]) if len(text) == _NOTE_LENGTH else None
    return HeadNote(head, following, key, _is_genuine(noted, key, signature, NOTE), heads)


def mark_path(journal: Path) -> Path:
    """Return the file of a journal's end mark."""
    return Path(f"{journal}.mark")


def read_mark(journal: Path, public: str) -> EndMark | None:
    """Return the newest end mark signed by this table; None without one."""
    try:
        with mark_path(journal).open("rb") as file:
            text = file.read(_SLOTS * _SLOT_LENGTH).decode("ascii", "replace")
    except OSError:
        return None
    found = []
    for start in range(0, len(text), _SLOT_LENGTH):
        slot = text[start : start + _SLOT_LENGTH]
        end, heads = _head_in(slot[:_HEAD_LENGTH]), _head_in(slot[_HEAD_LENGTH : 2 * _HEAD_LENGTH])
        key, _, signature = slot[2 * _HEAD_LENGTH :].rstrip("\n").partition(" ")
        marked = slot[: 2 * _HEAD_LENGTH]
        if end and heads and key == public and _is_genuine(marked, key, signature, MARK):
            found.append(EndMark(end, heads))
    return max(found, key=lambda mark: mark.end.seq, default=None)


NOTE: Final = "stand17 note"
MARK: Final = "stand17 mark"
"""What a signature is for: a note never passes as a mark."""


def _signed(key: TableKey, text: str, purpose: str) -> str:
    return f"{key.public} {key.sign(_message(text, purpose)).hex()}\n"


def _is_genuine(text: str, key: str, signature: str, purpose: str) -> bool:
    try:
        return is_signed_by(key, _message(text, purpose), bytes.fromhex(signature))
    except ValueError:
        return False


def _message(text: str, purpose: str) -> bytes:
    return f"{purpose}\n{text}".encode()


def _line(head: Head) -> str:
    return _HEAD % (head.seq, head.hash.hex())


def _head_in(line: str) -> Head | None:
    number, _, digest = line.rstrip("\n").partition(" ")
    if len(line) != _HEAD_LENGTH or not number.isdigit():
        return None
    try:
        return Head(int(number), bytes.fromhex(digest))
    except ValueError:
        return None


def _beside(journal: Path) -> str:
    return f"{journal}.head"


UNREADABLE: Final = HeadNote(Head(0, bytes(32)), Head(0, bytes(32)), "", genuine=False)
"""A side file that holds something else than a note."""
