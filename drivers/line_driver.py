"""One thread for each device on a line: keeps it open, runs the protocol, posts what the device says."""

import json
import sys
import threading
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from typing import Final, Generic, NamedTuple, Protocol, TypeVar

from controller.domain.errors import DeviceError
from controller.ports.clock import Clock
from controller.ports.sources import DeviceState, Health
from controller.ports.streams import ByteStream
from controller.ports.taps import Tap, TapKind
from drivers.lifecycle import DeviceChanged, Lifecycle, LifePolicy

WAIT_S: Final = 0.02
CLOSE_S_MAX: Final = 5.0

TURN_S: Final = 0.0005
"""How long a thread that computes may keep the others waiting: the interpreter's own 5 ms are as long as a
card may take from its last byte to the table, and a device's thread waits at least twice."""

Event = TypeVar("Event")

Connect = Callable[[str, int], ByteStream]
"""Opens a port at a baud rate; raises `DeviceError` DEVICE_OPEN_FAILED with `port` and `reason`."""


class LineProtocol(Protocol[Event]):
    """One device's language. The events depend on the bytes alone, never on how they were cut in chunks."""

    @property
    def silence_ms(self) -> int:
        """Silence longer than this makes the device stale; 0 where the device may be silent for hours."""
        ...

    def connected(self) -> None:
        """Start on a new connection: half-read messages are dropped, what was counted is kept."""
        ...

    def feed(self, data: bytes) -> list[Event]:
        """Take received bytes; never raises, whatever they are."""
        ...

    def poll(self, now_ms: int) -> tuple[list[Event], bytes]:
        """Say what time alone brings about, and the bytes to send now; `now_ms` only ever grows."""
        ...


class LineConfig(NamedTuple):
    """`port` is anything that `connect` opens; `baud` is 4800 for an Angel Eye."""

    name: str
    port: str
    baud: int = 4800
    life: LifePolicy = LifePolicy()
    kind: str = "shoe"


class LineDriver(Generic[Event]):
    """A device on a line.

    `post(event, mono_ns)` is called from the driver's thread with everything that the device says, and with
    `DeviceChanged` when the line comes and goes; `mono_ns` is when the event's last byte was read.
    """

    heard_as: TapKind = "rx"
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
        self._config = config
        self._protocol = protocol
        self._post = post
        self._clock = clock
        self._connect = connect
        self._tap = tap
        self._life = Lifecycle(config.life._replace(silence_ms=config.life.silence_ms or protocol.silence_ms))
        self._stream: ByteStream | None = None
        self._told: DeviceState | None = None
        self._detail = ""
        self._counts: Counter[str] = Counter()
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    def open(self) -> None:
        """Start the thread; a port that is not there shows as `DeviceChanged`, never as an exception."""
        if self._thread is None:
            sys.setswitchinterval(min(TURN_S, sys.getswitchinterval()))
            self._stop.clear()
            self._thread = threading.Thread(
                target=self._run, name=f"{self._config.kind} {self._config.name}", daemon=True
            )
            self._thread.start()

    def close(self) -> None:
        """Stop the thread and give the line back; nothing is posted afterwards."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join(CLOSE_S_MAX)
            self._thread = None

    def health(self) -> Health:
        """Say how the device is; `counters` hold bytes, events by kind and line faults by code."""
        config, counters = self._config, tuple(sorted(self._counts.copy().items()))
        age_ms = self._life.age_ms(self._now_ms())
        return Health(config.name, config.kind, self._life.state, config.port, age_ms, self._detail, counters)

    def acknowledge(self) -> None:
        """Let a device that was given up be tried again."""
        with self._lock:
            self._life.step("acknowledge", self._now_ms())

    def _run(self) -> None:
        """Body of the thread. A fault of our own ends it, said aloud: a dead thread must not look alive."""
        try:
            while not self._stop.is_set():
                self._turn()
        except Exception:
            self._life.state, self._detail = "fault", "CRASHED"
            self._tell()
            raise
        finally:
            self._drop_stream()
            self._life.step("closed", self._now_ms())

    def _turn(self) -> None:
        """Do one thing: try to open, or serve the open line."""
        stream = self._stream
        if stream is not None:
            self._serve(stream)
        elif self._life.due(self._now_ms()):
            self._try_open()
        else:
            self._stop.wait(WAIT_S)
        self._tell()
        self._life.tick(self._now_ms())
        self._tell()

    def _try_open(self) -> None:
        self._life.step("try", self._now_ms())
        try:
            self._stream = self._connect(self._config.port, self._config.baud)
        except DeviceError as error:
            self._detail = str(error.params.get("reason", error.code))
            gone = self._detail in {"NOT_THERE", "REFUSED"}
            self._life.step("missing" if gone else "failed", self._now_ms())
            return
        self._detail = "OPENED"
        self._counts["opened"] += 1
        with self._lock:
            self._protocol.connected()
        self._life.step("opened", self._now_ms())

    def _serve(self, stream: ByteStream) -> None:
        """Read once, feed the protocol, send what it has to say."""
        try:
            data = stream.read()
            if data:
                self._take(data)
            self._speak(stream)
        except OSError:
            self._detail = "UNPLUGGED"
            self._drop_stream()
            self._life.step("lost", self._now_ms())

    def _take(self, data: bytes) -> None:
        now_ns = self._clock.mono_ns()
        self._counts["bytes"] += len(data)
        self._record(self.heard_as, now_ns, data)
        self._life.step("heard", now_ns // 1_000_000)
        with self._lock:
            events = self._protocol.feed(data)
        self._publish(events, now_ns)

    def _speak(self, stream: ByteStream) -> None:
        now_ns = self._clock.mono_ns()
        with self._lock:
            events, data = self._protocol.poll(now_ns // 1_000_000)
        if data:
            self._record("tx", now_ns, data)
            stream.write(data)
        self._publish(events, now_ns)

    def _publish(self, events: list[Event], now_ns: int) -> None:
        for event in events:
            self._counts[type(event).__name__] += 1
            self._post(event, now_ns)

    def _tell(self) -> None:
        """Post the state once each time it changes; opening and waiting after a loss are no news."""
        state = self._life.state
        if state == "backoff":
            state = "lost" if self._told in {None, "live", "stale"} else state
        if state not in {self._told, "opening", "backoff"}:
            self._told = state
            now_ns = self._clock.mono_ns()
            self._record("mark", now_ns, json.dumps({"state": state, "reason": self._detail}).encode())
            self._post(DeviceChanged(state, self._config.port, self._detail), now_ns)

    def _record(self, kind: TapKind, now_ns: int, data: bytes) -> None:
        if self._tap is not None:
            self._tap(self._config.name, kind, now_ns, data)

    def _drop_stream(self) -> None:
        if self._stream is not None:
            with suppress(OSError):
                self._stream.close()
            self._stream = None

    def _now_ms(self) -> int:
        return self._clock.mono_ns() // 1_000_000
