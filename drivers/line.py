"""A device on a line of bytes: device path, pseudo-terminal, `socket://host:port` or `loop://`.

In: a port, and a protocol that makes events of bytes. Out: events, posted from the device thread. May import
the device thread and its life; it alone opens serial ports.
"""

import errno
import os
import socket
import sys
import termios
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Final, Generic, Protocol, TypeVar

import serial

from controller.domain import DeviceError
from controller.ports import ByteStream, Clock, DeviceKind, StartWork, Tap, TapKind, WorkThread
from drivers.device_driver import DeviceChanged, DeviceDriver, DeviceLost, LifePolicy

Event = TypeVar("Event")


class LineProtocol(Protocol[Event]):
    """One device's language. The events depend on the bytes alone, never on how they were cut in chunks."""

    @property
    def messages_received(self) -> int:
        """Undamaged messages of the device so far, repeated ones too: bytes alone are no sign of life."""
        ...

    @property
    def silence_ms(self) -> int:
        """Silence longer than this makes the device stale; 0 where the device may be silent for hours."""
        ...

    def connected(self) -> None:
        """Start on a new connection: half-read messages are dropped, what was counted is kept."""
        ...

    def feed(self, data: bytes, now_ms: int = 0) -> list[Event]:
        """Take the bytes that were received at `now_ms`; never raises, whatever they are."""
        ...

    def poll(self, now_ms: int) -> tuple[list[Event], bytes]:
        """Say what time alone brings about, and the bytes to send now; `now_ms` only ever grows."""
        ...


READ_S_MAX: Final = 0.1
"""How long `read` waits for a byte: so soon the thread notices that it has something to send, or to end."""

_WRITE_S_MAX: Final = 1.0
"""How long `write` waits for a line that does not take its bytes."""

_KEEP_ALIVE_S: Final = 1
_KEEP_ALIVE_TIMES: Final = 3
"""A device server is asked so often for a sign of life, and is gone after so many without one."""

_REASONS: Final = {
    errno.ENOENT: "NOT_THERE",
    errno.ENODEV: "NOT_THERE",
    errno.ENXIO: "NOT_THERE",
    errno.EACCES: "NO_PERMISSION",
    errno.EPERM: "NO_PERMISSION",
    errno.EBUSY: "BUSY",
    errno.EAGAIN: "BUSY",
}


class SerialStream:
    """An open line, 8N1 without flow control, locked against a second program where the system can."""

    def __init__(self, port: str, baud: int) -> None:
        """Open `port`; raises `DeviceError` DEVICE_OPEN_FAILED with the port and a `reason`.

        Reasons: NOT_THERE, NO_PERMISSION, BUSY, REFUSED (network), BAD_PORT (no such kind of port).
        """
        try:
            self._line = serial.serial_for_url(
                port, baud, timeout=READ_S_MAX, write_timeout=_WRITE_S_MAX, exclusive=True
            )
        except ValueError as error:
            raise DeviceError("DEVICE_OPEN_FAILED", port=port, reason="BAD_PORT") from error
        except (OSError, termios.error) as error:
            other = "REFUSED" if port.startswith("socket://") else "IO_ERROR"
            reason = _REASONS.get(getattr(error, "errno", None) or 0, other)
            raise DeviceError("DEVICE_OPEN_FAILED", port=port, reason=reason) from error
        self._is_socket = port.startswith("socket://")
        if self._is_socket:
            # A device server without power shows within seconds; otherwise it would look silent for ever.
            with socket.socket(fileno=os.dup(self._line.fileno())) as line:
                line.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
                line.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, _KEEP_ALIVE_S)
                line.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPINTVL, _KEEP_ALIVE_S)
                line.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPCNT, _KEEP_ALIVE_TIMES)
        elif isinstance(self._line, serial.Serial):
            # USB adapters of FTDI collect bytes for 16 ms; pseudo-terminals know no such thing.
            with suppress(OSError, ValueError):
                self._line.set_low_latency_mode(True)

    def read(self) -> bytes:
        """Wait for bytes. A line that is ready but has nothing is gone: pyserial raises for it."""
        try:
            data = self._line.read(1)
            return data + self._rest() if data else b""
        except (termios.error, TypeError) as error:
            raise OSError(errno.EIO, str(error)) from error

    def write(self, data: bytes) -> None:
        """Send all of `data`."""
        try:
            self._line.write(data)
        except termios.error as error:
            raise OSError(errno.EIO, str(error)) from error

    def close(self) -> None:
        """Give the line back."""
        with suppress(OSError, termios.error):
            self._line.close()

    def _rest(self) -> bytes:
        """Read what has arrived behind the first byte, without waiting for more."""
        if not self._is_socket:
            return self._line.read(self._line.in_waiting)
        # pyserial only knows that a socket is readable, not how much is there.
        self._line.timeout = 0
        try:
            return self._line.read(4096)
        finally:
            self._line.timeout = READ_S_MAX


