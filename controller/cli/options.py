"""Options that several commands have alike."""

from typing import Annotated

import typer

from controller.cli.json_words import OPTION

AsJson = Annotated[bool, typer.Option(OPTION, help="Print one JSON object.")]
"""The option of every command that answers once."""

Force = Annotated[bool, typer.Option("--force", help="Replace a file that is there.")]
"""Of every command that writes a file; see `controller.outputs.Outputs`."""
