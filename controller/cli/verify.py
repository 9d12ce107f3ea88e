"""`stand17 verify`: check a journal's chain and derive every settlement again."""

import json
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import Progress, TextColumn, TimeElapsedColumn

from controller.domain.errors import JournalError
from controller.i18n import text
from controller.journal.verify import VerifyReport, verify
from controller.runtime.unread import set_aside_in
from controller.runtime.verify_results import ResultVerifier

EVERY = 500
"""Entries between two signs of progress."""


def verify_journal(
    file: Annotated[Path, typer.Argument(help="The journal file.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Check a journal: the chain, the end, and every settlement derived again.

    Exit status 0 when all of it fits, 1 when an entry does not, 2 when the file is no readable journal.
    """
    try:
        verifier = ResultVerifier(set_aside_in(file))
        report = _walked(file, verifier, quiet=as_json)
    except JournalError as error:
        _print_error(error, as_json)
        raise typer.Exit(2) from error
    if as_json:
        typer.echo(json.dumps(_as_json(report, verifier)))
    else:
        _print_report(report, verifier)
    raise typer.Exit(0 if report.ok else 1)


def _walked(file: Path, verifier: ResultVerifier, *, quiet: bool) -> VerifyReport:
    console = Console(stderr=True, quiet=quiet)
    columns = (TextColumn("{task.description}"), TextColumn("{task.completed}"), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        bar = progress.add_task(text("verify.walking", {"file": file.name}), total=None)

        def advance(seq: int) -> None:
            if seq % EVERY == 0:
                progress.update(bar, completed=seq)

        return verify(file, verifier, advance)


def _as_json(report: VerifyReport, verifier: ResultVerifier) -> dict[str, Any]:
    misfit = None if report.misfit is None else report.misfit._asdict()
    return {
        "type": "verify",
        "file": report.path,
        "ok": report.ok,
        "entries": report.entries,
        "rounds": verifier.settled,
        "head": {"seq": report.head.seq, "hash": report.head.hash.hex()},
        "misfit": misfit,
        "sound": report.sound,
        "vouched": report.vouched,
        "set_aside": [one._asdict() for one in verifier.aside],
    }


def _print_report(report: VerifyReport, verifier: ResultVerifier) -> None:
    counted: dict[str, str | int] = {
        "file": report.path,
        "entries": report.entries,
        "rounds": verifier.settled,
    }
    typer.echo(text("verify.counted", counted))
    typer.echo(text("verify.head", {"seq": report.head.seq, "hash": report.head.hash.hex()}))
    if report.misfit is not None:
        reason = text(f"misfit.{report.misfit.code}")
        typer.echo(text("verify.misfit", {"seq": report.misfit.seq, "reason": reason}))
    for one in verifier.aside:
        typer.echo(text("verify.set_aside", {"seq": one.first, "last": one.last, "by": one.by}))
    if not report.sound:
        typer.echo(text("verify.unsound"))
    if not report.vouched:
        typer.echo(text("verify.unvouched"))
    if report.ok:
        typer.echo(text("verify.ok"))


def _print_error(error: JournalError, as_json: bool) -> None:
    message = text(f"error.{error.code}", error.params)
    if as_json:
        typer.echo(json.dumps({"type": "verify", "ok": False, "code": error.code, "message": message}))
    else:
        typer.echo(message, err=True)
