"""The web application of one table, its OpenAPI document, and the TypeScript types of its messages.

`npm run check` has `python -m controller.studio.page_types` write the types to `src/view.ts`, which nothing
but the type check reads: the front end imports types from there, and a build leaves those out.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

from fastapi import APIRouter, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import FileResponse, JSONResponse, PlainTextResponse, RedirectResponse, Response
from pydantic import TypeAdapter
from starlette.exceptions import HTTPException
from starlette.middleware.base import BaseHTTPMiddleware

from controller.domain import TableError
from controller.people.access import Access
from controller.screens.table_screens import TableScreens
from controller.screens.words import described
from controller.validation import first_problem
from controller.web.bodies import SocketMessage
from controller.web.guard import BodyLimit
from controller.web.packed_files import PackedFiles
from controller.web.parts import Parts, WebParts
from controller.web.routes import demo_router, people_router, router
from controller.web.session import PIT_PAGE, NotSignedIn, ReadersOnly
from controller.web.shift_routes import shift_router

_REFERENCE = "#/components/schemas/{model}"


@cache
def document(*, demo: bool = False) -> dict[str, Any]:
    """Describe every route; `demo` adds those of a simulated table with faults.

    The schema `SocketMessage`, which no route uses, describes the socket's messages.
    """
    app = FastAPI(title="stand17", version=version("stand17"))
    app.include_router(router)
    app.include_router(people_router)
    app.include_router(shift_router)
    if demo:
        app.include_router(demo_router)
    described = app.openapi()
    messages = TypeAdapter[Any](SocketMessage).json_schema(ref_template=_REFERENCE)
    schemas = described["components"]["schemas"]
    schemas |= messages.pop("$defs")
    schemas["SocketMessage"] = messages
    return described


HEADER: Final = "// Made by `python -m controller.studio.page_types`; change the models there instead.\n"
OTHERS: Final = frozenset({"HTTPValidationError", "ValidationError"})
"""What the framework adds for errors that are answered in another shape here."""


def typescript(beside: Mapping[str, dict[str, Any]]) -> str:
    """Return the TypeScript declarations of the table's messages, and of other pages' schemas."""
    schemas: dict[str, dict[str, Any]] = {**beside, **document(demo=True)["components"]["schemas"]}
    ours = {name: schema for name, schema in schemas.items() if name not in OTHERS}
    return HEADER + "".join(_declaration(name, ours[name]) for name in sorted(ours))


def _declaration(name: str, schema: dict[str, Any]) -> str:
    if "properties" not in schema:
        return f"\nexport type {name} = {_type(schema)};\n"
    # Fields with one possible value: they tell a union's forms apart, so they are always written.
    tags = (field for field, inner in schema["properties"].items() if "const" in inner)
    needed = frozenset((*schema.get("required", ()), *tags))
    fields = "".join(
        f"  {field}{'' if field in needed else '?'}: {_type(inner)};\n"
        for field, inner in schema["properties"].items()
    )
    return f"\nexport interface {name} {{\n{fields}}}\n"


def _type(node: dict[str, Any]) -> str:
    if "$ref" in node:
        return str(node["$ref"].rpartition("/")[2])
    for union in ("anyOf", "oneOf"):
        if union in node:
            return " | ".join(dict.fromkeys(_type(inner) for inner in node[union]))
    if "const" in node:
        return f'"{node["const"]}"' if isinstance(node["const"], str) else str(node["const"]).lower()
    if "enum" in node:
        return " | ".join(f'"{word}"' for word in node["enum"])
    return _plain(node)


def _plain(node: dict[str, Any]) -> str:
    kind = node.get("type")
    if kind == "array" and "prefixItems" in node:
        return "[" + ", ".join(_type(inner) for inner in node["prefixItems"]) + "]"
    if kind == "array":
        item = _type(node["items"])
        return f"({item})[]" if "|" in item else f"{item}[]"
    if kind == "object":
        inner = node.get("additionalProperties") or next(
            iter(node.get("patternProperties", {}).values()), None
        )
        return f"Record<string, {_type(inner) if isinstance(inner, dict) else 'unknown'}>"
    return "number" if kind == "integer" else str(kind)


_NO_PAGE: Final = (
    "The page has not been built: `npm ci && npm run build` in controller/web/frontend makes it.\n"
)

_AWAIT_PICTURES_S: Final = 0.25
PEOPLE_S: Final = 0.05
"""Time between two looks at the people's file: whoever is disabled sees no more."""

_BAD_REQUEST: Final = 400
"""What the framework answers to bytes that are no UTF-8."""

