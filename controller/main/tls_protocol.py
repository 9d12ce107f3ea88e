"""One connection of the page's server under TLS: its handshake counts and has a time, as a head has."""

import asyncio
import ssl
from asyncio.sslproto import SSLProtocol
from typing import Any, ClassVar, Final, cast

from controller.main.http_protocol import LimitedHttp, log_refused

HANDSHAKE_S: Final = 10
"""Time for a handshake, as for the head of a request."""

SPARE: Final = 50
"""Connections beyond those that are served: they are let in to be told 503, the others are only closed."""


class LimitedTls(SSLProtocol):
    """TLS around `LimitedHttp`.

    asyncio would wait a minute for a handshake, and count no connection before it is done: a few hundred that
    say nothing would have used up the table's descriptors.
    """

    context: ClassVar[ssl.SSLContext]
    """Set when the server is made."""

    _connected: ClassVar[int] = 0

    def __init__(self, *, _loop: asyncio.AbstractEventLoop | None = None, **http: Any) -> None:
        """Take what uvicorn gives to any of its protocols."""
        loop = _loop or asyncio.get_running_loop()
        inner = LimitedHttp(_loop=loop, **http)
        # Typed for transports that are read from; the one below is only known when it is connected.
        waiter = cast("asyncio.Future[Any]", None)
        super().__init__(
            loop, inner, self.context, waiter, server_side=True, ssl_handshake_timeout=HANDSHAKE_S
        )

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin the handshake, or close where there are too many."""
        LimitedTls._connected += 1
        super().connection_made(transport)
        if LimitedTls._connected > LimitedHttp.connections_max + SPARE:
            log_refused(LimitedHttp.connections_max)
            cast(asyncio.Transport, transport).abort()

    def connection_lost(self, exc: BaseException | None) -> None:
        """Forget the connection."""
        LimitedTls._connected -= 1
        super().connection_lost(exc)
