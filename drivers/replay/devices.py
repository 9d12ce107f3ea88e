"""Recorded bytes and pictures in place of a device, let happen one by one by a replay."""

import errno
from typing import Final

from controller.domain.errors import DeviceError
from controller.ports.streams import ByteStream
from drivers.camera import CameraConfig, Grabbed
from drivers.replay.clock import ReplayClock
from drivers.replay.rendezvous import Breaks, Door, Opens, Rendezvous, ReplayEvent


class ReplayDevice:
    """The player's side of a device: lets happen what was recorded, each at its moment of the recording.

    `opens`, `fails`, `breaks` and `hears` return when the driver has dealt with it, and False when it did not
    take it. `is_open` is what the recording has said last.
    """

    def __init__(self, clock: ReplayClock) -> None:
        """`clock` is the one that the driver was given, and its alone."""
        self._clock = clock
        self._rendezvous = Rendezvous(clock)
        self.is_open = False

    def opens(self, mono_ns: int) -> bool:
        """Let the driver's next try to open succeed."""
        self.is_open = self._happens(mono_ns, "connect", Opens())
        return self.is_open

    def fails(self, mono_ns: int, reason: str) -> bool:
        """Let the driver's next try fail."""
        return self._happens(mono_ns, "connect", Breaks(reason))

    def breaks(self, mono_ns: int) -> bool:
        """Pull the plug."""
        self.is_open = False
        return self._happens(mono_ns, "read", Breaks("UNPLUGGED"))

    def hears(self, mono_ns: int, data: bytes) -> bool:
        """Let bytes or a picture arrive; b"" lets a moment pass in which no bytes did."""
        return self._happens(mono_ns, "read", data)

    def end(self) -> None:
        """Let the driver's thread go."""
        self._rendezvous.close()

    def _happens(self, mono_ns: int, where: Door, event: ReplayEvent) -> bool:
        self._clock.move(mono_ns)
        return self._rendezvous.give(where, event)

    def _require(self, port: str) -> None:
        """Wait for the recording to say that the device can be opened."""
        event = self._rendezvous.ask("connect")
        if isinstance(event, Breaks):
            raise DeviceError("DEVICE_OPEN_FAILED", port=port, reason=event.reason)


class ReplayLine(ReplayDevice):
    """A recorded line; `sent` is what the driver has written to it."""

    def __init__(self, clock: ReplayClock) -> None:
        """See `ReplayDevice`."""
        super().__init__(clock)
        self.sent: Final = bytearray()

    def connect(self, port: str, _baud: int) -> ByteStream:
        """Open as the recording says; raises `DeviceError` DEVICE_OPEN_FAILED where it failed."""
        self._require(port)
        return _ReplayStream(self._rendezvous, self.sent)


class _ReplayStream:
    """The open line, as a `ByteStream`."""

    def __init__(self, rendezvous: Rendezvous, sent: bytearray) -> None:
        self._rendezvous = rendezvous
        self._sent = sent

    def read(self) -> bytes:
        event = self._rendezvous.ask("read")
        if not isinstance(event, bytes):
            raise OSError(errno.EIO, "the line broke in the recording")
        return event

    def write(self, data: bytes) -> None:
        self._sent += data

    def close(self) -> None:
        """Nothing is held open."""


class ReplayPictures(ReplayDevice):
    """A recorded camera; a `Grabber` once it is connected."""

    paced = True
    finite = False

    def __init__(self, clock: ReplayClock, *, watched: bool) -> None:
        """`watched`: the pictures are a live camera's, so that frozen or black ones are told."""
        super().__init__(clock)
        self.watched = watched

    def connect(self, config: CameraConfig) -> "ReplayPictures":
        """Open as the recording says; raises `DeviceError` DEVICE_OPEN_FAILED where it failed."""
        self._require(config.source)
        return self

    def grab(self) -> Grabbed | None:
        """See `Grabber.grab`."""
        event = self._rendezvous.ask("read")
        return event if isinstance(event, bytes) else None

    def close(self) -> None:
        """See `Grabber.close`; the next picture needs a new opening."""
