"""`stand17 report`: what a table did in a shift, for the house and its regulator."""

from pathlib import Path
from typing import Annotated, Final

import typer

from controller.cli.options import AsJson, Force
from controller.cli.tongue import terminal_tongue
from controller.domain.errors import ConfigError
from controller.journal.table_key import TableKey
from controller.outputs import Outputs
from controller.replay.report.files import Form, signed_report, written
from controller.replay.report.words import text_lines

FORMS: Final[dict[str, Form]] = {".json": "json", ".csv": "csv", ".pdf": "pdf"}


def report(
    files: Annotated[list[Path], typer.Argument(help="Journals; recordings and feeds, which have no head.")],
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
    """
    if out is not None and out.suffix not in FORMS:
        raise ConfigError("REPORT_NAME", path=str(out))
    outputs = Outputs((*files, *(() if key is None else (key,))), force)
    outputs.require_free(out)
    private = None if key is None else TableKey.load(key)
    reports = [signed_report(file, private, at_table=at_table) for file in files]
    if out is not None:
        outputs.write(out, written(FORMS[out.suffix], reports, terminal_tongue()))
    if as_json:
        typer.echo(written("json", reports, "en"), nl=False)
    elif out is None:
        for one in reports:
            typer.echo("\n".join(text_lines(one, terminal_tongue())))
