"""Where segments lie: which are kept, for how long, and what happens to those of a process that died."""

import errno
import glob
import os
import re
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, NamedTuple, Protocol

from controller.outputs import lock, place
from controller.ports.side_disk import MACHINE_DISK, SideDisk
from controller.recording.format import PARTIAL, PINS, SUFFIX, RecordedSession
from controller.recording.pins import Pin, note, notes_path
from controller.recording.recording_errors import RecordingError
from controller.recording.recording_reader import segments_in

LOCK: Final = ".lock"
SLUG: Final = re.compile(r"[^A-Za-z0-9_-]+")
FOLDER: Final = 0o700
"""A recording holds every card that the shoe has read, turned or not."""
DAY_US: Final = 86_400 * 10**6

_FULL: Final = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class RetentionPolicy(NamedTuple):
    """How much is kept. The last `ring_us` always are, a pinned segment `pinned_us` long.

    `budget_bytes` is for everything in the folder; to stay below it, pinned segments go first that are
    older than the ring, then the ring's oldest. `reserve_bytes` stay free on the disk for the journal.
    """

    ring_us: int = 20 * 60 * 10**6
    pinned_us: int = 30 * DAY_US
    budget_bytes: int = 20_000 << 20
    reserve_bytes: int = 2_000 << 20


class StoredSegment(NamedTuple):
    """A closed segment as it lies there; `size` counts its notes too."""

    path: Path
    size: int
    ended_us: int
    pinned: bool


class SegmentStorage(Protocol):
    """Where a recorder puts its segments."""

    @property
    def folder(self) -> Path:
        """The folder that they lie in."""
        ...

    @property
    def disk(self) -> SideDisk:
        """What they are written to."""
        ...

    def open(self) -> None:
        """Make it ready; raises `RecordingError` where it cannot be used."""
        ...

    def name(self, session: RecordedSession) -> str:
        """Name the segment, without an ending."""
        ...

    def require_room(self) -> None:
        """Raise `RecordingError` RECORDING_DISK_LOW where the disk is too full to go on."""
        ...

    def tidy(self, now_us: int, coming_bytes: int) -> None:
        """Remove what need not be kept, so that `coming_bytes` more stay within the budget."""
        ...

    def pin(self, segment: Path, pin: Pin) -> None:
        """Note that a segment has to be kept."""
        ...

    def close(self) -> None:
        """Give it back."""
        ...


def stem_of(session: RecordedSession) -> str:
    """Name a session's first moment and its table in a way that sorts and suits a file."""
    began = datetime.fromtimestamp(session.start_utc_us / 1e6, UTC)
    table = SLUG.sub("_", session.table) or "table"
    return f"{table}-{began:%Y%m%dT%H%M%S}.{session.start_utc_us % 10**6:06}Z".replace(".", "_")


