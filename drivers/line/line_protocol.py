"""What the driver asks of the language that a device on a line speaks. No I/O, no clock of its own."""

from typing import Protocol, TypeVar

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

    def feed(self, data: bytes) -> list[Event]:
        """Take received bytes; never raises, whatever they are."""
        ...

    def poll(self, now_ms: int) -> tuple[list[Event], bytes]:
        """Say what time alone brings about, and the bytes to send now; `now_ms` only ever grows."""
        ...
