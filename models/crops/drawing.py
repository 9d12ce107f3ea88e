"""Draws whole training sets in shards, on several processes; a broken run goes on where it stopped."""

import hashlib
from multiprocessing import Pool
from pathlib import Path
from typing import Final, NamedTuple

import cv2
import numpy as np

from models.crops.data import generate, generate_layouts, generate_rare
from models.crops.drawing_key import drawing_key
from models.crops.sample import Sample, joined
from vision.geometry import Image, Points
from vision.inference import white_levels
from vision.networks import INDEX_CROP

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
