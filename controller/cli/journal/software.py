"""`stand17 verify --software`: the program's files beside the manifest of their release."""

from pathlib import Path
from typing import NoReturn

import typer

from controller.cli.json_words import print_object
from controller.cli.output import print_error
from controller.domain.errors import JournalError
from controller.i18n import text
from controller.journal.table_key import public_key
from controller.software.check import SoftwareReport, check_software
from controller.software.files import root_of_this_program


def verify_software(key: str, installed: Path | None, *, as_json: bool) -> NoReturn:
    """Check, tell, and end with the exit status.

    `key` is the public key of the release, "" where only the files are to be compared. `installed` is the
    folder that holds the packages of another installation: a program that was tampered with can say anything
    of itself.
    """
    try:
        public = public_key(key) if key else ""
    except JournalError as error:
        print_error(error)
        raise typer.Exit(2) from error
    report = check_software(installed or root_of_this_program(), public, caches=True)
    _print_json(report) if as_json else _print(report)
    if report.state == "unreleased":
        raise typer.Exit(2)
    raise typer.Exit(1 if report.state == "forged" or report.differences else 0)


def _print_json(report: SoftwareReport) -> None:
    told = {
        "type": "software",
        "ok": report.ok,
        "state": report.state,
        "version": report.version,
        "commit": report.commit,
        "sha256": report.digest,
        "differences": [one._asdict() for one in report.differences],
    }
    print_object(told)


def _print(report: SoftwareReport) -> None:
    known = {"version": report.version, "commit": report.commit or "-", "sha256": report.digest}
    typer.echo(text("software.installed", known))
    for one in report.differences:
        typer.echo(text(f"software.{one.kind}", {"path": one.path}))
    typer.echo(text(f"software.{report.state}"))
