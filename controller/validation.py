"""Data from outside: JSON read strictly, and a pydantic error as one problem with its field and words.

Feeds, expectations, labels, people and requests are read here. Ambiguous JSON is refused: a key that occurs
twice in one object (one reader takes the first, another the last), half of a character that no file can
store, invalid numbers, encodings other than UTF-8. May import pydantic and `controller.domain`.
"""

import codecs
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple

from pydantic_core import ErrorDetails, PydanticCustomError, from_json

from controller.domain import WANTED, ConfigError

VALUE_LENGTH_MAX: Final = 80
"""More of a wrong value tells a person nothing."""

ProblemKind = Literal["missing", "unknown", "bad"]
"""A field that has to be there is not · a field that nobody knows · a field with a wrong value."""

_MISSING_BESIDE: Final = "missing_beside"
_NOT_PLAIN: Final = "not_plain"
_WRONG_BESIDE: Final = "wrong_beside"


_AGREES: Final = "in agreement with the other fields"
"""What a field that is at odds with the others must be."""


class FieldProblem(NamedTuple):
    """A problem of a field: `field` is a path such as `camera.0.fps`, "" for the whole; `value` is cut short.

    `wanted` describes the permitted values.
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
    return PydanticCustomError(_WRONG_BESIDE, _AGREES, {"field": field})


def not_plain(place: Sequence[str]) -> PydanticCustomError:
    """Return the error of a text that cannot be shown; `place` is its path in the checked data."""
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
        # A missing key is not part of the path found so far.
        way.append(str(parts[-1]))
    if error["type"] == _NOT_PLAIN and error["ctx"]["field"]:
        way.append(error["ctx"]["field"])
    return way


def _inside(data: object, part: int | str) -> object:
    """Return a member of an object or list; None without one."""
    if isinstance(data, Mapping):
        return data.get(part)
    if isinstance(data, list | tuple) and isinstance(part, int) and part < len(data):
        return data[part]
    return None


def _description(schema: Mapping[str, Any]) -> str:
    """Return the description of a field, or of an optional field's value; "" without one."""
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


_WIDE: Final = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, b"{\x00", b"\x00")
"""How a file of Windows' "Unicode" begins: two bytes a character, with a mark or without."""

_TOO_DEEP: Final = "recursion limit exceeded"
"""What the first reader says of more than 200 levels; the second one would eat up the stack."""

_HALF: Final = re.compile(r"\\u[dD][89a-fA-F]")
"""May be half of a character; two that belong together are a whole one."""


class MalformedLine(ConfigError):
    """An unreadable line: its file ("" until the opener names it), its number, the cause."""

    def __init__(self, line: int, cause: ConfigError, file: str = "") -> None:
        """Keep the cause's code and parameters, with the place."""
        super().__init__(cause.code, **cause.params)
        self.line = line
        self.file = file

    @property
    def where(self) -> str:
        """File and line for a person, "" while no file is known."""
        return f"{self.file}:{self.line}" if self.file else ""


def read_json(data: bytes) -> Any:
    """The value of a JSON text in UTF-8, with or without its mark.

    Raises ConfigError JSON_NOT_UTF8, JSON_KEY_TWICE, JSON_HALF_CHARACTER or FEED_NOT_JSON.
    """
    try:
        value = from_json(data, allow_inf_nan=False)
    except ValueError as error:
        if str(error).startswith(_TOO_DEEP):
            raise ConfigError("FEED_NOT_JSON", reason="nested too deep") from error
        return _read(data)
    # Each key has its colon: as many distinct keys as colons leave no room for one that stands twice.
    return value if type(value) is dict and data.count(b":") == len(value) else _read(data)


def read_json_lines(path: Path) -> Iterator[tuple[int, Any]]:
    """The values of a file of JSON Lines with their numbers, empty lines left out.

    Raises OSError where the file cannot be read, MalformedLine at the first line that is none.
    """
    for number, line in enumerate(path.read_bytes().splitlines(), start=1):
        if line.strip():
            try:
                value = read_json(line)
            except ConfigError as error:
                raise MalformedLine(number, error, str(path)) from error
            yield number, value


def read_document(data: bytes, path: Path, no_json: str) -> Any:
    """The value of a whole file that is one JSON text.

    Raises MalformedLine; ConfigError `no_json` (with path and reason) for a file that is none at all.
    """
    try:
        return read_json(data)
    except ConfigError as error:
        if error.code == "FEED_NOT_JSON":
            raise ConfigError(no_json, path=str(path), reason=error.params["reason"]) from error
        raise MalformedLine(_line_of(error, data), error, str(path)) from error


def _line_of(error: ConfigError, data: bytes) -> int:
    """Return the last line with the repeated key; the first one for another error."""
    key = json.dumps(str(error.params.get("key", "")), ensure_ascii=False).encode()
    return data.count(b"\n", 0, max(data.rfind(key), 0)) + 1


def _read(data: bytes) -> Any:
    """Read as `read_json` does, without its short cut."""
    text = _text(data)
    try:
        value = _DECODER.decode(text)
        if _HALF.search(text):
            json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        raise ConfigError("JSON_HALF_CHARACTER") from error
    except json.JSONDecodeError as error:
        raise ConfigError("FEED_NOT_JSON", reason=f"{error.msg}, column {error.colno}") from error
    except ValueError as error:
        raise ConfigError("FEED_NOT_JSON", reason="a number of too many digits") from error
    return value


def _text(data: bytes) -> str:
    if data.startswith(_WIDE):
        raise ConfigError("JSON_NOT_UTF8", encoding="UTF-16")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ConfigError("JSON_NOT_UTF8", encoding="Latin-1") from error


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object whose keys occur once."""
    made = dict(pairs)
    if len(made) < len(pairs):
        names = [key for key, _ in pairs]
        twice = next(key for place, key in enumerate(names) if key in names[:place])
        raise ConfigError("JSON_KEY_TWICE", key=twice[:80].encode(errors="replace").decode())
    return made


def _no_number(word: str) -> Any:
    raise ConfigError("FEED_NOT_JSON", reason=f"{word} is no number")


_DECODER: Final = json.JSONDecoder(object_pairs_hook=_object, parse_constant=_no_number)
