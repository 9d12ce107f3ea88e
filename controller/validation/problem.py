"""The first thing that is wrong with given data."""

from collections.abc import Mapping
from typing import Any, Final, Literal, NamedTuple

from pydantic import ValidationError
from pydantic_core import ErrorDetails, PydanticCustomError

VALUE_LENGTH_MAX: Final = 80
"""More of a wrong value tells a person nothing."""

Kind = Literal["missing", "unknown", "bad"]
"""A field that has to be there is not · a field that nobody knows · a field with a wrong value."""

_MISSING_BESIDE: Final = "missing_beside"


class FieldProblem(NamedTuple):
    """`field` is a path such as `camera.0.fps`, "" for the whole; `value` is what it says, cut short.

    `wanted` says in words what belongs there.
    """

    kind: Kind
    field: str
    value: str
    wanted: str


def missing(field: str) -> PydanticCustomError:
    """Make the error of a model's own check that finds a field missing beside the others."""
    return PydanticCustomError(_MISSING_BESIDE, "Field required", {"field": field})


def first_problem(
    error: ValidationError, given: Mapping[str, Any] | None = None, schema: Mapping[str, Any] | None = None
) -> FieldProblem:
    """Find the first problem.

    With the data that was `given` and its JSON schema, only fields of the data itself are named: one that is
    wrong somewhere inside is wrong as a whole, and `wanted` is the field's description.
    """
    first = error.errors(include_url=False)[0]
    place = [str(part) for part in first["loc"]]
    if first["type"] == _MISSING_BESIDE:
        place.append(first["ctx"]["field"])
    if given is None or schema is None:
        return FieldProblem(_kind(first), ".".join(place), _short(first["input"]), first["msg"])
    field = place[0] if place else ""
    value = given.get(field)
    return FieldProblem(
        "missing" if value is None else _kind(first),
        field,
        _short(value),
        _description(schema["properties"].get(field, {})) or first["msg"],
    )


def _description(schema: Mapping[str, Any]) -> str:
    """Give the description of a field, or of what an optional field may be; "" where there is none."""
    parts = [schema, *schema.get("anyOf", ())]
    return next((str(part["description"]) for part in parts if "description" in part), "")


def _short(value: object) -> str:
    return str(value)[:VALUE_LENGTH_MAX]


def _kind(error: ErrorDetails) -> Kind:
    match error["type"]:
        case "missing" | "missing_beside":
            return "missing"
        case "extra_forbidden":
            return "unknown"
        case _:
            return "bad"
