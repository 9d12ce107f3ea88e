"""Writes the copy of a running table's journal beside its commits; no commit waits for it."""

import errno
import os
from collections.abc import Callable
from pathlib import Path
from typing import Final

from controller.domain.errors import JournalError
from controller.journal.copying.content import NOTHING, Continued, continued_by, copy_file
from controller.journal.copying.missing_lines import lines_after
from controller.journal.keeping.appended_file import AppendedFile
from controller.journal.keeping.keeper import RETRY_S, KeptDiffers, PlaceKeeper, reason_of
from controller.ports.clock import Clock
from controller.ports.side_disk import MACHINE_DISK, PRIVATE, SideDisk
from controller.ports.sources import Report, ReportSink, Trouble
from controller.ports.work import StartWork, WorkThread

NAME: Final = "copy"


class CopyPlace:
    """One file, appended to: the journal's entries up to the one that was released last."""

    def __init__(self, folder: Path, journal: Path, disk: SideDisk = MACHINE_DISK) -> None:
        """The folder has to be there: where a disk is not mounted, nothing is written in its stead."""
        self.name = str(folder)
        self._file = AppendedFile(copy_file(folder, journal), PRIVATE, disk)
        self._journal = journal
        self._known = Continued(NOTHING, {})

    def keep(self, released: int) -> None:
        """Append what is missing up to entry `released`; it is on the disk when this returns.

        Raises `KeptDiffers` where the journal does not continue what is there, OSError where the disk fails.
        """
        if not self._file.path.parent.is_dir():
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), self.name)
        try:
            self._file.look_again(self._find_end)
            lines, following = lines_after(self._journal, self._known, released)
        except JournalError as error:
            if error.code in ("NOT_CONTINUED", "COPY_UNREADABLE"):
                raise KeptDiffers from error
            raise OSError(errno.EIO, error.code) from error
        if lines:
            self._file.append(b"".join(lines))
            self._known = following

    def _find_end(self) -> None:
        self._known = continued_by(self._file.path, self._journal)


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
        self._keeper = PlaceKeeper[int](place, self._not_kept, self._differs, retry_s)

    def open(self, start: StartWork = WorkThread) -> None:
        """Start."""
        self._keeper.open(start)

    def release(self, seq: int) -> None:
        """Have the entries up to this one copied; returns at once."""
        self._keeper.offer(seq)

    def close(self) -> None:
        """Try once more what waits, then stop."""
        self._keeper.close()

    def _not_kept(self, place: str, error: OSError) -> None:
        params = (("place", place), ("reason", reason_of(error)))
        self._warn(Trouble("COPY_NOT_WRITTEN", params, hold=False))

    def _differs(self, place: str) -> None:
        self._doubt()
        self._warn(Trouble("JOURNAL_KEPT_DIFFERS", (("place", place),), hold=True))

    def _warn(self, trouble: Trouble) -> None:
        self._post(Report(NAME, self._clock.mono_ns(), (), (trouble,)))