_SWITCH_S: Final = 0.0005
"""How long a thread that computes may keep the others waiting (`sys.setswitchinterval`). The interpreter's
own 5 ms are as long as a card may take from its last byte to the table, and a device's thread waits at least
twice: beside a computing thread the median fell from 3.6 to 2.0 ms (200 cards of both
protocols at 4800 baud on a pseudo-terminal)."""

_GARBLED_BYTES: Final = 1024
"""So many bytes without a message are no sign of life: a wrong speed, a broken cable, another device. Fifteen
of the longest messages are shorter, and a line of 4800 baud takes two seconds for them."""

Connect = Callable[[str, int], ByteStream]
"""Opens a port at a baud rate; raises `DeviceError` DEVICE_OPEN_FAILED with `port` and `reason`."""


class LineDriver(DeviceDriver, Generic[Event]):
    """A device on a line.

    `post(event, mono_ns)` is called from the device's thread with everything that the device says, and with
    `DeviceChanged` when the line comes and goes; `mono_ns` is when the event's last byte was read.
    """

    received_as: TapKind = "rx"
    """What a recording calls the bytes that this device sends."""

    def __init__(
        self,
        name: str,
        port: str,
        protocol: LineProtocol[Event],
        post: Callable[[Event | DeviceChanged, int], None],
        clock: Clock,
        *,
        connect: Connect,
        baud: int = 4800,
        life: LifePolicy | None = None,
        kind: DeviceKind = "shoe",
        tap: Tap | None = None,
    ) -> None:
        """`name` is the device's in configuration and journal; `kind` is what `health` calls it.

        `port` is anything that `connect` opens (a device path, a `socket://` address), `baud` the line's bits
        a second. A replay brings its own `connect`. `life.silence_ms` 0 leaves the silence to the protocol.
        """
        patience = life or LifePolicy()
        patience = patience._replace(silence_ms=patience.silence_ms or protocol.silence_ms)
        super().__init__(name, kind, port, patience, clock, tap=tap)
        self._protocol = protocol
        self._post = post
        self._baud = baud
        self._open_line = connect
        self._stream: ByteStream | None = None
        self._protocol_lock = threading.Lock()
        self._unread_bytes = 0
        """Bytes since the last message, or since the line was opened."""

    def open(self, start: StartWork = WorkThread) -> None:
        """Start the thread and return at once."""
        sys.setswitchinterval(min(_SWITCH_S, sys.getswitchinterval()))
        super().open(start)

    def _connect(self) -> None:
        """Open the line and begin the protocol anew."""
        self._stream = self._open_line(self._port, self._baud)
        self._unread_bytes = 0
        with self._protocol_lock:
            self._protocol.connected()

    def _serve(self) -> None:
        """Read once, feed the protocol, send what it has to say."""
        stream = self._stream
        assert stream is not None, "served without a line"
        try:
            data = stream.read()
        except OSError as error:
            raise DeviceLost("UNPLUGGED") from error
        if data:
            self._take(data)
        self._speak(stream)

    def _disconnect(self) -> None:
        """Give the line back."""
        if self._stream is not None:
            with suppress(OSError):
                self._stream.close()
            self._stream = None

    def _changed(self, change: DeviceChanged, mono_ns: int) -> None:
        """Post it like anything else that the device says."""
        self._post(change, mono_ns)

    def _take(self, data: bytes) -> None:
        now_ns = self._clock.mono_ns()
        self._counts["bytes"] += len(data)
        with self._protocol_lock:
            before = self._protocol.messages_received
            events = self._protocol.feed(data, now_ns // 1_000_000)
            was_read = self._protocol.messages_received > before
        # A protocol may wait for pictures from before these bytes: they are recorded first.
        self._record(self.received_as, now_ns, data)
        # A message is a sign of life, bytes alone may be noise.
        self._unread_bytes = 0 if was_read else self._unread_bytes + len(data)
        if was_read:
            self._saw_life(now_ns)
        elif self._unread_bytes > _GARBLED_BYTES:
            self._garbled()
        self._publish(events, now_ns)

    def _speak(self, stream: ByteStream) -> None:
        now_ns = self._clock.mono_ns()
        with self._protocol_lock:
            events, data = self._protocol.poll(now_ns // 1_000_000)
        self._publish(events, now_ns)
        if data:
            self._record("tx", now_ns, data)
            try:
                stream.write(data)
            except OSError as error:
                raise DeviceLost("UNPLUGGED") from error

    def _publish(self, events: list[Event], now_ns: int) -> None:
        for event in events:
            self._counts[type(event).__name__] += 1
            if not self._silent:
                self._post(event, now_ns)
