"""The recorder: takes what the devices' threads hand it, and writes it beside them."""

from collections.abc import Callable, Iterable
from functools import partial
from typing import Final, Literal, NamedTuple

from controller.journal.entry import Entry
from controller.ports.clock import Clock
from controller.ports.taps import TapKind
from controller.ports.work import StartWork, Turns, Work, WorkThread
from controller.recording import entry_codec
from controller.recording.recording_errors import RecordingError
from controller.recording.recording_queue import QueuedMessage, RecordingQueue
from controller.recording.session_writer import SessionWriter

TURN_S: Final = 0.1
"""How long messages wait before they are handed to the system; a killed process loses no more."""

RETRY_NS: Final = 10 * 10**9
WARN_NS: Final = 60 * 10**9
JOIN_S: Final = 10.0

RecorderState = Literal["recording", "stopped", "closed"]
RecorderWarning = Callable[[RecordingError], None]
"""Hears, from the recorder's thread, why nothing is recorded or what was dropped; not more than once a
minute for each code."""


class RecorderStatus(NamedTuple):
    """How the recorder is. `detail` is the code of the last failure or ""; counts are since the start."""

    state: RecorderState
    detail: str
    segment: str
    messages: int
    bytes: int
    dropped: int


class Recorder:
    """Takes messages from any thread (it is a `Tap`), journal entries, and writes both in order of arrival.

    Nothing that goes wrong with a recording reaches whoever hands it over: what cannot be kept is counted,
    and a folder that cannot be written is tried again every ten seconds.
    """

    def __init__(
        self,
        segments: SessionWriter,
        clock: Clock,
        warn: RecorderWarning,
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
        """See `controller.ports.taps.Tap`."""
        self._queue.put(QueuedMessage(kind, source, mono_ns, data))

    def wrote(self, entries: Iterable[Entry]) -> None:
        """Take entries that the journal has on disk."""
        now_ns = self._clock.mono_ns()
        for entry in entries:
            self._queue.put(QueuedMessage("fact", "", now_ns, entry_codec.encode(entry)))

    def open(self, start: StartWork = WorkThread) -> None:
        """Start what writes; a folder that cannot be used goes to `warn`."""
        if self._work is None:
            self._closing = False
            self._work = start("recorder", self._run())

    def close(self) -> None:
        """Write what waits, close the segment, and wait for it."""
        self._closing = True
        if self._work is not None:
            self._work.wake()
            self._work.join(JOIN_S)
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
                yield TURN_S
            self._turn()
            self._end()
        except Exception as error:
            # The name alone: what an error says could quote what it fell over.
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
        """Stop after an error of the disk; what was written stays readable."""
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
        if last_ns is None or now_ns - last_ns >= WARN_NS:
            self._warned[error.code] = now_ns
            self._warn(error)
