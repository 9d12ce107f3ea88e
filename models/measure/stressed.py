"""The stress runs of `models.stress` as figures for the report."""

import math
from collections import Counter
from collections.abc import Callable, Iterable
from itertools import pairwise
from pathlib import Path
from time import monotonic
from typing import Any, Final, NamedTuple

from models.measure.bounds import upper_bound
from models.stress.crops import SHAKEN_TIMES, STEPS
from models.stress.faults import FAULTS
from models.stress.scenes import BANDS
from models.stress.shards import by, jobs_of, merged, run_all

_MILLION: Final = 1_000_000
LEAST: Final = 15
"""Faults are compared on indices of this height and more; below it the reader accepts next to nothing."""

SMALL: Final = frozenset(f"{low}-{high}" for low, high in pairwise(BANDS) if high <= LEAST)


class RunOptions(NamedTuple):
    """Options of a run: processes, a callback for each shard, and a time limit."""

    processes: int
    tell: Callable[[int, int], None]
    seconds: float = math.inf


def measure(work: Path, art: Path | None, scenes: dict[str, range], run: RunOptions) -> dict[str, Any]:
    """Run missing shards within the time limit, and sum all results."""
    jobs = jobs_of(work, art, scenes)
    end = monotonic() + run.seconds
    run_all(jobs, run.processes, run.tell, lambda: monotonic() > end)
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
