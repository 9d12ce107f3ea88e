"""The far end of a serial line, for simulated readers: a pseudo-terminal, or a TCP server behind it.

What is written while nobody listens is lost, as on a real wire.
"""

import os
import select
import socket
import tempfile
import threading
import tty
from contextlib import suppress
from pathlib import Path
from typing import Final, Protocol

READ_MAX: Final = 4096
"""Bytes read at once."""


class SimulatedLine(Protocol):
    """The simulated reader's end."""

    @property
    def port(self) -> str:
        """What the driver opens; stays the same across unplugging."""
        ...

    def plug(self) -> None:
        """Connect the reader; nothing happens when it is connected."""
        ...

    def unplug(self) -> None:
        """Take the reader off: the driver's end breaks and the port is gone."""
        ...

    def write(self, data: bytes) -> None:
        """Send bytes to whoever listens."""
        ...

    def read(self, timeout_s: float) -> bytes:
        """Wait for bytes from the driver; b"" when none came or nobody is there."""
        ...

    def close(self) -> None:
        """Unplug for good and clean up."""
        ...


class PtyLine:
    """A pseudo-terminal behind a stable name, as udev gives real ports one."""

    def __init__(self) -> None:
        """Make it, plugged in."""
        self._folder = tempfile.TemporaryDirectory(prefix="stand17-shoe-")
        self._link = Path(self._folder.name) / "shoe"
        self._master = -1
        self._slave = -1
        self._lock = threading.Lock()
        self.plug()

    @property
    def port(self) -> str:
        """See `SimulatedLine.port`."""
        return str(self._link)

    def plug(self) -> None:
        """See `SimulatedLine.plug`."""
        if self._master >= 0:
            return
        with self._lock:
            self._master, self._slave = os.openpty()
            tty.setraw(self._slave)
            os.set_blocking(self._master, False)
            self._link.symlink_to(os.ttyname(self._slave))

    def unplug(self) -> None:
        """See `SimulatedLine.unplug`."""
        if self._master < 0:
            return
        with self._lock:
            self._link.unlink()
            os.close(self._slave)
            os.close(self._master)
            self._master = self._slave = -1

    def write(self, data: bytes) -> None:
        """See `SimulatedLine.write`."""
        with self._lock, suppress(OSError):
            os.write(self._master, data)

    def read(self, timeout_s: float) -> bytes:
        """See `SimulatedLine.read`."""
        with self._lock, suppress(OSError, ValueError):
            if select.select([self._master], [], [], timeout_s)[0]:
                return os.read(self._master, READ_MAX)
        return b""

    def close(self) -> None:
        """See `SimulatedLine.close`."""
        self.unplug()
        self._folder.cleanup()


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
        """See `SimulatedLine.port`."""
        return f"socket://127.0.0.1:{self._number}"

    def plug(self) -> None:
        """See `SimulatedLine.plug`."""
        if self._server.fileno() < 0:
            self._server = self._listen(self._number)

    def unplug(self) -> None:
        """See `SimulatedLine.unplug`."""
        with self._lock:
            self._server.close()
            self._hang_up()

    def write(self, data: bytes) -> None:
        """See `SimulatedLine.write`."""
        with self._lock:
            self._accept(0)
            if self._client is not None:
                try:
                    self._client.sendall(data)
                except OSError:
                    self._hang_up()

    def read(self, timeout_s: float) -> bytes:
        """See `SimulatedLine.read`."""
        with self._lock:
            self._accept(0 if self._client else timeout_s)
            return self._receive(timeout_s)

    def close(self) -> None:
        """See `SimulatedLine.close`."""
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
