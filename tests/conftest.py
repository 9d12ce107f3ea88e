"""What holds for all tests: they run against the sources that lie here, and share the workers."""

from collections import Counter
from collections.abc import Collection
from pathlib import Path
from typing import Final

import pytest
from hypothesis import HealthCheck, settings

from tools.compile import stale

HERE: Final = Path(__file__).parent

E2E: Final = "e2e"

CASES_AT_ONCE: Final = 200
"""Of a file with thousands of cases this many go to one worker, so that none of them has the file alone."""


def pytest_configure() -> None:
    """Refuse to test an engine that was compiled from older sources."""
    if old := stale():
        names = ", ".join(path.name for path in old)
        raise pytest.UsageError(f"compiled from older sources: {names}; run `make setup` or `make pure`")
    # On a busy machine drawing examples is slow, and that says nothing of what is tested.
    settings.register_profile("busy", deadline=None, suppress_health_check=[HealthCheck.too_slow])
    settings.load_profile("busy")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put what takes long first: at the end one worker would sit on it alone."""
    # Once a file: to compare paths for each of the tests takes a worker two seconds.
    of_file = work_units({item.path for item in items})
    long = {item.path for item in items if item.get_closest_marker("long")}
    rank = {path: (not unit.startswith(f"{E2E} "), path not in long) for path, unit in of_file.items()}
    seen: Counter[Path] = Counter()
    for item in items:
        unit, part = of_file[item.path], seen[item.path] // CASES_AT_ONCE
        item.add_marker(pytest.mark.xdist_group(f"{unit} {part}" if part else unit))
        seen[item.path] += 1
    items.sort(key=lambda item: rank[item.path])


def work_units(paths: Collection[Path]) -> dict[Path, str]:
    """What one worker takes at once: a file, or every other of those that a Chromium is started for."""
    pages = sorted(path for path in paths if path.parent == HERE / E2E)
    alone = {path: path.relative_to(HERE).as_posix() for path in paths}
    return alone | {path: f"{E2E} {number % 2}" for number, path in enumerate(pages)}
