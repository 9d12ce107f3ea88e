"""Reports to the service manager (sd_notify): the table is up, alive, or stopping."""

import asyncio
import socket
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import Final

BEATS: Final = 3
"""Signs of life in each of the manager's watchdog intervals."""


class ServiceManager:
    """The datagram socket that systemd names in NOTIFY_SOCKET; silent where there is none."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        """Read NOTIFY_SOCKET (a path, or @name for an abstract one) and WATCHDOG_USEC (microseconds)."""
        self._address = environment.get("NOTIFY_SOCKET", "").replace("@", "\0", 1)
        interval = environment.get("WATCHDOG_USEC", "")
        self._watchdog_s = int(interval) / 1e6 if interval.isdigit() else 0.0

    def ready(self) -> None:
        """The page can be opened and the devices are being opened."""
        self._send(b"READY=1")

    def stopping(self) -> None:
        """Report that nothing new is taken."""
        self._send(b"STOPPING=1")

    async def beat(self, alive: Callable[[], Awaitable[None]]) -> None:
        """Give a sign of life after each return of `alive`, until cancelled.

        `alive` has to go the way of a real command through the table: a loop that turns is no proof that
        something can still be written down.
        """
        while True:
            if self._watchdog_s:
                await alive()
                self._send(b"WATCHDOG=1")
            await asyncio.sleep(self._watchdog_s / BEATS or 3600)

    def _send(self, message: bytes) -> None:
        """Send one datagram; a missing manager is ignored."""
        if not self._address:
            return
        with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as line:
            line.setblocking(False)
            line.sendto(message, self._address)
