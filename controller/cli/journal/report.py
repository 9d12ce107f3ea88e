"""`stand17 report`: the report of a table's shift, for the house and its regulator."""

import os
from collections.abc import Collection, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, NoReturn

import typer

from controller.cli.json_words import print_answer
from controller.cli.options import AsJson, Force
from controller.cli.output import echo, echo_lines
from controller.cli.tongue import terminal_tongue
from controller.domain import ConfigError, TableError
from controller.i18n import text
from controller.outputs import Outputs

# Not needed for the options; the modules for archives take longer to import than a report takes to write.
if TYPE_CHECKING:
    from controller.floor.days import ArchiveDays, ArchivedDay
    from controller.replay.report.model import ReportWithHeads
    from controller.replay.report.report_files import Form

FORMS: "Final[dict[str, Form]]" = {".json": "json", ".csv": "csv", ".pdf": "pdf"}


def report(
    files: Annotated[
        list[Path], typer.Argument(help="Journals, archives; recordings and feeds, without a head.")
    ],
    *,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="NAME.json, NAME.csv or NAME.pdf.")] = None,
    key: Annotated[Path | None, typer.Option(help="Sign with this table's key (its private half).")] = None,
    at_table: Annotated[bool, typer.Option("--table", help="Feeds: through a table's door.")] = False,
    as_json: AsJson = False,
    force: Force = False,
) -> None:
    """Report the last shift of each file: people, rounds, money, holds with the time to answer, rulings.

    One object, row or page for each file. `stand17 verify JOURNAL --report NAME.json` proves it later. PDF
    needs the extra `report`. Exit status 2 where a file cannot be read or written; nothing is written then.

    Of an archive all journals, table by table and day by day; exit status 1 where a day is missing, or where
    a journal cannot be reported on: it is named, and the others are.
    """
    archives = _archives([folder for folder in files if folder.is_dir()])
    archived = {folder / day.journal for folder, found in archives.items() for day in found.days}
    files = [one for file in files for one in _journals(file, archives.get(file))]
    if out is not None and out.suffix not in FORMS:
        raise ConfigError("REPORT_NAME", path=str(out))
    outputs = Outputs((*files, *(() if key is None else (key,))), force)
    outputs.require_free(out)
    from controller.journal.head_file import TableKey
    from controller.replay.report.report_files import signed, written
    from controller.replay.report.words import text_lines

    private = None if key is None else TableKey.load(key)
    made, bad = _made(files, archived, at_table=at_table)
    bad |= {
        folder / name: error for folder, found in archives.items() for name, error in found.unread.items()
    }
    reports = [signed(one, private) for one in made]
    if out is not None:
        outputs.write(out, written(FORMS[out.suffix], reports, terminal_tongue()))
    if as_json:
        echo_lines(written("json", reports, "en").decode().split("\n")[:-1])
    elif out is None:
        for one in reports:
            echo_lines(text_lines(one, terminal_tongue()))
    if archives:
        for path, error in bad.items():
            echo(f"{path.name}: {text(f'error.{error.code}', error.params)}", err=True)
        days = [day for found in archives.values() for day in found.days]
        _end_with(days, bad=bool(bad), as_json=as_json)


def _archives(folders: Sequence[Path]) -> "dict[Path, ArchiveDays]":
    if not folders:
        return {}
    from controller.floor.days import days_of

    return {folder: days_of(folder) for folder in folders}


def _journals(file: Path, found: "ArchiveDays | None") -> list[Path]:
    """The file itself, or an archive's journals, each table's days in their order."""
    return [file] if found is None else [file / day.journal for day in found.days]


def _end_with(days: "Sequence[ArchivedDay]", *, bad: bool, as_json: bool) -> NoReturn:
    """Say whether these are all days there are; `bad`: a journal could not be reported on."""
    from controller.cli.journal.archive_verify import print_gaps, print_whole
    from controller.floor.days import GAPS

    is_whole = not bad and not any(day.place in GAPS for day in days)
    if as_json:
        print_answer("archive", journals=[day._asdict() for day in days])
    elif is_whole:
        print_whole(days)
    else:
        print_gaps(days)
    raise typer.Exit(0 if is_whole else 1)


def _made(
    files: list[Path], archived: Collection[Path], *, at_table: bool
) -> "tuple[list[ReportWithHeads], dict[Path, TableError]]":
    """The reports of all files, in their order; of several as many at once as there are processors.

    Of `archived` ones that cannot be reported on, why; another file raises that.
    """
    from controller.replay.report.report_files import report_with_heads

    found = _made_at_once(files, at_table=at_table) if len(files) > 1 else [None for _ in files]
    made: list[ReportWithHeads] = []
    bad: dict[Path, TableError] = {}
    for file, report in zip(files, found, strict=True):
        try:
            # A file that a child process could not read raises its error again here.
            made.append(report or report_with_heads(file, at_table=at_table))
        except TableError as error:
            if file not in archived:
                raise
            bad[file] = error
    return made, bad


def _made_at_once(files: list[Path], *, at_table: bool) -> "list[ReportWithHeads | None]":
    """Report in as many processes as there are processors; None for a file that cannot be reported on."""
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    with ProcessPoolExecutor(os.cpu_count() or 1, get_context("fork")) as pool:
        return [*pool.map(partial(_tried, at_table=at_table), files)]


def _tried(file: Path, *, at_table: bool) -> "ReportWithHeads | None":
    from controller.replay.report.report_files import report_with_heads

    try:
        return report_with_heads(file, at_table=at_table)
    except TableError:
        return None
