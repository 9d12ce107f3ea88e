"""SQLite's disk with faults: writes that are lost, torn, refused or late, and power that goes in between.

An apsw VFS over the machine's own, the default of the process while it is open: every database that is opened
meanwhile goes through it; `side_files` has the files beside a journal. A power cut takes back what was not
synced, or parts of it, and names that no folder had synced; a kill leaves what the system had taken.
"""

import errno
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any, Final, Literal, NamedTuple

import apsw

SECTOR: Final = 512
"""Bytes of which a disk writes all or none."""

NAME: Final = "seeded"

DiskFault = Literal["cut", "kill", "io", "full", "slow", "forgotten", "lying"]
"""Power fails · the process is killed · a write is refused · there is no room · a sync takes seconds · power
fails, and every new name that its folder had not synced is gone · a sync of a file beside the databases does
nothing, and the power fails soon afterwards."""

END: Final = ("cut", "kill")
CUTS: Final = ("cut", "forgotten")
SOON: Final = 3
"""So many writes and syncs after one that lied the power fails."""

NOTES: Final = 6
"""Writes to a file that is never synced after which the first is on the disk all the same."""

Met = Callable[[DiskFault, str], None]
"""Called with each fault as it happens, and with the kind of file beside the databases, "" for a database."""


REFUSED: Final = (apsw.IOError, apsw.FullError)
"""How a database is told that the disk says no."""


def code_of(error: Exception) -> int:
    """The same as the system says it of other files."""
    return errno.EIO if isinstance(error, apsw.IOError) else errno.ENOSPC


class PowerLost(BaseException):
    """The program ends here; no handler of it may go on."""


class SyncLied(Exception):
    """A sync has done nothing, and nobody is to know."""


class Write(NamedTuple):
    """A write that is not synced: what lay there before, what was written, and how long the file was."""

    offset: int
    before: bytes
    data: bytes
    length: int


class SeededDisk(apsw.VFS):
    """All databases of the process, while it is open. For one thread."""

    def __init__(
        self, slow: Callable[[], None], looked_at: Callable[[], None], met: Met, *, fails_beside: bool = True
    ) -> None:
        """`slow` lets the time of a slow sync pass; `looked_at` is called before each write and sync.

        `fails_beside` is False where only the databases fail.
        """
        # Named before it is no longer the default: the files below it are the machine's own.
        self.under = apsw.vfs_names()[0]
        super().__init__(NAME, self.under, makedefault=True)
        self._slow, self._looked_at, self._met, self.fails_beside = slow, looked_at, met, fails_beside
        self._unsynced: dict[str, list[Write]] = {}
        self._names: dict[str, str] = {}
        self.sessions = 0
        """How many programs have ended on it."""
        self._fault: DiskFault | None = None
        self._in = 0
        self.ended_by: DiskFault = "kill"
        """What has ended the program last."""
        self.off = False
        """Whether the power is off: nothing reaches the disk any more."""

    def arm(self, fault: DiskFault, operations: int) -> None:
        """Let something happen at that write or sync from now, 0 for the next one."""
        self._fault, self._in = fault, operations

    @property
    def armed(self) -> DiskFault | None:
        """What has not happened yet."""
        return self._fault

    def unsynced(self, path: Path) -> int:
        """How many writes to a database, or to its log, a power cut could still take back."""
        return sum(len(self._unsynced.get(f"{path}{ending}", ())) for ending in ("", "-wal"))

    def lose_power(self) -> None:
        """From now on nothing is written."""
        self._fault, self.off = None, True

    def come_back(self, fault: DiskFault, chance: Random) -> None:
        """Let power come back, after a cut without what `chance` has not let get through."""
        if fault in CUTS:
            for name, writes in self._unsynced.items():
                _forget(Path(name), writes, chance)
            for name, former in self._names.items():
                if fault == "forgotten" or chance.random() < 0.5:
                    _forget_name(Path(name), former)
        self._unsynced.clear()
        self._names.clear()
        self._fault, self.off = None, False
        self.sessions += 1

    def operation(self, kind: Literal["write", "sync"], beside: str = "") -> None:
        """Let what is due happen before a write or a sync, to a file beside the databases of this kind."""
        self._looked_at()
        if self._fault is None or self.off:
            return
        self._in -= 1
        if self._in >= 0 or (self._fault in ("slow", "lying") and kind != "sync"):
            return
        if self._fault == "lying" and not beside:
            return
        fault, self._fault = self._fault, None
        self._met(fault, beside)
        self._befall(fault)

    def _befall(self, fault: DiskFault) -> None:
        match fault:
            case "cut" | "kill" | "forgotten":
                self.off, self.ended_by = True, fault
                raise PowerLost
            case "io":
                raise apsw.IOError
            case "full":
                raise apsw.FullError
            case "slow":
                self._slow()
            case "lying":
                self.arm("cut", SOON)
                raise SyncLied

    def wrote(self, name: str, write: Write, at_most: int | None = None) -> None:
        """Take note of a write that a power cut could take back, of the last `at_most` to this file."""
        notes = self._unsynced.setdefault(name, [])
        notes.append(write)
        if at_most is not None:
            del notes[:-at_most]

    def synced(self, name: str) -> None:
        """What was written to this file stays."""
        self._unsynced.pop(name, None)

    def named(self, name: str, former: str = "") -> None:
        """Take note of a new name that its folder has not synced, or of one that takes another's place."""
        self._names[name] = "" if former in self._names else former
        self._names.pop(former, None)
        if former in self._unsynced:
            self._unsynced[name] = self._unsynced.pop(former)

    def keep_names(self, folder: Path) -> None:
        """The names in this folder stay."""
        self._names = {name: one for name, one in self._names.items() if Path(name).parent != folder}

    def removed(self, name: str) -> None:
        """A file is gone, with what was written to it."""
        self._unsynced.pop(name, None)
        self._names.pop(name, None)

    def xOpen(self, name: Any, flags: list[int]) -> apsw.VFSFile:  # noqa: N802  # SQLite's name
        """Open a file of SQLite's."""
        path = name.filename() if isinstance(name, apsw.URIFilename) else str(name or "")
        if path and not self.off and not Path(path).exists():
            self.named(path)
        return _SeededFile(self, path, name, flags)

    def xDelete(self, filename: str, syncdir: bool) -> None:  # noqa: N802  # SQLite's name
        """Delete a file, unless the power is off."""
        if not self.off:
            self.removed(filename)
            super().xDelete(filename, syncdir)


