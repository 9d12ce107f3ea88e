"""`stand17 guests`: take a name out of a file of rated guests that an earlier version wrote."""

from pathlib import Path
from typing import Annotated, Final

import typer

from controller.cli.json_words import print_answer
from controller.cli.options import AsJson
from controller.people.guests import erase_guest

app: Final = typer.Typer(no_args_is_help=True, help="Erase a name from a file of rated guests.")


@app.callback()
def _guests() -> None:
    """Hold the commands together."""


@app.command("erase")
def erase(
    file: Annotated[Path, typer.Argument(help="The file of names.")],
    guest: Annotated[str, typer.Argument(help="The pseudonym.")],
    *,
    as_json: AsJson = False,
) -> None:
    """Forget the person behind a pseudonym. Journals hold pseudonyms alone, and stay as they are."""
    erase_guest(file, guest)
    if as_json:
        print_answer("guest", guest=guest)