NAMED_MAX: Final = 80
REASON_MAX: Final = 200
"""Characters of a wrong field's name, and of what belongs there, that an answer repeats."""


def create_app(parts: WebParts) -> FastAPI:
    """Return the application of a table, or of the pit without a table of its own."""
    screens = parts.own
    # Its own pages about itself are open to anybody; ours are in the router.
    lifespan = _lifespan(screens, parts.access)
    app = FastAPI(title="stand17", lifespan=lifespan, docs_url=None, redoc_url=None, openapi_url=None)
    app.state.parts = parts
    app.add_middleware(BaseHTTPMiddleware, dispatch=parts.guard)
    app.add_middleware(BodyLimit)
    app.add_exception_handler(TableError, _refused)
    app.add_exception_handler(RequestValidationError, _misunderstood)
    app.add_exception_handler(HTTPException, _unreadable)
    for routes in (router, people_router, shift_router):
        add_routes(app, routes)
    if screens is not None and screens.faults is not None:
        app.include_router(demo_router)
    app.add_api_route(
        "/openapi.json", _describe, dependencies=[ReadersOnly], include_in_schema=False, response_model=None
    )
    if screens is None:
        app.add_api_route("/", _to_pit, include_in_schema=False)
    for address, name in PAGES.items():
        app.add_api_route(
            address, _page(parts.settings.static / name), response_class=Response, include_in_schema=False
        )
    if (parts.settings.static / "index.html").exists():
        app.mount("/static", PackedFiles(directory=parts.settings.static), name="static")
    return app


def add_routes(app: FastAPI, routes: APIRouter) -> None:
    """Serve these routes to the screens, to the pit's page below its own address, and to each table there."""
    app.include_router(routes)
    for prefix in (PIT_PAGE, _TABLE_PAGE):
        app.include_router(routes, prefix=prefix, include_in_schema=False)


def _lifespan(
    screens: TableScreens | None, access: Access
) -> Callable[[FastAPI], AbstractAsyncContextManager[None]]:
    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        works = [access.sessions.follow_people(PEOPLE_S)]
        if screens is not None:
            works += [screens.broadcaster.run(), screens.broadcaster.await_pictures(_AWAIT_PICTURES_S)]
        running = [asyncio.create_task(work) for work in works]
        try:
            yield
        finally:
            for task in running:
                task.cancel()
            await asyncio.wait(running)

    return lifespan


async def _refused(_: Request, error: Exception) -> JSONResponse:
    """Answer with the text that says why, as every error here is answered."""
    assert isinstance(error, TableError), error
    return _refusal(401 if isinstance(error, NotSignedIn) else 409, error.code, error.params)


async def _unreadable(_: Request, error: Exception) -> Response:
    """Answer a body that is no text at all as any other that is not understood."""
    assert isinstance(error, HTTPException), error
    if error.status_code == _BAD_REQUEST:
        return _refusal(422, "REQUEST_WRONG", {"field": "body", "reason": "JSON"})
    return JSONResponse({"detail": error.detail}, error.status_code, error.headers)


async def _describe(parts: Parts) -> JSONResponse:
    """Describe every route to a signed-in reader."""
    return JSONResponse(document(demo=parts.screens.faults is not None))


async def _misunderstood(_: Request, error: Exception) -> JSONResponse:
    """Name the wrong field without its value, which may be anything."""
    assert isinstance(error, RequestValidationError), error
    problem = first_problem(error.errors()[0], {"body": error.body})
    field, reason = problem.field.removeprefix("body."), problem.wanted
    return _refusal(422, "REQUEST_WRONG", {"field": field[:NAMED_MAX], "reason": reason[:REASON_MAX]})


def _refusal(status: int, code: str, params: dict[str, Any]) -> JSONResponse:
    return JSONResponse(described("refused", code, params.items()).model_dump(mode="json"), status)


_TABLE_PAGE: Final = f"{PIT_PAGE}/tables/{{table}}"
"""Where the pit's page has one of several tables."""

PAGES: Final = {"/": "index.html"} | dict.fromkeys(
    (f"{page}{place}" for page in (_TABLE_PAGE, PIT_PAGE) for place in ("", "/{place}", "/{place}/{what}")),
    "pit.html",
)
"""Addresses and the files of their pages. What stands behind the pit's, the page itself reads."""


async def _to_pit() -> Response:
    """Redirect to the pit's page: without a table there is no dealer's screen."""
    return RedirectResponse(PIT_PAGE)


def _page(file: Path) -> Callable[[], Awaitable[Response]]:
    async def page() -> Response:
        return FileResponse(file) if file.exists() else PlainTextResponse(_NO_PAGE, 503)

    return page
