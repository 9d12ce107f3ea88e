"""One report of `stand17 replay` on many files: differences, counts, rates, the estimate for a month."""

import json
import re
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final, NamedTuple, NoReturn
from xml.etree import ElementTree

import typer

from controller.cli.application import named_files
from controller.cli.output import amount, clock, echo, sentence
from controller.cli.replay_files import BatchSettings, FileReport, engine_rate, run_batch
from controller.cli.replaying import HELD, override_words, short
from controller.domain import ConfigError
from controller.feed.replay import Json
from controller.feed.text_report import AMOUNTS, place_words, value_words
from controller.i18n import text
from controller.outputs import Outputs
from controller.replay.table_file import expectation_of

_MONTH_ROUNDS: Final = 200 * 30 * 8 * 60
"""A month of 200 tables: thirty days of eight hours, a round a minute."""

COUNTED: Final = (
    "files",
    "rounds",
    "settled",
    "voided",
    "disputed",
    "refused",
    "alerts",
    "differences",
    "unreadable",
)
"""What the sum tells in words."""


class ReportFilter(NamedTuple):
    """The printed differences and events: from a time on (seconds), of one round, without events."""

    from_s: float = 0.0
    round: int | None = None
    only_differences: bool = False

    def fits(self, row: Json) -> bool:
        """Whether a row is printed; a row without a time or a round always is."""
        late_enough = row.get("t") is None or row["t"] >= self.from_s
        return late_enough and self.round in {None, row.get("round", self.round)}


class BatchReport(NamedTuple):
    """Every file's report, in the order in which the files were named.

    `engine_lines_per_s` is the speed of the engine alone; 0: not measured.
    """

    files: tuple[FileReport, ...]
    chosen: ReportFilter
    seconds: float
    jobs: int
    engine_lines_per_s: float

    @property
    def differs(self) -> bool:
        """Whether any printed row is a difference."""
        return any(self.differences(file) for file in self.files)

    @property
    def broken(self) -> bool:
        """Whether a file could not be read."""
        return any(file.error for file in self.files)

    @property
    def has_round(self) -> bool:
        """Whether any file has the requested round."""
        return self.chosen.round is None or any(self.chosen.round in file.rounds for file in self.files)

    @property
    def unclean(self) -> bool:
        """Whether any file has a refusal, alert, dispute or hold."""
        kinds = ("refused", "alerts", "disputed")
        return any(file.holds or any(file.counts.get(kind) for kind in kinds) for file in self.files)

    def differences(self, file: FileReport) -> list[Json]:
        """The differences of a file that are printed."""
        return [row for row in file.differences if self.chosen.fits(row)]

    def events(self, file: FileReport) -> list[Json]:
        """Its refusals, alerts, holds, disputes and adjustments that are printed."""
        if self.chosen.only_differences:
            return []
        return [row for row in file.events if self.chosen.fits(row)]


def total(report: BatchReport) -> Json:
    """The object that sums up; amounts by currency, since files of several countries have no common sum."""
    counts: Counter[str] = Counter()
    holds: Counter[str] = Counter()
    reads: Counter[str] = Counter()
    money: dict[str, Counter[str]] = {}
    for file in report.files:
        counts.update({key: value for key, value in file.counts.items() if key not in AMOUNTS})
        holds.update(file.holds)
        reads.update(file.reads)
        purse = money.setdefault(file.currency or "-", Counter())
        purse.update({key: file.counts.get(key, 0) for key in ("staked", "returned")})
    return {
        "type": "report",
        "files": len(report.files),
        "unreadable": sum(bool(file.error) for file in report.files),
        "differences": sum(len(report.differences(file)) for file in report.files),
        **counts,
        "holds": dict(holds.most_common()),
        "reads": dict(sorted(reads.items(), reverse=True)),
        "money": {currency: dict(purse) for currency, purse in money.items()},
        **_rates(report, counts["rounds"]),
    }


