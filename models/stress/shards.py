"""Long runs in shards: each is a file, written whole or not at all, so a killed run goes on where it stopped.

The folder of a run carries a hash of the model and of all code that decides a result: another model or reader
begins anew.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Final, NamedTuple

import cv2

from models.crops.art import deck_folders
from models.measure.path import networks_in_use
from models.stress import crops, tables
from vision.inference import default_models_dir
from vision.networks import Networks
from vision.reader import CardReader

ROOT: Final = Path(__file__).resolve().parents[2]
SOURCES: Final = ("vision/**/*.py", "models/stress/*.py", "models/crops/art.py")

KINDS: Final = ("crops", "dealt", "thrown")
SIZES: Final = {"crops": 5, "dealt": 20, "thrown": 50}
"""Scenes of one shard: about half a minute."""

FULL: Final = {"crops": range(1000, 1520), "dealt": range(1000, 3000), "thrown": range(1000, 3000)}
QUICK: Final = {"crops": range(5), "dealt": range(20), "thrown": range(50)}
"""Scenes of a whole run and of a sample: none in both, since changes are tried out on samples."""


class Job(NamedTuple):
    """One shard: its scenes and the place of its result."""

    kind: str
    first: int
    scenes: int
    art: Path | None
    path: Path


def run_key() -> str:
    """Return the key of everything that a result depends on."""
    digest = hashlib.sha256()
    for folder, pattern in ((default_models_dir(), "*/*.onnx"), *((ROOT, pattern) for pattern in SOURCES)):
        for path in sorted(folder.glob(pattern)):
            digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()[:12]


@cache
def _networks() -> Networks:
    return networks_in_use()


@cache
def _reader() -> CardReader:
    return CardReader.open(threads=1)


def _decks(art: Path | None) -> list[Path]:
    return deck_folders(art, held_out=True) if art is not None and art.is_dir() else []


def _crops(job: Job) -> dict[str, Any]:
    tally, folders = crops.CropCounts(), _decks(job.art)
    for number in range(job.first, job.first + job.scenes):
        crops.run_scene(number, folders, _networks(), tally)
    return {"scenes": job.scenes, **tally.plain()}


def _tables(job: Job) -> dict[str, Any]:
    tally, folders = tables.TableCounts(), _decks(job.art)
    for number in range(job.first, job.first + job.scenes):
        tables.run_table(number, folders, job.kind, _reader(), tally)
    return {"scenes": job.scenes, **tally.plain()}


def run_shard(job: Job) -> Path:
    """Draws, reads and counts one shard, unless that is done already."""
    if not job.path.exists():
        cv2.setNumThreads(1)
        result = _crops(job) if job.kind == "crops" else _tables(job)
        part = job.path.with_suffix(".part")
        part.write_text(json.dumps(result), encoding="utf-8")
        part.rename(job.path)
    return job.path


def jobs_of(work: Path, art: Path | None, scenes: dict[str, range]) -> list[Job]:
    """Return all shards of a run, in a folder of its own below `work`."""
    folder = work / run_key()
    folder.mkdir(parents=True, exist_ok=True)
    jobs = []
    for kind, numbers in scenes.items():
        for first in numbers[:: SIZES[kind]]:
            count = min(SIZES[kind], numbers.stop - first)
            name = f"{kind}-{'art' if _decks(art) else 'drawn'}-{first:06d}-{count}.json"
            jobs.append(Job(kind, first, count, art, folder / name))
    return jobs


def mixed(jobs: list[Job]) -> list[Job]:
    """Interleave the kinds, so that an interrupted run is a smaller run."""
    kinds = [[job for job in jobs if job.kind == kind] for kind in KINDS]
    shares = [(slot / len(kind), job) for kind in kinds for slot, job in enumerate(kind)]
    return [job for _, job in sorted(shares, key=lambda pair: pair[0])]


def run_all(
    jobs: list[Job],
    processes: int,
    tell: Callable[[int, int], None],
    until: Callable[[], bool] = lambda: False,
) -> None:
    """Works through the shards; `tell(done, all)` after each. Stops when `until()` says so, between two."""
    left = [job for job in mixed(jobs) if not job.path.exists()]
    done = len(jobs) - len(left)
    with get_context("spawn").Pool(min(processes, len(left) or 1)) as pool:
        for _ in pool.imap_unordered(run_shard, left):
            done += 1
            tell(done, len(jobs))
            if until():
                return


def _results(jobs: list[Job], kind: str) -> Iterator[dict[str, Any]]:
    for job in jobs:
        if job.kind == kind and job.path.exists():
            yield json.loads(job.path.read_text(encoding="utf-8"))


def merged(jobs: list[Job], kind: str) -> dict[str, Any]:
    """All shards of a kind in one: counts added, lists joined."""
    whole: dict[str, Any] = {}
    for result in _results(jobs, kind):
        _add(whole, result)
    return whole


def _add(whole: dict[str, Any], part: dict[str, Any]) -> None:
    for key, value in part.items():
        if isinstance(value, dict):
            _add(whole.setdefault(key, {}), value)
        elif isinstance(value, int | float):
            whole[key] = whole.get(key, 0) + value
        elif key in {"right", "wrong"}:
            old = whole.get(key, [0] * len(value))
            whole[key] = [one + other for one, other in zip(old, value, strict=True)]
        else:
            whole[key] = [*whole.get(key, []), *value]


def by(cells: dict[str, dict[str, int]], *parts: int) -> dict[str, Counter[str]]:
    """Cells added up by some parts of their key (`a|b|c`), in the order of first sight."""
    sums: dict[str, Counter[str]] = {}
    for key, counts in cells.items():
        words = key.split("|")
        sums.setdefault("|".join(words[part] for part in parts), Counter()).update(counts)
    return sums
