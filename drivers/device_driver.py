"""The one device thread and the one life of every device.

The thread opens a device, serves it while it is there, opens it again when it was lost. In: the four hooks
of `DeviceDriver`. Out: its life, reported once at each change, and its health.

The life is a state machine without I/O: absent, opening, live, stale, lost, backoff, fault. Reconnecting is
automatic. A device that is not there is tried for ever, ever more seldom. A device that opens and is lost
again too often is given up (`fault`) until somebody acknowledges it: it would hold the table every few
seconds.
"""

import json
import threading
from abc import ABC, abstractmethod
from collections import Counter, deque
from dataclasses import dataclass
from itertools import pairwise
from statistics import median
from typing import Final, Literal, NamedTuple

from controller.domain import DeviceError
from controller.ports import (
    Clock,
    DeviceKind,
    DeviceState,
    Health,
    StartWork,
    Tap,
    TapKind,
    Turns,
    Work,
    WorkThread,
)

LifeEvent = Literal["try", "opened", "failed", "missing", "heard", "lost", "closed", "acknowledge"]
"""`missing`: opening failed because nothing is there. `heard`: the device showed a sign of life.
`closed`: the program let go of it, which is no loss."""


@dataclass(frozen=True, slots=True)
class DeviceChanged:
    """A device came or went. `port` is its address as people are shown it, `reason` a code.

    Reasons are those of a failed opening (NOT_THERE, BUSY, ...), OPENED, GARBLED, UNPLUGGED, NO_PICTURE,
    ENDED, CRASHED.
    """

    state: DeviceState
    port: str
    reason: str


_SIGNS: Final = 16
"""So many signs of life tell the rate of a stream: a stall is one gap between them, and not their median."""

_SIGNS_MIN: Final = 3
"""Before so many have come the rate is not known."""


_SLOWEST_MS: Final = 10_000
"""Longer than this no silence is waited for because a stream is slow: a table does not play blind."""


class LifePolicy(NamedTuple):
    """How patient the table is with a device; times in milliseconds.

    `silence_ms`: silence before stale, 0 = never. `gaps`: where that is longer, so many of the stream's own
    gaps, the median of the latest; 0: none. `backoff_ms`: wait after a failure, doubled after each up
    to `backoff_ms_max`. More than `losses_max` losses within `window_ms` are a fault: a device that comes and
    goes every ten seconds holds the table more often than it helps.
    """

    silence_ms: int = 0
    gaps: int = 0
    backoff_ms: int = 250
    # Below two seconds: a device that is plugged in again deals again before anybody looks for the fault.
    backoff_ms_max: int = 1500
    losses_max: int = 5
    window_ms: int = 60_000


class Lifecycle:
    """One device's life. Time comes with each call and never goes back."""

    def __init__(self, policy: LifePolicy) -> None:
        """Begin absent, and due at once."""
        self.policy = policy
        self.state: DeviceState = "absent"
        self._received_ms: int | None = None
        self._signs: deque[int] = deque(maxlen=_SIGNS)
        self._wait_ms = policy.backoff_ms
        self._retry_ms = 0
        self._losses: deque[int] = deque()

    def step(self, event: LifeEvent, now_ms: int) -> DeviceState:  # noqa: C901, PLR0912  # a case for each event
        """Take what happened and return the new state; what makes no sense in a state changes nothing."""
        match event:
            case "try":
                if self.due(now_ms):
                    self.state = "opening"
            case "opened":
                if self.state == "opening":
                    # The opened line is a sign of life; only hearing something shortens the back-off again.
                    self._received_ms, self.state = now_ms, "live"
                    self._signs.clear()
            case "failed" | "missing":
                if self.state == "opening":
                    self._back_off(now_ms, "absent" if event == "missing" else "backoff")
            case "heard":
                if self.state in {"live", "stale"}:
                    self._received_ms, self.state = now_ms, "live"
                    self._signs.append(now_ms)
                    self._wait_ms = self.policy.backoff_ms
            case "lost":
                if self.state in {"live", "stale"}:
                    self._losses.append(now_ms)
                    while now_ms - self._losses[0] > self.policy.window_ms:
                        self._losses.popleft()
                    self._back_off(now_ms, "fault" if len(self._losses) > self.policy.losses_max else "lost")
            case "closed":
                if self.state != "fault":
                    self._retry_ms, self.state = now_ms, "absent"
            case "acknowledge":
                if self.state == "fault":
                    self._losses.clear()
                    self._retry_ms, self.state = now_ms, "backoff"
        return self.state

    def garble(self) -> None:
        """Take it that nobody can read what the device sends: stale until it can be read again."""
        if self.state == "live":
            self.state = "stale"

    def give_up(self) -> None:
        """Take it that the driver itself has failed: a fault until somebody acknowledges it."""
        self.state = "fault"

    def tick(self, now_ms: int) -> DeviceState:
        """Let time pass: live becomes stale when nothing came for too long; lost goes on to backoff.

        Returns the state.
        """
        if self.state == "lost":
            self.state = "backoff"
        silence_ms = self._silence_ms()
        if self.state == "live" and silence_ms and now_ms - (self._received_ms or 0) > silence_ms:
            self.state = "stale"
        return self.state

    def _silence_ms(self) -> float:
        """Silence before stale, by the policy or by the stream's own rate; 0 = never."""
        policy = self.policy
        if not policy.silence_ms or not policy.gaps or len(self._signs) < _SIGNS_MIN:
            return policy.silence_ms
        usual_ms = median(later - sign for sign, later in pairwise(self._signs))
        return max(policy.silence_ms, min(policy.gaps * usual_ms, _SLOWEST_MS))

    def due(self, now_ms: int) -> bool:
        """Whether the device should be opened now."""
        return self.state in {"absent", "backoff"} and now_ms >= self._retry_ms

    def age_ms(self, now_ms: int) -> int | None:
        """Age of the last sign of life, None before the first."""
        return None if self._received_ms is None else now_ms - self._received_ms

    def _back_off(self, now_ms: int, state: DeviceState) -> None:
        self._retry_ms = now_ms + self._wait_ms
        self._wait_ms = min(self._wait_ms * 2, self.policy.backoff_ms_max)
        self.state = state


