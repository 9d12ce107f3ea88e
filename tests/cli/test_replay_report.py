"""`stand17 replay` over folders: one report, the same with any number of jobs, and resumed."""

import json
import os
import shutil
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from tests.replay.replay_kit import FEEDS, Json, call, objects

MISREAD = "bj2/wrong.feed.jsonl"


@pytest.fixture
def month(tmp_path: Path) -> Path:
    """Feeds of two tables; at one a 7 was told as a 9, so that box 3 is paid 20.00 and not 0.00."""
    month = tmp_path / "month"
    for table in ("bj1", "bj2"):
        (month / table).mkdir(parents=True)
    source = FEEDS / "de" / "every_outcome.feed.jsonl"
    for kind in ("feed", "expect"):
        of_kind = source.with_name(f"every_outcome.{kind}.jsonl")
        shutil.copy(of_kind, month / "bj1" / f"right.{kind}.jsonl")
        shutil.copy(of_kind, month / MISREAD.replace("feed", kind))
    wrong = month / MISREAD
    lines = wrong.read_text().splitlines()
    at = next(at for at, line in enumerate(lines) if json.loads(line).get("rank") == "7")
    lines[at] = json.dumps({**json.loads(lines[at]), "rank": "9"})
    wrong.write_text("\n".join(lines) + "\n")
    shutil.copy(FEEDS.parent / "recordings" / "line-lost-in-play.mcap", month / "bj1")
    return month


def untimed(told: list[Json]) -> list[Json]:
    """A report without what differs from run to run."""
    timed = {"seconds", "lines_per_s", "rounds_per_s", "engine_lines_per_s", "month", "jobs"}
    return [{key: value for key, value in row.items() if key not in timed} for row in told]


def test_a_planted_misread_is_the_first_line_with_file_time_box_and_currency(month: Path) -> None:
    told = call("replay", month)
    assert told.returncode == 1
    lines = told.stdout.splitlines()
    differences = [line for line in lines if line.startswith("≠")]
    assert lines[: len(differences)] == differences
    assert all(f"{month / MISREAD}, round 1, line " in line for line in differences)
    assert any(line.endswith(": box 3 is due 20.00 EUR, expected 0.00 EUR") for line in differences)
    assert any(line.startswith("3 files, 7 rounds: ") for line in lines)
    assert any("The engine alone: " in line for line in lines)
    assert any(line.startswith("A month of 200 tables (2880000 rounds) would take ") for line in lines)


def test_two_jobs_and_a_resumed_run_tell_the_same_as_one(month: Path, tmp_path: Path) -> None:
    state = tmp_path / "state.jsonl"
    one = objects(call("replay", month, "--json", "--state", state))
    kept = state.read_text().splitlines()
    assert (len(kept), state.stat().st_mode & 0o777) == (4, 0o600)
    # A stop in the middle of writing: half a line is played once more.
    state.write_text("\n".join([*kept[:3], kept[3][:40]]))
    two = objects(call("replay", month, "--json", "--jobs", "2", "--state", state))
    assert untimed(two) == untimed(one)
    assert len(state.read_text().splitlines()) == 4
    assert [row["type"] for row in one if row["type"] in {"file", "report"}] == ["file"] * 3 + ["report"]
    assert one[0]["type"] == "difference"
    staked = objects(call("replay", month / "bj1" / "right.feed.jsonl", "--json"))[-1]["staked"]
    recorded = 1000
    report: dict[str, Any] = one[-1]
    assert report["money"]["EUR"]["staked"] == 2 * staked + recorded
    cards = sum('"card"' in line for line in (month / "bj1" / "right.feed.jsonl").read_text().splitlines())
    assert report["reads"] == {"none": 2 * cards + 5}


def test_a_file_that_changed_is_played_again(month: Path, tmp_path: Path) -> None:
    state = tmp_path / "state.jsonl"
    assert call("replay", month, "--state", state).returncode == 1
    shutil.copy(month / "bj1" / "right.feed.jsonl", month / MISREAD)
    assert call("replay", month, "--state", state).returncode == 0


def test_what_is_told_can_be_one_round_a_time_on_and_differences_alone(month: Path) -> None:
    assert call("replay", month, "--round", "3").returncode == 0
    assert call("replay", month, "--from", "1:00:00").returncode == 0
    assert call("replay", month, "--from", "0:00:01", "--round", "1").returncode == 1
    strict = call("replay", FEEDS / "de" / "double_is_final.feed.jsonl", "--jobs", "1", "--strict")
    assert (strict.returncode, "! " in strict.stdout) == (1, True)
    quiet = call("replay", FEEDS / "de" / "double_is_final.feed.jsonl", "--only", "differences")
    assert (quiet.returncode, "! " in quiet.stdout) == (0, False)


