"""Feeds from files, gzip files and standard input: numbered lines, each checked or named as malformed."""

import gzip
import json
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Final, NamedTuple, cast

from controller.acts.catalogue import Observation
from controller.domain.errors import ConfigError
from controller.feed.codec import parse
from controller.feed.header import FeedHeader, parse_header
from controller.validation import VALUE_LENGTH_MAX, MalformedLine, read_json

TIME_LIMIT_S: Final = 1e9
LINE_LIMIT: Final = 1_000_000
"""Longest line in bytes; a longer one is not a feed."""


class FeedLine(NamedTuple):
    """One observation with its line number (the header is line 1) and seconds since the header.

    `by` and `second` are the people, or the device, whom the line names; only a replay at the table's door
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
    raw = next_line(stream, 1)
    if not raw.strip():
        raise MalformedFeed(1, ConfigError("FEED_EMPTY"))
    try:
        return parse_header(decode(raw))
    except ConfigError as error:
        raise MalformedFeed(1, error) from error


@contextmanager
def in_header() -> Iterator[None]:
    """What is wrong with what the header says is wrong in line 1. Raises MalformedFeed."""
    try:
        yield
    except ConfigError as error:
        raise MalformedFeed(1, error) from error


def read_lines(stream: BinaryIO) -> Iterator[FeedLine]:
    """The observations after the header. Raises MalformedFeed at the first line that is not one."""
    reader = LineReader()
    number = 1
    while raw := next_line(stream, number + 1):
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
        """One line, None for an empty one. Raises ConfigError."""
        if raw.isspace():
            return None
        line = decode(raw)
        found = line.get("t")
        # Nearly every time is a float that fits; whatever else it is goes the long way.
        fits = type(found) is float and self.t <= found < TIME_LIMIT_S
        self.t = cast(float, found) if fits else _time(line, self.t)
        return FeedLine(number, self.t, parse(line), line.get("by"), line.get("second"))


def next_line(stream: BinaryIO, number: int) -> bytes:
    """The next raw line; a cut-off or damaged gzip file is named with the line that it breaks in."""
    try:
        return stream.readline(LINE_LIMIT)
    except (OSError, EOFError, zlib.error) as error:
        name = str(getattr(stream, "name", ""))
        raise MalformedFeed(number, ConfigError("FEED_UNREADABLE", file=name, reason=str(error))) from error


def decode(raw: bytes) -> dict[str, object]:
    """One line as a JSON object. Raises ConfigError as `read_json`, FEED_NOT_OBJECT or FEED_LINE_TOO_LONG."""
    if len(raw) >= LINE_LIMIT:
        raise ConfigError("FEED_LINE_TOO_LONG", limit=LINE_LIMIT)
    value = read_json(raw)
    if type(value) is not dict:
        raise ConfigError("FEED_NOT_OBJECT")
    return value


def _time(line: dict[str, object], before: float) -> float:
    """Seconds since the header, not decreasing; without `t` the time of the line before."""
    value = line.get("t")
    if value is None:
        return before
    if type(value) not in (int, float) or not 0 <= cast(float, value) < TIME_LIMIT_S:
        written = json.dumps(value, ensure_ascii=False)[:VALUE_LENGTH_MAX]
        raise ConfigError("FEED_FIELD_BAD", field="t", value=written, wanted="seconds since the header")
    seconds = float(cast(float, value))
    if seconds < before:
        raise ConfigError("FEED_TIME_BACKWARDS", t=str(value), before=str(before))
    return seconds
