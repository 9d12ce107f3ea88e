"""A clock that a replay moves by hand."""


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
        """See `Clock.mono_ns`."""
        self.looks += 1
        return self._mono_ns

    def utc_us(self) -> int:
        """See `Clock.utc_us`."""
        return self._offset_us + self._mono_ns // 1000
