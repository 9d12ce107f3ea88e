"""Recorded bytes and pictures in place of a device: the driver cannot tell the difference.

In: what a recording holds. Out: `ReplayLine` and `ReplayPictures`, whose `connect` is given to a line driver
or a camera and whose `opens`, `fails`, `breaks` and `receives` let happen what was recorded, one by one;
`RecordedPictures`, a `Grabber` that plays a camera's pictures at the pace at which they were taken. May
import the camera's types and the reader of recordings.
"""

import errno
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Final, Literal

from controller.domain import DeviceError
from controller.ports import ByteStream, SystemClock
from controller.recording.recording_reader import Recorded, Recording
from drivers.camera import CameraConfig, Grabbed


class ReplayClock:
    """A clock that stands still until it is moved; `looks` counts how often it was looked at."""

    def __init__(self, mono_ns: int, utc_us: int) -> None:
        """Stand at a moment on both clocks."""
        self._mono_ns = mono_ns
        self._offset_us = utc_us - mono_ns // 1000
        self.looks = 0

    def move(self, mono_ns: int) -> None:
        """Go to a later moment; an earlier one changes nothing."""
        self._mono_ns = max(self._mono_ns, mono_ns)

    def mono_ns(self) -> int:
        """Nanoseconds that never jump, for ages and time-outs."""
        self.looks += 1
        return self._mono_ns

    def utc_us(self) -> int:
        """Microseconds since 1970-01-01 UTC, for the journal."""
        return self._offset_us + self._mono_ns // 1000


_STUCK_S: Final = 5.0
"""A driver that does not come back for more after this long is taken for dead."""

LOOKS: Final = 8
"""So often a driver without a line looks at its clock in a few turns; by then it has said what it has to."""


Door = Literal["connect", "read"]
"""Where a driver asks: it wants to open the device, or to hear it."""

ReplayEvent = str | bytes
"""What happens to a device: "" where it can be opened, else why it cannot or breaks; bytes that it says."""


class ReplayDevice:
    """The player's side of a device: lets happen what was recorded, each at its moment of the recording.

    One event at a time is handed to the driver's thread. `opens`, `fails`, `breaks` and `receives` return
    when the driver has dealt with it, and False when it did not take it. `is_open` is what the recording has
    said last.
    """

    def __init__(self, clock: ReplayClock) -> None:
        """`clock` is the one that the driver was given, and its alone."""
        self._clock = clock
        self._meet = threading.Condition()
        self._asked: Door | None = None
        self._given: ReplayEvent | None = None
        self._closed = False
        self.is_open = False

    def opens(self, mono_ns: int) -> bool:
        """Let the driver's next try to open succeed."""
        self.is_open = self._happens(mono_ns, "connect", "")
        return self.is_open

    def fails(self, mono_ns: int, reason: str) -> bool:
        """Let the driver's next try fail."""
        return self._happens(mono_ns, "connect", reason)

    def breaks(self, mono_ns: int) -> bool:
        """Pull the plug."""
        self.is_open = False
        return self._happens(mono_ns, "read", "UNPLUGGED")

    def receives(self, mono_ns: int, data: bytes) -> bool:
        """Let bytes or a picture arrive; b"" lets a moment pass in which no bytes did."""
        return self._happens(mono_ns, "read", data)

    def end(self) -> None:
        """Let the driver's thread go."""
        with self._meet:
            self._closed = True
            self._meet.notify_all()

    def _happens(self, mono_ns: int, where: Door, event: ReplayEvent) -> bool:
        """Let it happen to a driver that asks there; False when the driver does not come to ask."""
        self._clock.move(mono_ns)
        with self._meet:
            if not self._meet.wait_for(lambda: self._asked == where, _STUCK_S):
                return False
            looks = self._clock.looks
            self._given = event
            self._meet.notify_all()
            self._meet.wait_for(lambda: self._given is None, _STUCK_S)
        # Until the driver asks again or, having lost its line, has gone round a few times.
        for _ in range(round(_STUCK_S / 0.01)):
            with self._meet:
                if self._meet.wait_for(lambda: self._asked is not None, 0.01):
                    return True
            if self._clock.looks - looks >= LOOKS:
                return True
        return False

    def _ask(self, where: Door) -> ReplayEvent:
        """Wait for what happens next; called by the driver. Once it is closed, everything breaks."""
        with self._meet:
            self._asked = where
            self._meet.notify_all()
            self._meet.wait_for(lambda: self._given is not None or self._closed)
            given, self._given, self._asked = self._given, None, None
            self._meet.notify_all()
        return "ENDED" if given is None else given

    def _require(self, port: str) -> None:
        """Wait for the recording to say that the device can be opened."""
        reason = self._ask("connect")
        if reason:
            raise DeviceError("DEVICE_OPEN_FAILED", port=port, reason=str(reason))


