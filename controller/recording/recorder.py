"""The recorder: takes the devices' messages through a bounded queue, and writes them beside the devices.

A session is a row of segments: begun, filled, ended by time or size, pinned.
"""

import json
import threading
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Final, Literal, NamedTuple

from controller.journal.copying import write_entry
from controller.journal.entry import Entry
from controller.ports import Clock, StartWork, TapKind, Turns, Work, WorkThread
from controller.recording.format import (
    MessageKind,
    RecordedSession,
    RecordedSource,
    RecordingError,
    decode_entry,
)
from controller.recording.segments import (
    AFTER_NS,
    BEFORE_NS,
    CARRIED_MAX,
    NOTES_MAX,
    Pin,
    SegmentStorage,
    SegmentWriter,
    failed,
    pin_of,
)

BYTES_MAX: Final = 64 << 20
"""About ten seconds of pictures at 1080p and 30 a second; a disk that rests longer costs pictures."""

_ITEMS_MAX: Final = 50_000
_PICTURE_SHARE: Final = 0.75
"""Pictures fill no more than this, so that there is still room for bytes, keys and facts."""


class QueuedMessage(NamedTuple):
    """A message on its way to the file; see `controller.recording.format`."""

    kind: MessageKind
    source: str
    mono_ns: int
    data: bytes


class RecordingQueue:
    """A first-in, first-out queue. A full queue drops messages and counts them by kind; no writer waits."""

    def __init__(self, bytes_max: int = BYTES_MAX, items_max: int = _ITEMS_MAX) -> None:
        """`bytes_max` limits the data that waits, `items_max` the number of messages."""
        self._bytes_max = bytes_max
        self._picture_bytes_max = int(bytes_max * _PICTURE_SHARE)
        self._items_max = items_max
        self._lock = threading.Lock()
        self._items: deque[QueuedMessage] = deque()
        self._bytes = 0
        self._dropped: Counter[MessageKind] = Counter()

    def put(self, item: QueuedMessage) -> bool:
        """Add from any thread; False, and counted, where there is no room."""
        size = len(item.data)
        with self._lock:
            most = self._picture_bytes_max if item.kind == "jpeg" else self._bytes_max
            if self._bytes + size > most or len(self._items) >= self._items_max:
                self._dropped[item.kind] += 1
                return False
            self._bytes += size
            self._items.append(item)
        return True

    def take(self) -> deque[QueuedMessage]:
        """Take everything that waits."""
        with self._lock:
            items, self._items = self._items, deque()
            self._bytes = 0
        return items

    def drop(self, kind: MessageKind) -> None:
        """Count a message that was taken and could not be written."""
        with self._lock:
            self._dropped[kind] += 1

    def dropped(self) -> dict[MessageKind, int]:
        """Tell how many messages were dropped since the start, by kind."""
        with self._lock:
            return dict(self._dropped)


_HISTORY_BYTES_MAX: Final = 64 << 20
"""Journal entries kept for the beginning of each segment: several gaming days of the busiest table. Where
segments are smaller, the history is no larger than one of them."""

_LOOK_NS: Final = 10**9
"""How often the free room of the disk is looked at."""


class SegmentLimits(NamedTuple):
    """The limits of a segment."""

    ns: int = 300 * 10**9
    bytes: int = 2_000 << 20


class ClosedSegment(NamedTuple):
    """A segment of this session that a later event may still pin."""

    path: Path
    ended_ns: int


class SessionWriter:
    """Writes a session's segments, from one thread. Every method raises `RecordingError` for a disk error."""

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
        self._history_max = min(_HISTORY_BYTES_MAX, self._size.bytes)
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
        """The folder of the segments, for people."""
        return str(self._storage.folder)

    @property
    def open_name(self) -> str:
        """The name of the segment that is being written, "" when there is none."""
        writer = self._writer
        return "" if writer is None else writer.final.name

    def make_room(self, now_ns: int) -> None:
        """Require that the folder is ours and the disk has room; the first message begins the segment."""
        self._read_history()
        if not self._opened:
            self._storage.open()
            self._opened = True
        if now_ns >= self._look_ns:
            self._look_ns = now_ns + _LOOK_NS
            self._require_room(now_ns)

    def write(self, item: QueuedMessage) -> None:
        """Add a message to the open segment, or to the next one when that is full."""
        self._roll(item.mono_ns)
        if self._writer is not None:
            with self._named():
                self._writer.write(*item)

    def remember(self, item: QueuedMessage) -> None:
        """Keep the state that later segments begin with, written or not, and pin segments for an entry."""
        if item.kind == "mark":
            self._marks[item.source] = item.data
        if item.kind == "fact":
            self._read_history()
            self._keep_history(item.data)
            pin = pin_of(decode_entry(item.data), item.mono_ns)
            if pin is not None:
                self._pin(pin)

    def flush(self) -> None:
        """Flush the buffer to the operating system."""
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
            b"".join(line + b"\n" for line in self._history),
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
        """Keep the segments before, this segment, and those that begin soon."""
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
        """Read the earlier entries, once, up to the limit."""
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
    """Return a mark as a repetition from an earlier segment."""
    return json.dumps({**json.loads(mark), "again": True}).encode()


