"""One report on many replayed files: differences first, then counts, rates, the estimate for a month."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from controller.cli.output import sentence
from controller.cli.replay.amounts import amount, clock
from controller.cli.replay.header_words import HELD, override_words, short
from controller.cli.replay.reports.file import FileReport
from controller.feed.replay import Json
from controller.i18n import text
from controller.replay.rounds.value_words import AMOUNTS, place_words, value_words

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


class ReportRate(NamedTuple):
    """The speed: total seconds, jobs, lines per second of the engine alone (0: not measured)."""

    seconds: float
    jobs: int
    engine_lines_per_s: float = 0.0


class BatchReport(NamedTuple):
    """Every file's report, in the order in which the files were named."""

    files: tuple[FileReport, ...]
    rate: ReportRate
    chosen: ReportFilter

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
    seconds = max(report.rate.seconds, 1e-9)
    month_s = _MONTH_ROUNDS / (rounds / seconds) if rounds else 0.0
    return {
        "lines": lines,
        "seconds": round(seconds, 3),
        "jobs": report.rate.jobs,
        "lines_per_s": round(lines / seconds),
        "rounds_per_s": round(rounds / seconds),
        "engine_lines_per_s": round(report.rate.engine_lines_per_s),
        "month": {"rounds": _MONTH_ROUNDS, "hours": round(month_s / 3600, 2)},
    }


def json_lines_of(report: BatchReport) -> Iterator[str]:
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
        yield from (f"≠ {difference_words(file, row)}" for row in report.differences(file))
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


def difference_words(file: FileReport, row: Json) -> str:
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


def errors_of(files: Iterable[FileReport]) -> Iterator[str]:
    """The sentences on files that could not be read to their end."""
    return (file.error for file in files if file.error)
