"""Reads labelled photographs alone, for work on the reader: `python -m models.evaluate --cards FOLDER`.

`stand17 bench reader` has the same figures and more.
"""

import json
from pathlib import Path
from typing import Annotated

import typer

from models.measure.photographs import PhotographChoice, measure


def main(
    *,
    cards: Annotated[Path, typer.Option(help="Folder with photos/labels.jsonl.")] = Path("../shared/cards"),
    every: Annotated[int, typer.Option(min=1, help="Only every n-th picture of the large sets.")] = 1,
    split: Annotated[str | None, typer.Option(help="Only this split of the large sets.")] = None,
    out: Annotated[Path | None, typer.Option(help="Write everything as JSON, the curves too.")] = None,
) -> None:
    """Prints every silent error as it is found, then one line a source."""
    report = measure(cards, PhotographChoice(every, split), typer.echo)
    if out is not None:
        out.write_text(json.dumps(report), encoding="utf-8")
    for source, figures in report["sources"].items():
        plain = {name: value for name, value in figures.items() if name not in {"curve", "errors"}}
        typer.echo(f"{source}: {json.dumps(plain)}")
    typer.echo(f"int8 against float32: {json.dumps(report['int8'])}")


if __name__ == "__main__":
    typer.run(main)
