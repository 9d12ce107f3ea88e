"""Comparing a replay with the rounds that were expected of it."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from controller.domain import ConfigError
from controller.feed.json_report import Json
from controller.outputs import NOT_REGULAR
from controller.validation import VALUE_LENGTH_MAX, MalformedLine, read_json_lines

MISSING = "nothing"
"""What a difference has where there is no such value, row or round."""


class ExpectationDifference(NamedTuple):
    """One value that differs from the expectation; `key` is a path such as `bets[0].returned`.

    A missing row is named by its place: `bets[box=3,seat=0].returned`.
    """

    feed: str
    round: int
    key: str
    expected: Any
    actual: Any

    def to_json(self) -> Json:
        """Return the difference as an object of its own type."""
        return {"type": "difference", **self._asdict()}

    def placed(self, fields: Json) -> Json:
        """The difference with `what` it is and the box, seat and hand of a path such as `bets[3].returned`.

        `fields` is the round as it came out.
        """
        field = self.key.rpartition(".")[2]
        part, _, rest = self.key.partition("[")
        index = rest.partition("]")[0]
        rows = fields.get(part)
        found = {**self.to_json(), "what": field}
        if "=" in index:
            return {**found, **{name: int(at) for name, at in (one.split("=") for one in index.split(","))}}
        if not index.isdigit() or not isinstance(rows, list) or int(index) >= len(rows):
            return found
        row = rows[int(index)]
        return {**found, **{name: row[name] for name in ("box", "seat", "hand") if name in row}}


def load_expected(path: Path) -> list[Json]:
    """The `round` objects of an expectation file; other types, as a replay prints them, are passed over.

    Raises as `read_expectation`.
    """
    return [entry for entry in read_expectation(path) if entry.get("type", "round") == "round"]


def read_expectation(path: Path) -> list[Json]:
    """Return every object of an expectation file, of any type.

    Raises ConfigError EXPECT_UNREADABLE, or MalformedLine.
    """
    if path.exists() and not path.is_file():
        # A pipe would wait for its writer.
        raise ConfigError("EXPECT_UNREADABLE", file=str(path), reason=NOT_REGULAR)
    try:
        lines = list(read_json_lines(path))
    except OSError as error:
        reason = error.strerror or str(error)
        raise ConfigError("EXPECT_UNREADABLE", file=str(path), reason=reason) from error
    for number, entry in lines:
        if (wrong := _wrong(entry)) is not None:
            raise MalformedLine(number, wrong, str(path))
    return [entry for _, entry in lines]


def _wrong(entry: object) -> ConfigError | None:
    """Return the fault of an expectation's line; None without one."""
    if not isinstance(entry, dict):
        return ConfigError("FEED_NOT_OBJECT")
    number, feed = entry.get("round", 0), entry.get("feed", "")
    if type(number) is not int:
        value = json.dumps(number, ensure_ascii=False)[:VALUE_LENGTH_MAX]
        return ConfigError("FEED_FIELD_BAD", field="round", value=value, wanted="a round number")
    if not isinstance(feed, str):
        return ConfigError(
            "FEED_FIELD_BAD", field="feed", value=str(feed)[:VALUE_LENGTH_MAX], wanted="a text"
        )
    return None


def compare(expected: list[Json], actual: list[Json]) -> Iterator[ExpectationDifference]:
    """Yield the differences between the last line of each round and the last expectation for it.

    Keys that an expectation leaves out are not compared; a round without an expectation is a difference.
    """
    feeds = {str(entry["feed"]) for entry in actual}
    only = next(iter(feeds)) if len(feeds) == 1 else ""
    want = {_key(entry, only): entry for entry in expected}
    got = {_key(entry, ""): entry for entry in actual}
    for feed, number in sorted(want.keys() | got.keys()):
        if (feed, number) not in got:
            yield ExpectationDifference(feed, number, "round", number, MISSING)
        elif (feed, number) not in want:
            yield ExpectationDifference(feed, number, "round", MISSING, number)
        else:
            pairs = _walk(want[feed, number], got[feed, number], "")
            yield from (ExpectationDifference(feed, number, *pair) for pair in pairs)


def _key(entry: Json, only: str) -> tuple[str, int]:
    """Feed and round; with a single feed the name that the expectation gives it does not matter."""
    return only or entry.get("feed", ""), entry.get("round", 0)


def _walk(want: Any, got: Any, path: str) -> Iterator[tuple[str, Any, Any]]:
    if isinstance(want, dict) and isinstance(got, dict):
        for key, value in want.items():
            if path or key != "feed":
                inner = f"{path}.{key}" if path else key
                yield from _walk(value, got.get(key, MISSING), inner)
    elif (found := _others(want, got, path)) is not None:
        yield from found
    elif isinstance(want, list) and isinstance(got, list) and len(want) == len(got):
        for index, (left, right) in enumerate(zip(want, got, strict=True)):
            yield from _walk(left, right, f"{path}[{index}]")
    elif want != got or type(want) is not type(got):
        yield path, want, got


def _others(want: Any, got: Any, path: str) -> Iterator[tuple[str, Any, Any]] | None:
    """Differences of two lists of bets, or of hands, that are not of the same ones; None of any other two."""
    wanted, found = _placed_rows(want), _placed_rows(got)
    if wanted is None or found is None or wanted.keys() == found.keys():
        return None
    return _row_by_row(wanted, found, path)


def _row_by_row(wanted: dict[str, Json], found: dict[str, Json], path: str) -> Iterator[tuple[str, Any, Any]]:
    for place, row in wanted.items():
        if place in found:
            yield from _walk(row, found[place], f"{path}[{list(found).index(place)}]")
    for place in sorted(wanted.keys() ^ found.keys()):
        field = "returned" if path == "bets" else "cards"
        one, other = (rows.get(place, {}).get(field, MISSING) for rows in (wanted, found))
        yield f"{path}[{place}].{field}", one, other


def _placed_rows(rows: Any) -> dict[str, Json] | None:
    """Return the rows of a list by box and bettor, or box and hand; None for another list."""
    placed: dict[str, Json] = {}
    for row in rows if isinstance(rows, list) else (None,):
        if not isinstance(row, dict) or "box" not in row:
            return None
        numbers = {at: row[at] for at in ("box", "seat", "hand") if at in row}
        place = ",".join(f"{at}={one}" for at, one in numbers.items())
        if place in placed or any(type(one) is not int for one in numbers.values()):
            return None
        placed[place] = row
    return placed
