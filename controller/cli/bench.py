"""`stand17 bench`: everything that this program measures of itself, one sub-command each."""

import json
from pathlib import Path
from typing import Annotated, Final

import typer

from controller.bench.card_reader import reader
from controller.bench.engine import app as benches
from controller.cli.application import AsJson
from controller.cli.output import echo

app: Final = benches
app.command("reader")(reader)


@app.command("live")
def live(
    *,
    cards: Annotated[int, typer.Option(min=20, help="Cards of the shoe.")] = 100,
    rounds: Annotated[int, typer.Option(min=0, help="Deals under the camera.")] = 3,
    commits: Annotated[int, typer.Option(min=20, help="Commits beside bare writes.")] = 300,
    folder: Annotated[Path | None, typer.Option(help="Folder on the disk that is measured.")] = None,
    as_json: AsJson = False,
) -> None:
    """Shoe's last byte to disk; a card at rest under the camera to disk; commits beside bare fdatasync."""
    from controller.bench.live import measured

    echo(json.dumps(measured(cards, rounds, commits, folder), indent=None if as_json else 2))
