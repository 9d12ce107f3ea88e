"""The reads of a stress run: index crops by the million, and full drawn tables.

Each index is offered to the reader's own path at its true place in jittered frames, found by the search or
not. Inverted and displaced frames are offered too, and must be refused. Many crops come from one drawn index;
both are counted. Tables are read by the whole reader: cards, hands, silent errors, one fault a table.
"""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np

from models.crops import misplaced, shaken_poses
from models.judging import judge_hands, name_of, score_of
from models.stress_scenes import (
    FAULTS,
    LEAN_DEG,
    SEED,
    STRONG_LEAN_DEG,
    Shot,
    band_of,
    cover,
    crowded_scene,
    dealt_table,
    facing,
    held_out_deck,
    index_px_of,
    leaning,
    middle_of,
    take,
    thrown_scene,
)
from vision.certainty import is_certain
from vision.geometry import Image, IndexPoses, Points
from vision.indices import Index, read_indices
from vision.networks import Networks
from vision.reader import CardReader
from vision.reading import ReadCard, Reading
from vision.synth import IndexTruth, Scene, index_truths

_READABLE: Final = (0.9, 0.85)
"""Least visible share of rank and pip of an index that could be read."""

_OFFERED: Final = 0.15
"""Indices of which less is visible are not offered."""

SAME_PLACE: Final = 0.45
"""A read belongs to an index nearer than this share of its height."""

_NEAR_PLACE: Final = 0.8
"""So near, a read of the very card in a wrong frame is no error."""

SHAKEN_TIMES: Final = 2
"""Frames in which each index is offered under each fault."""

STEPS: Final = 60
"""Bins of the acceptance score, ten to a decade of 1 - p."""


class KnownIndices(NamedTuple):
    """The offered indices of a picture: place, direction, height, name, whether readable."""

    centres: Points
    downs: Points
    index_px: Points
    names: list[str]
    readable: list[bool]


def _known_of(shot: Shot) -> KnownIndices:
    """Return the indices of a picture that can be offered."""
    truths = [truth for truth in shot.truths if truth.rank_visible > _OFFERED and index_px_of(truth) >= 6]
    return KnownIndices(
        np.array([middle_of(truth) for truth in truths]).reshape(-1, 2),
        np.array([facing(truth) for truth in truths]).reshape(-1, 2),
        np.array([index_px_of(truth) for truth in truths]),
        [_name(shot, truth) for truth in truths],
        [truth.rank_visible >= _READABLE[0] and truth.pip_visible >= _READABLE[1] for truth in truths],
    )


def _name(shot: Shot, truth: IndexTruth) -> str:
    card = shot.scene.cards[truth.card]
    return f"{card.rank}{card.suit}"


def pictures(shot: Shot, number: int) -> list[tuple[str, Shot]]:
    """The scene under every fault; the seeds follow from the scene's number."""
    shots = []
    for slot, (name, fault) in enumerate(FAULTS.items()):
        rng = np.random.default_rng((SEED, number, slot))
        here = shot
        if name == "tilt":
            here = take(leaning(shot.scene, rng, LEAN_DEG, STRONG_LEAN_DEG))
        elif name == "fingers":
            spots = [middle_of(truth) for truth in shot.truths if rng.random() < 0.7]
            picture = cover(shot.picture, rng, spots, shot.index_px * 0.5)
            here = shot._replace(picture=picture, truths=index_truths(shot.scene, picture))
        frame = fault(here.picture.frame, rng, here.index_px)
        shots.append((name, here._replace(picture=here.picture._replace(frame=frame))))
    return shots


class CropCounts:
    """Counts of a shard, as plain values: `cells` by (fault, band, readable or half)."""

    def __init__(self) -> None:
        """Empty."""
        self.cells: dict[str, Counter[str]] = {}
        self.right, self.wrong = np.zeros(STEPS + 1, int), np.zeros(STEPS + 1, int)
        self.errors: list[dict[str, Any]] = []
        """Silent errors, each with where to see it again."""
        self.indices = 0

    def cell(self, fault: str, height: float, readable: bool) -> Counter[str]:
        """The counts of one kind of crop."""
        key = f"{fault}|{band_of(height)}|{'readable' if readable else 'half'}"
        return self.cells.setdefault(key, Counter())

    def plain(self) -> dict[str, Any]:
        """Return the counts as JSON data."""
        return {
            "indices": self.indices,
            "cells": {key: dict(counts) for key, counts in sorted(self.cells.items())},
            "right": self.right.tolist(),
            "wrong": self.wrong.tolist(),
            "errors": self.errors,
        }


