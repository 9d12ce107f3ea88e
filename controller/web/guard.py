"""What keeps strangers out of the browser: origin check and response headers."""

from collections.abc import Awaitable, Callable
from typing import Final
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

POLICY: Final = (
    "default-src 'self'; base-uri 'none'; object-src 'none'; frame-ancestors 'none'; form-action 'self'"
)
HEADERS: Final = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}


def same_origin(headers: Headers) -> bool:
    """Whether a request comes from our own page, or from no page at all (a program)."""
    origin = headers.get("origin")
    return origin is None or urlsplit(origin).netloc == headers.get("host")


async def protect(request: Request, call_next: Callable[[Request], Awaitable[Response]]) -> Response:
    """Refuse what another site's page sends, and put the headers on every answer."""
    if request.method != "GET" and not same_origin(request.headers):
        refusal = {"code": "FOREIGN_ORIGIN", "params": {}}
        return JSONResponse(refusal, 403, HEADERS)
    response = await call_next(request)
    cached = request.url.path.startswith("/static/assets/")
    for name, value in HEADERS.items():
        if not (cached and name == "Cache-Control"):
            response.headers[name] = value
    return response
