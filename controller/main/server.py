"""HTTP servers on the program's own loop: the page's, with limits, and that of a witness of heads.

Connections, requests and messages are limited.
"""

import asyncio
import errno
import gc
import logging
import resource
import socket
import ssl
from asyncio.sslproto import SSLProtocol
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import Any, ClassVar, Final, cast

import h11
import uvicorn
from fastapi import FastAPI, HTTPException, Request
from fastapi.responses import PlainTextResponse
from starlette.requests import ClientDisconnect
from uvicorn.protocols.http.h11_impl import H11Protocol

from controller.domain import ConfigError, JournalError
from controller.floor.heads_witness import Answer, HeadsWitness, Verdict
from controller.journal.heads import LINE_MAX, lines_from
from controller.runtime.inbox import run_all, stop_on_signals

HEAD_S: Final = 10.0
"""Time in which a whole request has to be there, from the connection or from its first byte on.

The largest body that a page sends has a few kilobytes.
"""

_UNREAD_S: Final = 30
"""Time after which a connection whose far end takes nothing in is given up by the kernel."""

CONNECTIONS_MAX: Final = 1000
"""Connections at once, sockets of screens included; a table has tens."""

_RESERVED: Final = 200
"""Descriptors that are left for the journal, the devices and the recordings."""

_FULL: Final = b'{"code":"refused.TOO_MANY_CONNECTIONS","params":{}}'

_BUSY: Final = (
    b"HTTP/1.1 503 Service Unavailable\r\ncontent-type: application/json\r\nretry-after: 10\r\n"
    b"connection: close\r\ncontent-length: %d\r\n\r\n%s" % (len(_FULL), _FULL)
)

_UNFINISHED: Final = (h11.IDLE, h11.SEND_BODY)
"""What the far end still does before its request is whole."""

_log: Final = logging.getLogger("stand17.page")


def _is_power_of_ten(count: int) -> bool:
    """Whether a count is 1, 10, 100 …, at which a frequent event is logged again."""
    return str(count).rstrip("0") == "1"


def connections_max() -> int:
    """Return the maximum number of connections, by the process's limit of open files."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return CONNECTIONS_MAX if soft < 0 else max(1, min(CONNECTIONS_MAX, soft - _RESERVED))


_refused: Final = count(1)


def _log_refused(limit: int) -> None:
    """Log the 1st, 10th, 100th … connection that was turned away for being one too many."""
    if _is_power_of_ten(refused := next(_refused)):
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
        _log_refused(self.connections_max)
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
    """Let the kernel close a connection whose peer is gone or reads nothing."""
    line = cast(socket.socket | None, transport.get_extra_info("socket"))
    if line is None:
        return
    with suppress(OSError):
        # asyncio sets it only where the listening socket names its protocol; else each answer waits 44 ms.
        line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        line.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        line.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, _UNREAD_S * 1000)


class LoopErrors:
    """Logs the loop's errors; equal ones the 1st, 10th, 100th … time."""

    def __init__(self) -> None:
        """Begin with none."""
        self._counts: dict[str, int] = {}

    def __call__(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """Log, but not for each of the connections that no descriptor is left for."""
        key = f"{context.get('message')} {type(context.get('exception')).__name__}"
        count = self._counts[key] = self._counts.get(key, 0) + 1
        if _is_power_of_ten(count):
            loop.default_exception_handler({**context, "message": f"{context.get('message')} (time {count})"})


_CLOSE_S: Final = 2.0

_BACKLOG: Final = 128
"""Connections that wait to be taken; the loop tries as often in a turn, also when no descriptor is left."""

_MESSAGE_MAX: Final = 4096
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
    """Return the address for a browser."""
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
            # The server's name and version are not disclosed.
            server_header=False,
            backlog=_BACKLOG,
            ws_max_size=_MESSAGE_MAX,
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
        # The start's objects stay alive; their garbage collection blocked the loop for 120 to 170 ms.
        gc.freeze()
        serving = asyncio.create_task(self.serve([listening]))
        try:
            await asyncio.shield(serving)
        except asyncio.CancelledError:
            self.should_exit = True
            await asyncio.wait([serving], timeout=_CLOSE_S)
            raise


HANDSHAKE_S: Final = 10
"""Time for a handshake, as for the head of a request."""

_SPARE: Final = 50
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
        """Take uvicorn's arguments of a protocol."""
        loop = _loop or asyncio.get_running_loop()
        inner = LimitedHttp(_loop=loop, **http)
        # Typed for readable transports; the actual transport is known only after the connection.
        waiter = cast("asyncio.Future[Any]", None)
        super().__init__(
            loop, inner, self.context, waiter, server_side=True, ssl_handshake_timeout=HANDSHAKE_S
        )

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin the handshake, or close where there are too many."""
        LimitedTls._connected += 1
        super().connection_made(transport)
        if LimitedTls._connected > LimitedHttp.connections_max + _SPARE:
            _log_refused(LimitedHttp.connections_max)
            cast(asyncio.Transport, transport).abort()

    def connection_lost(self, exc: BaseException | None) -> None:
        """Forget the connection."""
        LimitedTls._connected -= 1
        super().connection_lost(exc)


PORTS: Final = 1

_WITNESS_CONNECTIONS_MAX: Final = 100
"""Requests at once; a table sends one head at a time."""

STATUS: Final[dict[Verdict, int]] = {
    "witnessed": 200,
    "no_head": 400,
    "unknown_key": 403,
    "two_histories": 409,
    "log_changed": 503,
    "unreadable": 400,
}

Answered = Callable[[str, Answer], None]
"""Gets where a head came from, and what became of it."""


async def serve_witness(
    witness: HeadsWitness, host: str, port: int, answered: Answered, ready: Callable[[str], None]
) -> None:
    """Take heads by POST until SIGINT or SIGTERM: the body is a line, the answer the signed checkpoint."""
    app = FastAPI(title="stand17 witness", docs_url=None, redoc_url=None, openapi_url=None)

    @app.post("/", response_class=PlainTextResponse)
    async def take(request: Request) -> PlainTextResponse:
        line = b""
        try:
            async for part in request.stream():
                line += part
                if len(line) > LINE_MAX:
                    raise HTTPException(413)
        except ClientDisconnect:
            raise HTTPException(408) from None
        answer = witness.take(line)
        answered(request.client.host if request.client else "", answer)
        return PlainTextResponse(answer.note or answer.verdict, STATUS[answer.verdict])

    listening = listen(host, port, PORTS)
    ready(address_of(listening))
    try:
        await run_all(
            {"witness": PageServer(app, requests_max=_WITNESS_CONNECTIONS_MAX).run_on(listening)},
            stop_on_signals(),
        )
    finally:
        listening.close()


def look_into(witness: HeadsWitness, folders: Sequence[Path], answered: Answered) -> bool:
    """Take every head of the files `*.signed` of folders; whether all of them were witnessed."""
    fits = True
    for file in sorted(path for folder in folders for path in folder.glob("*.signed")):
        try:
            lines = [line for line, _ in lines_from(file, 0)]
        except JournalError:
            answered(str(file), Answer("unreadable"))
            fits = False
            continue
        for line in lines:
            answer = witness.take(line)
            answered(str(file), answer)
            fits = fits and answer.verdict == "witnessed"
    return fits
