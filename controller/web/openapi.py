"""The OpenAPI document of the application, the messages of its socket included."""

from functools import cache
from importlib.metadata import version
from typing import Any

from fastapi import FastAPI
from pydantic import TypeAdapter

from controller.web.bodies import SocketMessage
from controller.web.people_routes import people_router
from controller.web.routes import router

_REFERENCE = "#/components/schemas/{model}"


@cache
def document() -> dict[str, Any]:
    """Describe every route; the schema `SocketMessage`, which no route has, is what the socket says."""
    app = FastAPI(title="stand17", version=version("stand17"))
    app.include_router(router)
    app.include_router(people_router)
    described = app.openapi()
    messages = TypeAdapter[Any](SocketMessage).json_schema(ref_template=_REFERENCE)
    schemas = described["components"]["schemas"]
    schemas |= messages.pop("$defs")
    schemas["SocketMessage"] = messages
    return described
