"""The shoe's line from a seed: a simulated reader's bytes doubled, late, damaged, in pieces, or cut off."""

from collections import deque
from random import Random
from typing import Final, Literal

from controller.domain.errors import DeviceError

LineFault = Literal["doubled", "delayed", "damaged", "noise", "lost"]
"""The next message comes twice · later · with a copy damaged · behind bytes that are none · never."""

PIECE_MAX: Final = 24
"""Bytes that are read at once, at the most."""


class SeededWire:
    """Both ends of one line: `SimulatedLine` for the reader, `open` for the driver. For one thread."""

    def __init__(self, chance: Random, port: str = "seeded") -> None:
        """Begin plugged in; `chance` cuts what is sent into pieces."""
        self._chance, self.port = chance, port
        self._pieces: deque[bytes] = deque()
        self._late: list[bytes] = []
        self._next: LineFault | None = None
        self._back = b""
        self.plugged = True

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

    def open(self, port: str, _baud: int) -> "SeededWire":
        """The driver's end. Raises `DeviceError` where the cable is out."""
        if not self.plugged:
            raise DeviceError("DEVICE_OPEN_FAILED", port=port, reason="NOT_THERE")
        self._pieces.clear()
        return self

    def plug(self) -> None:
        """See `SimulatedLine.plug`."""
        self.plugged = True

    def unplug(self) -> None:
        """See `SimulatedLine.unplug`."""
        self.plugged = False
        self._pieces.clear()
        self._late.clear()

    def write(self, data: bytes) -> None:
        """Either end sends: the reader its messages, each in one call."""
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

    def read(self, timeout_s: float = 0.0) -> bytes:  # noqa: ARG002  # nobody waits here
        """The driver takes a piece. Raises `OSError` where the cable is out."""
        if not self.plugged:
            raise OSError("unplugged")
        return self._pieces.popleft() if self._pieces else b""

    def close(self) -> None:
        """Leave the line as it is: the driver opens it again."""

    def _send(self, data: bytes) -> None:
        if self._late:
            # A line keeps its order.
            self._late.append(data)
            return
        while data:
            count = self._chance.randint(1, PIECE_MAX)
            self._pieces.append(data[:count])
            data = data[count:]
