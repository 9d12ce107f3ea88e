"""`stand17 replay --jobs`: many files and folders at once, resumed where it was stopped, in one report."""

import json
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path
from typing import Final, NamedTuple, TextIO

from rich.progress import Progress

from controller.cli.named_files import FEEDS
from controller.cli.output import console
from controller.cli.replay.reports.file import FileReport, FileTask, play_file
from controller.cli.replay.reports.files_report import ReportRate
from controller.cli.replay.source import ReplaySettings
from controller.domain import ConfigError, TableError
from controller.engine.state import new_table
from controller.engine.table import step
from controller.feed.replay import Json
from controller.i18n import text
from controller.outputs import Outputs
from controller.replay.files.feed_files import expectation_of
from controller.replay.files.table_file import read_table_file

HEADER: Final = '{"stand17": "replay state 1"}\n'
"""The first line of a file of finished ones: no other file is taken for one, and written over."""

_PARCEL_FILES: Final = 32
_PARCEL_BYTES: Final = 256 << 10
"""The most that one hand-over holds; what a stop loses of a resumed replay is no more than that a job."""

_SAMPLE_LINES: Final = 20_000
"""Lines with which the engine alone is timed: a shift at seven boxes, a quarter of a second."""


class BatchSettings(NamedTuple):
    """Settings of a batch: parallel jobs, replay settings, the file of finished ones, an expectation.

    `only` is the number of the counted round, None for all.
    """

    jobs: int
    replay: ReplaySettings
    state: Path | None = None
    expect: Path | None = None
    only: int | None = None


def run_batch(files: Sequence[str], settings: BatchSettings) -> tuple[tuple[FileReport, ...], ReportRate]:
    """Play every file; the reports come in the order of the files."""
    begun = time.perf_counter()
    with _FinishedFiles(settings) as finished, _progress(len(files)) as advance:
        known = {file: finished.find(file) for file in files}
        tasks = [_task(file, settings) for file in files if known[file] is None]
        for _ in range(len(files) - len(tasks)):
            advance()
        for report in _played(tasks, settings.jobs):
            finished.add(report)
            known[report.file] = report
            advance()
    rate = ReportRate(time.perf_counter() - begun, settings.jobs, _engine_rate(files))
    return tuple(report for report in known.values() if report is not None), rate


def _task(file: str, settings: BatchSettings) -> FileTask:
    return FileTask(file, settings.replay, settings.expect or expectation_of(file), settings.only)


def _played(tasks: Sequence[FileTask], jobs: int) -> Iterator[FileReport]:
    if jobs == 1 or len(tasks) < 2:
        yield from map(play_file, tasks)
        return
    parcels = list(_parcels(tasks, jobs))
    # There is one thread, and all is loaded: a fork begins at once, where a new interpreter would load for
    # longer than a folder of short feeds takes.
    with ProcessPoolExecutor(min(jobs, len(parcels)), get_context("fork")) as pool:
        try:
            for done in as_completed([pool.submit(_play_parcel, parcel) for parcel in parcels]):
                yield from done.result()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _parcels(tasks: Sequence[FileTask], jobs: int) -> Iterator[tuple[FileTask, ...]]:
    """Tasks as they are handed over: short files together, which take as long to hand over as to play."""
    most = max(1, min(_PARCEL_FILES, len(tasks) // (4 * jobs)))
    parcel, size = list[FileTask](), 0
    for task in tasks:
        size += _size(task.file)
        parcel.append(task)
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


def _play_parcel(parcel: Sequence[FileTask]) -> list[FileReport]:
    return [play_file(task) for task in parcel]


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


def _engine_rate(files: Sequence[str]) -> float:
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
    """The reports of files that are done, an array of JSON a line, so that a stopped replay goes on.

    A file counts as done while it and its expectation are unchanged (size, time), played the same way and
    counted for the same round.

    Mode 0600: the reports may tell cards.
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
