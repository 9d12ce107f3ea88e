"""`python -m models.stress`: a stress run of any size by itself, for work on the reader."""

import json
from pathlib import Path
from typing import Annotated

import typer

from models.measure.stressed import RunOptions, measure
from models.stress.shards import QUICK


def main(
    *,
    crops: Annotated[int, typer.Option(help="Crowded scenes for index crops.")] = len(QUICK["crops"]),
    dealt: Annotated[int, typer.Option(help="Full tables as dealers lay them.")] = len(QUICK["dealt"]),
    thrown: Annotated[int, typer.Option(help="Pictures of cards thrown over each other.")] = len(
        QUICK["thrown"]
    ),
    art: Annotated[Path, typer.Option(help="Folder of card art.")] = Path("../shared/cards/decks"),
    work: Annotated[Path, typer.Option(help="Where shards are kept.")] = Path("build/bench-reader"),
    jobs: Annotated[int, typer.Option(min=1, help="Processes.")] = 1,
) -> None:
    """Prints sums by index height and by fault as JSON, silent errors last."""
    scenes = {"crops": crops, "dealt": dealt, "thrown": thrown}
    wanted = {kind: range(count) for kind, count in scenes.items() if count}
    report = measure(
        work, art, wanted, RunOptions(jobs, lambda done, total: typer.echo(f"{done}/{total}", err=True))
    )
    report.pop("share")
    for kind, figures in report.items():
        errors = figures.pop("errors")
        typer.echo(f"{kind}: {json.dumps(figures, indent=1)}")
        for error in errors:
            typer.echo(json.dumps(error))


if __name__ == "__main__":
    typer.run(main)