IDLE_S: Final = 0.02
"""Pause between two looks at the clock while the device is not open."""

CLOSE_S_MAX: Final = 5.0
"""How long `close` waits for a driver that blocks; the system may hold on to a broken camera for longer."""

_NOBODY_THERE: Final = {"NOT_THERE", "REFUSED"}
"""Reasons of a failed opening that mean an absent device, not a broken one."""


class DeviceLost(Exception):
    """An open device is gone. `reason` is a code (UNPLUGGED, NO_PICTURE, ENDED, ...).

    `for_good`: it is not opened again, as a film that has been played to its end.
    """

    def __init__(self, reason: str, *, for_good: bool = False) -> None:
        """`reason` is what `health` and the change of its life will say."""
        super().__init__(reason)
        self.reason = reason
        self.for_good = for_good


class DeviceDriver(ABC):
    """One device and its thread: every device of a table is opened, closed, asked and acknowledged here.

    A kind of device fills in `_connect`, `_serve`, `_disconnect` and `_changed`. The first three are called
    from the device's thread only; an exception that they do not announce ends the thread and is a fault of
    the device (CRASHED) until somebody acknowledges it.
    """

    def __init__(
        self,
        name: str,
        kind: DeviceKind,
        port: str,
        life: LifePolicy,
        clock: Clock,
        *,
        tap: Tap | None = None,
    ) -> None:
        """`name` is the device's in configuration and journal; `port` is shown: no password of a URL.

        `tap` hears each change of the device's life, and what the hooks hand to `_record`. Nothing is opened
        yet.
        """
        self._name, self._kind, self._port = name, kind, port
        self._clock = clock
        self._tap = tap
        self._life = Lifecycle(life)
        self._reported: DeviceState | None = None
        self._detail = ""
        self._ended = False
        self._is_connected = False
        self._settings: tuple[tuple[str, str], ...] = ()
        self._counts: Counter[str] = Counter()
        self._life_lock = threading.RLock()
        self._wanted = False
        self._silent = True
        self._start: StartWork = WorkThread
        self._work: Work | None = None
        self._stop: threading.Event | None = None

    @abstractmethod
    def _connect(self) -> None:
        """Open the device. Raises `DeviceError` with a `reason` when it cannot be opened now."""

    @abstractmethod
    def _serve(self) -> None:
        """Wait a short while for the device (0.1 s or so) and pass on what it says; raises `DeviceLost`."""

    @abstractmethod
    def _disconnect(self) -> None:
        """Close what `_connect` has opened; never raises."""

    @abstractmethod
    def _changed(self, change: DeviceChanged, mono_ns: int) -> None:
        """Tell whoever listens that the device came or went, and when by the clock.

        Called under the lock that keeps the changes in order, by the device's thread or by whoever asked for
        `health`: it must not wait for another thread.
        """

    def open(self, start: StartWork = WorkThread) -> None:
        """Start the thread and return at once; a device that is not there shows as a change of its life."""
        with self._life_lock:
            self._wanted, self._silent, self._start = True, False, start
            self._start_work()

    def close(self) -> None:
        """Stop the thread and give the device back; nothing is posted afterwards.

        Returns after `CLOSE_S_MAX` at the latest, even where the system does not let go of the device.
        """
        with self._life_lock:
            self._wanted = False
            if self._stop is not None:
                self._stop.set()
                self._stop = None
            work = self._work
        if work is not None:
            work.wake()
            work.join(CLOSE_S_MAX)
        with self._life_lock:
            self._silent, self._reported = True, None
            self._life.step("closed", self._now_ms())

    def acknowledge(self) -> None:
        """Let a device that was given up be tried again, also where its driver had crashed."""
        with self._life_lock:
            self._life.step("acknowledge", self._now_ms())
            if self._wanted:
                self._start_work()

    def health(self) -> Health:
        """Say how the device is; may be asked from any thread.

        A device whose driver blocks cannot say itself that it is silent: whoever asks finds out, and tells.
        """
        self._pass_time()
        counters = tuple(sorted(self._counters().items()))
        age_ms = self._life.age_ms(self._now_ms())
        return Health(
            self._name,
            self._kind,
            self._life.state,
            self._port,
            age_ms,
            self._detail,
            counters,
            self._settings,
        )

    def _counters(self) -> Counter[str]:
        """Give what has been counted since the start, by name."""
        return self._counts.copy()

    def _saw_life(self, mono_ns: int) -> None:
        """Take a sign of life of that moment."""
        self._detail = "OPENED"
        with self._life_lock:
            self._life.step("heard", mono_ns // 1_000_000)

    def _garbled(self) -> None:
        """Take it that what the device sends cannot be read; a sign of life ends that."""
        self._detail = "GARBLED"
        with self._life_lock:
            self._life.garble()

    def _record(self, kind: TapKind, mono_ns: int, data: bytes) -> None:
        """Hand to the recorder what passed between the device and this driver."""
        if self._tap is not None:
            self._tap(self._name, kind, mono_ns, data)

    def _pause(self, seconds: float) -> None:
        """Wait so long, or until the device is closed."""
        stop = self._stop
        if stop is not None:
            stop.wait(seconds)

    def _now_ms(self) -> int:
        return self._clock.mono_ns() // 1_000_000

    def _start_work(self) -> None:
        """Start a thread where none works. It begins when one that is still ending has ended."""
        if self._stop is None:
            self._stop = threading.Event()
            self._work = self._start(f"{self._kind} {self._name}", self._run(self._stop, self._work))

    def _run(self, stop: threading.Event, last: Work | None) -> Turns:
        """All turns. A fault of our own ends them, said aloud: a dead thread must not look alive."""
        if last is not None:
            last.join(None)
            last = None
        self._ended = False
        try:
            while not stop.is_set():
                yield self._turn()
        except Exception:
            self._crash(stop)
            raise
        finally:
            self._drop()
            self._life_step("closed")

    def _crash(self, stop: threading.Event) -> None:
        """Say that the driver failed; from now on `acknowledge` may start another thread."""
        with self._life_lock:
            if self._stop is stop:
                self._stop = None
                self._detail = "CRASHED"
                self._life.give_up()
                self._report()

    def _turn(self) -> float:
        """Do one thing: serve the open device, try to open it, or rest a moment, which is returned."""
        rest_s = 0.0
        if self._is_connected:
            self._serve_once()
        elif not self._ended and self._life.due(self._now_ms()):
            self._try_to_connect()
        else:
            rest_s = IDLE_S
        self._report()
        self._pass_time()
        return rest_s

    def _try_to_connect(self) -> None:
        self._life_step("try")
        try:
            self._connect()
        except DeviceError as error:
            self._detail = str(error.params.get("reason", error.code))
            self._life_step("missing" if self._detail in _NOBODY_THERE else "failed")
            return
        self._is_connected = True
        self._detail = "OPENED"
        self._counts["opened"] += 1
        self._life_step("opened")

    def _serve_once(self) -> None:
        try:
            self._serve()
        except DeviceLost as lost:
            self._detail = lost.reason
            self._ended = lost.for_good
            self._drop()
            self._life_step("lost")

    def _drop(self) -> None:
        if self._is_connected:
            self._is_connected = False
            self._disconnect()

    def _life_step(self, event: LifeEvent) -> None:
        with self._life_lock:
            self._life.step(event, self._now_ms())

    def _pass_time(self) -> None:
        """Notice silence. Everything else is the thread's own to tell."""
        with self._life_lock:
            if self._life.tick(self._now_ms()) == "stale":
                self._report()

    def _report(self) -> None:
        """Tell the state once each time it changes; opening and waiting after a loss are no news."""
        with self._life_lock:
            state = self._life.state
            if state == "backoff" and self._reported in {None, "live", "stale"}:
                state = "lost"
            if self._silent or state in {self._reported, "opening", "backoff"}:
                return
            self._reported = state
            now_ns = self._clock.mono_ns()
            self._record("mark", now_ns, json.dumps({"state": state, "reason": self._detail}).encode())
            self._changed(DeviceChanged(state, self._port, self._detail), now_ns)
