"""`stand17 tls`: certificates for the page, from a small authority of the house's own."""

from pathlib import Path
from typing import Annotated, Any, Final

import typer

from controller.cli.json_words import print_answer
from controller.cli.options import AsJson, Force
from controller.cli.output import echo
from controller.i18n import text
from controller.main import issue, make_authority
from controller.ports import SystemClock

DAYS: Final = 397
"""What browsers take of a public authority; of a house's own they take more."""

app = typer.Typer(add_completion=False, no_args_is_help=True, help="Make certificates for the page.")
Folder = Annotated[Path, typer.Option(help="Where the authority's files are.")]


@app.command("ca")
def make_ca(
    folder: Folder = Path("tls"),
    name: Annotated[str, typer.Option(help="What tablets call it.")] = "stand17",
    as_json: AsJson = False,
) -> None:
    """Make the house's authority: ca.crt for each tablet, ca.key for the safe."""
    pair = make_authority(folder, name, SystemClock().utc_us())
    answer: dict[str, Any] = {"certificate": str(pair.certificate), "key": str(pair.key)}
    if as_json:
        print_answer("tls_authority", **answer)
    else:
        echo(text("tls.authority", answer))


@app.command("cert")
def make_certificate(
    hosts: Annotated[
        list[str], typer.Argument(help="Names and addresses of the table, as tablets type them.")
    ],
    folder: Folder = Path("tls"),
    days: Annotated[int, typer.Option(min=1, max=3650, help="How long it holds.")] = DAYS,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Make a table's certificate, or renew it with --force: its key stays.

    The section web.tls of the configuration names the two files.
    """
    pair = issue(folder, tuple(hosts), days, SystemClock().utc_us(), renew=force)
    answer: dict[str, Any] = {"certificate": str(pair.certificate), "key": str(pair.key), "days": days}
    if as_json:
        print_answer("tls_certificate", **answer)
    else:
        echo(text("tls.issued", answer))
