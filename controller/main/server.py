"""The page's server on the table's own loop."""

import asyncio
import errno
import gc
import socket
import ssl
from asyncio.sslproto import SSLProtocol
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, ClassVar, Final, cast

import uvicorn
from fastapi import FastAPI

from controller.domain import ConfigError
from controller.main.http_protocol import LimitedHttp, LoopErrors, connections_max, log_refused

CLOSE_S: Final = 2.0

BACKLOG: Final = 128
"""Connections that wait to be taken; the loop tries as often in a turn, also when no descriptor is left."""

MESSAGE_MAX: Final = 4096
"""Bytes of a message from a screen; none says more than that it wants the table again."""


def listen(host: str, port: int, tries: int) -> socket.socket:
    """Take the first free port of `tries` from `port` on; port 0 takes any.

    Raises `ConfigError` PORT_BUSY when all are taken, ADDRESS_UNUSABLE when the host is not this machine's.
    """
    for number in range(port, port + tries):
        try:
            return socket.create_server((host, number))
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                raise ConfigError("ADDRESS_UNUSABLE", host=host, port=number) from error
    raise ConfigError("PORT_BUSY", host=host, port=port)


def address_of(server: socket.socket, scheme: str = "http") -> str:
    """Tell what to type into a browser."""
    host, port = server.getsockname()[:2]
    return f"{scheme}://{host}:{port}/"


class PageServer(uvicorn.Server):
    """Serves until cancelled and leaves the signals to the program."""

    def __init__(
        self, app: FastAPI, tls: ssl.SSLContext | None = None, *, requests_max: int | None = None
    ) -> None:
        """Set it up without access log: every act is in the journal. With `tls` it speaks nothing else.

        Beyond `requests_max` connections at once each request is answered 503.
        """
        options = uvicorn.Config(
            app,
            log_level="warning",
            access_log=False,
            timeout_graceful_shutdown=1,
            limit_concurrency=requests_max,
            http=LimitedHttp if tls is None else cast(type[asyncio.Protocol], LimitedTls),
            # Which server this is, and how old, is nobody's business.
            server_header=False,
            backlog=BACKLOG,
            ws_max_size=MESSAGE_MAX,
            # Every screen is sent the same 20 kB; to compress it for each took longer than all the rest.
            ws_per_message_deflate=False,
            # The default is written for an interface that the library has given up.
            ws="websockets-sansio",
        )
        LimitedHttp.connections_max = connections_max()
        if tls is not None:
            LimitedTls.context = tls
        super().__init__(options)

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Take no signals."""
        yield

    async def run_on(self, listening: socket.socket) -> None:
        """Serve on an open socket; when cancelled, close the screens' connections first."""
        asyncio.get_running_loop().set_exception_handler(LoopErrors())
        # What the start has made stays; looking through it for garbage held the loop for 120 to 170 ms.
        gc.freeze()
        serving = asyncio.create_task(self.serve([listening]))
        try:
            await asyncio.shield(serving)
        except asyncio.CancelledError:
            self.should_exit = True
            await asyncio.wait([serving], timeout=CLOSE_S)
            raise


HANDSHAKE_S: Final = 10
"""Time for a handshake, as for the head of a request."""

SPARE: Final = 50
"""Connections beyond those that are served: they are let in to get a 503, the others are only closed."""


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
