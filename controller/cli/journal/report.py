"""`stand17 report`: what a table did in a shift, for the house and its regulator."""

import os
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Annotated, Final, NoReturn

import typer

from controller.cli.journal.archive_verify import print_gaps, print_whole
from controller.cli.json_words import print_answer
from controller.cli.options import AsJson, Force
from controller.cli.tongue import terminal_tongue
from controller.domain.errors import ConfigError, TableError
from controller.floor.days import GAPS, ArchivedDay, days_of
from controller.journal.table_key import TableKey
from controller.outputs import Outputs
from controller.replay.report.report_files import Form, report_with_heads, signed, written
from controller.replay.report.words import text_lines
from controller.replay.rounds.report_parts import ReportWithHeads

FORMS: Final[dict[str, Form]] = {".json": "json", ".csv": "csv", ".pdf": "pdf"}


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

    Of an archive all journals, table by table and day by day; exit status 1 where a day is missing.
    """
    archives = {folder: days_of(folder) for folder in files if folder.is_dir()}
    files = [one for file in files for one in _journals(file, archives.get(file))]
    if out is not None and out.suffix not in FORMS:
        raise ConfigError("REPORT_NAME", path=str(out))
    outputs = Outputs((*files, *(() if key is None else (key,))), force)
    outputs.require_free(out)
    private = None if key is None else TableKey.load(key)
    reports = [signed(one, private) for one in _made(files, at_table=at_table)]
    if out is not None:
        outputs.write(out, written(FORMS[out.suffix], reports, terminal_tongue()))
    if as_json:
        typer.echo(written("json", reports, "en"), nl=False)
    elif out is None:
        for one in reports:
            typer.echo("\n".join(text_lines(one, terminal_tongue())))
    if archives:
        _end_with([day for days in archives.values() for day in days], as_json=as_json)


def _journals(file: Path, days: Sequence[ArchivedDay] | None) -> list[Path]:
    """The file itself, or an archive's journals, each table's days in their order."""
    return [file] if days is None else [file / day.journal for day in days]


def _end_with(days: Sequence[ArchivedDay], *, as_json: bool) -> NoReturn:
    """Say whether these are all days there are."""
    is_whole = not any(day.place in GAPS for day in days)
    if as_json:
        print_answer("archive", journals=[day._asdict() for day in days])
    elif is_whole:
        print_whole(days)
    else:
        print_gaps(days)
    raise typer.Exit(0 if is_whole else 1)


def _made(files: list[Path], *, at_table: bool) -> list[ReportWithHeads]:
    """The reports of all files, in their order; of several as many at once as there are processors."""
    one, jobs = partial(_tried, at_table=at_table), min(len(files), os.cpu_count() or 1)
    with ProcessPoolExecutor(jobs, get_context("fork")) as pool:
        found = [*pool.map(one, files)] if jobs > 1 else [None for _ in files]
    # What another process could not read is met here once more, with its sentence.
    return [
        made or report_with_heads(file, at_table=at_table) for file, made in zip(files, found, strict=True)
    ]


def _tried(file: Path, *, at_table: bool) -> ReportWithHeads | None:
    try:
        return report_with_heads(file, at_table=at_table)
    except TableError:
        return None
