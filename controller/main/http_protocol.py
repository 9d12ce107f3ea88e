"""One connection of the page's server: not too many of them, and none that says nothing for ever."""

import asyncio
import logging
import resource
import socket
from contextlib import suppress
from itertools import count
from typing import Any, ClassVar, Final, cast

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

HEAD_S: Final = 10.0
"""Time in which a whole request has to be there, from the connection or from its first byte on.

The largest body that a page sends has a few kilobytes.
"""

UNREAD_S: Final = 30
"""Time after which a connection whose far end takes nothing in is given up by the kernel."""

CONNECTIONS_MAX: Final = 1000
"""Connections at once, sockets of screens included; a table has tens."""

RESERVED: Final = 200
"""Descriptors that are left for the journal, the devices and the recordings."""

_FULL: Final = b'{"code":"refused.TOO_MANY_CONNECTIONS","params":{}}'
_BUSY: Final = (
    b"HTTP/1.1 503 Service Unavailable\r\ncontent-type: application/json\r\nretry-after: 10\r\n"
    b"connection: close\r\ncontent-length: %d\r\n\r\n%s" % (len(_FULL), _FULL)
)

_UNFINISHED: Final = (h11.IDLE, h11.SEND_BODY)
"""What the far end still does before its request is whole."""

_log: Final = logging.getLogger("stand17.page")


def is_power_of_ten(count: int) -> bool:
    """Whether a count is 1, 10, 100 …: when something that comes in floods is worth another line."""
    return str(count).rstrip("0") == "1"


def connections_max() -> int:
    """Tell how many connections there may be, with what the process may have open."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return CONNECTIONS_MAX if soft < 0 else max(1, min(CONNECTIONS_MAX, soft - RESERVED))


_refused: Final = count(1)


def log_refused(limit: int) -> None:
    """Log the 1st, 10th, 100th … connection that was turned away for being one too many."""
    if is_power_of_ten(refused := next(_refused)):
        _log.warning("more than %d connections: others are answered 503 (%d so far)", limit, refused)


class LimitedHttp(H11Protocol):
    """uvicorn's protocol with limits. The time of a request runs while it is awaited or half there."""

    connections_max: ClassVar[int] = CONNECTIONS_MAX
    """Set when the server is made."""

    _request_due: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override] # as in uvicorn
        """Take the connection, or answer 503 where there are too many."""
        super().connection_made(transport)
        if len(self.connections) > self.connections_max:
            self._refuse()
            return
        _give_up_unread(transport)
        self._await_request()

    def data_received(self, data: bytes) -> None:
        """Take bytes; a request that begins has to be there soon."""
        if self.transport.is_closing():
            return
        if self._request_due is None and self.conn.their_state is h11.IDLE:
            self._await_request()
        super().data_received(data)
        if self.conn.their_state not in _UNFINISHED:
            self._request_came()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        self._request_came()
        super().connection_lost(exc)

    def shutdown(self) -> None:
        """Close; a request that is half there is not waited for."""
        if self.conn.their_state is h11.SEND_BODY:
            self.transport.close()
        else:
            super().shutdown()

    def _refuse(self) -> None:
        log_refused(self.connections_max)
        self.transport.write(_BUSY)
        self.transport.close()

    def _await_request(self) -> None:
        self._request_due = self.loop.call_later(HEAD_S, self._give_up)

    def _request_came(self) -> None:
        if self._request_due is not None:
            self._request_due.cancel()
            self._request_due = None

    def _give_up(self) -> None:
        self._request_due = None
        self.transport.close()


def _give_up_unread(transport: asyncio.Transport) -> None:
    """Have the kernel close a connection whose far end has gone, or reads nothing."""
    line = cast(socket.socket | None, transport.get_extra_info("socket"))
    if line is None:
        return
    with suppress(OSError):
        # asyncio sets it only where the listening socket names its protocol; else each answer waits 44 ms.
        line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        line.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        line.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, UNREAD_S * 1000)


class LoopErrors:
    """Handles what the loop reports; equal reports are logged the 1st, 10th, 100th … time."""

    def __init__(self) -> None:
        """Begin with none."""
        self._counts: dict[str, int] = {}

    def __call__(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """Log, but not for each of the connections that no descriptor is left for."""
        key = f"{context.get('message')} {type(context.get('exception')).__name__}"
        count = self._counts[key] = self._counts.get(key, 0) + 1
        if is_power_of_ten(count):
            loop.default_exception_handler({**context, "message": f"{context.get('message')} (time {count})"})
