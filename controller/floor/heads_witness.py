"""A witness of heads: takes the signed heads of tables, and signs that each goes on from those before.

It holds a file of heads and a checkpoint for each table (`controller.journal.heads`), and no journal: it
cannot tell whether a head is true, but a table that has shown it one history can show it no other one.
"""

import os
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Final, Literal, NamedTuple

from controller.domain import JournalError
from controller.journal.entry import create_private
from controller.journal.head_file import TableKey
from controller.journal.heads import (
    ENDING,
    HeadsCheckpoint,
    SignedHead,
    Tree,
    checkpoint_in,
    head_of,
    lines_from,
    root_of,
)
from controller.journal.keeping import AppendedFile, KeptDiffers
from controller.outputs import lock
from controller.ports import Clock

KEY: Final = "witness.key"
SEEN: Final = "-seen"
"""Ending of the folder beside the witness's own, which holds each checkpoint once more."""
SECOND_US: Final = 1_000_000

Verdict = Literal["witnessed", "no_head", "unknown_key", "two_histories", "log_changed", "unreadable"]
"""Signed for · no head that its own key has signed · of a table that is not witnessed here · it does not go
on from the heads before it · the witness's own log was changed while it runs · its file cannot be read."""


class Answer(NamedTuple):
    """The verdict on a head: `note` is the signed checkpoint with it, `head` its content or None."""

    verdict: Verdict
    head: SignedHead | None = None
    note: str = ""


class _Log:
    """The heads of one table's key, in the order in which they came."""

    def __init__(self, path: Path) -> None:
        create_private(path)
        self._file, self.tree = AppendedFile(path), Tree()
        self._known: set[SignedHead] = set()
        self._codes: set[str] = set()
        self._last: dict[str, SignedHead] = {}
        """The last head of each journal by its name."""
        self.last: SignedHead | None = None
        for line, head in lines_from(path, 0):
            if head is not None:
                self._take(line, head)

    def has(self, head: SignedHead) -> bool:
        return head in self._known

    def is_fork(self, head: SignedHead) -> bool:
        """Whether a head contradicts the earlier heads of its journal's name.

        Heads between them may be missing: they did not arrive.
        """
        known = self._last.get(head.journal)
        if known is None or self.last is None:
            return False
        if head.number == 1:
            # The next day under the same name names the table's last head, or one that did not arrive.
            return not head.follows or head.follows in self._codes - {self.last.code}
        return known is not self.last or head.number <= known.number or head.seq < known.seq

    def append(self, head: SignedHead) -> None:
        """Raises `KeptDiffers` where the file was changed since the last head."""
        line = head.line(with_nonce=False).encode()
        self._file.look_again(self._require_same)
        self._file.append(line)
        self._take(line, head)

    def _require_same(self) -> None:
        if root_of(_whole_lines(self._file.path)) != self.tree.root:
            raise KeptDiffers

    def _take(self, line: bytes, head: SignedHead) -> None:
        self.tree.add(line)
        self._known.add(head)
        self._codes.add(head.code)
        self.last = self._last[head.journal] = head


def _whole_lines(path: Path) -> Iterator[bytes]:
    """Yield the lines of a log that are heads; a line torn by a kill is skipped."""
    return (line for line, head in lines_from(path, 0) if head is not None)


class HeadsWitness:
    """Keeps the witnessed heads in one folder, which no other program writes to; for one thread at a time."""

    def __init__(self, folder: Path, tables: Collection[str], clock: Clock, seen: Path | None = None) -> None:
        """Open the witness's folder; `tables` are the public keys of the witnessed tables.

        `seen` is the folder with a second copy of each checkpoint, which reveals a log that was cut or
        restored with its own folder. None: beside the witness's folder.

        Raises `JournalError` as `TableKey.load_or_make`, ARCHIVE_IN_USE when another program runs there,
        WITNESS_LOG_CHANGED for a log other than the signed one, WITNESS_FOLDER when a folder cannot be made.
        """
        folder = folder.resolve()
        self._folder, self._clock = folder, clock
        self._seen = folder.with_name(folder.name + SEEN) if seen is None else seen
        for own in (self._folder, self._seen):
            try:
                own.mkdir(mode=0o700, parents=True, exist_ok=True)
            except OSError as error:
                raise JournalError("WITNESS_FOLDER", path=str(own), reason=error.strerror or "") from error
        try:
            self._lock: Final = lock(folder / ".lock")
        except BlockingIOError as error:
            raise JournalError("ARCHIVE_IN_USE", path=str(folder)) from error
        self._key = TableKey.load_or_make(folder / KEY, {})
        self.public: Final = self._key.public
        self._logs = {key: self._opened(key) for key in tables}
        for key, log in self._logs.items():
            if log.tree.size:
                # It may have ended between the head and the signature.
                self._signed(key, log)

    def take(self, line: bytes) -> Answer:
        """Witness the line of a head; a contradiction of an earlier head is never signed. Raises OSError."""
        head = head_of(line)
        if head is None or not head.is_genuine:
            return Answer("no_head")
        log, head = self._logs.get(head.key), head._replace(nonce="")
        if log is None:
            return Answer("unknown_key", head)
        if log.has(head):
            return Answer("witnessed", head, self._note(self._folder, head.key).read_text(encoding="utf-8"))
        if log.is_fork(head):
            return Answer("two_histories", head)
        try:
            log.append(head)
        except KeptDiffers:
            return Answer("log_changed", head)
        return Answer("witnessed", head, self._signed(head.key, log))

    def _opened(self, key: str) -> _Log:
        """The log of a table, which has to begin with all heads that were ever signed for."""
        path = self._folder / f"{key}.signed"
        log = _Log(path)
        lines = [*_whole_lines(path)]
        for note in (self._note(folder, key) for folder in (self._folder, self._seen)):
            if not note.exists():
                continue
            signed = checkpoint_in(note, self.public)
            if signed is None or signed.key != key:
                raise JournalError("WITNESS_NOTE_DAMAGED", path=str(note))
            if root_of(lines[: signed.size]) != signed.root:
                raise JournalError(
                    "WITNESS_LOG_CHANGED", path=str(path), signed=signed.size, found=log.tree.size
                )
        return log

    def _note(self, folder: Path, key: str) -> Path:
        return folder / f"{key}{ENDING}"

    def _signed(self, key: str, log: _Log) -> str:
        """Sign all heads of a table, and replace the earlier checkpoint."""
        at_s = self._clock.utc_us() // SECOND_US
        note = HeadsCheckpoint(key, log.tree.size, log.tree.root).cosigned(self._key, at_s)
        for folder in (self._seen, self._folder):
            path = self._note(folder, key)
            draft = path.with_suffix(".new")
            with draft.open("wb") as file:
                file.write(note.encode())
                file.flush()
                # A table that is answered may rely on it after a power cut.
                os.fsync(file.fileno())
            draft.replace(path)
        return note
