"""A keypad behind a FIFO: presses arrive as the records that the kernel writes."""

import os
import struct
from pathlib import Path

_TYPE_KEY, _TYPE_SYNC, _DROPPED = 1, 0, 3


class SimulatedKeypad:
    """One keypad; every method writes at once."""

    def __init__(self, port: Path) -> None:
        """Make the FIFO at `port`."""
        os.mkfifo(port)
        self._port = port
        self._handle = os.open(port, os.O_RDWR)

    def press(self, code: int) -> None:
        """Press and release a key; `code` is that of linux/input-event-codes.h."""
        for value in (1, 0):
            self._write(_TYPE_KEY, code, value)
            self._write(_TYPE_SYNC, 0, 0)

    def drop(self) -> None:
        """Say that the kernel lost presses."""
        self._write(_TYPE_SYNC, _DROPPED, 0)

    def unplug(self) -> None:
        """Take the keypad away."""
        self._port.unlink()
        os.close(self._handle)

    def _write(self, kind: int, code: int, value: int) -> None:
        """Write a record: two machine words of time, then type, code and value."""
        os.write(self._handle, struct.pack("@llHHi", 0, 0, kind, code, value))
