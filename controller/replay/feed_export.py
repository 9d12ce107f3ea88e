"""Journal entries as a feed: a header, a line for each fact and refusal, the rounds that must come out."""

import json
from datetime import UTC, datetime
from typing import Final

from controller.domain.rules import RuleSet
from controller.engine.state import TableState
from controller.feed.codec import parse
from controller.feed.header import Header
from controller.feed.reading import Line
from controller.feed.replaying import left_open
from controller.feed.report import Json, round_json
from controller.journal.entry import Entry
from controller.journal.upcast import Body, body_of
from controller.rules.loading import HOUSES

FIRST_LINE: Final = 2
"""The header is line 1 of a feed."""


def header_of(table: str, rules: RuleSet, currency: str, started_utc_us: int) -> Header:
    """Write the header of a feed that is played under exactly these rules.

    Every field is written out: a feed lives longer than the house's present rule file.
    """
    house = rules.name if rules.name in HOUSES else HOUSES[0]
    fields = {key: value for key, value in rules._asdict().items() if key != "name"}
    fields["blackjack_pays"] = list(rules.blackjack_pays)
    started = datetime.fromtimestamp(started_utc_us / 1e6, UTC).isoformat(timespec="milliseconds")
    return Header(table, house, fields, currency, started.replace("+00:00", "Z"))


def feed_object_of(kind: str, body: Body) -> Json | None:
    """Give the feed object of an entry that a feed has a line for; None for every other entry."""
    if kind == "fact":
        return {key: value for key, value in body.items() if key != "command"}
    return dict(body["obs"]) if kind == "refused" else None


class FeedExport:
    """Gathers the feed of a journal's entries, given in order, and the last result of each round."""

    def __init__(self, started_utc_us: int) -> None:
        """Begin a feed whose header says `started_utc_us`."""
        self._started_utc_us = started_utc_us
        self._rounds: dict[int, Json] = {}
        self.lines: Final[list[Line]] = []

    def take(self, entry: Entry) -> None:
        """Add what this entry means. Raises `JournalError` or `ConfigError` for one that cannot be read."""
        body = body_of(entry)
        if entry.kind == "settled":
            self._rounds[body["round"]] = body
        obs = feed_object_of(entry.kind, body)
        if obs is not None:
            before = self.lines[-1].t if self.lines else 0.0
            t = max(before, (entry.at_utc_us - self._started_utc_us) / 1e6)
            self.lines.append(Line(FIRST_LINE + len(self.lines), t, parse(obs)))

    def expected(self, state: TableState) -> list[Json]:
        """Give the rounds that a replay must end with; `state` is the table after the last entry."""
        left = left_open(state)
        if left is not None:
            self._rounds[left.result.round] = json.loads(json.dumps(round_json(left.result)))
        return [self._rounds[number] for number in sorted(self._rounds)]
