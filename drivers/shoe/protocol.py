"""What the driver asks of a shoe reader's language. No I/O, no clock of its own."""

from typing import NamedTuple, Protocol

from drivers.line_driver import LineProtocol
from drivers.shoe.events import ShoeEvent


class ShoeCommand(NamedTuple):
    """Something asked of the reader: `lock`, `unlock`, `clear_error` (with `number`), `confirm_game`, ..."""

    name: str
    number: int = 0


class ShoeProtocol(LineProtocol[ShoeEvent], Protocol):
    """A line protocol that also takes commands."""

    def request(self, command: ShoeCommand) -> None:
        """Queue a command for the next `poll`; raises `DeviceError` when it is unknown or not allowed."""
        ...
