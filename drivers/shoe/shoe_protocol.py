"""What the driver asks of a shoe reader's language. No I/O, no clock of its own."""

from typing import NamedTuple, Protocol

from drivers.line import LineProtocol
from drivers.shoe.shoe_events import ShoeEvent


class ShoeCommand(NamedTuple):
    """Something asked of the reader: `lock`, `unlock`, `clear_error`, `confirm_game`, ...

    `number` is the fault to clear; 0 stands for the last one that the reader has reported. The command
    `setting` sets setting `number` to `value`, or asks for it where `value` is None.
    """

    name: str
    number: int = 0
    value: int | None = None


class ShoeProtocol(LineProtocol[ShoeEvent], Protocol):
    """A line protocol that also takes commands.

    Each is answered once by `CommandAnswered` and never sent again by itself after that. What was on its way
    when the line was lost, or was not sent yet, is answered LINE_LOST: nobody knows whether it was done.
    """

    @property
    def allowed(self) -> tuple[str, ...]:
        """Commands that this table may send, in the order of the page's keys."""
        ...

    def request(self, command: ShoeCommand) -> None:
        """Queue a command for the next `poll`; raises `DeviceError` when it is unknown or not allowed."""
        ...
