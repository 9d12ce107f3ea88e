"""The first line of a feed: table, rules, currency, start."""

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final, NamedTuple

from controller.domain.errors import ConfigError

VERSION: Final = 1


class FeedHeader(NamedTuple):
    """What the header says; `rules` is a house or a rule file relative to the feed.

    `table_options` are read where the feed is played through the table's door.
    """

    table: str
    rules: str
    rule_overrides: Mapping[str, object]
    currency: str
    started_at: str
    table_options: object = None

    def to_json(self) -> dict[str, Any]:
        """The header line as an object."""
        told = {"feed": VERSION, **self._asdict(), "rule_overrides": dict(self.rule_overrides)}
        if self.table_options is None:
            del told["table_options"]
        return told


def parse_header(line: object) -> FeedHeader:
    """The header of a feed object.

    Raises ConfigError FEED_NO_HEADER, FEED_VERSION, FEED_FIELD_MISSING or FEED_FIELD_BAD.
    """
    if not isinstance(line, dict) or "feed" not in line:
        raise ConfigError("FEED_NO_HEADER")
    if type(line["feed"]) is not int or line["feed"] != VERSION:
        raise ConfigError("FEED_VERSION", version=str(line["feed"])[:40], known=VERSION)
    overrides = line.get("rule_overrides") or {}
    if not isinstance(overrides, dict):
        raise _bad("rule_overrides", json.dumps(overrides), "an object")
    started_at = _text(line, "started_at", "")
    if started_at and not _is_time(started_at):
        raise _bad("started_at", started_at, "an ISO 8601 time")
    return FeedHeader(
        _text(line, "table", ""),
        _text(line, "rules", None),
        overrides,
        _text(line, "currency", "EUR"),
        started_at,
        line.get("table_options"),
    )


def _text(line: Mapping[str, Any], field: str, default: str | None) -> str:
    value = line.get(field, default)
    if value is None:
        raise ConfigError("FEED_FIELD_MISSING", field=field, wanted="a text")
    if not isinstance(value, str) or len(value) > 400:
        raise _bad(field, str(value)[:80], "a text")
    return value


def _bad(field: str, value: str, wanted: str) -> ConfigError:
    return ConfigError("FEED_FIELD_BAD", field=field, value=value[:80], wanted=wanted)


def _is_time(text: str) -> bool:
    try:
        datetime.fromisoformat(text.replace("Z", "+00:00"))
    except ValueError:
        return False
    return True
