"""Commands that keep journals and heads of many tables: archive and witness."""

import asyncio
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from importlib import import_module
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from controller.cli.application import AsJson
from controller.cli.output import echo, error_sentence, print_answer
from controller.domain import JournalError
from controller.i18n import text
from controller.outputs import Outputs
from controller.ports import SystemClock

if TYPE_CHECKING:
    from controller.floor.archive import Archive, Brought
    from controller.floor.days import ArchivedDay
    from controller.floor.heads_witness import Answer
    from controller.floor.postgresql import DatabaseKeeper

EVERY_S: Final = 2.0

_DATABASE: Final = "PostgreSQL: postgresql://HOST/NAME; a password belongs into ~/.pgpass."

app = typer.Typer(no_args_is_help=True, help="Keep the journals of many tables in one place.")


def verify(
    archive: Annotated[Path, typer.Argument(help="The archive.")],
    *,
    against: Annotated[
        list[Path] | None, typer.Option(help="A table's own journal: the archive has to have each row of it.")
    ] = None,
    database: Annotated[str, typer.Option(help="Hold PostgreSQL against it, row for row.")] = "",
    as_json: AsJson = False,
) -> None:
    """Prove that the archive is whole: each chain, each signed head, each day after the one before.

    Lists how far each journal goes and is signed, and all that ever did not fit. Settlements are derived
    again by `stand17 verify ARCHIVE/JOURNAL`. Exit status 1 where something does not fit or is missing.
    """
    from controller.floor.archive import findings_in, journals_in
    from controller.floor.days import GAPS, days_of, faults_of

    paths = journals_in(archive)
    (days, unread), findings = days_of(archive), tuple(findings_in(archive))
    readable = [path for path in paths if path.name not in unread]
    alone = (*unread.items(), *((path.name, error) for path in readable for error in faults_of(path)))
    errors = tuple(chain(alone, _beside(archive, against or ()), _kept(readable, database)))
    if as_json:
        faults = [{"journal": name, "code": one.code, "params": one.params} for name, one in errors]
        rows, found = [day._asdict() for day in days], [one._asdict() for one in findings]
        print_answer("archive", archive=str(archive), journals=rows, findings=found, faults=faults)
    else:
        _print_days(days, errors)
        for one in findings:
            echo(f"{one.source}: {text(f'error.{one.code}', one.params)}")
    whole = not findings and not errors and not any(day.place in GAPS for day in days)
    if whole and not as_json:
        print_whole(days)
    raise typer.Exit(0 if whole else 1)


app.command("verify")(verify)

Server = Annotated[list[str] | None, typer.Option(help="A server of the floor: nats://HOST:4222 or tls://…")]

Network = Annotated[
    Path | None, typer.Option(help="A file with a [floor] section: servers, certificates, user.")
]


def run(
    server: Server = None,
    *,
    into: Annotated[Path, typer.Option(help="The archive, a folder of its own.")],
    database: Annotated[
        str, typer.Option(help="Keep all of it in PostgreSQL, too: postgresql://HOST/NAME.")
    ] = "",
    network: Network = None,
    monitor: Annotated[
        str, typer.Option(help="The server's monitoring address: ask it whether it syncs.")
    ] = "",
    stream_mb: Annotated[int, typer.Option(min=1, help="Room at the server, in megabytes.")] = 1000,
    as_json: AsJson = False,
) -> None:
    """Take the entries that tables send over the floor's network, check each, keep it, and confirm it.

    A table sends unconfirmed entries again: server and archive may be down for days. Ends with Ctrl-C.
    """
    # Not above: archives from folders need no network, and no package for it.
    import_module("controller.main.linked_table").require_extra()
    import_module("controller.main.linked_pit").run_archive(
        server or [],
        into,
        network,
        monitor,
        stream_mb,
        database=database,
        took=BroughtWords(as_json=as_json),
        say=lambda words: echo(words, err=True),
    )


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
    from controller.floor.archive import Archive, read_once
    from controller.floor.postgresql import ARCHIVER, DatabaseJournals, connected, database_entries

    with Archive(archive, SystemClock()) as kept:
        with closing(DatabaseJournals(connected(database, ARCHIVER))) as journals:
            brought = [
                kept.take(Path("database", one.name), read_once(database_entries(journals, one)))
                for one in journals.all().values()
            ]
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


