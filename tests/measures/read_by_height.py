"""`python -m tests.measures.read_by_height`: the share of cards that one picture tells, by the rank's height.

Drawn tables of decks and fonts left out of training, each with one fault of a camera or of light. A card
counts when one of its indices is in full view, and is told when its rank is, with or without its suit.
"""

import json
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Final

import numpy as np
import typer

from benchmarks.reader_stress_reads import judged, readable, shoot
from models.crops import training_decks
from models.stress_scenes import Shot
from vision.reader import CardReader

FROM_PX: Final = (0, 6, 8, 10, 12, 14, 16, 20, 24, 32, 1000)
FIRST: Final = 2_000_000
"""The number of the first table: the stress runs and the scores of ranks have lower ones."""


def rank_px_of(shot: Shot, card: int) -> float:
    """The height of a card's rank alone, in pixels before the camera's tilt."""
    placed = shot.scene.cards[card]
    index = placed.art.indices[0]
    return float((index.rank_foot[1] - index.top[1]) * placed.height / placed.art.image.shape[0])


def counted(tables: int, folders: list[Path]) -> tuple[Counter[int], Counter[int]]:
    """Cards in view, and those of them that are told rightly, by the number of their band."""
    reader = CardReader.open()
    shown: Counter[int] = Counter()
    told: Counter[int] = Counter()
    for number in range(FIRST, FIRST + tables):
        _, shot = shoot(number, folders, "dealt")
        bands = {card: _band(rank_px_of(shot, card)) for card in readable(shot)}
        verdicts = (found for _, found in judged(reader.read(shot.picture.frame), shot))
        right = {found.card for found in verdicts if found.verdict == "right"}
        shown.update(bands.values())
        told.update(band for card, band in bands.items() if card in right)
    return shown, told


def _band(rank_px: float) -> int:
    return int(np.digitize(rank_px, FROM_PX)) - 1


def main(
    tables: Annotated[int, typer.Option(help="Drawn tables.")] = 200,
    art: Annotated[Path, typer.Option(help="Folder of card art.")] = Path("../shared/cards/decks"),
) -> None:
    """Prints the counts as JSON, a band of `rank_px` a row."""
    shown, told = counted(tables, training_decks(art, held_out=True))
    rows = [
        {"from": low, "to": high, "shown": shown[band], "told": told[band]}
        for band, (low, high) in enumerate(pairwise(FROM_PX))
    ]
    typer.echo(json.dumps([{**row, "share": _share(row)} for row in rows], indent=1))


def _share(row: dict[str, int]) -> float | None:
    return round(row["told"] / row["shown"], 3) if row["shown"] else None


if __name__ == "__main__":
    typer.run(main)
