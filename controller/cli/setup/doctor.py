"""`stand17 doctor`: try everything that a table needs; print each fault and its remedy."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer
from rich.table import Table
from rich.text import Text

from controller.cli.json_words import print_object
from controller.cli.options import AsJson
from controller.cli.output import console, echo
from controller.cli.tongue import terminal_tongue
from controller.config import load_config
from controller.i18n import Language, text
from controller.ports import SystemClock

if TYPE_CHECKING:
    from controller.main.doctor import CheckResult

COLOURS: Final = {"fine": "green", "advice": "yellow", "problem": "red"}


def doctor(
    config: Annotated[Path, typer.Argument(help="The table's configuration, a TOML file.")],
    seconds: Annotated[
        float, typer.Option(help="How long to listen to each device, at most; 0: to none.", min=0)
    ] = 3.0,
    language: Annotated[Language | None, typer.Option(help="The terminal's own when left out.")] = None,
    as_json: AsJson = False,
) -> None:
    """Try everything that a table needs before it opens.

    Exit status 0 when nothing keeps the table from opening, 1 when something does, 2 when the configuration
    cannot be read. A table that runs has its port and devices to itself: they are reported as busy then.
    """
    tongue = language or terminal_tongue()
    loaded = load_config(config)
    from controller.main.doctor import examine

    found = examine(loaded, config.parent, SystemClock(), seconds)
    is_ok = all(finding.level != "problem" for finding in found)
    if as_json:
        fields = {"type": "doctor", "ok": is_ok, "findings": [one.as_json(tongue) for one in found]}
        print_object(fields)
    else:
        print_findings(found, tongue)
        echo(text("doctor.ok" if is_ok else "doctor.not_ok", language=tongue))
    raise typer.Exit(0 if is_ok else 1)


def print_findings(found: "list[CheckResult]", tongue: str) -> None:
    """Print the findings of an examination as a table."""
    table = Table()
    for head in ("check", "level", "subject", "what"):
        table.add_column(text(f"doctor.{head}", language=tongue), overflow="fold")
    for one in found:
        level = text(f"doctor.level.{one.level}", language=tongue)
        words = "" if one.key == "doctor.FINE" else one.words(tongue)
        name = text(f"doctor.check.{one.check}", language=tongue)
        table.add_row(name, Text(level, COLOURS[one.level]), one.subject, words)
    console(highlight=False).print(table)
