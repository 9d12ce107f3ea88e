"""The first line of a feed: table, rules, currency, start."""

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final, NamedTuple

from controller.domain.errors import ConfigError
from controller.domain.money import CURRENCY_WANTED, digits_of
from controller.validation import VALUE_LENGTH_MAX

VERSION: Final = 1


class FeedHeader(NamedTuple):
    """What the header says; `rules` is a house or a rule file relative to the feed.

    `table_options` are read where the feed is played through the table's door. `irregularities` is the whole
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


def parse_header(line: object) -> FeedHeader:
    """The header of a feed object.

    Raises ConfigError FEED_NO_HEADER, FEED_VERSION, FEED_FIELD_MISSING or FEED_FIELD_BAD.
    """
    if not isinstance(line, dict) or "feed" not in line:
        raise ConfigError("FEED_NO_HEADER")
    if type(line["feed"]) is not int:
        raise _bad("feed", line["feed"], f"{VERSION}")
    if line["feed"] != VERSION:
        raise ConfigError("FEED_VERSION", version=str(line["feed"])[:40], known=VERSION)
    overrides = line.get("rule_overrides") or {}
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
    """Whether this is a time that means the same everywhere: with its zone."""
    try:
        return datetime.fromisoformat(text).tzinfo is not None
    except ValueError:
        return False
