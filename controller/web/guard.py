"""Protection against other sites' pages: host and origin checks, and the headers of every answer."""

from collections.abc import Awaitable, Callable, Collection
from ipaddress import ip_address
from typing import Final
from urllib.parse import SplitResult, urlsplit

from starlette.datastructures import Headers
from starlette.requests import HTTPConnection, Request
from starlette.responses import JSONResponse, Response

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
    scheme = "https" if _is_secure(connection) else "http"
    return (page.scheme, page.netloc) == (scheme, connection.headers.get("host"))


def _is_secure(connection: HTTPConnection) -> bool:
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
        response.headers.update(HEADERS | (_TLS_HEADERS if _is_secure(request) else {}))
        if request.url.path.startswith("/static/assets/"):
            response.headers["Cache-Control"] = _FOR_EVER
        return response


def _refused(code: str, status: int) -> Response:
    return JSONResponse({"code": f"refused.{code}", "params": {}}, status, HEADERS)
