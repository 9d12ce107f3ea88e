"""Draws whole training sets in shards; a broken run goes on where it stopped.

The cache key of drawn pictures is computed from everything that they depend on: the drawing code, all
modules it imports, the data beside them, and the card art.
"""

import hashlib
from collections.abc import Callable
from functools import partial
from modulefinder import ModuleFinder
from multiprocessing import Pool
from pathlib import Path
from typing import Final, NamedTuple

import cv2
import numpy as np

from models.crops import Sample, generate, joined, pick_deck, training_decks
from models.heat_map_scenes import Example, dealt_examples, thrown_examples
from vision.geometry import Image, Points
from vision.inference import white_levels
from vision.networks import INDEX_CROP

ROOT: Final = Path(__file__).resolve().parents[1]
_DATA_SUFFIXES: Final = frozenset({".c", ".npz"})
"""Files beside a module that decide a picture as its code does: the search in C, the glyphs of the cards."""


def drawing_sources(module: str) -> list[Path]:
    """Files of this repository that `module` needs, sorted: itself, all that it imports, data beside them."""
    finder = ModuleFinder(path=[str(ROOT)])
    finder.import_hook(module)
    modules = {Path(file) for found in finder.modules.values() if (file := vars(found)["__file__"])}
    data = {path for folder in {one.parent for one in modules} for path in folder.iterdir()}
    return sorted(modules | {path for path in data if path.suffix in _DATA_SUFFIXES})


def drawing_key(module: str, art: Path | None) -> str:
    """Hash of the sources that `module` draws with and of the pictures below `art`.

    OpenCV's and numpy's versions are in it: another one may draw, or give the same seed other random numbers.
    """
    digest = hashlib.sha256(f"{cv2.__version__} {np.__version__}".encode())
    for path in drawing_sources(module):
        digest.update(path.relative_to(ROOT).as_posix().encode() + b"\0" + _file_hash(path))
    pictures = sorted(path for path in art.rglob("*") if path.is_file()) if art is not None else []
    for path in pictures:
        digest.update(path.name.encode() + b"\0" + _file_hash(path))
    return digest.hexdigest()[:12]


def _file_hash(path: Path) -> bytes:
    return hashlib.sha256(path.read_bytes()).digest()


SHARD: Final = 4000
"""Index crops in one shard."""


class Data(NamedTuple):
    """n crops (n x height x width x 3), their paper's brightness (n x 3), labels (n x 3) and `rank_px` (n).

    Labels and `rank_px` as in `Sample`.
    """

    crops: Image
    white: Image
    labels: Image
    rank_px: Points


def _folder(work: Path, prefix: str, request: str, art: Path | None) -> Path:
    """The folder of shards of a request, which another drawing code, or other art, does not share."""
    key = hashlib.sha256(f"{request} {drawing_key(__name__, art)}".encode()).hexdigest()[:10]
    folder = work / f"{prefix}-{key}"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _write_whole(path: Path, draw: Callable[[], dict[str, Image]], save: Callable[..., None]) -> None:
    """Write a shard, whole or not at all, where it is not there yet."""
    if not path.exists():
        part = path.with_suffix(".part.npz")
        save(part, **draw())
        part.rename(path)


def _crops_shard(number: int, folder: Path, name: str, seed: int, art: Path | None) -> Path:
    cv2.setNumThreads(1)

    def draw() -> dict[str, Image]:
        index, body = generate(name, SHARD, seed + number, art)
        return {**index._asdict(), **{f"body_{layer}": column for layer, column in body._asdict().items()}}

    path = folder / f"{number:04d}.npz"
    _write_whole(path, draw, np.savez)
    return path


def draw_data(
    work: Path, name: str, count: int, *, seed: int, art: Path | None, processes: int
) -> tuple[Data, Data]:
    """Draw at least `count` index crops of a set (`generate`), and whole cards.

    Shards below `work` are reused until the drawing code changes.
    """
    folder = _folder(work, name, f"{name} {seed} {SHARD}", art)
    shards = -(-count // SHARD)
    shape = (shards * SHARD, *INDEX_CROP, 3)
    crops = np.lib.format.open_memmap(folder / "crops.npy", "w+", np.uint8, shape)
    labels, white = np.empty((len(crops), 3), np.int64), np.empty((len(crops), 3), np.float32)
    rank_px = np.empty(len(crops), np.float32)
    bodies: list[Sample] = []
    draw = partial(_crops_shard, folder=folder, name=name, seed=seed, art=art)
    with Pool(processes) as pool:
        for number, path in enumerate(pool.imap(draw, range(shards))):
            span = slice(number * SHARD, (number + 1) * SHARD)
            with np.load(path) as shard:
                crops[span], labels[span], rank_px[span] = (shard[layer] for layer in Sample._fields)
                bodies.append(Sample(*(shard[f"body_{layer}"] for layer in Sample._fields)))
            white[span] = white_levels(crops[span])
    body = joined(bodies)
    whole = Data(body.crops, white_levels(body.crops), body.labels.astype(np.int64), body.rank_px)
    return Data(crops, white, labels, rank_px), whole


_HEAT_MAP_SHARD: Final = 500
"""Examples of one file."""

_DEALT_SHARE: Final = 0.14
"""Share of scenes that are full tables, which give four tiles each."""


def draw_examples(work: Path, name: str, count: int, seed: int, art: Path | None) -> Example:
    """Return at least `count` examples, stacked; shards below `work` are reused until the code changes.

    `name` is train, or valid for decks and fonts left out of training.
    """
    held_out = name == "valid"
    folder = _folder(work, f"survey-{name}", f"{name} {seed} {_HEAT_MAP_SHARD}", art)
    folders, parts = training_decks(art, held_out), []
    for number in range(-(-count // _HEAT_MAP_SHARD)):
        path = folder / f"{number:04d}.npz"
        draw = partial(_heat_map_shard, seed + number, folders, held_out)
        _write_whole(path, draw, np.savez_compressed)
        with np.load(path) as shard:
            parts.append(Example(*(shard[layer] for layer in Example._fields)))
    return Example(*(np.concatenate(layers) for layers in zip(*parts, strict=True)))


def _heat_map_shard(seed: int, folders: list[Path], held_out: bool) -> dict[str, Image]:
    """_HEAT_MAP_SHARD examples, stacked, by the name of their layer."""
    examples: list[Example] = []
    scene = 0
    while len(examples) < _HEAT_MAP_SHARD:
        rng = np.random.default_rng((seed, scene))
        deck = pick_deck(rng, folders, held_out)
        examples += dealt_examples(rng, deck) if rng.random() < _DEALT_SHARE else thrown_examples(rng, deck)
        scene += 1
    layers = (np.stack(layers[:_HEAT_MAP_SHARD]) for layers in zip(*examples, strict=True))
    return dict(zip(Example._fields, layers, strict=True))
