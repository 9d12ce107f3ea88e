"""A device on a line of bytes: its protocol run on the device thread, what it says posted to the table."""

import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Final, Generic, NamedTuple

from controller.ports.clock import Clock
from controller.ports.streams import ByteStream
from controller.ports.taps import Tap, TapKind
from controller.ports.work import StartWork, WorkThread
from drivers.device_driver import DeviceConfig, DeviceDriver, DeviceLost
from drivers.lifecycle import DeviceChanged, LifePolicy
from drivers.line.line_protocol import Event, LineProtocol

SWITCH_S: Final = 0.0005
"""How long a thread that computes may keep the others waiting (`sys.setswitchinterval`). The interpreter's
own 5 ms are as long as a card may take from its last byte to the table, and a device's thread waits at least
twice: beside a computing thread the median fell from 3.6 to 2.0 ms (200 cards of both
protocols at 4800 baud on a pseudo-terminal)."""

GARBLED_BYTES: Final = 1024
"""So many bytes without a message are no sign of life: a wrong speed, a broken cable, another device. Fifteen
of the longest messages are shorter, and a line of 4800 baud takes two seconds for them."""

Connect = Callable[[str, int], ByteStream]
"""Opens a port at a baud rate; raises `DeviceError` DEVICE_OPEN_FAILED with `port` and `reason`."""


class LineConfig(NamedTuple):
    """One device on a line.

    `name` is the device's in configuration and journal, `port` anything that `connect` opens (a device path,
    a `socket://` address), `baud` the line's bits a second (0 where there is no such thing), `kind` what
    `health` calls it. `life.silence_ms` 0 leaves the silence to the protocol.
    """

    name: str
    port: str
    baud: int = 4800
    life: LifePolicy = LifePolicy()
    kind: str = "shoe"


class LineDriver(DeviceDriver, Generic[Event]):
    """A device on a line.

    `post(event, mono_ns)` is called from the device's thread with everything that the device says, and with
    `DeviceChanged` when the line comes and goes; `mono_ns` is when the event's last byte was read.
    """

    received_as: TapKind = "rx"
    """What a recording calls the bytes that this device sends."""

    def __init__(
        self,
        config: LineConfig,
        protocol: LineProtocol[Event],
        post: Callable[[Event | DeviceChanged, int], None],
        clock: Clock,
        *,
        connect: Connect,
        tap: Tap | None = None,
    ) -> None:
        """`connect` opens the line; a replay brings its own."""
        life = config.life._replace(silence_ms=config.life.silence_ms or protocol.silence_ms)
        super().__init__(DeviceConfig(config.name, config.kind, config.port, life), clock, tap)
        self._protocol = protocol
        self._post = post
        self._baud = config.baud
        self._open_line = connect
        self._stream: ByteStream | None = None
        self._protocol_lock = threading.Lock()
        self._unread_bytes = 0
        """Bytes since the last message, or since the line was opened."""

    def open(self, start: StartWork = WorkThread) -> None:
        """See `DeviceDriver.open`."""
        sys.setswitchinterval(min(SWITCH_S, sys.getswitchinterval()))
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
        self._record(self.received_as, now_ns, data)
        with self._protocol_lock:
            before = self._protocol.messages_received
            events = self._protocol.feed(data)
            was_read = self._protocol.messages_received > before
        self._judge(len(data), now_ns, was_read=was_read)
        self._publish(events, now_ns)

    def _judge(self, count: int, now_ns: int, *, was_read: bool) -> None:
        """Tell signs of life from noise."""
        if was_read:
            self._unread_bytes = 0
            self._saw_life(now_ns)
            return
        self._unread_bytes += count
        if self._unread_bytes > GARBLED_BYTES:
            self._garbled()

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
