"""Every feed of tests/feeds against the amounts worked out by hand from the rule texts."""

from pathlib import Path

import pytest
from feed_cases import FEEDS, FOLDERS
from feed_runner import LOUD, broken_adjustments, differences, replay

from controller.engine.settle import ratio, share
from controller.rules import HOUSES, load_rules

PATHS = [path for folder in FOLDERS for path in sorted((FEEDS / folder).glob("*.feed.jsonl"))]
CLEAN = [FEEDS / house / "every_outcome.feed.jsonl" for house in HOUSES]


def _name(path: Path) -> str:
    return f"{path.parent.name}/{path.name.removesuffix('.feed.jsonl')}"


def _stays_covered(path: Path) -> bool:
    """Whether the feed deals a covered card to the dealer and never turns it."""
    text = path.read_text(encoding="utf-8")
    return '"face": "down"' in text and '"reveal"' not in text and '"rules": "fr"' not in text


@pytest.mark.parametrize("path", PATHS, ids=_name)
def test_feed_comes_out_as_expected(path: Path) -> None:
    """With money that adds up from the first settlement to the last, and twice the identical lines (G-05)."""
    lines = replay(path)
    assert differences(path, lines) == []
    assert broken_adjustments(lines) == []
    assert replay(path) == lines
    if _stays_covered(path):
        # A round that ends without `reveal` shows the dealer's open card alone.
        shown = [line["dealer"]["cards"] for line in lines if line["type"] == "round"]
        assert all(len(cards) <= 1 for cards in shown)


@pytest.mark.parametrize("path", CLEAN, ids=_name)
def test_every_outcome_pays_the_ratio_that_the_screen_says(path: Path) -> None:
    rules = load_rules(path.parent.name, {}, path.parent)
    parts = [
        part
        for line in replay(path)
        if line["type"] == "round"
        for bet in line["bets"]
        for part in bet["parts"]
        if part["outcome"] in ("win", "blackjack", "even_money", "insured")
    ]
    assert {part["outcome"] for part in parts} >= {"win", "blackjack"}
    for part in parts:
        won = share(rules, part["stake"], *ratio(rules, part["outcome"]))
        assert part["returned"] == part["stake"] + won, part


@pytest.mark.parametrize("path", CLEAN, ids=_name)
def test_every_outcome_runs_without_a_complaint(path: Path) -> None:
    lines = replay(path)
    assert [line for line in lines if line["type"] in LOUD] == []
    assert {line["status"] for line in lines if line["type"] == "round"} == {"settled"}
