"""What holds for all tests: they run against the sources that lie here, and share the workers."""

import gc
import os
from collections import Counter
from pathlib import Path
from tempfile import gettempdir
from typing import Final

import pytest
from hypothesis import HealthCheck, settings
from xdist.remote import Producer
from xdist.scheduler import LoadScopeScheduling

from tools.compile import stale

HERE: Final = Path(__file__).parent

PAGES: Final = HERE / "e2e"
"""Its files open pages: two workers share them, so that two Chromiums are started and not one a file."""

SHIFT_REPORTS: Final = frozenset(HERE / "forensics" / f"test_{name}.py" for name in ("in_shadow", "report"))
"""Files that share a shift, played once."""

CASES_AT_ONCE: Final = 200
"""Of a file with thousands of cases this many go to one worker, so that none of them has the file alone."""


def pytest_configure() -> None:
    """Refuse to test an engine that was compiled from older sources."""
    if old := stale():
        names = ", ".join(path.name for path in old)
        raise pytest.UsageError(f"compiled from older sources: {names}; run `make setup` or `make pure`")
    # What a program keeps for its account is not kept for that of whoever tests.
    os.environ["XDG_CACHE_HOME"] = str(Path(gettempdir()) / f"stand17-tests-{os.getuid()}")
    # On a busy machine drawing examples is slow, and that says nothing of what is tested.
    settings.register_profile("busy", deadline=None, suppress_health_check=[HealthCheck.too_slow])
    settings.load_profile("busy")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put pages and what takes long first: at the end one worker would sit on it alone."""
    long = {item.path for item in items if item.get_closest_marker("long")}
    rank = {path: (path.parent != PAGES, path not in long) for path in {item.path for item in items}}
    items.sort(key=lambda item: rank[item.path])


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    """Let no collection of garbage look again at what is imported and collected: all of it stays."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20)


class UnitScheduling(LoadScopeScheduling):
    """Gives a worker whole files at once, so that what a file sets up is set up once.

    xdist's own groups are not used: pytest 9.2 passes over the names that xdist 3.8 gives them, and each test
    went to a worker by itself, with a Chromium and a served table of its own.
    """

    def __init__(self, config: pytest.Config, log: Producer | None = None) -> None:
        """Begin without a test."""
        super().__init__(config, log)
        self._units: dict[str, str] = {}
        self._cases: Counter[str] = Counter()
        self._pages: list[str] = []

    def _split_scope(self, nodeid: str) -> str:
        """The unit of a test: its file, a part of a file of cases, or every other file of pages."""
        if nodeid not in self._units:
            file = nodeid.partition("::")[0]
            part = self._cases[file] // CASES_AT_ONCE
            self._cases[file] += 1
            self._units[nodeid] = self._unit(file) + (f" {part}" if part else "")
        return self._units[nodeid]

    def _unit(self, file: str) -> str:
        if HERE / Path(file).relative_to(HERE.name) in SHIFT_REPORTS:
            return "shift reports"
        if Path(file).parent.name != PAGES.name:
            return file
        if file not in self._pages:
            self._pages.append(file)
        return f"{PAGES.name} {self._pages.index(file) % 2}"


def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> UnitScheduling:
    """Spread units over the workers; two of them share the Chromiums."""
    return UnitScheduling(config, log)