def _rates(report: BatchReport, rounds: int) -> Json:
    lines = sum(file.lines for file in report.files)
    seconds = max(report.seconds, 1e-9)
    month_s = _MONTH_ROUNDS / (rounds / seconds) if rounds else 0.0
    return {
        "lines": lines,
        "seconds": round(seconds, 3),
        "jobs": report.jobs,
        "lines_per_s": round(lines / seconds),
        "rounds_per_s": round(rounds / seconds),
        "engine_lines_per_s": round(report.engine_lines_per_s),
        "month": {"rounds": _MONTH_ROUNDS, "hours": round(month_s / 3600, 2)},
    }


def _json_lines_of(report: BatchReport) -> Iterator[str]:
    """Differences of all files, then events, then a line for each file, then the sum."""
    for file in report.files:
        yield from map(_dumped, report.differences(file))
    for file in report.files:
        yield from map(_dumped, report.events(file))
    for file in report.files:
        found = file._asdict()
        del found["differences"], found["events"], found["rounds"]
        yield _dumped({"type": "file", **found})
    yield _dumped(total(report))


def _dumped(row: Json) -> str:
    return json.dumps(row, ensure_ascii=False, separators=(",", ":"))


def text_lines(report: BatchReport) -> Iterator[str]:
    """The same in words; every line of a file names it."""
    for file in report.files:
        yield from (f"≠ {_difference_words(file, row)}" for row in report.differences(file))
    for file in report.files:
        yield from _rules_of(file)
        yield from (f"! {_event_words(file, row)}" for row in _by_cause(report.events(file)))
    found = total(report)
    yield text("report.counted", {key: found.get(key, 0) for key in COUNTED})
    for currency, purse in found["money"].items():
        sums = {key: amount(purse[key], currency) for key in ("staked", "returned")}
        yield text("report.money", sums)
    if found["holds"]:
        yield text("report.holds", {"holds": _listed(found["holds"])})
    if found["reads"]:
        yield text("report.reads", {"reads": _listed(found["reads"])})
    yield text("report.rate", {key: found[key] for key in ("seconds", "jobs", "lines_per_s", "rounds_per_s")})
    if found["engine_lines_per_s"]:
        yield text("report.engine", {"lines_per_s": found["engine_lines_per_s"]})
    if found["rounds"]:
        yield text("report.month", dict(found["month"]))


def _by_cause(rows: Iterable[Json]) -> list[Json]:
    """Return events for people: one row per hold with refusals, the largest adjustments first."""
    found: list[Json] = []
    for row in rows:
        cause = row.get("params", {}).get("reason") if row.get("code") == HELD else None
        before = found[-1] if found else {}
        if cause is not None and before.get("cause") == cause:
            found[-1] = {**before, "times": before["times"] + 1, "to_line": row.get("line")}
        else:
            found.append(row if cause is None else {**row, "cause": cause, "times": 1})
    moved = [row for row in found if row["type"] == "adjustment"]
    largest = sorted(moved, key=lambda row: -max(abs(bet["delta"]) for bet in row["bets"]))
    return [*largest, *(row for row in found if row["type"] != "adjustment")]


def _rules_of(file: FileReport) -> Iterator[str]:
    """The rules that a feed names, where they are not the house's, its options."""
    if not file.rules:
        return
    options = ", ".join(f"{name} {short(value)}" for name, value in file.options.items())
    yield text("report.rules", {"file": file.file, "rules": file.rules, "options": options or "-"})
    yield from override_words(file.file, file.overrides)


