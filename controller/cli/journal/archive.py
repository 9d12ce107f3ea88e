"""`stand17 archive`: the journals of many tables, brought forward from folders and checked."""

import time
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Annotated, Final

import typer

from controller.cli.journal.archive_run import run_with
from controller.cli.journal.archive_verify import verify
from controller.cli.json_words import print_answer
from controller.cli.options import AsJson
from controller.domain.errors import JournalError
from controller.floor.database.connection import connected
from controller.floor.database.journals import DatabaseJournals, DatabaseSource
from controller.floor.database.keeper import ARCHIVER, DatabaseKeeper
from controller.floor.journal_archive import Archive, Brought, archived_in
from controller.floor.proof import export
from controller.floor.sources import files_in
from controller.i18n import text
from controller.outputs import Outputs
from controller.ports import SystemClock

EVERY_S: Final = 2.0

DATABASE: Final = "PostgreSQL: postgresql://HOST/NAME; a password belongs into ~/.pgpass."

app = typer.Typer(no_args_is_help=True, help="Keep the journals of many tables in one place.")
app.command("verify")(verify)


_told: dict[str, JournalError | None] = {}
app.command("run")(run_with(lambda one, as_json: _report(one, _told, as_json=as_json)))


@app.command("follow")
def follow(
    folders: Annotated[list[Path], typer.Argument(help="Folders to which copies of journals come.")],
    *,
    into: Annotated[Path, typer.Option(help="The archive, a folder of its own.")],
    database: Annotated[str, typer.Option(help=f"Keep all of it there, too. {DATABASE}")] = "",
    once: Annotated[bool, typer.Option("--once", help="Take what is there now, and end.")] = False,
    every: Annotated[float, typer.Option(min=0.1, help="Seconds between two looks.")] = EVERY_S,
    as_json: AsJson = False,
) -> None:
    """Take what the copies of journals have new, check each entry, keep it for good.

    Tables write the copies themselves (`journal.copy_folder`); rsync or whatever the house has brings them.
    What contradicts the archive is a finding: nothing is replaced, and that file is not read again. A
    database that is away holds nothing up: it gets the rest when it is back.
    Exit status with --once: 0 when all of it fits, 1 when something does not.
    """
    with Archive(into, SystemClock()) as archive:
        keeper = DatabaseKeeper(into, database, archive.find) if database else None
        reported: dict[str, JournalError | None] = {}
        while True:
            brought = [archive.bring(path) for path in files_in(folders)]
            if keeper is not None:
                brought += keeper.keep(archive.changed())
            for one in brought:
                _report(one, reported, as_json=as_json)
            if once:
                raise typer.Exit(1 if any(one.error is not None for one in brought) else 0)
            time.sleep(every)


@app.command("restore")
def restore(
    archive: Annotated[Path, typer.Argument(help="The archive; it may be empty, or not there.")],
    *,
    database: Annotated[str, typer.Option(help=DATABASE)],
    as_json: AsJson = False,
) -> None:
    """Bring folder and database to the same entries, from whichever has more; nothing is ever replaced.

    Exit status 1 where the two contradict each other.
    """
    with Archive(archive, SystemClock()) as kept:
        with closing(DatabaseJournals(connected(database, ARCHIVER))) as journals:
            sources = [DatabaseSource(journals, one) for one in journals.all().values()]
            brought = [kept.take(one) for one in sources]
        with closing(DatabaseKeeper(archive, database, kept.find)) as keeper:
            brought += keeper.keep()
    for one in brought:
        _report(one, {}, as_json=as_json)
    raise typer.Exit(1 if any(one.error is not None for one in brought) else 0)


@app.command("export")
def export_journal(
    archive: Annotated[Path, typer.Argument(help="The archive.")],
    journal: Annotated[str, typer.Argument(help="Name of an archived journal, as `verify` lists it.")],
    *,
    out: Annotated[Path, typer.Option("--out", "-o", help="The file; its signed heads come beside it.")],
    as_json: AsJson = False,
) -> None:
    """Write an archived journal as a file of its own, which `stand17 verify` proves like the table's.

    Also while the archive is written.
    """
    path = archived_in(archive, journal)
    Outputs((path,)).require_free(out)
    entries = export(path, out)
    if as_json:
        print_answer("exported", journal=journal, entries=entries, path=str(out))
    else:
        typer.echo(text("archive.exported", {"journal": journal, "entries": entries, "path": str(out)}))


def _report(one: Brought, reported: dict[str, JournalError | None], *, as_json: bool) -> None:
    """What has changed since it was reported last."""
    error, before = one.error, reported.get(one.source)
    is_new = error is not None and str(before) != str(error)
    reported[one.source] = error
    if as_json:
        if one.entries or is_new:
            print_answer("brought", **one._asdict() | {"error": "" if error is None else error.code})
        return
    if one.entries:
        typer.echo(text("archive.brought", {"journal": one.journal, "entries": one.entries, "end": one.end}))
    if error is not None and is_new:
        typer.echo(_sentence(one.source, error.code, error.params), err=True)


def _sentence(source: str, code: str, params: Mapping[str, str | int]) -> str:
    return f"{source}: {text(f'error.{code}', params)}"
