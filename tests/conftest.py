"""What holds for all tests: they run against the sources that lie here."""

import pytest

from tools.compile import stale


def pytest_configure() -> None:
    """Refuse to test an engine that was compiled from older sources."""
    if old := stale():
        names = ", ".join(path.name for path in old)
        raise pytest.UsageError(f"compiled from older sources: {names}; run `make setup` or `make pure`")
