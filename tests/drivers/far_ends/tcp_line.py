"""The far end of a serial line behind a TCP server, as an RS-232 device server is.

What is written while nobody listens is lost, as on a real wire.
"""

import select
import socket
import threading
from contextlib import suppress

from drivers.simulated import READ_MAX


class TcpLine:
    """A TCP server on loopback, as an RS-232 device server is; one client at a time, the newest wins."""

    def __init__(self) -> None:
        """Listen at a free port, plugged in."""
        self._lock = threading.Lock()
        self._client: socket.socket | None = None
        self._server = self._listen(0)
        self._number = self._server.getsockname()[1]

    @property
    def port(self) -> str:
        """The address at which the host connects."""
        return f"socket://127.0.0.1:{self._number}"

    def plug(self) -> None:
        """Listen again, at the same port."""
        if self._server.fileno() < 0:
            self._server = self._listen(self._number)

    def unplug(self) -> None:
        """Hang up, and listen no longer."""
        with self._lock:
            self._server.close()
            self._hang_up()

    def write(self, data: bytes) -> None:
        """Send bytes; a host that has hung up gets none."""
        with self._lock:
            self._accept(0)
            if self._client is not None:
                try:
                    self._client.sendall(data)
                except OSError:
                    self._hang_up()

    def read(self, timeout_s: float) -> bytes:
        """What the host sends within the time."""
        with self._lock:
            self._accept(0 if self._client else timeout_s)
            return self._receive(timeout_s)

    def close(self) -> None:
        """Hang up."""
        self.unplug()

    def _receive(self, timeout_s: float) -> bytes:
        if self._client is None or not select.select([self._client], [], [], timeout_s)[0]:
            return b""
        try:
            data = self._client.recv(READ_MAX)
        except OSError:
            data = b""
        if not data:
            self._hang_up()
        return data

    def _accept(self, timeout_s: float) -> None:
        with suppress(OSError, ValueError):
            while select.select([self._server], [], [], timeout_s)[0]:
                self._hang_up()
                self._client, _ = self._server.accept()
                self._client.settimeout(1)
                timeout_s = 0

    def _hang_up(self) -> None:
        if self._client is not None:
            self._client.close()
            self._client = None

    @staticmethod
    def _listen(number: int) -> socket.socket:
        server = socket.create_server(("127.0.0.1", number))
        server.settimeout(1)
        return server