def _score_bin(index: Index) -> int:
    """Bin of the acceptance score: -10 log10(1 - p)."""
    return int(np.clip(-10 * np.log10(max(1 - score_of(index), 1e-9)), 0, STEPS))


def _nearest_index(index: Index, known: KnownIndices) -> tuple[int, float]:
    """Return the nearest known index of the same direction, and its distance in heights; 9 for none."""
    apart = np.hypot(*(known.centres - index.centre).T) / known.index_px
    apart = np.where(known.downs @ index.down > 0.5, apart, 9.0)
    nearest = int(np.argmin(apart))
    return nearest, float(apart[nearest])


def _count_read(tally: CropCounts, known: KnownIndices, index: Index, where: tuple[int, str]) -> None:
    """Counts one place that the reader's path calls an index."""
    nearest, apart = _nearest_index(index, known)
    name = name_of(index)
    right = apart < _NEAR_PLACE and known.names[nearest] == name
    cell = tally.cell(
        where[1], float(known.index_px[nearest]), apart < SAME_PLACE and known.readable[nearest]
    )
    if apart < SAME_PLACE:
        (tally.right if right else tally.wrong)[_score_bin(index)] += 1
    if not is_certain(index):
        return
    cell["accepted"] += 1
    if right and apart < SAME_PLACE:
        cell["read"] += 1
    if not right:
        cell["wrong"] += 1
        truth = known.names[nearest] if apart < _NEAR_PLACE else "none"
        found = {"read": name, "truth": truth, "height": round(index.index_px, 1), "p": round(index.p, 5)}
        tally.errors.append({"scene": where[0], "fault": where[1], **found})


def run_scene(number: int, folders: list[Path], networks: Networks, tally: CropCounts) -> None:
    """Draws one scene and counts it under every fault."""
    rng = np.random.default_rng((SEED, number))
    shot = take(crowded_scene(rng, folders))
    tally.indices += len(_known_of(shot).names)
    for fault, here in pictures(shot, number):
        known = _known_of(here)
        if known.names:
            _offer(here.picture.frame, known, networks, tally, (number, fault))


def _offer(
    frame: Image, known: KnownIndices, networks: Networks, tally: CropCounts, where: tuple[int, str]
) -> None:
    rng = np.random.default_rng((SEED, where[0], len(FAULTS), list(FAULTS).index(where[1])))
    for _ in range(SHAKEN_TIMES):
        poses = IndexPoses(known.centres, known.downs, known.index_px)
        frames = shaken_poses(poses, rng, deg=4, shift=0.04, size=0.06)
        for height, readable in zip(known.index_px, known.readable, strict=True):
            tally.cell(where[1], float(height), readable)["offered"] += 1
        for places in (frames, misplaced(frames, rng)):
            for index in read_indices(frame, places, networks)[0]:
                _count_read(tally, known, index, where)


SHOWN: Final = 0.25
"""Least visible share of a rank that a read can be put down to."""

TABLES_A_DECK: Final = 5
"""Tables dealt from one deck: drawing a deck takes longer than drawing a table."""

FIRST: Final = {"dealt": 10_000_000, "thrown": 20_000_000}
"""Where the numbers of each kind of table begin, apart from those of the crops."""


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
        if truth.rank_visible >= _READABLE[0] and truth.pip_visible >= _READABLE[1]:
            best[truth.card] = max(best.get(truth.card, 0.0), index_px_of(truth))
    return {card: band_of(height) for card, height in best.items()}


class TableCounts:
    """Counts of a shard, as plain values: `cells` by (kind, fault, band)."""

    def __init__(self) -> None:
        """Empty."""
        self.cells: dict[str, Counter[str]] = {}
        self.tables: dict[str, Counter[str]] = {}
        self.errors: list[dict[str, Any]] = []
        """Silent errors, each with where to see it again."""

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
                what = {"verdict": found.verdict, "read": read, "truth": found.truth, "at": at}
                self.errors.append({"table": number, "fault": fault, **what})
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
            "errors": self.errors,
        }


def run_table(number: int, folders: list[Path], kind: str, reader: CardReader, tally: TableCounts) -> None:
    """Draws, reads and counts one table."""
    fault, shot = shoot(number, folders, kind)
    tally.add(kind, fault, shot, reader.read(shot.picture.frame, thorough=True), FIRST[kind] + number)
