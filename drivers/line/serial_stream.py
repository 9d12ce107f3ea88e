"""A serial line as a `ByteStream`: device path, pseudo-terminal, `socket://host:port` or `loop://`."""

import errno
import os
import socket
import termios
from contextlib import suppress
from typing import Final

import serial

from controller.domain.errors import DeviceError

READ_S_MAX: Final = 0.1
"""How long `read` waits for a byte: so soon the thread notices that it has something to send, or to end."""

WRITE_S_MAX: Final = 1.0
"""How long `write` waits for a line that does not take its bytes."""

KEEP_ALIVE_S: Final = 1
KEEP_ALIVE_TIMES: Final = 3
"""A device server is asked so often for a sign of life, and is gone after so many without one."""

_REASONS: Final = {
    errno.ENOENT: "NOT_THERE",
    errno.ENODEV: "NOT_THERE",
    errno.ENXIO: "NOT_THERE",
    errno.EACCES: "NO_PERMISSION",
    errno.EPERM: "NO_PERMISSION",
    errno.EBUSY: "BUSY",
    errno.EAGAIN: "BUSY",
}


class SerialStream:
    """An open line, 8N1 without flow control, locked against a second program where the system can."""

    def __init__(self, port: str, baud: int) -> None:
        """Open `port`; raises `DeviceError` DEVICE_OPEN_FAILED with the port and a `reason`.

        Reasons: NOT_THERE, NO_PERMISSION, BUSY, REFUSED (network), BAD_PORT (no such kind of port).
        """
        try:
            self._line = serial.serial_for_url(
                port, baud, timeout=READ_S_MAX, write_timeout=WRITE_S_MAX, exclusive=True
            )
        except ValueError as error:
            raise DeviceError("DEVICE_OPEN_FAILED", port=port, reason="BAD_PORT") from error
        except (OSError, termios.error) as error:
            raise DeviceError("DEVICE_OPEN_FAILED", port=port, reason=_reason(port, error)) from error
        self._is_socket = port.startswith("socket://")
        if self._is_socket:
            _keep_alive(self._line.fileno())
        else:
            _hand_on_at_once(self._line)

    def read(self) -> bytes:
        """See `ByteStream.read`. A line that is ready but has nothing is gone: pyserial raises for it."""
        try:
            data = self._line.read(1)
            return data + self._rest() if data else b""
        except (termios.error, TypeError) as error:
            raise OSError(errno.EIO, str(error)) from error

    def write(self, data: bytes) -> None:
        """See `ByteStream.write`."""
        try:
            self._line.write(data)
        except termios.error as error:
            raise OSError(errno.EIO, str(error)) from error

    def close(self) -> None:
        """See `ByteStream.close`."""
        with suppress(OSError, termios.error):
            self._line.close()

    def _rest(self) -> bytes:
        """Read what has arrived behind the first byte, without waiting for more."""
        if not self._is_socket:
            return self._line.read(self._line.in_waiting)
        # pyserial only knows that a socket is readable, not how much is there.
        self._line.timeout = 0
        try:
            return self._line.read(4096)
        finally:
            self._line.timeout = READ_S_MAX


def _keep_alive(handle: int) -> None:
    """Notice a device server without power within seconds; otherwise it would look silent for ever."""
    with socket.socket(fileno=os.dup(handle)) as line:
        line.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        line.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, KEEP_ALIVE_S)
        line.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPINTVL, KEEP_ALIVE_S)
        line.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPCNT, KEEP_ALIVE_TIMES)


def _hand_on_at_once(line: serial.SerialBase) -> None:
    """Ask a USB adapter not to collect bytes (FTDI chips wait 16 ms); pseudo-terminals know no such thing."""
    if isinstance(line, serial.Serial):
        with suppress(OSError, ValueError):
            line.set_low_latency_mode(True)


def _reason(port: str, error: Exception) -> str:
    code = getattr(error, "errno", None)
    if code in _REASONS:
        return _REASONS[code]
    return "REFUSED" if port.startswith("socket://") else "IO_ERROR"
