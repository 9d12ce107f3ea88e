"""JSON as strangers write it, read strictly: one door for feeds, expectations, labels, people, requests.

What JSON leaves open is refused here: a key that stands twice in one object (one reader takes the first,
another the last), half of a character that no file can hold, numbers that are none, encodings but UTF-8.
"""

import codecs
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from pydantic_core import from_json

from controller.domain.errors import ConfigError

_WIDE: Final = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, b"{\x00", b"\x00")
"""How a file of Windows' "Unicode" begins: two bytes a character, with a mark or without."""

_TOO_DEEP: Final = "recursion limit exceeded"
"""What the first reader says of more than 200 levels; the second one would eat up the stack."""

_HALF: Final = re.compile(r"\\u[dD][89a-fA-F]")
"""May be half of a character; two that belong together are a whole one."""


class MalformedLine(ConfigError):
    """A line that cannot be read: its file ("" until whoever opened it says so), its number, the cause."""

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
    """The last line with the key that stands twice; the first one where no key does."""
    key = json.dumps(str(error.params.get("key", "")), ensure_ascii=False).encode()
    return data.count(b"\n", 0, max(data.rfind(key), 0)) + 1


def _read(data: bytes) -> Any:
    """As `read_json`, without its short cut."""
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
    """An object whose keys stand in it once."""
    made = dict(pairs)
    if len(made) < len(pairs):
        names = [key for key, _ in pairs]
        twice = next(key for place, key in enumerate(names) if key in names[:place])
        raise ConfigError("JSON_KEY_TWICE", key=twice[:80].encode(errors="replace").decode())
    return made


def _no_number(word: str) -> Any:
    raise ConfigError("FEED_NOT_JSON", reason=f"{word} is no number")


_DECODER: Final = json.JSONDecoder(object_pairs_hook=_object, parse_constant=_no_number)
