"""Draws whole training sets in shards, on several processes; a broken run goes on where it stopped."""

import hashlib
from multiprocessing import Pool
from pathlib import Path
from typing import Final, NamedTuple

import cv2
import numpy as np

from models.data import generate, generate_rare
from models.sample import Sample
from vision.classifier import INDEX_CROP
from vision.geometry import Image
from vision.inference import white_levels

SHARD: Final = 4000
"""Index crops in one shard."""


class Data(NamedTuple):
    """Crops (n x height x width x 3), the brightness of their paper (n x 3) and their labels (n x 3)."""

    crops: Image
    white: Image
    labels: Image


class Draw(NamedTuple):
    """A set to draw: least number of index crops, and `name`.

    train, rare (`generate_rare`), or valid (fonts and decks held out).
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
        else:
            index, body = generate(SHARD, job.seed, job.art, held_out=job.name == "valid")
        part = job.path.with_suffix(".part.npz")
        np.savez(part, crops=index.crops, labels=index.labels, bodies=body.crops, body_labels=body.labels)
        part.rename(job.path)
    return job.path


def _folder(work: Path, draw: Draw) -> Path:
    parts = f"{draw.name} {draw.seed} {draw.art is not None} {SHARD} {INDEX_CROP.height_px}"
    folder = work / f"{draw.name}-{hashlib.sha256(parts.encode()).hexdigest()[:10]}"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _as_data(sample: Sample) -> Data:
    return Data(sample.crops, white_levels(sample.crops), sample.labels.astype(np.int64))


def draw_data(work: Path, draw: Draw, processes: int) -> tuple[Data, Data]:
    """Index crops and card bodies; finished shards below `work` are kept and used again."""
    folder = _folder(work, draw)
    count = -(-draw.crops // SHARD)
    jobs = [_Job(draw.seed + n, draw.art, draw.name, folder / f"{n:04d}.npz") for n in range(count)]
    shape = (count * SHARD, *INDEX_CROP, 3)
    crops = np.lib.format.open_memmap(folder / "crops.npy", "w+", np.uint8, shape)
    labels, white = np.empty((len(crops), 3), np.int64), np.empty((len(crops), 3), np.float32)
    bodies: list[Sample] = []
    with Pool(processes) as pool:
        for number, path in enumerate(pool.imap(_draw, jobs)):
            span = slice(number * SHARD, (number + 1) * SHARD)
            with np.load(path) as shard:
                crops[span], labels[span] = shard["crops"], shard["labels"]
                bodies.append(Sample(shard["bodies"], shard["body_labels"]))
            white[span] = white_levels(crops[span])
    return Data(crops, white, labels), _as_data(Sample(*map(np.concatenate, zip(*bodies, strict=True))))
