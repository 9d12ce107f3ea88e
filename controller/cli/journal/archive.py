"""`stand17 archive`: the journals of many tables, brought forward from folders and checked."""

import time
from collections.abc import Mapping
from itertools import chain
from pathlib import Path
from typing import Annotated, Final, NamedTuple

import typer

from controller.cli.journal.archive_run import run_with
from controller.cli.json_words import print_answer
from controller.cli.options import AsJson
from controller.domain.errors import JournalError
from controller.floor.journal_archive import Archive, Brought, findings_in, journals_in
from controller.floor.sources import files_in
from controller.i18n import text
from controller.journal.day_before import follows_of, is_kept
from controller.journal.signed_heads import SignedHead, heads_beside
from controller.journal.store import JournalReader
from controller.ports import SystemClock

EVERY_S: Final = 2.0


class ArchivedRow(NamedTuple):
    """An archived journal: its entries, the last one that the table's `key` has signed; "" where none is.

    `follows` is the file of the journal that it goes on from, "" for none; `missing` where that is not here.
    """

    journal: str
    table: str
    entries: int
    signed: int
    key: str
    follows: str
    missing: bool


app = typer.Typer(no_args_is_help=True, help="Keep the journals of many tables in one place.")


_told: dict[str, JournalError | None] = {}
app.command("run")(run_with(lambda one, as_json: _report(one, _told, as_json=as_json)))


@app.command("follow")
def follow(
    folders: Annotated[list[Path], typer.Argument(help="Folders to which copies of journals come.")],
    *,
    into: Annotated[Path, typer.Option(help="The archive, a folder of its own.")],
    once: Annotated[bool, typer.Option("--once", help="Take what is there now, and end.")] = False,
    every: Annotated[float, typer.Option(min=0.1, help="Seconds between two looks.")] = EVERY_S,
    as_json: AsJson = False,
) -> None:
    """Take what the copies of journals have new, check each entry, keep it for good.

    Tables write the copies themselves (`journal.copy_folder`); rsync or whatever the house has brings them.
    What contradicts the archive is a finding: nothing is replaced, and that file is not read again.
    Exit status with --once: 0 when all of it fits, 1 when something does not.
    """
    with Archive(into, SystemClock()) as archive:
        reported: dict[str, JournalError | None] = {}
        while True:
            brought = [archive.bring(path) for path in files_in(folders)]
            for one in brought:
                _report(one, reported, as_json=as_json)
            if once:
                raise typer.Exit(1 if any(one.error is not None for one in brought) else 0)
            time.sleep(every)


@app.command("status")
def status(archive: Annotated[Path, typer.Argument(help="The archive.")], *, as_json: AsJson = False) -> None:
    """List the archived journals, how far each goes and is signed, and what did not fit.

    A journal that goes on from one that is not here shows that a day is missing. Exit status 1 where
    something did not fit or is missing.
    """
    paths = journals_in(archive)
    heads = {path: tuple(heads_beside(path)) for path in paths}
    rows = tuple(_row(path, heads) for path in paths)
    found = tuple(findings_in(archive))
    if as_json:
        journals, findings = [row._asdict() for row in rows], [one._asdict() for one in found]
        print_answer("archive", archive=str(archive), journals=journals, findings=findings)
    else:
        for row in rows:
            typer.echo(text("archive.row", row._asdict()))
            if row.missing:
                typer.echo(text("archive.missing", row._asdict()))
        for one in found:
            typer.echo(_sentence(one.source, one.code, one.params))
    raise typer.Exit(1 if found or any(row.missing for row in rows) else 0)


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


def _row(path: Path, heads: Mapping[Path, tuple[SignedHead | None, ...]]) -> ArchivedRow:
    reader = JournalReader(path)
    try:
        entries, follows = reader.last_seq(), follows_of(reader.of_kind("opened"))
    finally:
        reader.close()
    own = [head for head in heads[path] if head is not None]
    last = max(own, key=lambda head: head.seq, default=None)
    others = chain.from_iterable(known for other, known in heads.items() if other != path)
    return ArchivedRow(
        journal=path.name,
        table="" if last is None else last.table,
        entries=entries,
        signed=0 if last is None else last.seq,
        key="" if last is None else last.key,
        follows="" if follows is None else str(follows.get("journal", "")),
        missing=follows is not None and not is_kept(follows, others),
    )
