"""`stand17 replay` with a folder, --jobs, --junit, --state and the like: all files into one report."""

from pathlib import Path
from typing import NamedTuple, NoReturn

import typer

from controller.cli.named_files import named_files
from controller.cli.replay.reports.batch import BatchSettings, parse_from, run_batch
from controller.cli.replay.reports.files_report import (
    BatchReport,
    ReportFilter,
    errors_of,
    json_lines_of,
    text_lines,
)
from controller.cli.replay.reports.junit import write_junit
from controller.domain.errors import ConfigError
from controller.outputs import Outputs
from controller.replay.files.feed_files import expectation_of

__all__ = ["BatchSettings", "ReportFilter", "ReportForms", "parse_from", "report"]


class ReportForms(NamedTuple):
    """How a report is printed and judged; where JUnit XML goes, with `force` over a file that is there."""

    as_json: bool
    strict: bool
    junit: Path | None
    force: bool


def report(feeds: list[str], settings: BatchSettings, chosen: ReportFilter, forms: ReportForms) -> NoReturn:
    """Play all files into one report, print it, and end with its exit status."""
    files = named_files(feeds)
    outputs = Outputs(_inputs(files, settings), forms.force)
    outputs.require_free(forms.junit)
    reports, rate = run_batch(files, settings._replace(only=chosen.round))
    found = BatchReport(reports, rate, chosen)
    for line in json_lines_of(found) if forms.as_json else text_lines(found):
        typer.echo(line)
    for sentence in errors_of(reports):
        typer.echo(sentence, err=True)
    if forms.junit is not None:
        write_junit(found, forms.junit, outputs)
    if not found.has_round:
        raise ConfigError("NO_SUCH_ROUND", round=chosen.round or 0)
    if found.broken:
        raise typer.Exit(2)
    raise typer.Exit(1 if found.differs or (forms.strict and found.unclean) else 0)


def _inputs(files: list[str], settings: BatchSettings) -> tuple[Path, ...]:
    """Every file that a report reads, and the file of those that are done."""
    beside = (expectation_of(file) for file in files)
    named = (settings.expect, settings.state, settings.replay.config)
    return (*map(Path, files), *(path for path in (*beside, *named) if path is not None))
