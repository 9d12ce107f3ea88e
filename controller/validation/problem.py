"""The first thing that is wrong with given data."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple

from pydantic_core import ErrorDetails, PydanticCustomError

from controller.domain.plain_text import WANTED

VALUE_LENGTH_MAX: Final = 80
"""More of a wrong value tells a person nothing."""

ProblemKind = Literal["missing", "unknown", "bad"]
"""A field that has to be there is not · a field that nobody knows · a field with a wrong value."""

_MISSING_BESIDE: Final = "missing_beside"
_NOT_PLAIN: Final = "not_plain"
_WRONG_BESIDE: Final = "wrong_beside"


AGREES: Final = "in agreement with the other fields"
"""What a field that is at odds with the others must be."""


class FieldProblem(NamedTuple):
    """`field` is a path such as `camera.0.fps`, "" for the whole; `value` is what it says, cut short.

    `wanted` says in words what belongs there.
    """

    kind: ProblemKind
    field: str
    value: str
    wanted: str


def missing(field: str) -> PydanticCustomError:
    """Make the error of a model's own check that finds a field missing beside the others."""
    return PydanticCustomError(_MISSING_BESIDE, "Field required", {"field": field})


def wrong(field: str) -> PydanticCustomError:
    """Make the error of a model's own check that finds a field at odds with the others."""
    return PydanticCustomError(_WRONG_BESIDE, AGREES, {"field": field})


def not_plain(place: Sequence[str]) -> PydanticCustomError:
    """Make the error of a text that cannot be shown; `place` is the way to it inside of what was checked."""
    return PydanticCustomError(_NOT_PLAIN, WANTED, {"field": ".".join(place)})


def first_problem(
    error: ErrorDetails, given: object, schema: Mapping[str, Any] | None = None
) -> FieldProblem:
    """Tell one problem, such as the first of a pydantic error; `given` is the data that was checked.

    With the JSON schema of flat data a field that is wrong somewhere inside is wrong as a whole, and `wanted`
    is the description of the field.
    """
    place = _place(error, given)
    if schema is None:
        return FieldProblem(_kind(error), ".".join(place), _short(error["input"]), error["msg"])
    field = place[0] if place else ""
    value = given.get(field) if isinstance(given, Mapping) else None
    kind = "missing" if value is None else _kind(error)
    expected = "" if error["type"] == _WRONG_BESIDE else _description(schema["properties"].get(field, {}))
    return FieldProblem(kind, field, _short(value), expected or error["msg"])


def _place(error: ErrorDetails, given: object) -> list[str]:
    """Find the way to the wrong field in the data itself.

    pydantic names on its way also the form of a union that was tried; that is no part of the data, although a
    field may have the same name.
    """
    beside = error["type"] in (_MISSING_BESIDE, _WRONG_BESIDE)
    parts = [*error["loc"], *((error["ctx"]["field"],) if beside else ())]
    way, here = list[str](), given
    for part in parts:
        inside = _inside(here, part)
        if isinstance(inside, Mapping | list | tuple) or (inside is not None and inside is error["input"]):
            way.append(str(part))
            here = inside
    if parts and (_kind(error) == "missing" or beside or (error["input"] is None and here is not None)):
        # What is not there cannot be found on the way.
        way.append(str(parts[-1]))
    if error["type"] == _NOT_PLAIN and error["ctx"]["field"]:
        way.append(error["ctx"]["field"])
    return way


def _inside(data: object, part: int | str) -> object:
    """Give what stands there in an object or list, None where nothing does."""
    if isinstance(data, Mapping):
        return data.get(part)
    if isinstance(data, list | tuple) and isinstance(part, int) and part < len(data):
        return data[part]
    return None


def _description(schema: Mapping[str, Any]) -> str:
    """Give the description of a field, or of what an optional field may be; "" where there is none."""
    parts = [schema, *schema.get("anyOf", ())]
    return next((str(part["description"]) for part in parts if "description" in part), "")


def _short(value: object) -> str:
    """A wrong value as JSON writes it: "400" in quotes is a text, and not the number."""
    try:
        return json.dumps(value, ensure_ascii=False)[:VALUE_LENGTH_MAX]
    except (TypeError, ValueError, RecursionError):
        return str(value)[:VALUE_LENGTH_MAX]


def _kind(error: ErrorDetails) -> ProblemKind:
    match error["type"]:
        case "missing" | "missing_beside":
            return "missing"
        case "extra_forbidden":
            return "unknown"
        case _:
            return "bad"
