"""Feeds and expectations as text. Files of them are private: they contain face-down cards."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from controller.feed.codec import to_json
from controller.feed.feed_lines import FeedHeader, FeedLine
from controller.feed.replay import Json

FEED: Final = ".feed.jsonl"
_EXPECT: Final = ".expect.jsonl"
ROUND_FEED: Final = "feed.jsonl"
ROUND_EXPECT: Final = "expect.jsonl"
"""Attachments of an exported round: the round as a feed, and the round that must come out of it."""


def feed_text(header: FeedHeader, lines: Iterable[FeedLine]) -> str:
    """Write a whole feed."""
    return json_lines([header.to_json(), *(line_json(line) for line in lines)])


def line_json(line: FeedLine) -> Json:
    """Return one line; its own `by` and `second` replace the plain names in the observation."""
    fields = {"by": line.by, "second": line.second}
    named = {name: person for name, person in fields.items() if person is not None}
    return {"t": round(line.t, 6), **to_json(line.obs), **named}


def json_lines(objects: Iterable[Json]) -> str:
    """Write one object a line."""
    return "".join(json.dumps(entry, ensure_ascii=False) + "\n" for entry in objects)


def expect_beside(feed: Path) -> Path:
    """Name the expectation that belongs to a feed, as the shipped feeds have theirs."""
    return feed.with_name(feed.name.removesuffix(FEED) + _EXPECT)


def expectation_of(file: str) -> Path | None:
    """The expectation that lies beside a feed (gzip too), as `stand17 feed` writes it; None without one."""
    beside = expect_beside(Path(file.removesuffix(".gz")))
    return beside if str(beside) != file and beside.is_file() else None
