"""Plays many files for one report of `stand17 replay`: in parallel, resumed after a stop."""

import json
import os
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Final, NamedTuple, TextIO

from rich.progress import Progress

from controller.acts.catalogue import Bet, CardSeen, End
from controller.cli.application import FEEDS
from controller.cli.output import console, error_sentence, sentence
from controller.cli.replaying import (
    NO_HEADER,
    HeaderFacts,
    ReplayFinding,
    ReplaySettings,
    ReplaySource,
    opened,
)
from controller.domain import ConfigError, Settled, TableError
from controller.engine.state import new_table
from controller.engine.table import step
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
from controller.i18n import text
from controller.outputs import Outputs
from controller.replay.played import FileFindings
from controller.replay.table_file import expectation_of, read_table_file

_CERTAINTIES: Final = ((0.9999, "0.9999"), (0.999, "0.999"), (0.99, "0.99"), (0.9, "0.9"), (0.0, "0"))
"""Lower ends of the classes in which reads are counted, the surest first, with their names."""

_EVENTS: Final = ("refused", "alert", "hold", "dispute", "adjustment", "finding")
"""What is reported beside differences, by the `type` of its line."""


class BatchSettings(NamedTuple):
    """Settings of a batch: parallel jobs, replay settings, the file of finished ones, an expectation.

    `only` is the number of the counted round, None for all.
    """

    jobs: int
    replay: ReplaySettings
    state: Path | None = None
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


def _play_file(file: str, settings: BatchSettings) -> FileReport:
    """Play one file. Raises nothing for a faulty file: its report has the error."""
    walk = _FileWalk(file, settings.only)
    begun = time.perf_counter()
    found = ""
    try:
        expect = settings.expect or expectation_of(file)
        expected = None if expect is None else load_expected(expect)
        with opened(file, settings.replay, lambda _: None) as source:
            walk.play(source)
        if expected is not None:
            walk.compare(expected)
    except TableError as error:
        line = f":{error.line}" if isinstance(error, MalformedFeed) else ""
        found = error_sentence(error, f"{file}{line}")
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


HEADER: Final = '{"stand17": "replay state 1"}\n'
"""The first line of a file of finished ones: no other file is taken for one, and written over."""

_PARCEL_FILES: Final = 32

_PARCEL_BYTES: Final = 256 << 10
"""The most that one hand-over holds; what a stop loses of a resumed replay is no more than that a job."""

_SAMPLE_LINES: Final = 20_000
"""Lines with which the engine alone is timed: a shift at seven boxes, a quarter of a second."""


def run_batch(files: Sequence[str], settings: BatchSettings) -> tuple[FileReport, ...]:
    """Play every file; the reports come in the order of the files."""
    with _FinishedFiles(settings) as finished, _progress(len(files)) as advance:
        known = {file: finished.find(file) for file in files}
        left = [file for file in files if known[file] is None]
        for _ in range(len(files) - len(left)):
            advance()
        for report in _played(left, settings):
            finished.add(report)
            known[report.file] = report
            advance()
    return tuple(report for report in known.values() if report is not None)


