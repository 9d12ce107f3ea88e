"""What the driver asks of a line protocol: bytes in, events out, bytes back. No I/O, no clock of its own."""

from typing import NamedTuple, Protocol

from drivers.shoe.events import ShoeEvent


class ShoeCommand(NamedTuple):
    """Something asked of the reader: `lock`, `unlock`, `clear_error` (with `number`), `confirm_game`."""

    name: str
    number: int = 0


class ShoeProtocol(Protocol):
    """One reader's language. The events depend on the bytes alone, never on how they were cut in chunks."""

    @property
    def silence_ms(self) -> int:
        """Silence longer than this makes the device stale; 0 where the reader speaks only when asked to."""
        ...

    def connected(self) -> None:
        """Start on a new connection: half-read messages are dropped, what was counted is kept."""
        ...

    def feed(self, data: bytes) -> list[ShoeEvent]:
        """Take received bytes; never raises, whatever they are."""
        ...

    def poll(self, now_ms: int) -> tuple[list[ShoeEvent], bytes]:
        """Say what time alone brings about, and the bytes to send now; `now_ms` only ever grows."""
        ...

    def request(self, command: ShoeCommand) -> None:
        """Queue a command for the next `poll`; raises `DeviceError` when it is unknown or not allowed."""
        ...