class ReplayLine(ReplayDevice):
    """A recorded line, a `ByteStream` once it is connected; `sent` is what the driver has written to it."""

    def __init__(self, clock: ReplayClock) -> None:
        """Make the line; `clock` moves as the recording does."""
        super().__init__(clock)
        self.sent: Final = bytearray()

    def connect(self, port: str, _baud: int) -> ByteStream:
        """Open as the recording says; raises `DeviceError` DEVICE_OPEN_FAILED where it failed."""
        self._require(port)
        return self

    def read(self) -> bytes:
        """Wait for the next bytes."""
        event = self._ask("read")
        if not isinstance(event, bytes):
            raise OSError(errno.EIO, "the line broke in the recording")
        return event

    def write(self, data: bytes) -> None:
        """Keep what is sent."""
        self.sent.extend(data)

    def close(self) -> None:
        """Close; the next bytes need a new opening."""


class ReplayPictures(ReplayDevice):
    """A recorded camera; a `Grabber` once it is connected."""

    paced = True
    finite = False

    def __init__(self, clock: ReplayClock, *, watched: bool) -> None:
        """`watched`: the pictures are a live camera's, so that frozen or black ones are reported."""
        super().__init__(clock)
        self.watched = watched

    def connect(self, config: CameraConfig) -> "ReplayPictures":
        """Open as the recording says; raises `DeviceError` DEVICE_OPEN_FAILED where it failed."""
        self._require(config.source)
        return self

    def grab(self) -> Grabbed | None:
        """Wait for the next picture."""
        event = self._ask("read")
        return event if isinstance(event, bytes) else None

    def close(self) -> None:
        """Close; the next picture needs a new opening."""


class RecordedPictures:
    """A `Grabber` of one camera's pictures in a recording, at the pace at which they were taken."""

    paced = True
    watched = False

    def __init__(self, path: Path, camera: str = "", *, loop: bool = False) -> None:
        """The first camera found when `camera` is ""; raises `RecordingError` for a file that is none."""
        self.finite = not loop
        self._recording = Recording(path)
        self._camera = camera
        self._clock = SystemClock()
        self._loop = loop
        self._stop = threading.Event()
        self._pictures = self._all()
        self._ahead_ns: int | None = None

    def grab(self) -> Grabbed | None:
        """Wait until the next picture is due."""
        picture = next(self._pictures, None)
        if picture is None and self._loop:
            self._recording.close()
            self._recording = Recording(self._recording.path)
            self._pictures, self._ahead_ns = self._all(), None
            picture = next(self._pictures, None)
        if picture is None:
            return None
        now_ns = self._clock.mono_ns()
        if self._ahead_ns is None:
            self._ahead_ns = picture.mono_ns - now_ns
        self._stop.wait(max(0, picture.mono_ns - self._ahead_ns - now_ns) / 1e9)
        return picture.data

    def close(self) -> None:
        """Give the file back."""
        self._stop.set()
        self._recording.close()

    def _all(self) -> Iterator[Recorded]:
        for recorded in self._recording:
            if recorded.kind == "jpeg" and self._camera in {"", recorded.source}:
                self._camera = recorded.source
                yield recorded
