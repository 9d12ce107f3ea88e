"""What holds for all tests: they run against the sources that lie here."""

import pytest

from tools.compile import stale


def pytest_configure() -> None:
    """Refuse to test an engine that was compiled from older sources."""
    if old := stale():
        names = ", ".join(path.name for path in old)
        raise pytest.UsageError(f"compiled from older sources: {names}; run `make setup` or `make pure`")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put files that take long first: at the end one worker would sit on them alone."""
    long = {item.path for item in items if item.get_closest_marker("long")}
    items.sort(key=lambda item: item.path not in long)
