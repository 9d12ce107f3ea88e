"""Rounds kept as cases, and expectations made anew: with a reason, beside what was expected."""

import json
import stat
from pathlib import Path

from controller.feed.replay import load_expected, read_expectation
from controller.replay.kept_cases import case_faults
from controller.replay.table_file import expect_beside
from controller.rules import HOUSES
from tests.replay.replay_kit import FEEDS, call
from tests.studio.studio_kit import StudioServer
from tests.studio.test_studio import BUST, HIT, never_turned

EVENING = FEEDS / "de" / "every_outcome.feed.jsonl"
CASE = FEEDS / "table" / "missed_box_is_void.feed.jsonl"


def test_rule_files_that_were_named_are_offered_and_a_missing_one_is_refused(tmp_path: Path) -> None:
    own = tmp_path / "own.toml"
    own.write_text('base = "de"\n')
    with StudioServer([EVENING], rules=[str(own)]) as server:
        server.enter()
        assert server.get("/api/studio/0")["other_rules"] == [*HOUSES, str(own)]
    wrong = call("studio", EVENING, "--rules", tmp_path / "none.toml")
    assert (wrong.returncode, "none.toml" in wrong.stderr) == (2, True)


def test_a_round_is_kept_as_the_smallest_case_and_the_case_passes(tmp_path: Path) -> None:
    with StudioServer([CASE, EVENING], tmp_path) as server:
        server.enter()
        status, kept = server.post("/api/studio/0/keep", {"round": 1, "name": "missed_box"})
        assert (status, kept["path"]) == (200, str(tmp_path / "missed_box.feed.jsonl"))
        assert kept["lines"] < kept["lines_before"]
        for body, code in (
            ({"round": 1, "name": "missed_box"}, "CASE_EXISTS"),
            ({"round": 1, "name": "../missed_box"}, "CASE_NAME"),
            ({"round": 9, "name": "nine"}, "ROUND_NOT_FOUND"),
        ):
            status, answer = server.post("/api/studio/0/keep", body)
            assert (status, answer["code"]) == (409, f"error.{code}")
        # No complaint: what stays is the round as it was paid.
        status, kept = server.post("/api/studio/1/keep", {"round": 3, "name": "paid_so"})
        assert status == 200
    assert stat.S_IMODE(Path(kept["path"]).stat().st_mode) == 0o600
    for name, flags in (("missed_box", ["--table"]), ("paid_so", [])):
        told = call("replay", tmp_path / f"{name}.feed.jsonl", "--only", "differences", *flags)
        assert told.returncode == 0, told.stdout + told.stderr
    notices = call("replay", tmp_path / "missed_box.feed.jsonl", "--table", "--json").stdout
    assert '"hold"' in notices


def test_a_new_baseline_needs_a_reason_and_keeps_what_was_expected(tmp_path: Path) -> None:
    feed, own = tmp_path / EVENING.name, tmp_path / "own.toml"
    feed.write_bytes(EVENING.read_bytes())
    own.write_text('base = "de"\nblackjack_pays = [6, 5]\n')
    expect = expect_beside(feed)
    with StudioServer([feed], rules=[str(own)]) as server:
        server.enter()
        path, body = "/api/studio/0/accept", {"rules": str(own), "reason": "Blackjack pays 6 to 5 since May"}
        refused = server.post(path, body)
        assert (refused[0], refused[1]["code"]) == (409, "error.CASE_NO_EXPECTATION")
        expect.write_bytes(expect_beside(EVENING).read_bytes())
        before = load_expected(expect)
        for wrong, code in (
            ({"reason": "  "}, "BASELINE_REASON"),
            ({"reason": "As it is"}, "BASELINE_SAME"),
            ({"reason": "Mine", "rules": "/etc/passwd"}, "RULES_UNKNOWN"),
        ):
            status, answer = server.post(path, wrong)
            assert (status, answer["code"]) == (409, f"error.{code}")
        assert load_expected(expect) == before
        would = server.post("/api/studio/0/baseline", {"rules": str(own)})[1]["changes"]
        assert load_expected(expect) == before
        status, told = server.post(path, body)
        assert len(would) == told["values"]
        assert [1, "bets[0].returned", {"money": "25.00"}, {"money": "22.00"}] in [
            list(one.values()) for one in would
        ]
        assert server.post("/api/studio/0/baseline", {"rules": "/etc/passwd"})[0] == 409
        assert (status, told["path"], told["rounds"]) == (200, str(expect), 1)
        again = server.post(path, {"reason": "Back to 3 to 2"})
        assert again[0] == 200
    assert load_expected(expect) == before
    notes = [one for one in read_expectation(expect) if one.get("type") == "baseline"]
    assert [(one["case"], one["reason"]) for one in notes] == [
        ("every_outcome", "Blackjack pays 6 to 5 since May"),
        ("every_outcome", "Back to 3 to 2"),
    ]
    first = {one["key"]: (one["was"], one["is"]) for one in notes[0]["changes"]}
    assert first["bets[0].returned"] == (2500, 2200)
    assert len(notes[0]["changes"]) == told["values"]
    assert case_faults(str(feed), expect, table=True) == []


def test_a_baseline_leaves_open_what_it_left_open_and_the_secret_rounds_alone(tmp_path: Path) -> None:
    feed = tmp_path / "case.feed.jsonl"
    feed.write_text(never_turned("9", [HIT, BUST]) + "\n")
    expect_beside(feed).write_text('{"round": 1, "status": "voided"}\n')
    with StudioServer([feed]) as server:
        server.enter()
        status, answer = server.post("/api/studio/0/accept", {"reason": "The round is settled"})
    # The second round has only a bet, and nobody has said what to expect of it.
    assert (status, answer["values"], answer["left_out"]) == (200, 1, 1)
    first, second = load_expected(expect_beside(feed))
    assert (first, second["round"]) == ({"round": 1, "status": "voided"}, 2)
    feed.write_bytes(EVENING.read_bytes())
    numbers = [one["round"] for one in load_expected(expect_beside(EVENING))]
    expect_beside(feed).write_text(
        "".join(json.dumps({"round": one, "status": "voided", "feed": "mine"}) + "\n" for one in numbers)
    )
    with StudioServer([feed]) as server:
        server.enter()
        assert server.post("/api/studio/0/accept", {"reason": "They are settled"})[0] == 200
    assert load_expected(expect_beside(feed)) == [
        {"round": one, "status": "settled", "feed": "mine"} for one in numbers
    ]


def test_without_a_folder_no_case_is_kept() -> None:
    with StudioServer([EVENING]) as server:
        server.enter()
        status, answer = server.post("/api/studio/0/keep", {"round": 1, "name": "case"})
    assert (status, answer["code"]) == (409, "error.CASE_FOLDER")
