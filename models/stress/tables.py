"""Full drawn tables, read by the whole reader: cards, hands, silent errors, one fault a table."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np

from models.measure.judged_hands import judge_hands
from models.stress.crops import READABLE
from models.stress.faults import FAULTS, cover
from models.stress.scenes import (
    LEAN_DEG,
    SEED,
    STRONG_LEAN_DEG,
    Shot,
    band_of,
    dealt_table,
    held_out_deck,
    index_px_of,
    leaning,
    middle_of,
    take,
    thrown_scene,
)
from vision.reader import CardReader
from vision.reading import ReadCard, Reading
from vision.synth import IndexTruth, Scene, index_truths

SHOWN: Final = 0.25
"""Least visible share of a rank that a read can be put down to."""

TABLES_A_DECK: Final = 5
"""Tables dealt from one deck: drawing a deck takes longer than drawing a table."""

FIRST: Final = {"dealt": 10_000_000, "thrown": 20_000_000}
"""Where the numbers of each kind of table begin, apart from those of the crops."""


class Wrong(NamedTuple):
    """A silent error: where to see it again."""

    table: int
    fault: str
    verdict: str
    read: str
    truth: str
    at: tuple[float, float]


def shoot(number: int, folders: list[Path], kind: str) -> tuple[str, Shot]:
    """The table of a number, and its fault."""
    number += FIRST[kind]
    rng = np.random.default_rng((SEED, number))
    fault = list(FAULTS)[number % len(FAULTS)]
    scene, hands = _laid(rng, number, folders, kind)
    if fault == "tilt":
        scene = leaning(scene, rng, LEAN_DEG, STRONG_LEAN_DEG)
    shot = take(scene, hands)
    if fault == "fingers":
        spots = [middle_of(truth) for truth in shot.truths if rng.random() < 0.2]
        picture = cover(shot.picture, rng, spots, shot.index_px * 0.6)
        shot = shot._replace(picture=picture, truths=index_truths(scene, picture))
    frame = FAULTS[fault](shot.picture.frame, rng, shot.index_px)
    return fault, shot._replace(picture=shot.picture._replace(frame=frame))


def _laid(
    rng: np.random.Generator, number: int, folders: list[Path], kind: str
) -> tuple[Scene, tuple[tuple[int, ...], ...]]:
    if kind == "thrown":
        return thrown_scene(rng, folders), ()
    deck = held_out_deck(np.random.default_rng((SEED, FIRST[kind], number // TABLES_A_DECK)), folders)
    return dealt_table(rng, deck)


class Verdict(NamedTuple):
    """The result of one read card: `right`, `wrong` or `twice`; the band of its index; the true card."""

    verdict: str
    band: str
    truth: str
    card: int | None


def judge(card: ReadCard, shot: Shot, seen: set[int]) -> Verdict:
    """Compare a read card with the true one; `seen` contains the cards read before."""
    if card.face == "down":
        x, y = (int(value) for value in card.at)
        inside = 0 <= x < shot.scene.width and 0 <= y < shot.scene.height
        owner = int(shot.picture.owner[y, x]) if inside else -1
        face = shot.scene.cards[owner].face if owner >= 0 else "felt"
        return Verdict("right" if face == "down" else "wrong", "backs", face, None)
    nearest, off = _nearest(card, shot)
    if nearest is None:
        return Verdict("wrong", "nothing there", "none", None)
    placed, height = shot.scene.cards[nearest.card], index_px_of(nearest)
    truth = f"{placed.rank}{placed.suit}" if off <= height / 2 else "none"
    if truth != f"{card.rank}{card.suit or placed.suit}":
        return Verdict("wrong", band_of(height), truth, nearest.card)
    return Verdict("twice" if nearest.card in seen else "right", band_of(height), truth, nearest.card)


def judged(reading: Reading, shot: Shot) -> Iterator[tuple[ReadCard, Verdict]]:
    """Yield each read card with its verdict; a second right read of a card is `twice`."""
    seen: set[int] = set()
    for card in reading.cards:
        found = judge(card, shot, seen)
        yield card, found
        if found.verdict == "right" and found.card is not None:
            seen.add(found.card)


def _nearest(card: ReadCard, shot: Shot) -> tuple[IndexTruth | None, float]:
    shown = [truth for truth in shot.truths if truth.rank_visible > SHOWN]
    if not shown:
        return None, np.inf
    apart = np.hypot(*(np.array([middle_of(truth) for truth in shown]) - card.at).T)
    return shown[int(apart.argmin())], float(apart.min())


def readable(shot: Shot) -> dict[int, str]:
    """Cards with an index in full view, and the band of their largest one."""
    best: dict[int, float] = {}
    for truth in shot.truths:
        if truth.rank_visible >= READABLE[0] and truth.pip_visible >= READABLE[1]:
            best[truth.card] = max(best.get(truth.card, 0.0), index_px_of(truth))
    return {card: band_of(height) for card, height in best.items()}


class TableCounts:
    """Counts of a shard, as plain values: `cells` by (kind, fault, band)."""

    def __init__(self) -> None:
        """Empty."""
        self.cells: dict[str, Counter[str]] = {}
        self.tables: dict[str, Counter[str]] = {}
        self.errors: list[Wrong] = []

    def add(self, kind: str, fault: str, shot: Shot, reading: Reading, number: int) -> None:
        """Counts one table."""
        cells = {card: self._cell(kind, fault, band) for card, band in readable(shot).items()}
        for cell in cells.values():
            cell["readable"] += 1
        for card, found in judged(reading, shot):
            own = cells.get(found.card) if found.card is not None else None
            (own if own is not None else self._cell(kind, fault, found.band))[found.verdict] += 1
            if found.verdict == "right" and own is not None:
                own["covered"] += 1
            elif found.verdict != "right":
                read = "back" if card.face == "down" else f"{card.rank}{card.suit or ''}"
                at = (round(card.at[0], 1), round(card.at[1], 1))
                self.errors.append(Wrong(number, fault, found.verdict, read, found.truth, at))
        faces = sum(card.face == "up" for card in shot.scene.cards)
        counts = self.tables.setdefault(f"{kind}|{fault}", Counter())
        counts.update(tables=1, cards=faces, unclear=len(reading.unclear))
        counts.update(judge_hands(reading, shot.hands))

    def _cell(self, kind: str, fault: str, band: str) -> Counter[str]:
        return self.cells.setdefault(f"{kind}|{fault}|{band}", Counter())

    def plain(self) -> dict[str, Any]:
        """Return the counts as JSON data."""
        return {
            "cells": {key: dict(counts) for key, counts in sorted(self.cells.items())},
            "tables": {key: dict(counts) for key, counts in sorted(self.tables.items())},
            "errors": [wrong._asdict() for wrong in self.errors],
        }


def run_table(number: int, folders: list[Path], kind: str, reader: CardReader, tally: TableCounts) -> None:
    """Draws, reads and counts one table."""
    fault, shot = shoot(number, folders, kind)
    tally.add(kind, fault, shot, reader.read(shot.picture.frame, thorough=True), FIRST[kind] + number)