def test_a_build_server_gets_a_case_for_each_file(month: Path, tmp_path: Path) -> None:
    (month / "bj1" / "cut.feed.jsonl").write_text('{"feed": 1, "rules": "nl"}\n{"obs": "card"}\n')
    told = call("replay", month, "--junit", tmp_path / "junit.xml")
    assert told.returncode == 2
    assert f"{month / 'bj1' / 'cut.feed.jsonl'}:2: " in told.stderr
    suite = ElementTree.parse(tmp_path / "junit.xml").getroot()
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("4", "1", "1")
    failed = {case.get("name"): [part.tag for part in case] for case in suite}
    assert failed == {
        "cut.feed.jsonl": ["error"],
        "line-lost-in-play.mcap": [],
        "right.feed.jsonl": [],
        "wrong.feed.jsonl": ["failure"],
    }


@pytest.mark.parametrize("arguments", [("--from", "noon"), ("--from", "-5"), ("--state", "/nowhere/state")])
def test_what_cannot_be_done_is_a_sentence_and_exit_2(month: Path, arguments: tuple[str, str]) -> None:
    told = call("replay", month, *arguments)
    assert told.returncode == 2
    assert arguments[1] in told.stderr


def test_a_folder_without_files_is_named(tmp_path: Path) -> None:
    told = call("replay", tmp_path)
    assert told.returncode == 2
    assert str(tmp_path) in told.stderr


def test_a_folder_that_cannot_be_listed_is_named(tmp_path: Path) -> None:
    """Its feeds would be left out in silence; here its path is too long for the system."""
    (tmp_path / "a.feed.jsonl").write_text('{"feed": 1, "rules": "nl", "currency": "EUR"}\n')
    here = os.open(tmp_path, os.O_RDONLY)
    try:
        for _ in range(20):
            os.mkdir("d" * 250, dir_fd=here)
            deeper = os.open("d" * 250, os.O_RDONLY, dir_fd=here)
            os.close(here)
            here = deeper
    finally:
        os.close(here)
    told = call("replay", tmp_path)
    assert (told.returncode, "Traceback" in told.stderr) == (2, False)
    assert "File name too long" in told.stderr


def test_a_line_with_the_words_of_another_is_held_to_its_own_time_and_number(tmp_path: Path) -> None:
    """Words that were read once are not read again; what is wrong with a later line is still named."""
    header = '{"feed": 1, "rules": "nl", "currency": "EUR"}'
    bet = '"obs": "bet", "box": 9, "seat": 0, "stake": 400'
    feed = tmp_path / "a.feed.jsonl"
    good = [f'{{"t": {t}, {bet}}}' for t in ("1.0", "1.5", "2", "2.25")]
    feed.write_text("\n".join([header, *good]) + "\n")
    refused = [row for row in objects(call("replay", feed, "--json")) if row["type"] == "refused"]
    assert [(row["line"], row["t"]) for row in refused] == [(2, 1.0), (3, 1.5), (4, 2.0), (5, 2.25)]
    for wrong in ("1.0", "01.5", "2.5e1000", "1_0.5", "nan"):
        feed.write_text("\n".join([header, *good, f'{{"t": {wrong}, {bet}}}']) + "\n")
        told = call("replay", feed, "--json")
        assert (told.returncode, "a.feed.jsonl:6: " in told.stderr) == (2, True), wrong


def test_what_xml_cannot_hold_is_told_in_its_report(tmp_path: Path) -> None:
    feed = tmp_path / "bell\x07.feed.jsonl"
    feed.write_text('{"feed": 1, "table": "\\u0001", "rules": "no\\u0002where"}\n')
    assert call("replay", feed, "--junit", tmp_path / "junit.xml").returncode == 2
    case = ElementTree.parse(tmp_path / "junit.xml").getroot()[0]
    assert case.get("name") == "bell\\x07.feed.jsonl"


def test_a_round_that_no_file_has_is_a_sentence(month: Path) -> None:
    told = call("replay", month, "--round", "9999")
    assert (told.returncode, "9999" in told.stderr) == (2, True)
    assert call("replay", month, "--round", "1").returncode == 1


def test_a_report_on_one_round_counts_nothing_else() -> None:
    shift = FEEDS / "de" / "every_outcome.feed.jsonl"
    whole = objects(call("replay", shift, "--json", "--jobs", "1"))[-1]
    each = [objects(call("replay", shift, "--json", "--round", str(number)))[-1] for number in (1, 2, 3)]
    assert [one["rounds"] for one in each] == [1, 1, 1]
    for what in ("rounds", "settled", "alerts"):
        assert sum(one[what] for one in each) == whole[what]
    assert sum(one["money"]["EUR"]["staked"] for one in each) == whole["money"]["EUR"]["staked"]


