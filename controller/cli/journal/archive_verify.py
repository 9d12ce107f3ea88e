"""`stand17 archive verify`: that an archive is whole, day by day, and the same as other keepers have."""

from collections.abc import Iterator, Sequence
from contextlib import closing
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from controller.cli.json_words import print_answer
from controller.cli.options import AsJson
from controller.cli.output import echo
from controller.domain import JournalError
from controller.i18n import text

if TYPE_CHECKING:
    from controller.floor.days import ArchivedDay


AUDITOR = "stand17_auditor"

Fault = tuple[str, JournalError]
"""The name of a journal, and what is wrong with it."""


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
    from controller.floor.days import GAPS, days_of

    paths = journals_in(archive)
    (days, unread), findings = days_of(archive), tuple(findings_in(archive))
    readable = [path for path in paths if path.name not in unread]
    alone = (*unread.items(), *_alone(readable))
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
        echo(f"{name}: {text(f'error.{error.code}', error.params)}", err=True)
    print_gaps(days)


def _alone(paths: Sequence[Path]) -> Iterator[Fault]:
    from controller.floor.days import faults_of

    for path in paths:
        yield from ((path.name, error) for error in faults_of(path))


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
