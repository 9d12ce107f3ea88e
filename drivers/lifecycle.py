"""The life of a device as a state machine without I/O: absent, opening, live, stale, lost, backoff, fault.

Reconnecting is automatic. A device that is not there is tried for ever, ever more seldom. A device that
opens and is lost again too often is given up (`fault`) until somebody acknowledges it: it would hold the
table every few seconds and nobody could trust it.
"""

from collections import deque
from dataclasses import dataclass
from itertools import pairwise
from statistics import median
from typing import Final, Literal, NamedTuple

from controller.ports import DeviceState

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

    def step(self, event: LifeEvent, now_ms: int) -> DeviceState:  # noqa: C901  # a case for each event
        """Take what happened and return the new state; what makes no sense in a state changes nothing."""
        match event:
            case "try":
                if self.due(now_ms):
                    self.state = "opening"
            case "opened" | "failed" | "missing":
                if self.state == "opening":
                    self._tried(event, now_ms)
            case "heard" | "lost":
                if self.state in {"live", "stale"}:
                    self._served(event, now_ms)
            case "closed":
                if self.state != "fault":
                    self._retry_ms, self.state = now_ms, "absent"
            case "acknowledge":
                if self.state == "fault":
                    self._losses.clear()
                    self._retry_ms, self.state = now_ms, "backoff"
        return self.state

    def _tried(self, event: Literal["opened", "failed", "missing"], now_ms: int) -> None:
        if event == "opened":
            self._open(now_ms)
        else:
            self._back_off(now_ms, "absent" if event == "missing" else "backoff")

    def _served(self, event: Literal["heard", "lost"], now_ms: int) -> None:
        if event == "lost":
            self._lose(now_ms)
            return
        self._received_ms, self.state = now_ms, "live"
        self._signs.append(now_ms)
        self._wait_ms = self.policy.backoff_ms

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

    def _open(self, now_ms: int) -> None:
        """Take the opened line for a sign of life; only hearing something shortens the back-off again."""
        self._received_ms, self.state = now_ms, "live"
        self._signs.clear()

    def _back_off(self, now_ms: int, state: DeviceState) -> None:
        self._retry_ms = now_ms + self._wait_ms
        self._wait_ms = min(self._wait_ms * 2, self.policy.backoff_ms_max)
        self.state = state

    def _lose(self, now_ms: int) -> None:
        """Count the loss; too many in the window are a fault."""
        self._losses.append(now_ms)
        while now_ms - self._losses[0] > self.policy.window_ms:
            self._losses.popleft()
        self._back_off(now_ms, "fault" if len(self._losses) > self.policy.losses_max else "lost")
