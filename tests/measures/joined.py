"""`python -m tests.measures.joined`: drawn tables of decks left out, looked at by a resting camera.

What single pictures tell, what is told with time joined, and what of it is wrong, by the height of the index.
"""

import json
from collections import Counter
from pathlib import Path
from typing import Annotated, Final

import cv2
import numpy as np
import typer

from benchmarks.reader_stress_reads import judged, readable, shoot
from models.crops import training_decks
from models.stress_scenes import SEED, Shot
from vision.geometry import Image
from vision.reader import CardReader
from vision.reading import Reading
from vision.sequence import SequenceReader

FRAMES: Final = 10
"""Pictures of a table: 0.4 s."""

FPS: Final = 25.0
SHAKE_PX: Final = 0.7
"""The camera shakes by at most so much, to either side."""

NOISE: Final = (1.0, 6.0)
JPEG: Final = (60, 95)
"""Deviation of the sensor's noise in grey levels, and quality of the compression, one for each table."""


def frames(shot: Shot, rng: np.random.Generator, count: int = FRAMES) -> list[Image]:
    """Pictures of one table: its fault stays, noise and shake are those of each picture."""
    sigma, quality = float(rng.uniform(*NOISE)), int(rng.integers(*JPEG))
    taken = []
    for _ in range(count):
        across, down = rng.uniform(-SHAKE_PX, SHAKE_PX, 2)
        matrix = np.array([[1, 0, across], [0, 1, down]])
        size = shot.picture.frame.shape[1::-1]
        moved = cv2.warpAffine(shot.picture.frame, matrix, size, borderMode=cv2.BORDER_REPLICATE)
        noisy = np.clip(moved + rng.normal(0, sigma, moved.shape), 0, 255).astype(np.uint8)
        packed = cv2.imencode(".jpg", noisy, [cv2.IMWRITE_JPEG_QUALITY, quality])[1]
        taken.append(np.asarray(cv2.imdecode(packed, cv2.IMREAD_COLOR)))
    return taken


def count(shot: Shot, reading: Reading, name: str, cells: dict[str, Counter[str]]) -> list[str]:
    """Adds what a reading tells, by band; returns what was wrong."""
    bands, errors = readable(shot), []
    for card, found in judged(reading, shot):
        cells.setdefault(found.band, Counter()).update([f"{name} {found.verdict}"])
        if found.verdict == "right" and found.card is not None:
            cells[found.band][f"{name} covered"] += found.card in bands
        elif found.verdict != "right":
            errors.append(f"{name}: {found.verdict}, {card.rank}{card.suit}, is {found.truth}, {card.at}")
    return errors


def main(
    tables: Annotated[int, typer.Option(help="Tables of thrown cards.")] = 100,
    first: Annotated[int, typer.Option(help="Number of the first one.")] = 0,
    kind: Annotated[str, typer.Option(help="thrown or dealt.")] = "thrown",
    art: Annotated[Path, typer.Option(help="Folder of card art.")] = Path("../shared/cards/decks"),
) -> None:
    """Prints counts by index height as JSON, and each silent error."""
    reader, cells = CardReader.open(), dict[str, Counter[str]]()
    folders = training_decks(art, held_out=True)
    for number in range(first, first + tables):
        _, shot = shoot(number, folders, kind)
        for band in readable(shot).values():
            cells.setdefault(band, Counter()).update(["readable"])
        pictures = frames(shot, np.random.default_rng((SEED, number)))
        sequence = SequenceReader(reader, FPS)
        joined = [sequence.read(picture) for picture in pictures][-1]
        for name, reading in (("single", reader.read(pictures[-1], thorough=True)), ("joined", joined)):
            for error in count(shot, reading, name, cells):
                typer.echo(f"{number} {error}")
    typer.echo(json.dumps({band: dict(sorted(counts.items())) for band, counts in cells.items()}, indent=1))


if __name__ == "__main__":
    typer.run(main)
