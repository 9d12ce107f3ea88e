"""`stand17 archive`: the journals of many tables, brought forward from folders and checked."""

import time
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from controller.cli.journal.archive_run import BroughtWords, run
from controller.cli.journal.archive_verify import verify
from controller.cli.json_words import print_answer
from controller.cli.options import AsJson
from controller.cli.output import echo
from controller.i18n import text
from controller.outputs import Outputs
from controller.ports import SystemClock

if TYPE_CHECKING:
    from controller.floor.archive import Archive
    from controller.floor.postgresql import DatabaseKeeper


EVERY_S: Final = 2.0

_DATABASE: Final = "PostgreSQL: postgresql://HOST/NAME; a password belongs into ~/.pgpass."

app = typer.Typer(no_args_is_help=True, help="Keep the journals of many tables in one place.")
app.command("verify")(verify)
app.command("run")(run)


@app.command("follow")
def follow(
    folders: Annotated[list[Path], typer.Argument(help="Folders to which copies of journals come.")],
    *,
    into: Annotated[Path, typer.Option(help="The archive, a folder of its own.")],
    database: Annotated[str, typer.Option(help=f"Keep all of it there, too. {_DATABASE}")] = "",
    once: Annotated[bool, typer.Option("--once", help="Take what is there now, and end.")] = False,
    every: Annotated[float, typer.Option(min=0.1, help="Seconds between two looks.")] = EVERY_S,
    as_json: AsJson = False,
) -> None:
    """Take the new entries of copied journals, check each, and keep it for good.

    Tables write the copies themselves (`journal.copy_folder`); rsync or another tool of the house brings
    them. An entry that contradicts the archive is a finding: nothing is replaced, and that file is not read
    again. An unreachable database delays nothing: it gets the rest when it is back.
    Exit status with --once: 0 when all of it fits, 1 when something does not.
    """
    from controller.floor.archive import Archive, files_in

    with Archive(into, SystemClock()) as archive:
        keeper = _keeper(archive, into, database) if database else None
        report, fits = BroughtWords(as_json=as_json), True
        while True:
            brought = [archive.bring(path) for path in files_in(folders)]
            if keeper is not None:
                brought += keeper.keep(archive.changed())
            for one in brought:
                report(one)
                fits = fits and one.error is None
            if keeper is not None and not keeper.is_done:
                continue
            if once:
                raise typer.Exit(0 if fits else 1)
            time.sleep(every)


def _keeper(archive: "Archive", folder: Path, database: str) -> "DatabaseKeeper":
    from controller.floor.postgresql import DatabaseKeeper
    from controller.main.archived_history import ArchivedFigures

    return DatabaseKeeper(folder, database, archive.find, figures=ArchivedFigures())


@app.command("restore")
def restore(
    archive: Annotated[Path, typer.Argument(help="The archive; it may be empty, or not there.")],
    *,
    database: Annotated[str, typer.Option(help=_DATABASE)],
    as_json: AsJson = False,
) -> None:
    """Bring folder and database to the same entries, from whichever has more; nothing is ever replaced.

    Exit status 1 where the two contradict each other.
    """
    from controller.floor.archive import Archive
    from controller.floor.postgresql import ARCHIVER, DatabaseJournals, DatabaseSource, connected

    with Archive(archive, SystemClock()) as kept:
        with closing(DatabaseJournals(connected(database, ARCHIVER))) as journals:
            sources = [DatabaseSource(journals, one) for one in journals.all().values()]
            brought = [kept.take(one) for one in sources]
        with closing(_keeper(kept, archive, database)) as keeper:
            brought += keeper.keep()
            while not keeper.is_done:
                brought += keeper.keep()
    for one in brought:
        BroughtWords(as_json=as_json)(one)
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
    from controller.floor.archive import archived_in
    from controller.floor.postgresql import export

    path = archived_in(archive, journal)
    Outputs((path,)).require_free(out)
    entries = export(path, out)
    if as_json:
        print_answer("exported", journal=journal, entries=entries, path=str(out))
    else:
        echo(text("archive.exported", {"journal": journal, "entries": entries, "path": str(out)}))
