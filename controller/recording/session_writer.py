"""One session as a row of segments: begun, filled, ended by time or size, pinned."""

import json
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NamedTuple

from controller.recording import entry_codec
from controller.recording.format import RecordedSession, RecordedSource
from controller.recording.pins import AFTER_NS, BEFORE_NS, CARRIED_MAX, NOTES_MAX, Pin, pin_of
from controller.recording.recording_errors import RecordingError
from controller.recording.recording_queue import QueuedMessage
from controller.recording.segment_store import SegmentStorage, failed
from controller.recording.writer import SegmentWriter

HISTORY_BYTES_MAX: Final = 64 << 20
"""Journal entries kept for the beginning of each segment: several gaming days of the busiest table. Where
segments are smaller, the history is no larger than one of them."""

LOOK_NS: Final = 10**9
"""How often the free room of the disk is looked at."""


class SegmentLimits(NamedTuple):
    """When a segment ends."""

    ns: int = 300 * 10**9
    bytes: int = 2_000 << 20


class ClosedSegment(NamedTuple):
    """A segment of this session that may still have to be kept for what happens next."""

    path: Path
    ended_ns: int


class SessionWriter:
    """Used by one thread. Every method raises `RecordingError` for what the disk says."""

    def __init__(
        self,
        storage: SegmentStorage,
        session: RecordedSession,
        sources: Iterable[RecordedSource] = (),
        size: SegmentLimits | None = None,
        history: Iterable[bytes] = (),
    ) -> None:
        """Open nothing yet.

        `history` are the encoded journal entries before the session. They are read with the first use, in its
        thread: there may be many, and no table waits for them.
        """
        self._storage = storage
        self._session = session
        self._sources = tuple(sources)
        self._size = size or SegmentLimits()
        self._history_max = min(HISTORY_BYTES_MAX, self._size.bytes)
        self._history: deque[bytes] = deque()
        self._history_bytes = 0
        self._before: Iterable[bytes] = history
        self._marks: dict[str, bytes] = {}
        self._pins: list[Pin] = []
        self._closed: list[ClosedSegment] = []
        self._writer: SegmentWriter | None = None
        self._began_ns = self._look_ns = self._notes = 0
        self._opened = False

    @property
    def folder(self) -> str:
        """Where the segments lie, for people."""
        return str(self._storage.folder)

    @property
    def open_name(self) -> str:
        """The name of the segment that is being written, "" when there is none."""
        writer = self._writer
        return "" if writer is None else writer.final.name

    def make_room(self, now_ns: int) -> None:
        """See that the folder is ours and the disk has room; the first message begins the segment."""
        self._read_history()
        if not self._opened:
            self._storage.open()
            self._opened = True
        if now_ns >= self._look_ns:
            self._look_ns = now_ns + LOOK_NS
            self._require_room(now_ns)

    def write(self, item: QueuedMessage) -> None:
        """Add a message to the open segment, or to the next one when that is full."""
        self._roll(item.mono_ns)
        if self._writer is not None:
            with self._named():
                self._writer.write(*item)

    def remember(self, item: QueuedMessage) -> None:
        """Keep what later segments begin with, written or not, and pin what an entry makes worth keeping."""
        if item.kind == "mark":
            self._marks[item.source] = item.data
        if item.kind == "fact":
            self._read_history()
            self._keep_history(item.data)
            pin = pin_of(entry_codec.decode(item.data), item.mono_ns)
            if pin is not None:
                self._pin(pin)

    def flush(self) -> None:
        """Hand what is buffered to the system."""
        if self._writer is not None:
            with self._named():
                self._writer.flush()

    def finish(self, now_ns: int) -> None:
        """Close the open segment."""
        writer, self._writer = self._writer, None
        if writer is not None:
            self._closed.append(ClosedSegment(writer.final, now_ns))
            try:
                writer.close(self._session.utc_ns(now_ns))
            except OSError as error:
                writer.abandon()
                raise failed(self._storage.folder, error) from error

    def abandon(self, now_ns: int) -> None:
        """Leave the open segment as it is, after a write that failed; never raises."""
        writer, self._writer = self._writer, None
        if writer is not None:
            self._closed.append(ClosedSegment(writer.final, now_ns))
            writer.abandon()

    def release(self) -> None:
        """Give the folder back."""
        self._storage.close()
        self._opened = False

    def _roll(self, now_ns: int) -> None:
        """Begin a segment where there is none, or where this one has had its time or size.

        `now_ns` is the moment of the message that it begins with.
        """
        writer = self._writer
        if writer is not None:
            young = now_ns - self._began_ns < self._size.ns
            if young and writer.size < self._size.bytes:
                return
            self.finish(now_ns)
        with self._named():
            self._begin(now_ns)

    def _begin(self, now_ns: int) -> None:
        self._read_history()
        session = self._session
        self._storage.tidy(session.utc_ns(now_ns) // 1000, self._size.bytes + self._history_bytes)
        self._writer = SegmentWriter(
            self._storage.folder,
            self._storage.name(session),
            session,
            self._sources,
            entry_codec.joined(self._history),
            mono_ns=now_ns,
            disk=self._storage.disk,
        )
        self._began_ns, self._notes = now_ns, 0
        self._session = session._replace(segment=session.segment + 1)
        for source, mark in self._marks.items():
            self._writer.write("mark", source, now_ns, _again(mark))
        self._pins = [pin for pin in self._pins if pin.mono_ns + AFTER_NS >= now_ns]
        self._closed = [one for one in self._closed if one.ended_ns >= now_ns - BEFORE_NS]
        for pin in self._pins:
            self._storage.pin(self._writer.path, pin)

    def _pin(self, pin: Pin) -> None:
        """Keep what lies before, this segment, and those that begin soon."""
        self._pins = [*self._pins, pin][-CARRIED_MAX:]
        paths = [one.path for one in self._closed if one.ended_ns >= pin.mono_ns - BEFORE_NS]
        # Kept from now on, and nothing more can happen to them.
        self._closed.clear()
        if self._writer is not None and self._notes < NOTES_MAX:
            self._notes += 1
            paths.append(self._writer.path)
        with self._named():
            for path in paths:
                if path.exists():
                    self._storage.pin(path, pin)

    def _require_room(self, now_ns: int) -> None:
        try:
            self._storage.require_room()
        except RecordingError:
            self.finish(now_ns)
            raise

    def _read_history(self) -> None:
        """Take what was there before, once, and no more of it than is kept."""
        before, self._before = self._before, ()
        for line in before:
            self._keep_history(line)
            if self._history_bytes > self._history_max:
                return

    def _keep_history(self, line: bytes) -> None:
        """Beyond the limit nothing is kept: half a history would be a wrong one."""
        if self._history_bytes > self._history_max:
            return
        self._history.append(line)
        self._history_bytes += len(line)
        if self._history_bytes > self._history_max:
            self._history.clear()

    @contextmanager
    def _named(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise failed(self._storage.folder, error) from error


def _again(mark: bytes) -> bytes:
    """Say that a mark repeats what a segment before has recorded."""
    return json.dumps({**json.loads(mark), "again": True}).encode()
