"""The far end of a serial line, for simulated readers: a pseudo-terminal.

What is written while nobody listens is lost, as on a real wire.
"""

import os
import select
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
