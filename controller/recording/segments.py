"""Segments of recordings on the disk: written one by one, kept for a time, and pinned by journal entries.

A note beside a segment says why it is kept. The unfinished segments of a killed process are closed by the
next one.
"""

import errno
import glob
import json
import os
import re
from collections.abc import Iterable
from contextlib import suppress
from datetime import UTC, datetime
from io import BufferedWriter
from pathlib import Path
from typing import Final, NamedTuple, Protocol

from mcap.writer import CompressionType, Writer

from controller.acts.catalogue import RULING_NAMES
from controller.journal.entry import Entry
from controller.outputs import lock, open_regular, place
from controller.ports import MACHINE_DISK, DiskStream, SideDisk
from controller.recording.format import (
    HISTORY,
    METADATA,
    PARTIAL,
    PINS,
    PROFILE,
    SCHEMAS,
    SUFFIX,
    ChannelSchema,
    MessageKind,
    RecordedSession,
    RecordedSource,
    RecordingError,
    packed,
    to_metadata,
    topic_of,
)
from controller.recording.recording_reader import segments_in

BEFORE_NS: Final = 120 * 10**9
AFTER_NS: Final = 60 * 10**9
"""What lies so long before and after is kept too."""

NOTES_MAX: Final = 100
"""Notes written in one segment's time; one of them is enough to keep it."""

CARRIED_MAX: Final = 10
"""Notes that the next segment gets too, because it begins so soon after."""

_NAMED: Final = frozenset({"held", "trouble"})
_OWN: Final = "RECORDING_"
"""Troubles of the recorder itself: keeping more would make them worse."""

_ALWAYS: Final = frozenset({"disputed"})


class Pin(NamedTuple):
    """The reason for keeping a segment: `why` is a word of the journal and its code, never a card."""

    mono_ns: int
    utc_us: int
    why: str
    seq: int | None = None
    round_id: int | None = None


def pin_of(entry: Entry, mono_ns: int) -> Pin | None:
    """Tell whether this entry is a hold, a device's trouble, a ruling or a dispute."""
    why = _why(entry)
    return None if why is None else Pin(mono_ns, entry.at_utc_us, why, entry.seq, entry.round_id)


def _why(entry: Entry) -> str | None:
    if entry.kind in _ALWAYS:
        return entry.kind
    if entry.kind in _NAMED:
        code = str(json.loads(entry.body).get("code", ""))
        return None if code.startswith(_OWN) else f"{entry.kind} {code}"
    if entry.kind == "fact":
        act = json.loads(entry.body).get("obs")
        return f"fact {act}" if act in RULING_NAMES else None
    return None


def notes_path(segment: Path) -> Path:
    """Tell where the notes of a segment lie, whether it is open, closed or cut off."""
    return segment.with_name(segment.name.partition(".mcap")[0] + PINS)


def note(segment: Path, pin: Pin, disk: SideDisk = MACHINE_DISK) -> None:
    """Write down why a segment is kept; raises `OSError` as the disk does."""
    line = {"utc_us": pin.utc_us, "why": pin.why, "seq": pin.seq, "round": pin.round_id}
    path = notes_path(segment)
    handle = open_regular(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, opened=disk.open)
    try:
        disk.write(path, handle, json.dumps(line).encode() + b"\n", os.fstat(handle).st_size)
    finally:
        os.close(handle)


LOCK: Final = ".lock"
_SLUG: Final = re.compile(r"[^A-Za-z0-9_-]+")
FOLDER: Final = 0o700
"""A recording holds every card that the shoe has read, turned or not."""
DAY_US: Final = 86_400 * 10**6

_FULL: Final = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class RetentionPolicy(NamedTuple):
    """The retention of segments. The last `ring_us` are always kept, a pinned segment for `pinned_us`.

    `budget_bytes` is for everything in the folder. Above it, pinned segments older than the ring are removed
    first, then the ring's oldest. `reserve_bytes` stay free on the disk for the journal.
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
    """The storage of a recorder's segments."""

    @property
    def folder(self) -> Path:
        """The folder that they lie in."""
        ...

    @property
    def disk(self) -> SideDisk:
        """The disk of the segments."""
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
        """Remove segments so that `coming_bytes` more stay within the budget."""
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
    table = _SLUG.sub("_", session.table) or "table"
    return f"{table}-{began:%Y%m%dT%H%M%S}.{session.start_utc_us % 10**6:06}Z".replace(".", "_")


