"""One file of a batch: played to its end, with its report."""

import time
from collections import Counter
from pathlib import Path
from typing import Any, Final, NamedTuple

from controller.acts.catalogue import Bet, CardSeen, End
from controller.cli.output import error_sentence, sentence
from controller.cli.replay.opening import opened
from controller.cli.replay.source import NO_HEADER, HeaderFacts, ReplayFinding, ReplaySettings, ReplaySource
from controller.domain import Settled, TableError
from controller.feed.feed_lines import MalformedFeed
from controller.feed.replay import (
    ExpectationDifference,
    Json,
    Played,
    Summary,
    compare,
    load_expected,
    to_lines,
)
from controller.replay.rounds.file_findings import FileFindings

_CERTAINTIES: Final = ((0.9999, "0.9999"), (0.999, "0.999"), (0.99, "0.99"), (0.9, "0.9"), (0.0, "0"))
"""Lower ends of the classes in which reads are counted, the surest first, with their names."""

_EVENTS: Final = ("refused", "alert", "hold", "dispute", "adjustment", "finding")
"""What is reported beside differences, by the `type` of its line."""


class FileTask(NamedTuple):
    """A file to play with its settings; `expect` is its expectation, if any.

    `only` counts the round of this number alone.
    """

    file: str
    settings: ReplaySettings
    expect: Path | None = None
    only: int | None = None


class FileReport(NamedTuple):
    """The results of one file; all of it can be written as JSON.

    `differences` and `events` are objects with file, round, line, `t` (seconds) and an optional box. `holds`
    counts by code, `reads` by certainty. `staked` and `returned` are minor units of `currency`. `overrides`
    are the fields in which its rules differ from the house's, with both values. `seconds` is the duration of
    the replay, `table_seconds` that at the table. `error` is the sentence on a file that could not be read to
    its end; `rounds` are the numbers of its rounds.
    """

    file: str
    currency: str = ""
    counts: dict[str, int] = {}  # noqa: RUF012 - a default of a tuple's field, never changed
    holds: dict[str, int] = {}  # noqa: RUF012 - as above
    reads: dict[str, int] = {}  # noqa: RUF012 - as above
    differences: list[Json] = []  # noqa: RUF012 - as above
    events: list[Json] = []  # noqa: RUF012 - as above
    lines: int = 0
    seconds: float = 0.0
    table_seconds: float = 0.0
    error: str = ""
    rounds: list[int] = []  # noqa: RUF012 - as above
    rules: str = ""
    overrides: dict[str, list[Any]] = {}  # noqa: RUF012 - as above
    options: dict[str, Any] = {}  # noqa: RUF012 - as above


def play_file(task: FileTask) -> FileReport:
    """Play one file. Raises nothing for a faulty file: its report has the error."""
    walk = _FileWalk(task.file, task.only)
    begun = time.perf_counter()
    found = ""
    try:
        expected = None if task.expect is None else load_expected(task.expect)
        with opened(task.file, task.settings, lambda _: None) as source:
            walk.play(source)
        if expected is not None:
            walk.compare(expected)
    except TableError as error:
        line = f":{error.line}" if isinstance(error, MalformedFeed) else ""
        found = error_sentence(error, f"{task.file}{line}")
    return walk.report(time.perf_counter() - begun, found)


class _FileWalk:
    """Counts the content of one file while it is played."""

    def __init__(self, file: str, only: int | None) -> None:
        self._file = file
        self._only = only
        self._tally = Summary()
        self._counted = Summary()
        self._currency = ""
        self._holds: Counter[str] = Counter()
        self._reads: Counter[str] = Counter()
        self._events: list[Json] = []
        self._differences: list[Json] = []
        self._settled: dict[int, Played] = {}
        self._round = 1
        self._closed = False
        self._begun = False
        self._lines = 0
        self._number = 1  # the header stands there, and what was noticed before any line
        self._t = 0.0
        self._findings = FileFindings()
        self._header: HeaderFacts = NO_HEADER

    def play(self, source: ReplaySource) -> None:
        """Play a file to its end, and collect its differences."""
        self._currency, self._header = source.currency, source.header
        for played in source.played:
            self._take(played)
        self._differences += [self._found(finding) for finding in source.findings() if finding.json]

    def _take(self, played: Played) -> None:
        line = played.line
        # A later consequence of a line, such as a lifted hold, is reported under that line again.
        if line is not None and line.number > self._number:
            self._number = line.number
            self._lines += 1
            self._t = line.t
            kind = type(line.obs)
            if kind is CardSeen:
                self._reads[certainty(line.obs)] += self._counts(self._round)
            elif self._closed and (kind is Bet or kind is End):
                self._round, self._closed = self._round + 1, False
            self._findings.take(line, self._round, in_round=self._begun and not self._closed)
            self._begun = not self._closed and (self._begun or kind is Bet)
        if played.notices:
            self._receive(played)

    def _receive(self, played: Played) -> None:
        for notice in played.notices:
            if isinstance(notice, Settled):
                self._settled[notice.result.round] = played
                self._round, self._closed = notice.result.round, notice.result.status != "open"
        for recorded in to_lines(played, self._file, lambda code, params: sentence("refused", code, params)):
            self._tally.count(recorded)
            if recorded["type"] in _EVENTS:
                self._events.append({"round": self._round, **recorded})
            if self._counts(recorded.get("round", self._round)):
                self._counted.count(recorded)
                self._holds.update([recorded["code"]] if recorded["type"] == "hold" else ())

    def _counts(self, number: int) -> bool:
        return self._only in (None, number)

    def _found(self, finding: ReplayFinding) -> Json:
        """Return a finding of a journal or recording as a difference."""
        return {**finding.json, "feed": self._file, "message": finding.sentence}

    def compare(self, expected: list[Json]) -> None:
        """Compare the rounds with their expectation."""
        rounds = {recorded["round"]: recorded for recorded in self._tally.rounds()}
        names = (None, self._file, Path(self._file).name)
        # One expectation may be for several files; for one file the name that it gives does not matter.
        mine = [recorded for recorded in expected if recorded.get("feed") in names] or expected
        for found in compare([{**recorded, "feed": self._file} for recorded in mine], list(rounds.values())):
            self._differences.append(self._placed(found, rounds.get(found.round, {})))

    def _placed(self, found: ExpectationDifference, fields: Json) -> Json:
        """A difference with the box that it is about, and the line that its round settled with."""
        settled = self._settled.get(found.round)
        line = None if settled is None else settled.line
        where = {} if line is None else {"line": line.number, "t": line.t}
        return {**found.placed(fields), "feed": self._file, **where}

    def _in_order(self) -> list[Json]:
        """Return the events and findings by line."""
        rows = [*self._events, *(found.to_json() for found in self._findings)]
        return sorted(rows, key=lambda row: row.get("line") or 0)

    def report(self, seconds: float, error: str) -> FileReport:
        summary = self._counted.summary()
        counts = {key: value for key, value in summary.items() if isinstance(value, int) and key != "feeds"}
        return FileReport(
            self._file,
            self._currency,
            counts,
            dict(self._holds),
            dict(+self._reads),
            self._differences,
            self._in_order(),
            self._lines,
            seconds,
            self._t,
            error,
            [recorded["round"] for recorded in self._tally.rounds()],
            *self._header,
        )


def certainty(card: Any) -> str:
    """The class of a read: by its probability, `none` where the line tells none, `unread` without a rank."""
    if card.rank is None:
        return "unread"
    if card.p is None:
        return "none"
    return next(name for least, name in _CERTAINTIES if card.p >= least)
