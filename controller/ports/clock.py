"""Time as the program sees it; tests and replays bring their own."""

import time
from typing import Protocol


class Clock(Protocol):
    """Two readings of time. Nothing else in the program asks the system for it."""

    def mono_ns(self) -> int:
        """Nanoseconds that never jump, for ages and time-outs; the zero point means nothing."""
        ...

    def utc_us(self) -> int:
        """Microseconds since 1970-01-01 UTC, for the journal; may step when the clock is set."""
        ...


class SystemClock:
    """The machine's own clocks."""

    def mono_ns(self) -> int:
        """See `Clock.mono_ns`."""
        return time.monotonic_ns()

    def utc_us(self) -> int:
        """See `Clock.utc_us`."""
        return time.time_ns() // 1000  # noqa: TID251 - the one place where the program reads the wall clock
