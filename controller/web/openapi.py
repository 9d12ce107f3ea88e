"""The OpenAPI document of the application, the messages of its socket included."""

from functools import cache
from importlib.metadata import version
from typing import Any

from fastapi import FastAPI
from pydantic import TypeAdapter

from controller.web import demo_routes
from controller.web.bodies import SocketMessage
from controller.web.people_routes import people_router
from controller.web.routes import router
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
        app.include_router(demo_routes.router)
    described = app.openapi()
    messages = TypeAdapter[Any](SocketMessage).json_schema(ref_template=_REFERENCE)
    schemas = described["components"]["schemas"]
    schemas |= messages.pop("$defs")
    schemas["SocketMessage"] = messages
    return described
