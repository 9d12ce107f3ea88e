"""What holds for all tests: they run against the sources that lie here, and share the workers."""

from collections import Counter
from pathlib import Path
from typing import Final

import pytest

from tools.compile import stale

HERE: Final = Path(__file__).parent

CASES_AT_ONCE: Final = 200
"""Of a file with thousands of cases this many go to one worker, so that none of them has the file alone."""


def pytest_configure() -> None:
    """Refuse to test an engine that was compiled from older sources."""
    if old := stale():
        names = ", ".join(path.name for path in old)
        raise pytest.UsageError(f"compiled from older sources: {names}; run `make setup` or `make pure`")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put what takes long first: at the end one worker would sit on it alone."""
    seen: Counter[Path] = Counter()
    for item in items:
        item.add_marker(pytest.mark.xdist_group(work_unit(item.path, seen[item.path])))
        seen[item.path] += 1
    long = {item.path for item in items if item.get_closest_marker("long")}
    items.sort(key=lambda item: (HERE / "e2e" not in item.path.parents, item.path not in long))


def work_unit(path: Path, index: int) -> str:
    """What one worker takes at once: a file, part of a large one, or all that a Chromium is started for."""
    if path.parent == HERE / "e2e":
        return "e2e"
    part = index // CASES_AT_ONCE
    return path.relative_to(HERE).as_posix() + (f" {part}" if part else "")
