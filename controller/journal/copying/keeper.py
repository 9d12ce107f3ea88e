"""Writes the copy of a running table's journal beside its commits; no commit waits for it."""

import errno
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from controller.domain.errors import JournalError
from controller.journal.copying.content import Continued, continued_by, copy_file
from controller.journal.entry import BadEntry
from controller.journal.entry_lines import encode
from controller.journal.head_file import Head
from controller.journal.head_keeping import RETRY_S, HeadKeeper, KeptDiffers
from controller.journal.private_files import PRIVATE
from controller.journal.signed_heads import heads_beside
from controller.journal.store import JournalReader
from controller.ports.clock import Clock
from controller.ports.sources import Report, ReportSink, Trouble

NAME: Final = "copy"
_APPEND: Final = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW


class CopyPlace:
    """One file, appended to: the journal's entries up to the one that was released last."""

    def __init__(self, folder: Path, journal: Path) -> None:
        """The folder has to be there: where a disk is not mounted, nothing is written in its stead."""
        self.name = str(folder)
        self._file, self._journal = copy_file(folder, journal), journal
        self._size: int | None = None
        self._known: Continued | None = None

    def keep(self, released: int) -> None:
        """Append what is missing up to entry `released`; it is on the disk when this returns.

        Raises `KeptDiffers` where the journal does not continue what is there, OSError where the disk fails.
        """
        try:
            known = self._as_left()
            lines = list(self._lines(known, released))
        except JournalError as error:
            if error.code in ("NOT_CONTINUED", "COPY_UNREADABLE"):
                raise KeptDiffers from error
            raise OSError(errno.EIO, error.code) from error
        if lines:
            self._append(b"".join(lines))

    def _as_left(self) -> Continued:
        """Where the copy ends; looked into where it has not the length that it was left with."""
        if not self._file.parent.is_dir():
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), self.name)
        size = self._file.stat().st_size if self._file.exists() else 0
        if self._size is not None and size < self._size:
            raise KeptDiffers
        if self._known is None or size != self._size:
            self._known, self._size = continued_by(self._file, self._journal), size
        return self._known

    def _lines(self, known: Continued, released: int) -> Iterator[bytes]:
        end, heads = known
        reader = JournalReader(self._journal)
        try:
            for entry in reader.read(end.seq + 1):
                if entry.seq > released:
                    break
                if isinstance(entry, BadEntry):
                    raise KeptDiffers
                yield encode(entry) + b"\n"
                end = Head(entry.seq, entry.hash)
        finally:
            reader.close()
        for head in heads_beside(self._journal):
            if head is not None and head.number > heads and head.seq <= end.seq:
                yield head.line(with_nonce=True).encode()
                heads = head.number
        self._following = Continued(end, heads)

    def _append(self, data: bytes) -> None:
        handle = os.open(self._file, _APPEND, PRIVATE)
        with os.fdopen(handle, "ab") as file:
            # What a kill or a full disk has torn stays a line of its own.
            torn = self._file.stat().st_size and not self._ends_whole()
            file.write(b"\n" + data if torn else data)
            file.flush()
            os.fsync(file.fileno())
            self._size = file.tell()
        self._known = self._following

    def _ends_whole(self) -> bool:
        with self._file.open("rb") as file:
            file.seek(-1, os.SEEK_END)
            return file.read(1) == b"\n"


class JournalCopier:
    """The copy of a table's journal, and the thread that writes it."""

    def __init__(
        self,
        place: CopyPlace,
        post: ReportSink,
        clock: Clock,
        doubt: Callable[[], None],
        retry_s: float = RETRY_S,
    ) -> None:
        """What fails is an alert, what does not fit a hold by `post`; then `doubt` is called, too."""
        self._post, self._clock, self._doubt = post, clock, doubt
        self._keeper = HeadKeeper[int](place, self._not_kept, self._differs, retry_s)

    def open(self) -> None:
        """Start."""
        self._keeper.open()

    def release(self, seq: int) -> None:
        """Have the entries up to this one copied; returns at once."""
        self._keeper.offer(seq)

    def close(self) -> None:
        """Try once more what waits, then stop."""
        self._keeper.close()

    def _not_kept(self, place: str, reason: str) -> None:
        self._warn(Trouble("COPY_NOT_WRITTEN", (("place", place), ("reason", reason)), hold=False))

    def _differs(self, place: str) -> None:
        self._doubt()
        self._warn(Trouble("JOURNAL_KEPT_DIFFERS", (("place", place),), hold=True))

    def _warn(self, trouble: Trouble) -> None:
        self._post(Report(NAME, self._clock.mono_ns(), (), (trouble,)))
