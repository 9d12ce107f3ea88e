"""The access to a local page: a printed address that works once, then a cookie."""

import hmac
from collections.abc import Awaitable, Callable
from typing import Final

from fastapi import APIRouter, Depends, FastAPI, HTTPException, Request
from fastapi.responses import FileResponse, JSONResponse, RedirectResponse, Response
from starlette.middleware.base import BaseHTTPMiddleware

from controller.domain import TableError
from controller.screens.words import described
from controller.web.guard import BodyLimit, Guard
from controller.web.packed_files import PackedFiles
from controller.web.parts import STATIC
from controller.web.session import port_mark

_COOKIE: Final = "stand17-studio"
"""With the port behind it: a browser gives one machine's cookies to all of its ports."""


class StudioGate:
    """Lets in the one browser that was given the token; the address with it works once."""

    def __init__(self, token: str, session: str) -> None:
        """`token` is in the printed address, `session` in the cookie that replaces it; both are chance."""
        self._token: str | None = token
        self._session = session

    def enter(self, token: str) -> str | None:
        """Return the session for the unused token; None for any other."""
        if self._token is None or not hmac.compare_digest(token.encode(), self._token.encode()):
            return None
        self._token = None
        return self._session

    def require(self, request: Request) -> None:
        """Refuse a request without the session of the printed address."""
        sent = request.cookies.get(_COOKIE + port_mark(request), "")
        if not hmac.compare_digest(sent.encode(), self._session.encode()):
            raise HTTPException(401)


MakePage = Callable[[StudioGate], FastAPI]
"""Makes a local page's application behind its door."""


def local_app(title: str, page: str, gate: StudioGate, router: APIRouter) -> FastAPI:
    """Return an application for this machine's browser alone; `page` is the built page's file name.

    A route's `TableError` is answered as words, with status 409.
    """
    app = FastAPI(title=title, docs_url=None, redoc_url=None, openapi_url=None)
    app.add_middleware(BaseHTTPMiddleware, dispatch=Guard(("localhost",)))
    app.add_middleware(BodyLimit)
    app.add_exception_handler(TableError, _refused)
    app.include_router(router, dependencies=[Depends(gate.require)])
    app.add_api_route("/", _page(page, gate), response_model=None)
    if STATIC.exists():
        app.mount("/static", PackedFiles(directory=STATIC), name="static")
    return app


def _page(page: str, gate: StudioGate) -> Callable[..., Awaitable[Response]]:
    async def show(request: Request, token: str = "") -> Response:
        """The page for who has entered; the printed address enters."""
        session = gate.enter(token) if token else None
        if session is None:
            gate.require(request)
            return FileResponse(STATIC / page)
        answer = RedirectResponse("/", 303)
        answer.set_cookie(_COOKIE + port_mark(request), session, httponly=True, samesite="strict")
        return answer

    return show


async def _refused(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, TableError), error
    return JSONResponse(described("refused", error.code, error.params.items()).model_dump(mode="json"), 409)
