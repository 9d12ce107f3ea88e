"""Time that passes only when it is told to."""

from typing import Final

BEGIN_US: Final = 1_795_000_000_000_000
"""A moment in November 2026: no entry of a simulated table may lie before its program."""


class SeededClock:
    """A `Clock` that stands still until it is moved."""

    def __init__(self) -> None:
        """Begin at zero."""
        self._ns = 0

    def move(self, seconds: float) -> None:
        """Let so much time pass."""
        self._ns += round(seconds * 1e9)

    def mono_ns(self) -> int:
        """See `Clock.mono_ns`."""
        return self._ns

    def utc_us(self) -> int:
        """See `Clock.utc_us`."""
        return BEGIN_US + self._ns // 1000
