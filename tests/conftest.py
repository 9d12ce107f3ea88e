"""What holds for all tests: they run against the sources that lie here."""

from pathlib import Path
from typing import Final

import pytest

from tools.compile import stale

IN_A_BROWSER: Final = Path(__file__).with_name("e2e")


def pytest_configure() -> None:
    """Refuse to test an engine that was compiled from older sources."""
    if old := stale():
        names = ", ".join(path.name for path in old)
        raise pytest.UsageError(f"compiled from older sources: {names}; run `make setup` or `make pure`")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what opens pages, so that `make check` can leave it out."""
    for item in items:
        if IN_A_BROWSER in item.path.parents:
            item.add_marker(pytest.mark.browser)
