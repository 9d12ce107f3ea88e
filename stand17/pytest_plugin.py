"""Fixtures for a house's own checks of its feeds: `pytest --stand17 FOLDER`.

A test that asks for `stand17_feed` or `stand17_rounds` runs once for each feed below the folder. Nothing of
the package is loaded before such a test runs.
"""

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from stand17 import Feed, RoundResult

FIXTURES = ("stand17_feed", "stand17_rounds")
NO_FEEDS = "no feeds: name their folder, pytest --stand17 FOLDER"


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Make one test per feed of the folder; without feeds it is skipped with a reason."""
    if not set(FIXTURES).intersection(metafunc.fixturenames):
        return
    feeds = _feeds(metafunc.config)
    skipped = [pytest.param(None, marks=pytest.mark.skip(reason=NO_FEEDS))]
    metafunc.parametrize(
        "stand17_feed", feeds or skipped, indirect=True, ids=[path.name for path in feeds] or ["none"]
    )


def _feeds(config: pytest.Config) -> list[Path]:
    named = config.getoption("stand17", None) or str(config.getini("stand17"))
    if not named:
        return []
    folder = config.rootpath / named
    return sorted(path for kind in ("*.feed.jsonl", "*.feed.jsonl.gz") for path in folder.rglob(kind))


@pytest.fixture
def stand17_feed(request: pytest.FixtureRequest) -> "Feed":
    """A feed of the folder: header, rules, lines."""
    from stand17 import Feed  # noqa: PLC0415 - see the top

    return Feed(request.param)


@pytest.fixture
def stand17_rounds(stand17_feed: "Feed") -> "list[RoundResult]":
    """The rounds of that feed, each as it settled last."""
    return list(stand17_feed.rounds())
