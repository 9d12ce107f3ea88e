"""Published fines and thefts, as feeds: each is reported, its clean twin is silent, the page says so."""

import json
import tomllib
from io import BytesIO
from pathlib import Path
from random import Random
from typing import Any, Final

import pytest

from controller.feed.feed_table import open_table_script, play_table
from controller.feed.replay import to_lines
from tests.whole.twin import other_rank

HERE: Final = Path(__file__).parent
PAGE: Final = (HERE.parents[1] / "docs" / "regulations.md").read_text(encoding="utf-8")
INCIDENTS: Final = tomllib.loads((HERE / "incidents.toml").read_text(encoding="utf-8"))["incident"]
BY_NAME: Final = pytest.mark.parametrize("incident", INCIDENTS, ids=lambda incident: str(incident["name"]))

ASKED_ANYHOW: Final = frozenset(("COUNT_DUE",))
"""Reported of a clean feed as well: the count that the house wants."""

ROUNDS_COMPARED: Final = 3
"""The last ones of each: those in which something is found, and those behind them."""

Lines = list[dict[str, Any]]


def feed(name: str) -> Lines:
    """The lines of a feed, header first."""
    text = (HERE / "feeds" / f"{name}.feed.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def reported(lines: Lines) -> Lines:
    """What a table reports of a feed beside its rounds: alerts, holds, refusals."""
    script = open_table_script(BytesIO("".join(json.dumps(line) + "\n" for line in lines).encode()), Path())
    known = [line for played in play_table(script) for line in to_lines(played, "", lambda code, _: code)]
    quiet = ("round", "summary", "inferred", "released")
    return [line for line in known if line["type"] not in quiet and line["code"] not in ASKED_ANYHOW]


@BY_NAME
def test_each_incident_is_reported_its_twin_is_silent_and_the_page_says_so(incident: dict[str, Any]) -> None:
    guilty, clean = feed(incident["name"]), feed(f"{incident['name']}.clean")
    assert reported(clean) == []
    first = reported(guilty)[0]
    assert first["code"] == incident["expect"]
    begins = incident["begins"]
    assert guilty[1:begins] == clean[1:begins]
    until = guilty[begins : first["line"]]
    cards = sum(line["obs"] == "card" for line in until)
    rounds = sum(line["obs"] == "end" for line in until) + 1
    (row,) = [line for line in PAGE.splitlines() if line.startswith(f"| {incident['title']} |")]
    where = f"{incident['where']}, {incident['day']}, {incident['sum']}"
    assert f"{where} ([source]({incident['source']}))" in row
    assert row.endswith(f"| `{first['code']}` after {cards} cards, in round {rounds} | silent |")


@BY_NAME
def test_no_finding_says_what_lies_face_down(incident: dict[str, Any]) -> None:
    """Feeds that differ in a face-down card alone say the same, at the same line, until it is turned."""
    guilty, chance = feed(incident["name"]), Random(incident["name"])
    for down, turned in face_down(guilty)[-ROUNDS_COMPARED:]:
        lines = guilty[:turned]
        rank = other_rank(lines[down]["rank"], chance)
        other = [*lines[:down], {**lines[down], "rank": rank}, *lines[down + 1 :]]
        assert reported(other) == reported(lines), (down, rank)


def face_down(lines: Lines) -> list[tuple[int, int]]:
    """Where each face-down card is dealt that is turned later, and where that is."""
    found, bets, cards = [], 0, list[int]()
    for at, line in enumerate(lines):
        match line.get("obs"):
            case "bet":
                bets, cards = (bets + 1, []) if not cards else (1, [])
            case "card":
                cards.append(at)
            case "reveal":
                found.append((cards[2 * bets + 1], at))
    assert found
    return found
