"""Sources of a table's entries: its append-only copy, or a closed journal.

A journal that a table has open is never read: over a network mount SQLite's locks are unreliable.
"""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, Protocol

from controller.domain import JournalError
from controller.journal.copying import NOTHING, line_of
from controller.journal.entry import Entry, linked, trusted
from controller.journal.head_file import Head
from controller.journal.heads import SignedHead, heads_path, lines_from
from controller.journal.store import JournalReader
from controller.outputs import open_regular

COPY: Final = ".copy"
JOURNAL: Final = ".journal"


class FollowedFile(Protocol):
    """One file of a table."""

    @property
    def path(self) -> Path:
        """The file."""
        ...

    def news(self) -> Iterator[Entry | SignedHead]:
        """Yield the entries since the last call, each checked against the one before.

        The first call yields all of them. Raises `JournalError` CHAIN_BROKEN, COPY_UNREADABLE, COPY_CUT.
        """
        ...


class CheckedLines:
    """Lines as tables write them, one after the other, each entry checked against the one before."""

    def __init__(self, last: Head = NOTHING) -> None:
        """Begin after `last`, the head that the first entry must follow."""
        self.last = last

    def of(self, line: bytes) -> Iterator[Entry | SignedHead]:
        """Yield the content of a line; nothing for a torn line. Raises `JournalError` CHAIN_BROKEN."""
        match line_of(line):
            case SignedHead() as head:
                yield head
            case Entry() as entry:
                yield trusted(linked(entry, self.last.seq + 1, self.last.hash))
                self.last = Head(entry.seq, entry.hash)
            case None:
                return


class SentLines:
    """A run of lines that a table has sent; it is read once. `path` names the table, and is no file."""

    def __init__(self, path: Path, data: bytes, last: Head) -> None:
        """`last` as in `CheckedLines`."""
        self.path: Final = path
        self._data, self._lines = data, CheckedLines(last)

    def news(self) -> Iterator[Entry | SignedHead]:
        """Yield the entries since the last call, each checked against the one before."""
        for line in self._data.splitlines(keepends=True):
            yield from self._lines.of(line)


class CopySource:
    """A growing copy; a line without its end waits for the next call."""

    def __init__(self, path: Path) -> None:
        """Begin unread."""
        self.path: Final = path
        self._read, self._lines = 0, CheckedLines()

    def news(self) -> Iterator[Entry | SignedHead]:
        """Yield the entries since the last call, each checked against the one before."""
        try:
            if self.path.stat().st_size < self._read:
                raise JournalError("COPY_CUT", path=str(self.path), seq=self._lines.last.seq)
            with os.fdopen(open_regular(self.path), "rb") as file:
                file.seek(self._read)
                while (line := file.readline()).endswith(b"\n"):
                    yield from self._lines.of(line)
                    self._read += len(line)
        except OSError as error:
            reason = error.strerror or str(error)
            raise JournalError("COPY_UNREADABLE", path=str(self.path), reason=reason) from error


class JournalSource:
    """A journal that no table writes to any more; it is read once."""

    def __init__(self, path: Path) -> None:
        """Begin unread."""
        self.path: Final = path
        self._done = False

    def news(self) -> Iterator[Entry | SignedHead]:
        """Yield the entries since the last call, each checked against the one before."""
        if self._done:
            return
        reader = JournalReader(self.path)
        try:
            for entry in reader.read():
                yield trusted(entry)
        finally:
            reader.close()
        if heads_path(self.path).exists():
            yield from (head for _, head in lines_from(heads_path(self.path), 0) if head is not None)
        self._done = True


def source_of(path: Path) -> FollowedFile:
    """A file by its name."""
    return CopySource(path) if path.suffix == COPY else JournalSource(path)


def files_in(folders: Sequence[Path]) -> tuple[Path, ...]:
    """Return the copies and the closed journals of folders; a journal with a copy there is read from that.

    Raises `JournalError` ARCHIVE_NO_FOLDER.
    """
    found: list[Path] = []
    for folder in folders:
        if not folder.is_dir():
            raise JournalError("ARCHIVE_NO_FOLDER", path=str(folder))
        files = sorted(path for path in folder.iterdir() if path.is_file())
        copied = {path.name.removesuffix(COPY) for path in files if path.suffix == COPY}
        found += [path for path in files if path.suffix == COPY]
        journals = [path for path in files if path.suffix == JOURNAL and path.name not in copied]
        found += [path for path in journals if not _is_open(path)]
    return tuple(found)


def _is_open(journal: Path) -> bool:
    return any(Path(f"{journal}{ending}").exists() for ending in ("-wal", "-shm"))