def _played(files: Sequence[str], settings: BatchSettings) -> Iterator[FileReport]:
    if settings.jobs == 1 or len(files) < 2:
        yield from (_play_file(file, settings) for file in files)
        return
    parcels = list(_parcels(files, settings.jobs))
    # There is one thread, and all is loaded: a fork begins at once, where a new interpreter would load for
    # longer than a folder of short feeds takes.
    with ProcessPoolExecutor(min(settings.jobs, len(parcels)), get_context("fork")) as pool:
        try:
            for done in as_completed([pool.submit(_play_parcel, parcel, settings) for parcel in parcels]):
                yield from done.result()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _parcels(files: Sequence[str], jobs: int) -> Iterator[tuple[str, ...]]:
    """Files as they are handed over: short files together, which take as long to hand over as to play."""
    most = max(1, min(_PARCEL_FILES, len(files) // (4 * jobs)))
    parcel, size = list[str](), 0
    for file in files:
        size += _size(file)
        parcel.append(file)
        if len(parcel) == most or size >= _PARCEL_BYTES:
            yield tuple(parcel)
            parcel, size = [], 0
    if parcel:
        yield tuple(parcel)


def _size(file: str) -> int:
    try:
        return Path(file).stat().st_size
    except OSError:
        return 0


def _play_parcel(parcel: Sequence[str], settings: BatchSettings) -> list[FileReport]:
    return [_play_file(file, settings) for file in parcel]


@contextmanager
def _progress(total: int) -> Iterator[Callable[[], None]]:
    """A bar on a terminal, nothing elsewhere."""
    shown = console(err=True)
    if not shown.is_terminal:
        yield lambda: None
        return
    # No refresh thread: forked jobs would inherit it in an undefined state.
    with Progress(console=shown, transient=True, auto_refresh=False) as bar:
        task = bar.add_task(text("report.playing"), total=total)

        def advance() -> None:
            bar.advance(task)
            bar.refresh()

        yield advance


def engine_rate(files: Sequence[str]) -> float:
    """Lines a second that the engine alone takes, on the first feed among the files; 0 without any."""
    for file in files:
        if not file.endswith(FEEDS):
            continue
        try:
            opened = read_table_file(file)
        except TableError:
            continue
        lines = opened.lines[:_SAMPLE_LINES]
        state = new_table(opened.rules)
        begun = time.perf_counter()
        for line in lines:
            state = step(state, line.obs).state
        return len(lines) / max(time.perf_counter() - begun, 1e-9)
    return 0.0


_ESCAPED: Final = "backslashreplace"
"""Names that are not UTF-8 are written as JSON escapes them."""


class _FinishedFiles:
    """Reports of the finished files, one JSON array a line. A replay that was stopped continues after them.

    A file is finished while it and its expectation have the same size and time. Its options must be the same.

    Mode 0600, because reports may contain cards.
    """

    def __init__(self, settings: BatchSettings) -> None:
        """Read the file of finished ones; skip a line that was cut off."""
        self._settings = settings
        self._known: dict[str, Json] = {}
        self._stream: TextIO | None = None

    def __enter__(self) -> "_FinishedFiles":
        """Open the file, where one is named. Raises `ConfigError` STATE_OTHER_FILE, or as `Outputs.write`."""
        path = self._settings.state
        if path is not None:
            is_own = _is_own(path)
            kept = path.read_text(encoding="utf-8", errors="replace").splitlines()[1:] if is_own else []
            self._known = dict(_read(kept))
            lines = (HEADER, *(_line(key, recorded) for key, recorded in self._known.items()))
            Outputs(force=is_own).write(path, "".join(lines).encode(errors=_ESCAPED))
            self._stream = path.open("a", encoding="utf-8", errors=_ESCAPED)
        return self

    def __exit__(self, *_: object) -> None:
        if self._stream is not None:
            self._stream.close()

    def find(self, file: str) -> FileReport | None:
        """Return the report of an earlier run; None when the file must be played."""
        found = self._known.get(self._key(file))
        return None if found is None else FileReport(**found)

    def add(self, report: FileReport) -> None:
        """Keep a report at once."""
        if self._stream is not None and not report.error:
            self._stream.write(_line(self._key(report.file), report._asdict()))
            self._stream.flush()

    def _key(self, file: str) -> str:
        _, replay, _, expect, only = self._settings
        stamps = _stamp(file), _stamp(str(expect or expectation_of(file)))
        return json.dumps([file, *stamps, list(map(str, replay)), *([] if only is None else [only])])


def _is_own(path: Path) -> bool:
    """Whether the file is a state file; False when there is no file.

    Raises `ConfigError` STATE_OTHER_FILE for every other file, for pipes and for folders.
    """
    if not os.path.lexists(path):
        return False
    try:
        if path.is_file():
            with path.open("rb") as stream:
                if stream.read(len(HEADER)) == HEADER.encode():
                    return True
    except OSError as error:
        raise ConfigError("STATE_OTHER_FILE", path=str(path)) from error
    raise ConfigError("STATE_OTHER_FILE", path=str(path))


def _line(key: str, fields: Json) -> str:
    return json.dumps([key, fields], ensure_ascii=False) + "\n"


def _read(lines: Sequence[str]) -> Iterator[tuple[str, Json]]:
    for line in lines:
        try:
            key, recorded = json.loads(line)
        except ValueError:
            continue
        yield key, recorded


def _stamp(file: str) -> list[int]:
    try:
        found = Path(file).stat()
    except OSError:
        return []
    return [found.st_size, found.st_mtime_ns]


def parse_from(value: str | None) -> float:
    """Seconds since the header, `90`, `1:30` or `0:01:30`. Raises `ConfigError` BAD_FROM."""
    if value is None:
        return 0.0
    seconds = 0.0
    try:
        for part in value.split(":"):
            seconds = seconds * 60 + float(part)
    except ValueError as error:
        raise ConfigError("BAD_FROM", value=value) from error
    if not 0 <= seconds < sys.maxsize:
        raise ConfigError("BAD_FROM", value=value)
    return seconds
