"""The files of a journal that is being written: their owner's alone, still there, and under one name.

They hold cards that lie face down. Not even a hash of theirs may be read by others: where all but one card is
known, 52 guesses find it.
"""

import os
from contextlib import suppress
from pathlib import Path
from typing import Final

from controller.domain import JournalError
from controller.ports import MACHINE_DISK, PRIVATE, SideDisk

BESIDE: Final = ("", "-wal", "-shm", ".head", ".mark", ".signed", ".reserve")
"""What a journal's files add to its name."""


def create_private(journal: Path, disk: SideDisk = MACHINE_DISK) -> None:
    """Create the file where there is none; SQLite gives its write-ahead log the same rights.

    A folder that cannot be written is left for SQLite to name.
    """
    with suppress(OSError):
        os.close(disk.open(journal, os.O_RDWR | os.O_CREAT | os.O_EXCL))


def keep_private(journal: Path) -> None:
    """Remove other accounts' rights from files that an earlier program or a person has left.

    Only the owner can do this; another account is responsible for its own file.
    """
    for ending in BESIDE:
        with suppress(OSError):
            Path(f"{journal}{ending}").chmod(PRIVATE)


_RESERVE_BYTES: Final = 1 << 20
"""Room for what comes last: a batch as large as the inbox takes, with SQLite's pages around it."""


def require_one_name(path: Path) -> None:
    """Raise JOURNAL_LINKED for a file with a second name: SQLite would give each name a log of its own."""
    try:
        names = path.stat().st_nlink
    except OSError:
        return
    if names > 1:
        raise JournalError("JOURNAL_LINKED", path=str(path))


class JournalFiles:
    """The journal's file and the note of its head, as they lay on the disk when it was opened."""

    def __init__(self, path: Path) -> None:
        """Remember which files these are."""
        self._path = path
        self._files = (path, Path(f"{path}.head"))
        self._known = self._identities()

    def require_unmoved(self) -> None:
        """Raise `JournalError` JOURNAL_GONE or JOURNAL_LINKED when a write would be lost or torn."""
        if self._identities() != self._known:
            raise JournalError("JOURNAL_GONE", path=str(self._path))
        require_one_name(self._path)

    def _identities(self) -> tuple[tuple[int, int] | None, ...]:
        return tuple(_identity(path) for path in self._files)


class DiskReserve:
    """Room on the disk beside a journal that nothing else can take: cards reported last are written there."""

    def __init__(self, journal: Path, disk: SideDisk) -> None:
        """Take the room; on a disk that is full already there is none, which the next entry says."""
        self._path, self._disk = Path(f"{journal}.reserve"), disk
        with suppress(OSError):
            handle = disk.open(self._path, os.O_RDWR | os.O_CREAT)
            try:
                disk.reserve(self._path, handle, _RESERVE_BYTES)
            finally:
                os.close(handle)

    def give_up(self) -> bool:
        """Let the journal have it; False where there was none."""
        try:
            self._disk.remove(self._path)
        except OSError:
            return False
        return True


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino
