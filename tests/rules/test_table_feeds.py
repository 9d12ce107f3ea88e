"""Faults at a table's door: held on their line, nothing paid until ruled, then the right money."""

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from feed_cases import FEEDS
from feed_runner import differs

from controller.feed.feed_lines import open_feed
from controller.feed.feed_table import line_at_door, open_table_script, play_table
from controller.feed.replay import open_script, play, to_lines
from controller.journal.entry import GENESIS, Entry
from controller.policy import decide, new_run
from controller.runtime.draft import Draft, RefusedByRules, adopt, fold
from controller.runtime.ledger import Ledger, Opening

Json = dict[str, Any]
TOLD = ("hold", "released", "refused", "inferred", "adjustment", "round")
FAULTS = sorted((FEEDS / "faults").glob("*/*.feed.jsonl"))
OTHERS = sorted({*FEEDS.rglob("*.feed.jsonl")} - {*FAULTS})
LET_STAND = [path for path in FAULTS if '"resume"' in path.read_text(encoding="utf-8")]


def _name(path: Path) -> str:
    return f"{path.parent.name}/{path.name.removesuffix('.feed.jsonl')}"


def _is_warning(line: Json) -> bool:
    """Whether this is an alert that holds nothing: a hold's own tells the same as the hold."""
    return bool(line["type"] == "alert" and line["severity"] != "critical")


def line_by_line(path: Path) -> list[list[Json]]:
    """What a feed prints at a table's door, the objects of one line together."""
    with open_feed(str(path)) as stream:
        script = open_table_script(stream, path.parent)
        return [
            list(to_lines(played, path.name, lambda code, _params: code)) for played in play_table(script)
        ]


def at_the_door(path: Path) -> list[Json]:
    """Every JSON line that a feed prints at a table's door."""
    return [told for line in line_by_line(path) for told in line]


@pytest.mark.parametrize("path", FAULTS, ids=_name)
def test_the_table_answers_a_fault_as_expected(path: Path, tmp_path: Path) -> None:
    """Held on its line, with ways out that can be taken, and nothing is settled while it is held."""
    by_line = line_by_line(path)
    lines = [told for line in by_line for told in line]
    answers_as_written(path, lines)
    settles_nothing_while_held(by_line)
    has_a_hold_for_each_critical_alert(lines)
    gives_ways_that_can_be_taken(path, lines, tmp_path)
    both_doors_adjust_alike(path, lines)


@pytest.mark.parametrize("path", OTHERS, ids=_name)
def test_both_doors_report_the_same_adjustments(path: Path) -> None:
    both_doors_adjust_alike(path, at_the_door(path))


def both_doors_adjust_alike(path: Path, at_table: list[Json]) -> None:
    """What the plain replay puts right, the table's door puts right, where it holds and refuses nothing."""
    if any(line["type"] in ("hold", "refused") for line in at_table):
        return
    with open_feed(str(path)) as stream:
        script = open_script(stream, path.parent)
        plain = [
            line
            for played in play(script.rules, script.lines)
            for line in to_lines(played, path.name, lambda code, _params: code)
        ]
    adjusted = [[line for line in lines if line["type"] == "adjustment"] for lines in (plain, at_table)]
    assert adjusted[0] == adjusted[1]


@pytest.mark.parametrize("path", LET_STAND, ids=_name)
def test_what_was_let_stand_stands_after_a_restart(path: Path) -> None:
    """The entries of a table, read once more, lead to the same table line by line."""
    with open_feed(str(path)) as stream:
        script = open_table_script(stream, path.parent)
        run = new_run(script.house, script.rules)
        ledger = restarted = Ledger(0, Opening("", script.rules, "", b"", script.house), run)
        for line in script.lines:
            draft = Draft(ledger, round(line.t * 1000) * 1000)
            entered = line_at_door(line)
            with suppress(RefusedByRules):
                adopt(draft, decide(script.house, ledger.run, entered), "pit:p7", line=entered)
            for new in draft.entries:
                fields = new._asdict() | {"at_utc_us": draft.at_utc_us, "prev_hash": GENESIS, "hash": GENESIS}
                restarted = fold(restarted, Entry(seq=restarted.seq + 1, **fields)).ledger
            ledger = draft.ledger
            assert restarted == ledger, line.number


def answers_as_written(path: Path, lines: list[Json]) -> None:
    """The lines are those of the file beside the feed."""
    wanted = path.with_name(path.name.replace(".feed.jsonl", ".table.jsonl"))
    expected = [json.loads(line) for line in wanted.read_text(encoding="utf-8").splitlines()]
    told = [line for line in lines if line["type"] in TOLD or _is_warning(line)]
    told = [line for line in told if line["type"] != "round" or line["status"] in ("settled", "voided")]
    assert [line["type"] for line in told] == [line["type"] for line in expected]
    found = [differs(want, got, want["type"]) for want, got in zip(expected, told, strict=True)]
    assert [difference for found_in_line in found for difference in found_in_line] == []


def settles_nothing_while_held(by_line: list[list[Json]]) -> None:
    """A line after which the table still waits settles nothing."""
    held: set[str] = set()
    for line in by_line:
        for told in line:
            if told["type"] == "hold":
                held.add(told["code"])
            if told["type"] == "released":
                held.discard(told["code"])
        settled = [told for told in line if told["type"] == "round" and told["status"] == "settled"]
        assert not (held and settled)


def has_a_hold_for_each_critical_alert(lines: list[Json]) -> None:
    """On the alert's own line."""
    held = {line["line"] for line in lines if line["type"] == "hold"}
    critical = {line["line"] for line in lines if line["type"] == "alert" and line["severity"] == "critical"}
    assert critical <= held


def _told_by_the_pit(way: str, hold: Json, house: str) -> Json | None:
    """The pit's act that takes a way out which needs no more than its name."""
    acts: dict[str, Json] = {
        "keep": {"obs": "resume", "codes": [hold["code"]]},
        "shoe": {"obs": "shoe", "decks": 1 if house == "nl" else 6},
        "shoe_void": {"obs": "shoe_void"},
        "void_round": {"obs": "void"},
    }
    act = acts.get(way)
    return act and {**act, "by": "pit:P1", "reason": "seen on the felt"}


def gives_ways_that_can_be_taken(path: Path, played: list[Json], folder: Path) -> None:
    """Each way out that a hold names and that needs no more than its name lifts it."""
    lines = path.read_text(encoding="utf-8").splitlines()
    tried = folder / path.name
    begun = 0
    for hold in played:
        # A card that waited keeps its own line; what it holds for begins at the line that let it go on.
        begun = max(begun, hold.get("line", 0))
        for way in hold["ways"] if hold["type"] == "hold" else ():
            act = _told_by_the_pit(way, hold, path.parent.name)
            if act is None:
                continue
            act["t"] = json.loads(lines[begun - 1])["t"]
            tried.write_text("\n".join([*lines[:begun], json.dumps(act)]), encoding="utf-8")
            answer = [line for line in at_the_door(tried) if line.get("line") == begun + 1]
            assert [line["code"] for line in answer if line["type"] == "refused"] == [], way
            assert hold["code"] in [line["code"] for line in answer if line["type"] == "released"], way
