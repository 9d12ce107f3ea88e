"""Feeds from files, gzip files and standard input: the header, then numbered lines, each checked.

The header has table, rules, currency, start and `table_options` (feed format, section 7). Most lines of a
long feed repeat: a shoe has 52 kinds of cards, a box the same few decisions. A repeated line is parsed once;
a line with content of its own, such as a card's id, is always parsed.
"""

import gzip
import json
import re
import sys
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, BinaryIO, Final, Literal, NamedTuple, NotRequired, cast

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError, with_config
from typing_extensions import TypedDict

from controller.acts.catalogue import Observation
from controller.domain import CURRENCY_WANTED, ConfigError, digits_of
from controller.feed.codec import parse
from controller.policy import DEFAULT_OPTIONS, TableOptions
from controller.validation import VALUE_LENGTH_MAX, MalformedLine, first_problem, read_json

VERSION: Final = 1


class FeedHeader(NamedTuple):
    """The header of a feed; `rules` is a house or a rule file relative to the feed.

    `table_options` are read when the feed is played through the table's door. `irregularities` is the whole
    profile of a house whose rule file is not at hand: `rules` is then its name, and `rule_overrides` has
    every field.
    """

    table: str
    rules: str
    rule_overrides: Mapping[str, object]
    currency: str
    started_at: str
    table_options: object = None
    irregularities: object = None

    def to_json(self) -> dict[str, Any]:
        """The header line as an object."""
        fields = {"feed": VERSION, **self._asdict(), "rule_overrides": dict(self.rule_overrides)}
        for name in ("table_options", "irregularities"):
            if fields[name] is None:
                del fields[name]
        return fields


NO_HEADER: Final = FeedHeader("", "", {}, "EUR", "")
"""Of lines that come from no file."""


def _parse_header(line: object) -> FeedHeader:
    """The header of a feed object.

    Raises ConfigError FEED_NO_HEADER, FEED_VERSION, FEED_FIELD_MISSING or FEED_FIELD_BAD.
    """
    if not isinstance(line, dict) or "feed" not in line:
        raise ConfigError("FEED_NO_HEADER")
    if type(line["feed"]) is not int:
        raise _bad("feed", line["feed"], f"{VERSION}")
    if line["feed"] != VERSION:
        raise ConfigError("FEED_VERSION", version=str(line["feed"])[:40], known=VERSION)
    overrides = line.get("rule_overrides")
    overrides = {} if overrides is None else overrides
    if not isinstance(overrides, dict):
        raise _bad("rule_overrides", overrides, "an object")
    started_at = _text(line, "started_at", "")
    if started_at and not _is_time(started_at):
        raise _bad("started_at", started_at, "a time with its zone, such as 2026-11-20T19:00:00Z")
    currency = _text(line, "currency", "EUR")
    if digits_of(currency) is None:
        raise _bad("currency", currency, CURRENCY_WANTED)
    return FeedHeader(
        _text(line, "table", ""),
        _text(line, "rules", None),
        overrides,
        currency,
        started_at,
        line.get("table_options"),
        line.get("irregularities"),
    )


def _text(line: Mapping[str, Any], field: str, default: str | None) -> str:
    value = line.get(field, default)
    if value is None:
        raise ConfigError("FEED_FIELD_MISSING", field=field, wanted="a text")
    if not isinstance(value, str) or len(value) > 400:
        raise _bad(field, value, "a text")
    return value


def _bad(field: str, value: object, wanted: str) -> ConfigError:
    written = json.dumps(value, ensure_ascii=False)[:VALUE_LENGTH_MAX]
    return ConfigError("FEED_FIELD_BAD", field=field, value=written, wanted=wanted)


def _is_time(text: str) -> bool:
    """Whether the text is a time with its zone."""
    try:
        return datetime.fromisoformat(text).tzinfo is not None
    except ValueError:
        return False


_GAP_MS_MAX: Final = 60_000
_COUNT_EVERY_MAX: Final = 10_000


@with_config(ConfigDict(strict=True, extra="forbid"))
class _OptionFields(TypedDict):
    stand_on_21: NotRequired[bool]
    turn_by_card: NotRequired[bool]
    paid_by_next_bet: NotRequired[bool]
    unclear: NotRequired[Literal["ask", "mark"]]
    later_hand: NotRequired[Literal["mark", "ask"]]
    card_gap_ms: NotRequired[Annotated[int, Field(ge=0, le=_GAP_MS_MAX)]]
    payouts: NotRequired[Literal["confirm", "enter", "measure"]]
    ask_hit_from: NotRequired[Annotated[int, Field(ge=0, le=21)]]
    shoe_runs_out: NotRequired[Literal["discards", "shoe"]]
    shuffle_watch: NotRequired[bool]
    count_every: NotRequired[Annotated[int, Field(ge=0, le=_COUNT_EVERY_MAX)]]
    count_at_close: NotRequired[bool]
    float_check: NotRequired[bool]
    mode: NotRequired[Literal["live", "shadow"]]


