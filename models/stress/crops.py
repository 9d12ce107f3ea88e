"""Index crops by the million: drawn indices under every fault, read by the reader's own path.

Each index is offered at its true place in jittered frames, found by the search or not. Inverted and
displaced frames are offered too, and must be refused. Many crops come from one drawn index; both are
counted.
"""

from collections import Counter
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np

from models.measure.path import name_of, offered, score_of
from models.stress.faults import FAULTS, cover
from models.stress.scenes import (
    LEAN_DEG,
    SEED,
    STRONG_LEAN_DEG,
    Shot,
    band_of,
    crowded_scene,
    facing,
    index_px_of,
    leaning,
    middle_of,
    take,
)
from vision.certainty import is_certain
from vision.geometry import Image, IndexPoses, Points
from vision.indices import Index
from vision.networks import Networks
from vision.synth import IndexTruth, index_truths

READABLE: Final = (0.9, 0.85)
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


class Found(NamedTuple):
    """A silent error: where to see it again."""

    scene: int
    fault: str
    read: str
    truth: str
    height: float
    p: float


def _known_of(shot: Shot) -> KnownIndices:
    """Return the indices of a picture that can be offered."""
    truths = [truth for truth in shot.truths if truth.rank_visible > _OFFERED and index_px_of(truth) >= 6]
    return KnownIndices(
        np.array([middle_of(truth) for truth in truths]).reshape(-1, 2),
        np.array([facing(truth) for truth in truths]).reshape(-1, 2),
        np.array([index_px_of(truth) for truth in truths]),
        [_name(shot, truth) for truth in truths],
        [truth.rank_visible >= READABLE[0] and truth.pip_visible >= READABLE[1] for truth in truths],
    )


def _name(shot: Shot, truth: IndexTruth) -> str:
    card = shot.scene.cards[truth.card]
    return f"{card.rank}{card.suit}"


def shaken(known: KnownIndices, rng: np.random.Generator) -> IndexPoses:
    """Frames as a search finds them: a little beside, turned, of another size."""
    count = len(known.index_px)
    turn = rng.normal(0, np.deg2rad(4), count)
    x, y = known.downs.T
    downs = np.stack([x * np.cos(turn) - y * np.sin(turn), x * np.sin(turn) + y * np.cos(turn)], 1)
    shift = rng.normal(0, 0.04, (count, 2)) * known.index_px[:, None]
    return IndexPoses(known.centres + shift, downs, known.index_px * np.exp(rng.normal(0, 0.06, count)))


def beside(frames: IndexPoses, rng: np.random.Generator) -> IndexPoses:
    """The same frames upside down or half a height off: no index stands so."""
    count = len(frames.index_px)
    flip = rng.random(count) < 0.5
    off = np.where(flip, 0.0, rng.choice([-0.55, 0.55], count))[:, None]
    return IndexPoses(
        frames.centres + off * frames.downs * frames.index_px[:, None],
        np.where(flip[:, None], -frames.downs, frames.downs),
        frames.index_px,
    )


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
        self.errors: list[Found] = []
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
            "errors": [found._asdict() for found in self.errors],
        }


def _score_bin(index: Index) -> int:
    """Bin of the acceptance score: -10 log10(1 - p)."""
    return int(np.clip(-10 * np.log10(max(1 - score_of(index), 1e-9)), 0, STEPS))


def _nearest(index: Index, known: KnownIndices) -> tuple[int, float]:
    """Return the nearest known index of the same direction, and its distance in heights; 9 for none."""
    apart = np.hypot(*(known.centres - index.centre).T) / known.index_px
    apart = np.where(known.downs @ index.down > 0.5, apart, 9.0)
    nearest = int(np.argmin(apart))
    return nearest, float(apart[nearest])


def _count_read(tally: CropCounts, known: KnownIndices, index: Index, where: tuple[int, str]) -> None:
    """Counts one place that the reader's path calls an index."""
    nearest, apart = _nearest(index, known)
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
        tally.errors.append(Found(*where, name, truth, round(index.index_px, 1), round(index.p, 5)))


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
        frames = shaken(known, rng)
        for height, readable in zip(known.index_px, known.readable, strict=True):
            tally.cell(where[1], float(height), readable)["offered"] += 1
        for places in (frames, beside(frames, rng)):
            for index in offered(frame, places, networks):
                _count_read(tally, known, index, where)
