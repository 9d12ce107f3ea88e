"""A two-way line of bytes: a serial port, a pseudo-terminal or a TCP connection to one."""

from typing import Protocol


class ByteStream(Protocol):
    """An open line. Every method raises `OSError` once the other end is gone; `close` never raises."""

    def read(self) -> bytes:
        """Wait a short while (about 0.1 s) for bytes and return all that came; b"" when none did."""
        ...

    def write(self, data: bytes) -> None:
        """Send all of `data`."""
        ...

    def close(self) -> None:
        """Give the line back; may be called twice."""
        ...