_ADAPTER: Final[TypeAdapter[Any]] = TypeAdapter(_OptionFields)


def parse_table_options(entered: object) -> TableOptions:
    """Return the header's options on top of the defaults; without any the shuffle is not watched.

    A closing count is compared with the float only when the header asks for it: a feed may contain a count
    without every movement of the float.

    Raises ConfigError FEED_FIELD_BAD for an unknown option or value.
    """
    unchecked = DEFAULT_OPTIONS._replace(float_check=False)
    if entered is None:
        return unchecked._replace(shuffle_watch=False)
    try:
        return unchecked._replace(**_ADAPTER.validate_python(entered))
    except ValidationError as error:
        problem = first_problem(error.errors()[0], entered)
        field = f"table_options.{problem.field}" if problem.field else "table_options"
        wanted = problem.wanted.removeprefix("Input should be ")
        if problem.kind == "unknown":
            wanted = "one of " + ", ".join(_OptionFields.__annotations__)
        raise ConfigError("FEED_FIELD_BAD", field=field, value=problem.value, wanted=wanted) from error


def watches(entered: object) -> bool:
    """Whether a feed with these `table_options` is watched when played without the table's door.

    Raises ConfigError FEED_FIELD_BAD; the other options are not read there.
    """
    if not isinstance(entered, dict):
        raise _bad("table_options", entered, "an object")
    watch = entered.get("shuffle_watch", True)
    if not isinstance(watch, bool):
        raise _bad("table_options.shuffle_watch", watch, "true or false")
    return watch


_TIME_LIMIT_S: Final = 1e9
_LINE_LIMIT: Final = 1_000_000
"""Longest line in bytes; a longer one is not a feed."""


class FeedLine(NamedTuple):
    """One observation with its line number (the header is line 1) and seconds since the header.

    `by` and `second` are the people, or the device, that the line names; only a replay at the table's door
    reads them.
    """

    number: int
    t: float
    obs: Observation
    by: object = None
    second: object = None


class MalformedFeed(MalformedLine):
    """A line of a feed that cannot be read."""


@contextmanager
def open_feed(name: str) -> Iterator[BinaryIO]:
    """The bytes of a feed: `-` is standard input, gzip is recognised by its first two bytes.

    Raises ConfigError FEED_NOT_FOUND or FEED_UNREADABLE; a malformed line gets its file.
    """
    try:
        with _source(name) as stream:
            yield stream
    except MalformedFeed as error:
        error.file = error.file or name
        raise
    except FileNotFoundError as error:
        raise ConfigError("FEED_NOT_FOUND", file=name) from error
    except OSError as error:
        raise ConfigError("FEED_UNREADABLE", file=name, reason=str(error.strerror or error)) from error


@contextmanager
def _source(name: str) -> Iterator[BinaryIO]:
    if name == "-":
        yield _unzipped(cast(BinaryIO, sys.stdin.buffer))
        return
    path = Path(name)
    if path.exists() and not path.is_file():
        raise ConfigError("FEED_UNREADABLE", file=name, reason="not a regular file")
    with path.open("rb") as stream:
        yield _unzipped(stream)


def _unzipped(stream: BinaryIO) -> BinaryIO:
    """The stream itself, or its content where it begins as gzip does."""
    peek = getattr(stream, "peek", None)
    if peek is not None and peek(2)[:2] == b"\x1f\x8b":
        return cast(BinaryIO, gzip.GzipFile(fileobj=stream))
    return stream


def read_header(stream: BinaryIO) -> FeedHeader:
    """The header, line 1. Raises MalformedFeed."""
    raw = _next_line(stream, 1)
    if not raw.strip():
        raise MalformedFeed(1, ConfigError("FEED_EMPTY"))
    try:
        return _parse_header(decode(raw))
    except ConfigError as error:
        raise MalformedFeed(1, error) from error


@contextmanager
def in_header() -> Iterator[None]:
    """Report a fault of the header as one of line 1. Raises MalformedFeed."""
    try:
        yield
    except ConfigError as error:
        raise MalformedFeed(1, error) from error