class BroughtWords:
    """Prints the changes of each source since its last line."""

    def __init__(self, *, as_json: bool) -> None:
        """Begin with no line printed."""
        self._as_json = as_json
        self._printed: dict[str, JournalError | None] = {}

    def __call__(self, one: "Brought") -> None:
        """Print new entries each time, and an error once until it changes."""
        error, before = one.error, self._printed.get(one.source)
        is_new = error is not None and str(before) != str(error)
        self._printed[one.source] = error
        if self._as_json:
            if one.entries or is_new:
                print_answer("brought", **one._asdict() | {"error": "" if error is None else error.code})
            return
        if one.entries:
            echo(text("archive.brought", {"journal": one.journal, "entries": one.entries, "end": one.end}))
        if error is not None and is_new:
            echo(error_sentence(error, one.source), err=True)


AUDITOR = "stand17_auditor"

Fault = tuple[str, JournalError]
"""The name of a journal, and what is wrong with it."""


def print_gaps(days: "Sequence[ArchivedDay]") -> None:
    """Name each day that does not follow the one before it."""
    from controller.floor.days import GAPS

    for day in days:
        if day.place in GAPS:
            echo(text(f"archive.{day.place}", day._asdict()), err=True)


def print_whole(days: "Sequence[ArchivedDay]") -> None:
    """Print the number of days without a gap."""
    counts = {"journals": len(days), "tables": len({day.table for day in days})}
    echo(text("archive.whole", counts))


def _print_days(days: "Sequence[ArchivedDay]", errors: Sequence[Fault]) -> None:
    for day in days:
        echo(text("archive.row", day._asdict()))
    for name, error in errors:
        echo(error_sentence(error, name), err=True)
    print_gaps(days)


def _beside(archive: Path, files: Sequence[Path]) -> Iterator[Fault]:
    """Yield the differences of the tables' own files."""
    from controller.floor.postgresql import against_file

    for own in files:
        path = _archived(archive, own)
        if path is None:
            yield str(own), JournalError("ARCHIVE_LACKS", journal=str(own), path=str(archive))
        elif (error := against_file(path, own)) is not None:
            yield path.name, error


def _kept(paths: Sequence[Path], database: str) -> Iterator[Fault]:
    """Yield the differences of the database."""
    from controller.floor.postgresql import DatabaseJournals, against_database, connected

    if not database:
        return
    with closing(DatabaseJournals(connected(database, AUDITOR))) as journals:
        for path in paths:
            if (error := against_database(path, journals)) is not None:
                yield path.name, error


def _archived(archive: Path, own: Path) -> Path | None:
    """The archived journal that begins as this file does."""
    from controller.floor.archive import ID_DIGITS
    from controller.journal.store import JournalReader

    with closing(JournalReader(own)) as reader:
        first = reader.hash_at(1).hex()[:ID_DIGITS]
    return next(iter(archive.glob(f"*-{first}.journal")), None)


def witness(
    folder: Annotated[Path, typer.Argument(help="The witness's own folder: heads, checkpoints, its key.")],
    *,
    of: Annotated[list[str], typer.Option(help="The public key of a table: 64 digits, or a file of them.")],
    look: Annotated[
        list[Path] | None, typer.Option(help="A folder with kept heads: take what is there, and end.")
    ] = None,
    seen: Annotated[
        Path | None,
        typer.Option(help="Where each checkpoint is kept once more, on another disk; else beside FOLDER."),
    ] = None,
    host: Annotated[str, typer.Option(help="The address that tables send their heads to.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Its port.")] = 8027,
) -> None:
    """Take the signed heads of tables, and sign that each continues the earlier ones.

    Tables send them by `signing.keep_url`; with --look they are read from the folders of
    `signing.keep_folder`. The heads name no card. A table that shows a second history is named, and nothing
    is signed for it. `stand17 verify --kept FOLDER/KEY.signed --witness KEY` checks a journal against them.
    A witness whose own log was cut or exchanged does not start.
    Exit status with --look: 0, or 1 when a head was not witnessed.
    """
    from controller.floor.heads_witness import HeadsWitness
    from controller.journal.head_file import public_key
    from controller.main.server import look_into, serve_witness

    keeps = HeadsWitness(folder, [public_key(one) for one in of], SystemClock(), seen)
    echo(text("witness.key", {"key": keeps.public}))
    if look is not None:
        raise typer.Exit(0 if look_into(keeps, look, _tell) else 1)
    asyncio.run(serve_witness(keeps, host, port, _tell, lambda at: echo(text("witness.ready", {"at": at}))))


def _tell(source: str, answer: "Answer") -> None:
    head, named = answer.head, dict[str, str | int]()
    if answer.verdict == "witnessed":
        return
    if head is not None:
        named = {"table": head.table, "journal": head.journal, "number": head.number}
    echo(f"{source}: {text(f'witness.{answer.verdict}', named)}", err=True)
