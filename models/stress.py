"""Reads random tables of fonts and decks left out of training: `python -m models.stress`.

Every card is known, so silent errors can be counted in numbers that photographs do not give; but drawn faults
are only the faults that we thought of.
"""

from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Final, NamedTuple

import cv2
import numpy as np
import typer
from rich.console import Console
from rich.table import Table

from models.data import pick_deck, training_decks
from models.evaluate import upper_bound
from vision.reader import CardReader
from vision.reading import ReadCard
from vision.synth.random_scene import random_scene, shoot
from vision.synth.scene import IndexTruth, Picture, Scene, index_truths

SEED: Final = 777_000
BANDS: Final = (0, 10, 14, 20, 28, 40, 1000)
"""Heights of the rank in pixels that are reported apart."""

SHOWN: Final = 0.25
"""Least visible share of a rank that a read can be put down to."""

READABLE: Final = (0.9, 0.85)
"""Least visible share of rank and pip for a card that could be read."""


class Shot(NamedTuple):
    """One drawn table, its picture and its indices."""

    scene: Scene
    picture: Picture
    truths: list[IndexTruth]


def _middle(truth: IndexTruth) -> tuple[float, float]:
    return (truth.top[0] + truth.foot[0]) / 2, (truth.top[1] + truth.foot[1]) / 2


def _height(truth: IndexTruth) -> float:
    return float(np.hypot(truth.foot[0] - truth.top[0], truth.foot[1] - truth.top[1]))


def band_of(height: float) -> str:
    """The band of an index's height (rank's top to pip's foot)."""
    for low, high in pairwise(BANDS):
        if low <= height < high:
            return f"{low}-{high}" if high < BANDS[-1] else f"{low}+"
    return "?"


def _verdict(card: ReadCard, shot: Shot, seen: set[int]) -> tuple[str, str]:
    """Band and right, wrong or twice of one read card."""
    if card.face == "down":
        x, y = (int(np.clip(value, 0, shot.scene.width - 1)) for value in card.at)
        owner = int(shot.picture.owner[y, x])
        known = owner >= 0 and shot.scene.cards[owner].face == "down"
        return "backs", "right" if known else "wrong"
    shown = [truth for truth in shot.truths if truth.rank_visible > SHOWN]
    nearest = min(
        shown, key=lambda truth: float(np.hypot(*np.subtract(_middle(truth), card.at))), default=None
    )
    if nearest is None:
        return "?", "wrong"
    placed, height = shot.scene.cards[nearest.card], _height(nearest)
    off = float(np.hypot(*np.subtract(_middle(nearest), card.at)))
    if off > height / 2 or (placed.rank, placed.suit) != (card.rank, card.suit):
        return band_of(height), "wrong"
    twice = nearest.card in seen
    seen.add(nearest.card)
    return band_of(height), "twice" if twice else "right"


def _readable(shot: Shot) -> Counter[str]:
    """Cards with at least one index in full view, by band of their best index."""
    best: dict[int, float] = {}
    for truth in shot.truths:
        if truth.rank_visible > READABLE[0] and truth.pip_visible > READABLE[1]:
            best[truth.card] = max(best.get(truth.card, 0.0), _height(truth))
    return Counter(band_of(height) for height in best.values())


def _shoot(number: int, folders: list[Path], tilt_deg: float) -> Shot:
    rng = np.random.default_rng((SEED, number))
    deck = pick_deck(rng, folders, held_out=True)
    scene = random_scene(rng, deck, tilt_deg=tilt_deg)
    picture = shoot(scene, rng, deck.index_share)
    return Shot(scene, picture, index_truths(scene, picture))


def main(
    tables: Annotated[int, typer.Option(help="Tables to draw.")] = 200,
    first: Annotated[int, typer.Option(help="Number of the first table.")] = 0,
    tilt_deg: Annotated[float, typer.Option(help="Strongest tilt of the camera.")] = 20.0,
    art: Annotated[Path, typer.Option(help="Folder of card art.")] = Path("../shared/cards/decks"),
) -> None:
    """Prints one line a band of index heights."""
    cv2.setNumThreads(1)
    reader, folders = CardReader.open(), training_decks(art, held_out=True)
    counts: dict[str, Counter[str]] = {}
    for number in range(first, first + tables):
        shot = _shoot(number, folders, tilt_deg)
        seen: set[int] = set()
        for card in reader.read(shot.picture.frame).cards:
            band, verdict = _verdict(card, shot, seen)
            counts.setdefault(band, Counter())[verdict] += 1
            if verdict != "right":
                typer.echo(f"table {number}: {verdict}: {card.rank}{card.suit} p={card.p:.4f} at {card.at}")
        for band, cards in _readable(shot).items():
            counts.setdefault(band, Counter())["readable"] += cards
    _print(counts)


def _print(counts: dict[str, Counter[str]]) -> None:
    table = Table("index height px", "readable", "right", "wrong", "twice", "bound 95 %")
    for band, found in sorted(counts.items(), key=lambda pair: pair[0].zfill(8)):
        wrong = found["wrong"] + found["twice"]
        bound = upper_bound(wrong, found["right"] + wrong)
        names = ("readable", "right", "wrong", "twice")
        table.add_row(band, *(str(found[name]) for name in names), f"{bound:.3%}")
    Console().print(table)


if __name__ == "__main__":
    typer.run(main)