def read_lines(stream: BinaryIO) -> Iterator[FeedLine]:
    """The observations after the header. Raises MalformedFeed at the first line that is not one."""
    reader = LineReader()
    number = 1
    while raw := _next_line(stream, number + 1):
        number += 1
        try:
            line = reader.read(raw, number)
        except ConfigError as error:
            raise MalformedFeed(number, error) from error
        if line is not None:
            yield line


class LineReader:
    """Reads lines one after another; `t` is the time of the last one."""

    def __init__(self) -> None:
        """Begin after the header."""
        self.t = 0.0

    def read(self, raw: bytes, number: int) -> FeedLine | None:
        """Return one line, None for an empty one. Raises ConfigError."""
        if raw.isspace():
            return None
        line = decode(raw)
        found = line.get("t")
        # Nearly every time is a valid float; any other value takes the slow path.
        fits = type(found) is float and self.t <= found < _TIME_LIMIT_S
        self.t = cast(float, found) if fits else _time(line, self.t)
        return FeedLine(number, self.t, parse(line), line.get("by"), line.get("second"))


def _next_line(stream: BinaryIO, number: int) -> bytes:
    """The next raw line; a cut-off or damaged gzip file is named with the line that it breaks in."""
    try:
        return stream.readline(_LINE_LIMIT)
    except (OSError, EOFError, zlib.error) as error:
        name = str(getattr(stream, "name", ""))
        raise MalformedFeed(number, ConfigError("FEED_UNREADABLE", file=name, reason=str(error))) from error


def decode(raw: bytes) -> dict[str, object]:
    """Return one line as a JSON object.

    Raises ConfigError as `read_json`, FEED_NOT_OBJECT or FEED_LINE_TOO_LONG.
    """
    if len(raw) >= _LINE_LIMIT:
        raise ConfigError("FEED_LINE_TOO_LONG", limit=_LINE_LIMIT)
    value = read_json(raw)
    if type(value) is not dict:
        raise ConfigError("FEED_NOT_OBJECT")
    return value


def _time(line: dict[str, object], before: float) -> float:
    """Seconds since the header, not decreasing; without `t` the time of the line before."""
    value = line.get("t")
    if value is None:
        return before
    if type(value) not in (int, float) or not 0 <= cast(float, value) < _TIME_LIMIT_S:
        written = json.dumps(value, ensure_ascii=False)[:VALUE_LENGTH_MAX]
        raise ConfigError("FEED_FIELD_BAD", field="t", value=written, wanted="seconds since the header")
    seconds = float(cast(float, value))
    if seconds < before:
        raise ConfigError("FEED_TIME_BACKWARDS", t=str(value), before=str(before))
    return seconds


_TIME: Final = re.compile(rb'\{"t": ?((?:0|[1-9][0-9]{0,8})\.[0-9]{1,9})')
"""How a line begins whose time comes first and has a fraction, as this program and most others write it."""

KNOWN_MAX: Final = 4096
"""Lines that are remembered; a shift at seven boxes tells some 500 different ones."""


class LineWords(NamedTuple):
    """The content of a line without its time."""

    obs: Observation
    by: object
    second: object


class RepeatedLines:
    """The lines after the header of an open feed; lines with the same words share one observation.

    Iterate once: as `FeedLine`, or by `told` without making one for each line.
    """

    def __init__(self, stream: BinaryIO) -> None:
        """Begin behind the header."""
        self._stream = stream

    def __iter__(self) -> Iterator[FeedLine]:
        """Raises MalformedFeed at the first line that is not one."""
        return (FeedLine(number, t, *entered) for number, t, entered in self.differing())

    def differing(self) -> Iterator[tuple[int, float, LineWords]]:
        """The number, the time and the words of each line. Raises MalformedFeed."""
        known: dict[bytes, LineWords] = {}
        reader = LineReader()
        stream, number, time_of = self._stream, 1, _TIME.fullmatch
        while raw := _next_line(stream, number + 1):
            number += 1
            begins, _, words = raw.partition(b",")
            found = known.get(words)
            timed = None if found is None else time_of(begins)
            if found is not None and timed is not None and (t := float(timed[1])) >= reader.t:
                reader.t = t
                yield number, t, found
                continue
            try:
                line = reader.read(raw, number)
            except ConfigError as error:
                raise MalformedFeed(number, error) from error
            if line is None:
                continue
            found = LineWords(line.obs, line.by, line.second)
            if len(known) < KNOWN_MAX and time_of(begins) and b'"t"' not in words and b"\\" not in words:
                known[words] = found
            yield number, line.t, found
