"""How fast the compiled wheel is beside its rivals, in a bare environment: medians of whole runs."""

import json
import os
import shutil
from statistics import median
from typing import Any, Final

from tools.compile import ROOT
from tools.release import BareEnvironment, require

RUNS: Final = 5
ENGINE_MIN: Final = 1.0
"""Least ratio of its rounds to those of the faster of two blackjack packages."""

READER_MIN: Final = 6.0
"""Least ratio of the time of a network of YOLO11n's size to that of a picture."""


def engine_ratio(environment: BareEnvironment) -> float:
    """One run of `stand17 bench engine`."""
    report = json.loads(environment.run("stand17", "bench", "engine", "--json").stdout)
    require(report["compiled"], "The engine that was measured is not compiled.")
    return float(report["beside_fastest"])


def reader_ratio(environment: BareEnvironment) -> float:
    """One run of the clock of `stand17 bench reader`, whose measuring code no wheel holds: it is copied."""
    measures = environment.folder / "measures"
    if not measures.is_dir():
        shutil.copytree(ROOT / "models", measures / "models")
    asked = ("bench", "reader", "--only", "time", "--force", "--json", "reader.json")
    environment.run("stand17", *asked, extra={"PYTHONPATH": str(measures)})
    report = json.loads((environment.work / "reader.json").read_text(encoding="utf-8"))
    return float(report["time"]["full_1080p"]["rival_beside_reader"])


def measured(environment: BareEnvironment, runs: int = RUNS) -> dict[str, Any]:
    """Every run's ratio, the medians, and the machine's load before and after."""
    before = os.getloadavg()[0]
    engine = [engine_ratio(environment) for _ in range(runs)]
    reader = [reader_ratio(environment) for _ in range(runs)]
    return {
        "engine": {"runs": engine, "median": median(engine), "at_least": ENGINE_MIN},
        "reader": {"runs": reader, "median": median(reader), "at_least": READER_MIN},
        "load": [round(before, 1), round(os.getloadavg()[0], 1)],
        "processors": os.cpu_count(),
    }


def require_speed(figures: dict[str, Any]) -> None:
    """Raises ReleaseProblem where a median is below what is promised, with the load it was measured at."""
    for name in ("engine", "reader"):
        part = figures[name]
        slow = f"{name}: {part['median']} beside its rival, not {part['at_least']}; load {figures['load']}."
        require(part["median"] >= part["at_least"], slow)