class SegmentStore:
    """A folder that one recorder has to itself: a ring of the last minutes, and what was pinned."""

    def __init__(self, folder: Path, policy: RetentionPolicy, disk: SideDisk = MACHINE_DISK) -> None:
        """Touch nothing yet."""
        self.folder: Final = folder
        self.disk: Final = disk
        self._policy = policy
        self._lock: int | None = None

    def open(self) -> None:
        """Make the folder, lock it and take over what a process that died has left.

        Raises `RecordingError`: RECORDING_IN_USE, RECORDING_FAILED.
        """
        try:
            self.folder.mkdir(mode=FOLDER, parents=True, exist_ok=True)
            self._take_lock()
            with suppress(PermissionError):
                self.folder.chmod(FOLDER)
            for path in self.folder.glob(f"*{PARTIAL}"):
                self._take_over(path)
        except OSError as error:
            raise failed(self.folder, error) from error

    def name(self, session: RecordedSession) -> str:
        """See `SegmentStorage.name`."""
        return f"{stem_of(session)}-{session.segment:04}"

    def require_room(self) -> None:
        """See `SegmentStorage.require_room`."""
        require_free(self.folder, self._policy.reserve_bytes, self.disk)

    def tidy(self, now_us: int, coming_bytes: int) -> None:
        """See `SegmentStorage.tidy`."""
        kept = self.kept()
        room = self._policy.budget_bytes - coming_bytes
        for segment in self._surplus(kept, now_us, room):
            with suppress(FileNotFoundError):
                self.disk.remove(segment.path)
        named = {notes_path(path) for path in segments_in(self.folder)}
        for notes in self.folder.glob(f"*{PINS}"):
            if notes not in named:
                with suppress(FileNotFoundError):
                    self.disk.remove(notes)

    def kept(self) -> list[StoredSegment]:
        """List the closed segments, oldest first."""
        found = []
        for path in segments_in(self.folder):
            # Somebody may tidy up by hand meanwhile.
            with suppress(OSError):
                if path.name.endswith(SUFFIX):
                    found.append(_stored(path))
        return found

    def pin(self, segment: Path, pin: Pin) -> None:
        """See `SegmentStorage.pin`."""
        note(segment, pin, self.disk)

    def close(self) -> None:
        """See `SegmentStorage.close`."""
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def _take_over(self, path: Path) -> None:
        """Close and keep a segment that was cut off: something ended the process in the middle of it."""
        note(path, Pin(0, path.stat().st_mtime_ns // 1000, "cut off"), self.disk)
        # One that has its final name already stays beside it, as it is.
        with suppress(FileExistsError):
            self.disk.place(path, path.with_name(path.name.removesuffix(PARTIAL) + SUFFIX), place)

    def _take_lock(self) -> None:
        if self._lock is not None:
            return
        try:
            self._lock = lock(self.folder / LOCK, self.disk.open)
        except BlockingIOError as error:
            raise RecordingError("RECORDING_IN_USE", path=str(self.folder)) from error

    def _surplus(self, kept: list[StoredSegment], now_us: int, room: int) -> list[StoredSegment]:
        """Choose what goes: first what is too old, then the oldest until the rest has room."""
        ring_from, pins_from = now_us - self._policy.ring_us, now_us - self._policy.pinned_us
        gone = [one for one in kept if one.ended_us < (pins_from if one.pinned else ring_from)]
        rest = [one for one in kept if one not in gone]
        # Outside the ring only pinned ones are left.
        rest.sort(key=lambda one: (one.ended_us >= ring_from, one.ended_us))
        total = sum(one.size for one in rest)
        for one in rest:
            if total <= room:
                break
            gone.append(one)
            total -= one.size
        return gone


class SingleFileStorage:
    """A file that somebody named: nothing is removed, nothing pinned; a second segment gets a number."""

    def __init__(self, path: Path, reserve_bytes: int) -> None:
        """`path` is where the file is to lie, with or without its ending."""
        self.folder: Final = path.parent
        self.disk: Final = MACHINE_DISK
        self._stem = path.name.removesuffix(SUFFIX)
        self._reserve_bytes = reserve_bytes

    def open(self) -> None:
        """Make the folder; raises `RecordingError` RECORDING_FAILED, or RECORDING_EXISTS for the file."""
        taken = self.folder / f"{self._stem}{SUFFIX}"
        if os.path.lexists(taken):
            raise RecordingError("RECORDING_EXISTS", path=str(taken))
        try:
            self.folder.mkdir(mode=FOLDER, parents=True, exist_ok=True)
        except OSError as error:
            raise failed(self.folder, error) from error

    def name(self, session: RecordedSession) -> str:
        """See `SegmentStorage.name`."""
        return self._stem if session.segment == 1 else f"{self._stem}-{session.segment:04}"

    def files(self) -> list[Path]:
        """List what was written."""
        return sorted(self.folder.glob(f"{glob.escape(self._stem)}*{SUFFIX}"))

    def require_room(self) -> None:
        """See `SegmentStorage.require_room`."""
        require_free(self.folder, self._reserve_bytes, self.disk)

    def tidy(self, now_us: int, coming_bytes: int) -> None:
        """Remove nothing."""

    def pin(self, segment: Path, pin: Pin) -> None:
        """Note nothing: the file is somebody's own."""

    def close(self) -> None:
        """Nothing is held."""


def require_free(folder: Path, reserve_bytes: int, disk: SideDisk) -> None:
    """Raise `RecordingError` RECORDING_DISK_LOW where less is free than the reserve."""
    try:
        free = disk.room(folder)
    except OSError as error:
        raise failed(folder, error) from error
    if free < reserve_bytes:
        raise RecordingError("RECORDING_DISK_LOW", path=str(folder), reserve_mb=reserve_bytes >> 20)


def failed(folder: Path, error: OSError) -> RecordingError:
    """Name what the disk said: full, over a limit, or anything else."""
    code = "RECORDING_DISK_FULL" if error.errno in _FULL else "RECORDING_FAILED"
    params = {} if code == "RECORDING_DISK_FULL" else {"reason": error.strerror or str(error)}
    return RecordingError(code, path=str(folder), **params)


def _stored(path: Path) -> StoredSegment:
    found, notes = path.stat(), notes_path(path)
    extra = notes.stat().st_size if notes.exists() else 0
    return StoredSegment(path, found.st_size + extra, found.st_mtime_ns // 1000, notes.exists())