class _SeededFile(apsw.VFSFile):
    """One open file. What is written while the power is off goes nowhere, and nobody is told."""

    def __init__(self, disk: SeededDisk, path: str, name: Any, flags: list[int]) -> None:
        self._disk, self._name, self._session = disk, path, disk.sessions
        self._names_too = path.endswith("-wal")
        super().__init__(disk.under, name, flags)

    @property
    def _is_off(self) -> bool:
        """Also what a program that is gone has left open writes nothing more, whenever it is let go."""
        return self._disk.off or self._session != self._disk.sessions

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802  # SQLite's name
        """Write, and remember what lay there."""
        if self._is_off:
            return
        self._disk.operation("write")
        length = self.xFileSize()
        before = self.xRead(min(len(data), length - offset), offset) if offset < length else b""
        super().xWrite(data, offset)
        self._disk.wrote(self._name, Write(offset, before, bytes(data), length))

    def xSync(self, flags: int) -> None:  # noqa: ARG002, N802  # SQLite's name
        """Have what was written stay."""
        if self._is_off:
            return
        self._disk.operation("sync")
        # The machine's own disk is not asked: what a cut leaves is decided here, a sync takes up to 30 ms.
        self._disk.synced(self._name)
        if self._names_too:
            # SQLite syncs the folder of a log with the log's first sync, and of no other file.
            self._names_too = False
            self._disk.keep_names(Path(self._name).parent)

    def xLock(self, level: int) -> None:  # noqa: N802  # SQLite's name
        """Lock; a file opened for reading cannot be locked for writing, which is no error of a disk."""
        try:
            super().xLock(level)
        except apsw.IOError as error:
            # SQLite passes over this one in silence, and apsw would raise it.
            raise apsw.BusyError from error

    def xTruncate(self, newsize: int) -> None:  # noqa: N802  # SQLite's name
        """Shorten the file; that is not taken back by a cut, for SQLite syncs before it does so."""
        if not self._is_off:
            super().xTruncate(newsize)


@contextmanager
def seeded_disk(
    slow: Callable[[], None], looked_at: Callable[[], None], met: Met, *, fails_beside: bool = True
) -> Iterator[SeededDisk]:
    """Lay the disk under every database that is opened inside; see `SeededDisk`."""
    disk = SeededDisk(slow, looked_at, met, fails_beside=fails_beside)
    try:
        yield disk
    finally:
        disk.unregister()


def _forget(path: Path, writes: list[Write], chance: Random) -> None:
    """Take all writes back, then let some through: none, any, or the first ones with the last one torn."""
    if not path.exists():
        return
    with path.open("r+b") as file:
        for write in reversed(writes):
            file.seek(write.offset)
            file.write(write.before)
            file.truncate(write.length)
        for write in _through(writes, chance):
            file.seek(write.offset)
            file.write(write.data)


def _forget_name(path: Path, former: str) -> None:
    if not path.exists():
        return
    if former:
        path.replace(former)
    else:
        path.unlink()


def _through(writes: list[Write], chance: Random) -> list[Write]:
    kind = chance.choice(("none", "first", "any"))
    if kind == "none":
        return []
    if kind == "any":
        return [write for write in writes if chance.random() < 0.5]
    kept = writes[: chance.randint(0, len(writes))]
    if kept:
        last = kept[-1]
        ends = (0, *range(-last.offset % SECTOR, len(last.data), SECTOR), len(last.data))
        # Drawn in one way however long it is: packed data may differ from one play to the next.
        kept[-1] = last._replace(data=last.data[: ends[int(chance.random() * len(ends))]])
    return kept