def test_a_file_of_finished_ones_tells_a_round_from_the_whole(tmp_path: Path) -> None:
    shift, state = FEEDS / "de" / "every_outcome.feed.jsonl", tmp_path / "state.jsonl"
    ways = ((), ("--round", "2"), ("--round", "3"))
    first, again = (
        [objects(call("replay", shift, "--json", "--state", state, *way))[-1]["rounds"] for way in ways]
        for _ in range(2)
    )
    assert first == again == [3, 1, 1]
    assert len(state.read_text().splitlines()) == 1 + len(ways)
    other = tmp_path / "other.txt"
    other.write_text("mine\n")
    assert call("replay", shift, "--round", "2", "--state", other).returncode == 2
    assert other.read_text() == "mine\n"


@pytest.mark.parametrize("words", [("replay", "--jobs", "1"), ("table", "-o", "-"), ("studio",)], ids=str)
def test_pipes_devices_and_links_to_nothing_are_named_and_never_waited_for(
    tmp_path: Path, words: tuple[str, ...]
) -> None:
    pipe = tmp_path / "pipe.feed.jsonl"
    os.mkfifo(pipe)
    (tmp_path / "gone.feed.jsonl").symlink_to("nowhere")
    for path in (pipe, "/dev/zero"):
        told = call(*words[:1], path, *words[1:])
        assert (told.returncode, str(path) in told.stderr) == (2, True)
    if words != ("studio",):
        shutil.copy(FEEDS / "nl" / "ace_eleven_or_one.feed.jsonl", tmp_path)
        told = call(*words[:1], tmp_path, *words[1:])
        assert told.returncode == 0
        assert all(name in told.stderr for name in ("pipe.feed.jsonl", "gone.feed.jsonl"))


def test_the_report_says_what_one_hold_refuses_and_what_somebody_should_look_at(tmp_path: Path) -> None:
    header = {"feed": 1, "table": "T", "rules": "nl", "rule_overrides": {"blackjack_pays": [6, 5]}}
    header |= {"currency": "EUR", "started_at": "2026-11-20T19:00:00Z", "table_options": {"card_gap_ms": 0}}
    bet = {"obs": "bet", "box": 1, "seat": 0}
    dealt: list[Json] = [
        *({"obs": "card", "rank": rank} for rank in ("10", "9", "9")),
        {"obs": "card", "rank": "8", "face": "down"},
    ]
    stand = {"obs": "decision", "box": 1, "hand": 1, "action": "stand"}
    lines: list[Json] = [
        *[
            line
            for _ in range(8)
            for line in ({**bet, "stake": 1000}, *dealt, stand, {"obs": "reveal"}, {"obs": "end"})
        ],
        {**bet, "stake": 200},
        *dealt,
        {**stand, "t": 4000.0},
        {"obs": "reveal"},
        {"obs": "paid", "box": 1, "seat": 0, "amount": 8500},
        *({"obs": "end"} for _ in range(3)),
    ]
    feed, expect = tmp_path / "a.feed.jsonl", tmp_path / "e.jsonl"
    feed.write_text("\n".join(map(json.dumps, [header, *lines])), encoding="utf-8")
    expect.write_text('{"round":9,"bets":[{"box":1,"seat":0,"returned":1200}]}', encoding="utf-8")
    told = call("replay", "--table", "--jobs", "1", feed).stdout
    for words in (
        "blackjack_pays is [6, 5] here; the house has [3, 2]",
        "rules nl, options card_gap_ms 0",
        "STAKE_UNLIKE: Box 1, seat 0: a stake of 2.00, where this bettor lays 10.00 as a rule",
        "CLOCK_STEP: 4000 s pass between two lines of one round",
        "hold WRONG_PAYOUT: Box 1: 85.00 was handed back, 4.00 is due",
        "3 lines (74 to 76) refused: the table waits for WRONG_PAYOUT",
    ):
        assert words in told, told
    account = call("replay", "--table", feed, "--expect", expect).stdout
    assert "2 lines (75 to 76) refused: the table waits for WRONG_PAYOUT" in account
    assert "round 9: box 1 is due 4.00 EUR, expected 12.00 EUR" in account
    assert (
        len(
            [line for line in objects(call("replay", "--table", "--json", feed)) if line["type"] == "refused"]
        )
        == 3
    )
