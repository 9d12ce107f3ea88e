"""`stand17 key`: a table's public key, with which others check its signatures."""

from pathlib import Path
from typing import Annotated

import typer

from controller.cli.json_words import print_answer
from controller.cli.options import AsJson
from controller.cli.output import echo_lines

app = typer.Typer(add_completion=False, no_args_is_help=True, help="Show the public key of a table.")


@app.callback()
def _key() -> None:
    """Hold the commands together."""


@app.command("show")
def show_key(
    config: Annotated[Path, typer.Argument(help="The table's configuration, a TOML file.")],
    as_pem: Annotated[bool, typer.Option("--pem", help="As a PEM, for other programs.")] = False,
    as_json: AsJson = False,
) -> None:
    """Print the public key of a table, 64 hexadecimal digits. The table makes its key at its first start.

    Keep it away from the table: `stand17 verify JOURNAL --key` takes the digits, or a file that holds them.
    """
    from controller.config import load_config
    from controller.journal.head_file import pem
    from controller.main.signing import public_key_of

    public = public_key_of(load_config(config))
    if as_json:
        print_answer("key", public=public, pem=pem(public))
    else:
        echo_lines((pem(public) if as_pem else public).splitlines())
