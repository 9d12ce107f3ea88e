"""Drawn stress runs of the reader: fonts and decks that training never saw, every card known.

Silent errors can so be counted in numbers that photographs do not give; but drawn faults are only the faults
that we thought of. A run goes in shards: each is a file, written whole or not at all, so a killed run goes on
where it stopped. The folder of a run carries a hash of the model and of all code that decides a result:
another model or reader begins anew.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterable
from functools import cache
from itertools import pairwise
from multiprocessing import get_context
from pathlib import Path
from time import monotonic
from typing import Any, Final, NamedTuple

import cv2

from benchmarks import reader_stress_reads
from benchmarks.reader_stress_reads import SHAKEN_TIMES, STEPS
from models.decks import deck_folders
from models.figures import upper_bound
from models.stress_scenes import BANDS, FAULTS
from vision.inference import default_models_dir
from vision.networks import Networks
from vision.reader import CardReader

ROOT: Final = Path(__file__).resolve().parents[1]
SOURCES: Final = (
    "vision/**/*.py",
    "benchmarks/reader_stress*.py",
    "models/stress_scenes.py",
    "models/decks.py",
)

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


_networks = cache(lambda: Networks.open(default_models_dir(), 1))
_reader = cache(lambda: CardReader.open(threads=1))


def _decks(art: Path | None) -> list[Path]:
    return deck_folders(art, held_out=True) if art is not None and art.is_dir() else []


def run_shard(job: Job) -> Path:
    """Draws, reads and counts one shard, unless that is done already."""
    if not job.path.exists():
        cv2.setNumThreads(1)
        folders, numbers = _decks(job.art), range(job.first, job.first + job.scenes)
        crops, tables = reader_stress_reads.CropCounts(), reader_stress_reads.TableCounts()
        for number in numbers:
            if job.kind == "crops":
                reader_stress_reads.run_scene(number, folders, _networks(), crops)
            else:
                reader_stress_reads.run_table(number, folders, job.kind, _reader(), tables)
        counts = crops.plain() if job.kind == "crops" else tables.plain()
        part = job.path.with_suffix(".part")
        part.write_text(json.dumps({"scenes": job.scenes, **counts}), encoding="utf-8")
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


def run_all(
    jobs: list[Job],
    processes: int,
    tell: Callable[[int, int], None],
    until: Callable[[], bool] = lambda: False,
) -> None:
    """Works through the shards; `tell(done, all)` after each. Stops when `until()` says so, between two.

    The kinds are interleaved, so that an interrupted run is a smaller run.
    """
    kinds = [[job for job in jobs if job.kind == kind] for kind in KINDS]
    shares = [(slot / len(kind), job) for kind in kinds for slot, job in enumerate(kind)]
    ordered = [job for _, job in sorted(shares, key=lambda pair: pair[0])]
    left = [job for job in ordered if not job.path.exists()]
    done = len(jobs) - len(left)
    with get_context("spawn").Pool(min(processes, len(left) or 1)) as pool:
        for _ in pool.imap_unordered(run_shard, left):
            done += 1
            tell(done, len(jobs))
            if until():
                return


def merged(jobs: list[Job], kind: str) -> dict[str, Any]:
    """All shards of a kind in one: counts added, lists joined."""
    whole: dict[str, Any] = {}
    for job in jobs:
        if job.kind == kind and job.path.exists():
            _add(whole, json.loads(job.path.read_text(encoding="utf-8")))
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


_MILLION: Final = 1_000_000
LEAST: Final = 15
"""Faults are compared on indices of this height and more; below it the reader accepts next to nothing."""

SMALL: Final = frozenset(f"{low}-{high}" for low, high in pairwise(BANDS) if high <= LEAST)


def measure(
    work: Path,
    art: Path | None,
    scenes: dict[str, range],
    *,
    processes: int,
    tell: Callable[[int, int], None],
    seconds: float,
) -> dict[str, Any]:
    """Run missing shards within the time limit, and sum all results; `tell` hears of each shard."""
    jobs = jobs_of(work, art, scenes)
    end = monotonic() + seconds
    run_all(jobs, processes, tell, lambda: monotonic() > end)
    done = sum(job.path.exists() for job in jobs)
    return {"share": done / len(jobs), **{kind: report_of(merged(jobs, kind), kind) for kind in scenes}}


def report_of(whole: dict[str, Any], kind: str) -> dict[str, Any]:
    """The figures of one kind of run."""
    return _crops_report(whole) if kind == "crops" else _tables_report(whole, kind)


def _in_order(names: Iterable[str]) -> list[str]:
    bands = [f"{low}-{high}" if high < BANDS[-1] else f"over {low}" for low, high in pairwise(BANDS)]
    order = [*FAULTS, *bands]
    return sorted(names, key=lambda name: order.index(name) if name in order else len(order))


def _rates(counts: Counter[str], wrong: int, accepted: int) -> dict[str, Any]:
    return {
        **counts,
        "silent_per_million": round(_MILLION * wrong / accepted, 1) if accepted else None,
        "bound_per_million": round(_MILLION * upper_bound(wrong, accepted), 1) if accepted else None,
    }


def _crop_row(counts: Counter[str]) -> dict[str, Any]:
    share = counts["read"] / counts["offered"] if counts["offered"] else None
    return {"coverage": share, **_rates(counts, counts["wrong"], counts["accepted"])}


def _crops_report(whole: dict[str, Any]) -> dict[str, Any]:
    """Readable and half-hidden ones in all, readable ones by height and by fault, the threshold's curve."""
    readable = {key: cell for key, cell in whole["cells"].items() if key.endswith("|readable")}
    in_all, bands = by(whole["cells"], 2), by(readable, 1)
    large = {key: cell for key, cell in readable.items() if key.split("|")[1] not in SMALL}
    faults = by(large, 0)
    return {
        "scenes": whole["scenes"],
        "indices": whole["indices"],
        "frames_an_index_and_fault": SHAKEN_TIMES,
        "offered": sum(cell["offered"] for cell in whole["cells"].values() if "offered" in cell),
        "in_all": {name: _crop_row(in_all[name]) for name in in_all},
        "by_height": {name: _crop_row(bands[name]) for name in _in_order(bands)},
        "by_fault_from_px": LEAST,
        "by_fault": {name: _crop_row(faults[name]) for name in _in_order(faults)},
        "curve": _curve(whole),
        "errors": whole["errors"],
    }


