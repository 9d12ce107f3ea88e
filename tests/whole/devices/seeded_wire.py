"""A line from a seed: the device's bytes doubled, late, damaged, in pieces, or cut off; the host's whole."""

from collections import deque
from collections.abc import Callable
from random import Random
from typing import Final, Literal

from controller.domain import DeviceError

LineFault = Literal["doubled", "delayed", "damaged", "noise", "lost"]
"""The next message comes twice · later · with a copy damaged · behind bytes that are none · never."""

PIECE_MAX: Final = 24
"""Bytes that are read at once, at the most."""


class SeededWire:
    """The device's end of one line, a `SimulatedLine`; `open` gives the driver's. For one thread."""

    def __init__(self, chance: Random, port: str = "seeded", piece_max: int = PIECE_MAX) -> None:
        """Begin plugged in; `chance` cuts what is sent into pieces."""
        self._chance, self.port, self._piece_max = chance, port, piece_max
        self._pieces: deque[bytes] = deque()
        self._late: list[bytes] = []
        self._next: LineFault | None = None
        self._asked = b""
        self.plugged = True
        self.opened: Callable[[], None] = lambda: None
        """Called whenever a driver has opened it."""

    @property
    def waits(self) -> bool:
        """Whether bytes are on their way."""
        return bool(self._pieces)

    def fault(self, what: LineFault) -> None:
        """Let it happen to the next message."""
        self._next = what

    def release(self) -> None:
        """Let arrive what was late."""
        late, self._late = self._late, []
        for data in late:
            self._send(data)

    def open(self, port: str, _baud: int) -> "DriverEnd":
        """The driver's end. Raises `DeviceError` where the cable is out."""
        if not self.plugged:
            raise DeviceError("DEVICE_OPEN_FAILED", port=port, reason="NOT_THERE")
        self._pieces.clear()
        self._asked = b""
        self.opened()
        return DriverEnd(self)

    def plug(self) -> None:
        """Connect the cable."""
        self.plugged = True

    def unplug(self) -> None:
        """Pull the cable; bytes on their way are lost."""
        self.plugged = False
        self._pieces.clear()
        self._late.clear()

    def write(self, data: bytes) -> None:
        """The device sends its messages, each in one call."""
        if not self.plugged:
            return
        fault, self._next = self._next, None
        match fault:
            case "doubled":
                self._send(data + data)
            case "delayed":
                self._late.append(data)
            case "damaged":
                at = self._chance.randrange(len(data))
                self._send(data[:at] + bytes((data[at] ^ 0x04,)) + data[at + 1 :])
            case "noise":
                self._send(self._chance.randbytes(self._chance.randint(1, 12)) + data)
            case "lost":
                return
            case None:
                self._send(data)

    def read(self, timeout_s: float) -> bytes:  # noqa: ARG002  # nobody waits here
        """What the host has sent since."""
        asked, self._asked = self._asked, b""
        return asked

    def close(self) -> None:
        """End with the cable pulled."""
        self.unplug()

    def ask(self, data: bytes) -> None:
        """The host sends."""
        self._asked += data

    def piece(self) -> bytes:
        """The next piece on its way to the host, b"" where there is none."""
        return self._pieces.popleft() if self._pieces else b""

    def _send(self, data: bytes) -> None:
        if self._late:
            # A line keeps its order.
            self._late.append(data)
            return
        while data:
            count = self._chance.randint(1, self._piece_max)
            self._pieces.append(data[:count])
            data = data[count:]


class DriverEnd:
    """The host's end; see `ByteStream`. Its calls raise `OSError` where the cable is out."""

    def __init__(self, wire: SeededWire) -> None:
        """Open."""
        self._wire = wire

    def read(self) -> bytes:
        """Take a piece; nobody waits for one."""
        return self._plugged().piece()

    def write(self, data: bytes) -> None:
        """Send to the device."""
        self._plugged().ask(data)

    def close(self) -> None:
        """Leave the line as it is: the driver opens it again."""

    def _plugged(self) -> SeededWire:
        if not self._wire.plugged:
            raise OSError("unplugged")
        return self._wire
