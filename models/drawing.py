"""Draws whole training sets in shards; a broken run goes on where it stopped.

The cache key of drawn pictures is computed from everything that they depend on: the drawing code, all
modules it imports, the data beside them, and the card art.
"""

import hashlib
from modulefinder import ModuleFinder
from multiprocessing import Pool
from pathlib import Path
from typing import Final, NamedTuple

import cv2
import numpy as np

from models.crops import Sample, generate, generate_layouts, generate_rare, joined, pick_deck, training_decks
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


class Draw(NamedTuple):
    """A set to draw: least number of index crops, and `name`.

    train, rare (`generate_rare`), layouts (`generate_layouts`), or, of fonts and decks held out, valid and
    layouts_valid.
    """

    name: str
    crops: int
    seed: int
    art: Path | None


class _Job(NamedTuple):
    seed: int
    art: Path | None
    name: str
    path: Path


def _draw(job: _Job) -> Path:
    cv2.setNumThreads(1)
    if not job.path.exists():
        if job.name == "rare":
            index, body = generate_rare(SHARD, job.seed, job.art)
        elif job.name in {"layouts", "layouts_valid"}:
            index, body = generate_layouts(SHARD, job.seed, held_out=job.name == "layouts_valid")
        else:
            index, body = generate(SHARD, job.seed, job.art, held_out=job.name == "valid")
        part = job.path.with_suffix(".part.npz")
        np.savez(
            part,
            **index._asdict(),
            **{f"body_{name}": column for name, column in body._asdict().items()},
        )
        part.rename(job.path)
    return job.path


def _folder(work: Path, draw: Draw) -> Path:
    parts = f"{draw.name} {draw.seed} {SHARD} {drawing_key(__name__, draw.art)}"
    folder = work / f"{draw.name}-{hashlib.sha256(parts.encode()).hexdigest()[:10]}"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _as_data(sample: Sample) -> Data:
    return Data(sample.crops, white_levels(sample.crops), sample.labels.astype(np.int64), sample.rank_px)


def draw_data(work: Path, draw: Draw, processes: int) -> tuple[Data, Data]:
    """Draw index crops and whole cards; shards below `work` are reused until the drawing code changes."""
    folder = _folder(work, draw)
    count = -(-draw.crops // SHARD)
    jobs = [_Job(draw.seed + n, draw.art, draw.name, folder / f"{n:04d}.npz") for n in range(count)]
    shape = (count * SHARD, *INDEX_CROP, 3)
    crops = np.lib.format.open_memmap(folder / "crops.npy", "w+", np.uint8, shape)
    labels, white = np.empty((len(crops), 3), np.int64), np.empty((len(crops), 3), np.float32)
    rank_px = np.empty(len(crops), np.float32)
    bodies: list[Sample] = []
    with Pool(processes) as pool:
        for number, path in enumerate(pool.imap(_draw, jobs)):
            span = slice(number * SHARD, (number + 1) * SHARD)
            with np.load(path) as shard:
                crops[span], labels[span], rank_px[span] = (shard[name] for name in Sample._fields)
                bodies.append(Sample(*(shard[f"body_{name}"] for name in Sample._fields)))
            white[span] = white_levels(crops[span])
    return Data(crops, white, labels, rank_px), _as_data(joined(bodies))


HEAT_MAP_SHARD: Final = 500
"""Examples of one file."""

_DEALT_SHARE: Final = 0.14
"""Share of scenes that are full tables, which give four tiles each."""


def _heat_map_shard(seed: int, folders: list[Path], held_out: bool) -> Example:
    """SHARD examples, stacked."""
    examples: list[Example] = []
    scene = 0
    while len(examples) < HEAT_MAP_SHARD:
        rng = np.random.default_rng((seed, scene))
        deck = pick_deck(rng, folders, held_out)
        examples += dealt_examples(rng, deck) if rng.random() < _DEALT_SHARE else thrown_examples(rng, deck)
        scene += 1
    return Example(*(np.stack(layers[:HEAT_MAP_SHARD]) for layers in zip(*examples, strict=True)))


def draw_examples(work: Path, name: str, count: int, seed: int, art: Path | None) -> Example:
    """Return at least `count` examples, stacked; shards below `work` are reused until the code changes.

    `name` is train, or valid for decks and fonts left out of training.
    """
    held_out = name == "valid"
    request = f"{name} {seed} {HEAT_MAP_SHARD} {drawing_key(__name__, art)}"
    key = hashlib.sha256(request.encode()).hexdigest()[:10]
    folder = work / f"survey-{name}-{key}"
    folder.mkdir(parents=True, exist_ok=True)
    folders, parts = training_decks(art, held_out), []
    for number in range(-(-count // HEAT_MAP_SHARD)):
        path = folder / f"{number:04d}.npz"
        if not path.exists():
            part = path.with_suffix(".part.npz")
            np.savez_compressed(part, **_heat_map_shard(seed + number, folders, held_out)._asdict())
            part.rename(path)
        with np.load(path) as shard:
            parts.append(Example(*(shard[layer] for layer in Example._fields)))
    return Example(*(np.concatenate(layers) for layers in zip(*parts, strict=True)))