def _listed(counts: dict[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.items())


def _difference_words(file: FileReport, row: Json) -> str:
    """Return one difference in words: file, round, line, time, box, amounts in the file's currency."""
    where = _where(file, row)
    if row.get("message"):
        return f"{where}: {row['message']}"
    if "key" not in row:
        return f"{where}: {row.get('code', '')} {short(row.get('recorded'))} / {short(row.get('made'))}"
    return f"{where}: {value_words(row, file.currency)}"


def _where(file: FileReport, row: Json) -> str:
    parts = [file.file]
    if row.get("round") is not None:
        parts.append(text("diff.round", row))
    if row.get("line") is not None:
        parts.append(text("diff.line", {"line": row["line"], "t": clock(row.get("t") or 0.0)}))
    return ", ".join(parts)


def _event_words(file: FileReport, row: Json) -> str:
    """Return one refusal, alert, hold, dispute or adjustment in words."""
    where = _where(file, row)
    if row["type"] == "adjustment":
        moved = "; ".join(
            text(
                "report.moved",
                {
                    "place": place_words(bet),
                    "before": amount(bet["returned_before"], file.currency),
                    "after": amount(bet["returned_after"], file.currency),
                },
            )
            for bet in row["bets"]
        )
        return f"{where}: {moved}"
    if row.get("times", 1) > 1:
        holes = {"times": row["times"], "line": row["line"], "to_line": row["to_line"], "code": row["cause"]}
        return f"{where}: {text('report.held', holes)}"
    kind = "alert" if row["type"] == "dispute" else str(row["type"])
    words = row.get("message") or sentence(kind, row["code"], row.get("params", {}))
    return f"{where}: {row['type']} {row['code']}: {words}"


def report(
    feeds: list[str],
    settings: BatchSettings,
    chosen: ReportFilter,
    *,
    as_json: bool,
    strict: bool,
    junit: Path | None,
    force: bool,
) -> NoReturn:
    """Play all files into one report, print it, and end with its exit status.

    `junit` is its XML file, `force` replaces an existing one.
    """
    files = named_files(feeds)
    outputs = Outputs(_inputs(files, settings), force)
    outputs.require_free(junit)
    begun = time.perf_counter()
    reports = run_batch(files, settings._replace(only=chosen.round))
    seconds = time.perf_counter() - begun
    found = BatchReport(reports, chosen, seconds, settings.jobs, engine_rate(files))
    for line in _json_lines_of(found) if as_json else text_lines(found):
        echo(line)
    # The sentences on files that could not be read to their end.
    for file in reports:
        if file.error:
            echo(file.error, err=True)
    if junit is not None:
        _write_junit(found, junit, outputs)
    if not found.has_round:
        raise ConfigError("NO_SUCH_ROUND", round=chosen.round or 0)
    if found.broken:
        raise typer.Exit(2)
    raise typer.Exit(1 if found.differs or (strict and found.unclean) else 0)


def _inputs(files: list[str], settings: BatchSettings) -> tuple[Path, ...]:
    """Return every file that a report reads, and the file of finished ones."""
    beside = (expectation_of(file) for file in files)
    named = (settings.expect, settings.state, settings.replay.config)
    return (*map(Path, files), *(path for path in (*beside, *named) if path is not None))


_SUITE = "stand17 replay"

_NO_XML: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML 1.0 cannot hold in any way: control characters of a file's name or of a message."""


def _write_junit(report: BatchReport, path: Path, outputs: Outputs) -> None:
    """Write one test case a file: failed where it differs, in error where it cannot be read.

    Raises as `Outputs.write`.
    """
    suite = ElementTree.Element("testsuite", name=_SUITE, tests=str(len(report.files)))
    failures = errors = 0
    for file in report.files:
        where = Path(file.file)
        names = {"name": _plain(where.name), "classname": _plain(str(where.parent))}
        names["time"] = f"{file.seconds:.3f}"
        case = ElementTree.SubElement(suite, "testcase", names)
        found = [_plain(_difference_words(file, row)) for row in report.differences(file)]
        if file.error:
            errors += 1
            ElementTree.SubElement(case, "error", message=_plain(file.error))
        elif found:
            failures += 1
            ElementTree.SubElement(case, "failure", message=found[0]).text = "\n".join(found)
    suite.set("failures", str(failures))
    suite.set("errors", str(errors))
    suite.set("time", f"{report.seconds:.3f}")
    outputs.write(path, ElementTree.tostring(suite, encoding="utf-8", xml_declaration=True))


def _plain(words: str) -> str:
    """The words with each character that XML cannot hold as its number."""
    return _NO_XML.sub(lambda sign: f"\\x{ord(sign[0]):02x}", words)
