"""Every feed of tests/feeds against the amounts worked out by hand from the rule texts."""

from pathlib import Path

import pytest
from feed_cases import FEEDS, FOLDERS
from feed_runner import LOUD, differences, replay

PATHS = [path for folder in FOLDERS for path in sorted((FEEDS / folder).glob("*.feed.jsonl"))]
CLEAN = [FEEDS / house / "every_outcome.feed.jsonl" for house in FOLDERS if house != "table"]


def _name(path: Path) -> str:
    return f"{path.parent.name}/{path.name.removesuffix('.feed.jsonl')}"


@pytest.mark.parametrize("path", PATHS, ids=_name)
def test_feed_comes_out_as_expected(path: Path) -> None:
    assert differences(path) == []


@pytest.mark.parametrize("path", CLEAN, ids=_name)
def test_every_outcome_runs_without_a_complaint(path: Path) -> None:
    lines = replay(path)
    assert [line for line in lines if line["type"] in LOUD] == []
    assert {line["status"] for line in lines if line["type"] == "round"} == {"settled"}


@pytest.mark.parametrize("path", PATHS, ids=_name)
def test_replayed_twice_is_identical(path: Path) -> None:
    """G-05: the same facts give the identical lines."""
    assert replay(path) == replay(path)


@pytest.mark.parametrize("path", PATHS, ids=_name)
def test_the_covered_card_is_not_told_before_it_is_turned(path: Path) -> None:
    """A round that ends without `reveal` shows the dealer's open card alone."""
    lines = path.read_text(encoding="utf-8")
    if '"hole_card"' in lines or '"reveal"' in lines or '"face": "down"' not in lines:
        pytest.skip("the covered card is turned, or there is none")
    shown = [line["dealer"]["cards"] for line in replay(path) if line["type"] == "round"]
    assert all(len(cards) <= 1 for cards in shown)
