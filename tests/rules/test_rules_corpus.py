"""The committed feeds: fresh from their source, well formed, and possible with the cards of their shoe."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from feed_cases import FEEDS, FOLDERS, built_files

from controller.feed.codec import parse
from controller.rules import HOUSES, load_rules

PATHS = [path for folder in FOLDERS for path in sorted((FEEDS / folder).glob("*.feed.jsonl"))]
DECKS = {house: load_rules(house, {}, Path()).decks for house in HOUSES}
TOO_MANY_ON_PURPOSE = {
    "fifth_seven_of_one_pack",
    "fifth_seven_without_a_shoe_line",
    "seventh_king_without_a_shoe_line",
    "same_card_twice",
    "two_packs",
    "six_packs",
    "burned_cards_count_in_the_shoe",
    "voided_cards_stay_counted",
    "turned_card_is_one_too_many",
    "correction_makes_a_fifth_of_a_kind",
    "struck_double_read_is_not_counted",
    "boxed_card_stays_counted",
}


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_files_are_built_from_the_case_files() -> None:
    built = built_files()
    written = {f"{path.parent.name}/{path.name}" for folder in FOLDERS for path in (FEEDS / folder).iterdir()}
    assert written == set(built) - {"requirements.toml"}
    stale = [name for name, text in built.items() if (FEEDS / name).read_text(encoding="utf-8") != text]
    assert stale == [], "run tests/rules/feed_cases.py"


@pytest.mark.parametrize("path", PATHS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_feed_is_well_formed(path: Path) -> None:
    header, *lines = _lines(path)
    assert header["feed"] == 1
    times = [line["t"] for line in lines]
    assert times == sorted(times)
    for line in lines:
        parse(line)


@pytest.mark.parametrize("path", PATHS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_cards_are_possible(path: Path) -> None:
    """A case that is not about too many cards of a kind must not hold too many by mistake."""
    if path.name.removesuffix(".feed.jsonl") in TOO_MANY_ON_PURPOSE:
        return
    header, *lines = _lines(path)
    decks = header["rule_overrides"].get("decks", DECKS[header["rules"]])
    seen: Counter[str] = Counter()
    for line in lines:
        if line["obs"] in ("shoe", "shuffle"):
            seen.clear()
        if line["obs"] == "card" and line["rank"]:
            kinds = [line["rank"]] + ([line["rank"] + line["suit"]] if line["suit"] else [])
            seen.update(kinds)
    for kind, count in seen.items():
        limit = decks * (1 if kind[-1] in "cdhs" else 4)
        assert count <= limit, f"{count} of {kind} with {decks} packs"