def _curve(whole: dict[str, Any]) -> list[dict[str, float]]:
    """For each least score (10 log10 of 1 / (1 - p)): accepted share, and wrong share of that."""
    right, wrong = whole["right"], whole["wrong"]
    seen = sum(right) + sum(wrong)
    points = []
    for step in range(1, STEPS + 1):
        good, bad = sum(right[step:]), sum(wrong[step:])
        if good + bad:
            points.append({"score": step, "coverage": (good + bad) / seen, "risk": bad / (good + bad)})
    return points


def _table_row(counts: Counter[str]) -> dict[str, Any]:
    wrong = counts["wrong"] + counts["twice"]
    share = counts["covered"] / counts["readable"] if counts["readable"] else None
    return {"coverage": share, **_rates(counts, wrong, counts["right"] + wrong)}


def _tables_report(whole: dict[str, Any], kind: str) -> dict[str, Any]:
    """Cards and hands, by height and by fault."""
    bands, faults = by(whole["cells"], 2), by(whole["cells"], 1)
    hands = by(whole["tables"], 1)
    return {
        "tables": whole["scenes"],
        "sums": dict(by(whole["tables"], 0).get(kind, {})),
        "in_all": _table_row(by(whole["cells"], 0)[kind]),
        "by_height": {name: _table_row(bands[name]) for name in _in_order(bands)},
        "by_fault": {name: {**_table_row(faults[name]), **hands[name]} for name in _in_order(faults)},
        "errors": whole["errors"],
    }
