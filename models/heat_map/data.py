"""Draws the heat map network's examples into shards; a broken run goes on where it stopped."""

import hashlib
from pathlib import Path
from typing import Final

import numpy as np

from models.crops.data import pick_deck, training_decks
from models.crops.drawing_key import drawing_key
from models.heat_map.scenes import Example, dealt_examples, thrown_examples

SHARD: Final = 500
"""Examples of one file."""

_DEALT_SHARE: Final = 0.14
"""Share of scenes that are full tables, which give four tiles each."""


def _shard(seed: int, folders: list[Path], held_out: bool) -> Example:
    """SHARD examples, stacked."""
    examples: list[Example] = []
    scene = 0
    while len(examples) < SHARD:
        rng = np.random.default_rng((seed, scene))
        deck = pick_deck(rng, folders, held_out)
        examples += dealt_examples(rng, deck) if rng.random() < _DEALT_SHARE else thrown_examples(rng, deck)
        scene += 1
    return Example(*(np.stack(layers[:SHARD]) for layers in zip(*examples, strict=True)))


def draw_examples(work: Path, name: str, count: int, seed: int, art: Path | None) -> Example:
    """Return at least `count` examples, stacked; shards below `work` are reused until the code changes.

    `name` is train, or valid for decks and fonts left out of training.
    """
    held_out = name == "valid"
    request = f"{name} {seed} {SHARD} {drawing_key(__name__, art)}"
    key = hashlib.sha256(request.encode()).hexdigest()[:10]
    folder = work / f"survey-{name}-{key}"
    folder.mkdir(parents=True, exist_ok=True)
    folders, parts = training_decks(art, held_out), []
    for number in range(-(-count // SHARD)):
        path = folder / f"{number:04d}.npz"
        if not path.exists():
            part = path.with_suffix(".part.npz")
            np.savez_compressed(part, **_shard(seed + number, folders, held_out)._asdict())
            part.rename(path)
        with np.load(path) as shard:
            parts.append(Example(*(shard[layer] for layer in Example._fields)))
    return Example(*(np.concatenate(layers) for layers in zip(*parts, strict=True)))
