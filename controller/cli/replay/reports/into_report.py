"""`stand17 replay` with a folder, --jobs, --junit or --state: all files into one report."""

import re
from pathlib import Path
from typing import Final, NamedTuple, NoReturn
from xml.etree import ElementTree

import typer

from controller.cli.named_files import named_files
from controller.cli.output import echo
from controller.cli.replay.reports.batch import BatchSettings, parse_from, run_batch
from controller.cli.replay.reports.files_report import (
    BatchReport,
    ReportFilter,
    difference_words,
    errors_of,
    json_lines_of,
    text_lines,
)
from controller.domain import ConfigError
from controller.outputs import Outputs
from controller.replay.files.feed_files import expectation_of

__all__ = ["BatchSettings", "ReportFilter", "ReportForms", "parse_from", "report"]


class ReportForms(NamedTuple):
    """The form and the judgement of a report; `junit` is its XML file, `force` replaces an existing one."""

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
        echo(line)
    for sentence in errors_of(reports):
        echo(sentence, err=True)
    if forms.junit is not None:
        _write_junit(found, forms.junit, outputs)
    if not found.has_round:
        raise ConfigError("NO_SUCH_ROUND", round=chosen.round or 0)
    if found.broken:
        raise typer.Exit(2)
    raise typer.Exit(1 if found.differs or (forms.strict and found.unclean) else 0)


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
        found = [_plain(difference_words(file, row)) for row in report.differences(file)]
        if file.error:
            errors += 1
            ElementTree.SubElement(case, "error", message=_plain(file.error))
        elif found:
            failures += 1
            ElementTree.SubElement(case, "failure", message=found[0]).text = "\n".join(found)
    suite.set("failures", str(failures))
    suite.set("errors", str(errors))
    suite.set("time", f"{report.rate.seconds:.3f}")
    outputs.write(path, ElementTree.tostring(suite, encoding="utf-8", xml_declaration=True))


def _plain(words: str) -> str:
    """The words with each character that XML cannot hold as its number."""
    return _NO_XML.sub(lambda sign: f"\\x{ord(sign[0]):02x}", words)