_TURN_S: Final = 0.1
"""How long messages wait before they are handed to the system; a killed process loses no more."""

RETRY_NS: Final = 10 * 10**9
_WARN_NS: Final = 60 * 10**9
_JOIN_S: Final = 10.0

RecorderState = Literal["recording", "stopped", "closed"]
_RecorderWarning = Callable[[RecordingError], None]
"""Hears, from the recorder's thread, why nothing is recorded or what was dropped; not more than once a
minute for each code."""


class RecorderStatus(NamedTuple):
    """The recorder's state. `detail` is the code of the last failure or ""; counts are since the start."""

    state: RecorderState
    detail: str
    segment: str
    messages: int
    bytes: int
    dropped: int


class Recorder:
    """Takes messages from any thread (it is a `Tap`), journal entries, and writes both in order of arrival.

    A failure of the recording does not reach the sender: lost messages are counted, and an unwritable folder
    is tried again every ten seconds.
    """

    def __init__(
        self,
        segments: SessionWriter,
        clock: Clock,
        warn: _RecorderWarning,
        queue: RecordingQueue | None = None,
    ) -> None:
        self._segments = segments
        self._clock = clock
        self._warn = warn
        self._queue = queue or RecordingQueue()
        self._state: RecorderState = "closed"
        self._detail = ""
        self._retry_ns = clock.mono_ns()
        self._warned: dict[str, int] = {}
        self._dropped = 0
        self._messages = self._bytes = 0
        self._closing = False
        self._work: Work | None = None

    def __call__(self, source: str, kind: TapKind, mono_ns: int, data: bytes) -> None:
        """Queue a message; count it when there is no room."""
        self._queue.put(QueuedMessage(kind, source, mono_ns, data))

    def wrote(self, entries: Iterable[Entry]) -> None:
        """Take entries that the journal has on disk."""
        now_ns = self._clock.mono_ns()
        for entry in entries:
            self._queue.put(QueuedMessage("fact", "", now_ns, write_entry(entry)))

    def open(self, start: StartWork = WorkThread) -> None:
        """Start the writer; an unusable folder goes to `warn`."""
        if self._work is None:
            self._closing = False
            self._work = start("recorder", self._run())

    def close(self) -> None:
        """Write the waiting messages, close the segment, and wait for it."""
        self._closing = True
        if self._work is not None:
            self._work.wake()
            self._work.join(_JOIN_S)
            self._work = None

    def status(self) -> RecorderStatus:
        """May be asked from any thread at any time."""
        dropped = sum(self._queue.dropped().values())
        segment = self._segments.open_name
        return RecorderStatus(self._state, self._detail, segment, self._messages, self._bytes, dropped)

    def _run(self) -> Turns:
        """All turns. A fault of our own ends the recording, never the table, and is reported."""
        try:
            while not self._closing:
                self._turn()
                yield _TURN_S
            self._turn()
            self._end()
        except Exception as error:
            # The name alone: an error's text could quote secret data.
            reason = type(error).__name__
            self._fail(RecordingError("RECORDING_FAILED", path=self._segments.folder, reason=reason))
            raise
        finally:
            self._segments.release()

    def _turn(self) -> None:
        """Write everything that waits."""
        now_ns = self._clock.mono_ns()
        if self._state == "recording" or now_ns >= self._retry_ns:
            self._try(partial(self._segments.make_room, now_ns))
        for item in self._queue.take():
            self._take(item)
        if self._state == "recording":
            self._try(self._segments.flush)
        self._report_drops(now_ns)

    def _take(self, item: QueuedMessage) -> None:
        if self._state == "recording" and self._try(partial(self._segments.write, item)):
            self._messages += 1
            self._bytes += len(item.data)
        else:
            self._queue.drop(item.kind)
        self._try(partial(self._segments.remember, item), self._state)

    def _try(self, act: Callable[[], None], state: RecorderState = "recording") -> bool:
        """Run `act`. An error of the disk stops the recording until the next try; success leaves `state`."""
        try:
            act()
        except RecordingError as error:
            self._fail(error)
            return False
        self._state = state
        return True

    def _end(self) -> None:
        if self._state == "recording":
            self._try(partial(self._segments.finish, self._clock.mono_ns()))
        self._state = "closed"

    def _fail(self, error: RecordingError) -> None:
        """Stop after a disk error; the written part stays readable."""
        now_ns = self._clock.mono_ns()
        self._segments.abandon(now_ns)
        self._state, self._detail = "stopped", error.code
        self._retry_ns = now_ns + RETRY_NS
        self._report(error, now_ns)

    def _report_drops(self, now_ns: int) -> None:
        """Warn of messages that found no room although there is a file to write to."""
        dropped = sum(self._queue.dropped().values())
        if dropped != self._dropped and self._state == "recording":
            self._report(RecordingError("RECORDING_DROPS", path=self._segments.folder), now_ns)
        self._dropped = dropped

    def _report(self, error: RecordingError, now_ns: int) -> None:
        last_ns = self._warned.get(error.code)
        if last_ns is None or now_ns - last_ns >= _WARN_NS:
            self._warned[error.code] = now_ns
            self._warn(error)