class SegmentStore:
    """A folder used by one recorder alone: a ring of the last minutes, and the pinned segments."""

    def __init__(self, folder: Path, policy: RetentionPolicy, disk: SideDisk = MACHINE_DISK) -> None:
        """Touch nothing yet."""
        self.folder: Final = folder
        self.disk: Final = disk
        self._policy = policy
        self._lock: int | None = None

    def open(self) -> None:
        """Make the folder, lock it and take over the segments of a killed process.

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
        """Name the segment, without an ending."""
        return f"{stem_of(session)}-{session.segment:04}"

    def require_room(self) -> None:
        """Raise `RecordingError` RECORDING_DISK_LOW where the disk is too full to go on."""
        require_free(self.folder, self._policy.reserve_bytes, self.disk)

    def tidy(self, now_us: int, coming_bytes: int) -> None:
        """Remove segments so that `coming_bytes` more stay within the budget."""
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
            # A person may delete files meanwhile.
            with suppress(OSError):
                if path.name.endswith(SUFFIX):
                    found.append(_stored(path))
        return found

    def pin(self, segment: Path, pin: Pin) -> None:
        """Note that a segment has to be kept."""
        note(segment, pin, self.disk)

    def close(self) -> None:
        """Give it back."""
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
        """Return the segments to remove: the outdated ones, then the oldest until the rest fits."""
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
    """A file that a person has named: nothing is removed or pinned; a second segment gets a number."""

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
        """Name the segment, without an ending."""
        return self._stem if session.segment == 1 else f"{self._stem}-{session.segment:04}"

    def files(self) -> list[Path]:
        """Return the written files."""
        return sorted(self.folder.glob(f"{glob.escape(self._stem)}*{SUFFIX}"))

    def require_room(self) -> None:
        """Raise `RecordingError` RECORDING_DISK_LOW where the disk is too full to go on."""
        require_free(self.folder, self._reserve_bytes, self.disk)

    def tidy(self, now_us: int, coming_bytes: int) -> None:
        """Remove nothing."""

    def pin(self, segment: Path, pin: Pin) -> None:
        """Do nothing: the file belongs to a person."""

    def close(self) -> None:
        """Do nothing: nothing is locked."""


def require_free(folder: Path, reserve_bytes: int, disk: SideDisk) -> None:
    """Raise `RecordingError` RECORDING_DISK_LOW where less is free than the reserve."""
    try:
        free = disk.room(folder)
    except OSError as error:
        raise failed(folder, error) from error
    if free < reserve_bytes:
        raise RecordingError("RECORDING_DISK_LOW", path=str(folder), reserve_mb=reserve_bytes >> 20)


def failed(folder: Path, error: OSError) -> RecordingError:
    """Return the error of the disk: full, over a limit, or any other."""
    code = "RECORDING_DISK_FULL" if error.errno in _FULL else "RECORDING_FAILED"
    params = {} if code == "RECORDING_DISK_FULL" else {"reason": error.strerror or str(error)}
    return RecordingError(code, path=str(folder), **params)


def _stored(path: Path) -> StoredSegment:
    found, notes = path.stat(), notes_path(path)
    extra = notes.stat().st_size if notes.exists() else 0
    return StoredSegment(path, found.st_size + extra, found.st_mtime_ns // 1000, notes.exists())


_BUFFER_BYTES: Final = 1 << 20
_CHUNK_BYTES: Final = 1 << 20
"""The most that a chunk waits for; `flush` ends it sooner."""

_MESSAGE_BYTES: Final = 31
"""What a message takes beside its data."""


class SegmentWriter:
    """A segment being written as `NAME.mcap.partial`, readable by its owner alone; `NAME.mcap` once closed.

    Every method raises `OSError` as the disk does; `abandon` then leaves the written part as it is.
    """

    def __init__(
        self,
        folder: Path,
        name: str,
        session: RecordedSession,
        sources: Iterable[RecordedSource],
        history: bytes = b"",
        *,
        mono_ns: int | None = None,
        disk: SideDisk = MACHINE_DISK,
    ) -> None:
        """Create the file and write its metadata; it begins at `mono_ns`, or with the session."""
        self.path: Final = folder / f"{name}{PARTIAL}"
        self.final: Final = folder / f"{name}{SUFFIX}"
        self.size = 0
        """Bytes of messages so far."""
        self._session = session
        self._last_ns = session.utc_ns(session.start_mono_ns if mono_ns is None else mono_ns)
        self._channels: dict[tuple[MessageKind, str], int] = {}
        self._settings = {source.name: dict(source.settings) for source in sources}
        if os.path.lexists(self.final):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(self.final))
        self._disk = disk
        handle = disk.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
        self._file = BufferedWriter(DiskStream(disk, self.path, handle), _BUFFER_BYTES)
        # A cut costs the last chunk only. Pictures are compressed already: the quicker of two ways is enough.
        self._mcap = Writer(self._file, _CHUNK_BYTES, CompressionType.LZ4, enable_data_crcs=True)
        self._schemas: dict[str, int] = {}
        try:
            self._introduce(sources, history)
        except OSError:
            self._drop_file()
            raise

    def write(self, kind: MessageKind, source: str, mono_ns: int, data: bytes) -> None:
        """Add a message; a moment before the last message's is written as that one's."""
        self._last_ns = max(self._last_ns, self._session.utc_ns(mono_ns))
        channel = self._channel(kind, source)
        data = packed(kind, source, self._last_ns, data)
        self._mcap.add_message(channel, self._last_ns, data, self._last_ns)
        self.size += _MESSAGE_BYTES + len(data)

    def attach(self, name: str, media_type: str, data: bytes) -> None:
        """Add a file to the segment."""
        self._mcap.add_attachment(self._last_ns, self._last_ns, name, media_type, data)

    def flush(self) -> None:
        """End the chunk and hand it to the system: a process that is killed afterwards has lost nothing.

        The disk is not waited for, here or in `close`: on ext4 each sync of a growing file makes the
        journal's commits wait behind it (measured: 1 s instead of 0.1 s in the worst hundredth).
        """
        self._mcap.flush()  # type: ignore[no-untyped-call]

    def close(self, ended_utc_ns: int | None = None) -> None:
        """End the file, and give it its final name and the time of its end."""
        self._mcap.finish()  # type: ignore[no-untyped-call]
        self._file.close()
        ended_ns = self._last_ns if ended_utc_ns is None else ended_utc_ns
        os.utime(self.path, ns=(ended_ns, ended_ns))
        self._disk.place(self.path, self.final, place)

    def abandon(self) -> None:
        """Give up a file that can no longer be written; never raises."""
        with suppress(OSError):
            self._file.close()
        with suppress(OSError):
            self._disk.place(self.path, self.final, place)

    def _introduce(self, sources: Iterable[RecordedSource], history: bytes) -> None:
        """Write the records before the first message."""
        self._mcap.start(PROFILE, library=f"stand17 {self._session.program}")
        self._mcap.add_metadata(METADATA, to_metadata(self._session))
        if history:
            self.attach(HISTORY, "application/jsonl", history)
        for source in sources:
            for kind in source.kinds:
                self._channel(kind, source.name)

    def _drop_file(self) -> None:
        """Remove a file that could not even be begun."""
        with suppress(OSError):
            self._file.close()
        with suppress(OSError):
            self._disk.remove(self.path)

    def _channel(self, kind: MessageKind, source: str) -> int:
        known = self._channels.get((kind, source))
        if known is None:
            settings = self._settings.get(source, {})
            schema = SCHEMAS[kind]
            known = self._mcap.register_channel(
                topic_of(kind, source), schema.message_encoding, self._schema(schema), settings
            )
            self._channels[kind, source] = known
        return known

    def _schema(self, schema: ChannelSchema) -> int:
        """Register a schema with its first channel; 0 for a channel without."""
        if not schema.name:
            return 0
        if schema.name not in self._schemas:
            known = self._mcap.register_schema(schema.name, schema.encoding, schema.data)
            self._schemas[schema.name] = known
        return self._schemas[schema.name]
