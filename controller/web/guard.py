"""Protection of the server: host and origin checks, the headers of every answer, the limits of a request."""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping
from contextlib import suppress
from ipaddress import ip_address
from typing import Final
from urllib.parse import SplitResult, urlsplit

from starlette.datastructures import Headers
from starlette.requests import HTTPConnection, Request
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from controller.domain import ConfigError
from controller.validation import read_json

_POLICY: Final = (
    "default-src 'self'; base-uri 'none'; object-src 'none'; frame-ancestors 'none'; form-action 'self'"
)
HEADERS: Final = {
    "Content-Security-Policy": _POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
}
_TLS_HEADERS: Final = {"Strict-Transport-Security": "max-age=31536000"}
"""For a year: a browser that came over TLS once never sends a PIN without."""

_SECURE: Final = ("https", "wss")

_FOR_EVER: Final = "public, max-age=31536000, immutable"
"""For files whose names change with their content (the build's); the page that names them is fetched anew."""


def _same_origin(connection: HTTPConnection) -> bool:
    """Whether a request comes from our own page, or from a program without a page."""
    origin = connection.headers.get("origin")
    if origin is None:
        return True
    page = _split(origin)
    scheme = "https" if is_secure(connection) else "http"
    return (page.scheme, page.netloc) == (scheme, connection.headers.get("host"))


def is_secure(connection: HTTPConnection) -> bool:
    """Whether the connection uses TLS."""
    return connection.url.scheme in _SECURE


def _known_host(headers: Headers, names: Collection[str]) -> bool:
    """Whether the request addresses us by number or by one of our names.

    A foreign page can let its own name point to us (DNS rebinding), but never a number.
    """
    host = _split(f"//{headers.get('host', '')}").hostname or ""
    return host in names or _is_number(host)


def _split(address: str) -> SplitResult:
    """Parse an address; a malformed one, such as "//[::1", has no host."""
    try:
        return urlsplit(address)
    except ValueError:
        return urlsplit("")


def _is_number(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True


class Guard:
    """Refuses requests of other sites' pages, and adds the headers to every answer."""

    def __init__(self, names: Collection[str]) -> None:
        """`names` are the host names under which this server may be addressed."""
        self._names = names

    def welcomes(self, connection: HTTPConnection) -> bool:
        """Whether a socket or a command is admitted."""
        return _known_host(connection.headers, self._names) and _same_origin(connection)

    async def __call__(
        self, request: Request, call_next: Callable[[Request], Awaitable[Response]]
    ) -> Response:
        """Answer one HTTP request."""
        if not _known_host(request.headers, self._names):
            return _refused("FOREIGN_HOST", 400)
        # Another site may link to a page of ours; only ours may change anything.
        if request.method != "GET" and not _same_origin(request):
            return _refused("FOREIGN_ORIGIN", 403)
        response = await call_next(request)
        response.headers.update(HEADERS | (_TLS_HEADERS if is_secure(request) else {}))
        if request.url.path.startswith("/static/assets/"):
            response.headers["Cache-Control"] = _FOR_EVER
        return response


def _refused(code: str, status: int) -> Response:
    return JSONResponse({"code": f"refused.{code}", "params": {}}, status, HEADERS)


BODY_MAX: Final = 64 * 1024
"""Bytes of a request's body; the largest act of a screen has fewer than two thousand."""

_LEFT_MAX: Final = 4 * 1024 * 1024
_LEFT_S: Final = 2.0
"""What is still taken, and thrown away, of a body that was refused. A line that is closed with bytes unread
is reset, and the answer may be lost on its way: of 300 bodies of 3 MB, 29 got none."""

_AMBIGUOUS: Final = {
    "JSON_KEY_TWICE": "it stands twice in one object",
    "JSON_HALF_CHARACTER": "half of a character",
    "JSON_NOT_UTF8": "UTF-8",
}
"""What the framework's own reader takes without a word, and what the answer says of it."""

_BODY_S: Final = 10.0
"""Time for the whole body: a screen sends it in one piece."""


class BodyLimit:
    """Takes the body of a request whole before anything else sees the request, or refuses it."""

    def __init__(self, app: ASGIApp, limit: int = BODY_MAX, within_s: float = _BODY_S) -> None:
        """Stand in front of an application."""
        self._app = app
        self._limit = limit
        self._within_s = within_s

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on bodies within the limits, and sockets as they are."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        try:
            body = await self._body(scope, receive)
        except _TooMuch:
            refusal = _closing("REQUEST_TOO_LARGE", 413, limit=self._limit)
            await refusal(scope, receive, _kept_open(send))
            left = _LEFT_MAX
            with suppress(TimeoutError):
                async with asyncio.timeout(_LEFT_S):
                    more = True
                    while more and left > 0:
                        message = await receive()
                        left -= len(message.get("body", b""))
                        more = message.get("more_body", False)
            await send(_END)
        except TimeoutError:
            await _closing("REQUEST_TOO_SLOW", 408, seconds=int(self._within_s))(scope, receive, send)
        else:
            wrong = None if body is None else _ambiguous(scope, body)
            if wrong is not None:
                await _answer("error.REQUEST_WRONG", 422, wrong)(scope, receive, send)
            elif body is not None:
                await self._app(scope, _given(body, receive), send)

    async def _body(self, scope: Scope, receive: Receive) -> bytes | None:
        """Read the body; None for a sender that has gone."""
        declared = Headers(scope=scope).get("content-length", "")
        if declared.isascii() and declared.isdigit() and int(declared[:20]) > self._limit:
            raise _TooMuch
        body = bytearray()
        async with asyncio.timeout(self._within_s):
            while True:
                message = await receive()
                if message["type"] != "http.request":
                    return None
                body += message.get("body", b"")
                if len(body) > self._limit:
                    raise _TooMuch
                if not message.get("more_body", False):
                    return bytes(body)


def _ambiguous(scope: Scope, body: bytes) -> dict[str, str] | None:
    """Return the fault of ambiguous JSON; the application answers other faults."""
    if not body or "json" not in Headers(scope=scope).get("content-type", "").lower():
        return None
    try:
        read_json(body)
    except ConfigError as error:
        reason = _AMBIGUOUS.get(error.code)
        return None if reason is None else {"field": str(error.params.get("key", "body")), "reason": reason}
    return None


class _TooMuch(Exception):
    """The body is longer than allowed."""


def _given(body: bytes, receive: Receive) -> Receive:
    """Return a receiver that yields the read body, then the server's messages."""
    pieces: Iterator[Message] = iter(({"type": "http.request", "body": body, "more_body": False},))

    async def give() -> Message:
        for piece in pieces:
            return piece
        return await receive()

    return give


_END: Final[Message] = {"type": "http.response.body", "body": b"", "more_body": False}


def _kept_open(send: Send) -> Send:
    """Send an answer whole, and leave its line open."""

    async def send_on(message: Message) -> None:
        await send({**message, "more_body": True} if message["type"] == "http.response.body" else message)

    return send_on


def _closing(code: str, status: int, **params: int) -> JSONResponse:
    """Answer and close."""
    return _answer(f"refused.{code}", status, params, {"Connection": "close"})


def _answer(
    code: str, status: int, params: Mapping[str, int | str], more: Mapping[str, str] | None = None
) -> JSONResponse:
    return JSONResponse({"code": code, "params": dict(params)}, status, {**HEADERS, **(more or {})})
