"""What if, and expected against actual: money moves beside the recorded, and nothing is stored."""

import json
import stat
from pathlib import Path
from typing import Any

import pytest

from controller.feed.expectations import load_expected, read_expectation
from controller.i18n import catalogue
from controller.replay.cases.case_check import Case, case_faults
from controller.replay.files.feed_files import expect_beside
from controller.replay.files.table_file import read_table_file
from controller.rules import HOUSES
from controller.studio.bodies import CompareBody
from controller.studio.otherwise import Known, compare_view
from controller.studio.studio_file import StudioFile
from tests.replay.replay_kit import FEEDS, call
from tests.replay.test_diff import without_the_last_card_of_the_first_round
from tests.studio.studio_kit import StudioServer
from tests.studio.test_studio import BUST, HIT, never_turned

EVENING = FEEDS / "de" / "every_outcome.feed.jsonl"
CASE = FEEDS / "table" / "missed_box_is_void.feed.jsonl"


@pytest.fixture(scope="module")
def page() -> Any:
    with StudioServer([EVENING, CASE]) as server:
        server.enter()
        yield server


def line_of(words: str) -> int:
    """The first line of the feed that says this, as the page counts."""
    lines = EVENING.read_text().splitlines()
    return next(at for at, line in enumerate(lines, start=1) if words in line.replace(": ", ":"))


def moved(answer: Any) -> list[tuple[int, str, str]]:
    return [
        (one["box"], one["returned"], one["returned_if"])
        for one in answer["money"]
        if (one["staked"], one["returned"]) != (one["staked_if"], one["returned_if"])
    ]


def test_a_card_a_stake_and_a_rule_move_the_money_and_the_file_stays(page: StudioServer) -> None:
    before = EVENING.read_bytes(), sorted(EVENING.parent.iterdir())
    same = page.post("/api/studio/0/what-if", {"round": 1})
    assert same[0] == 200
    assert moved(same[1]) == []
    assert same[1]["differences"] == []

    # Box 3 has 10 7 against 18; with 10 9 it wins.
    card = line_of('"rank":"7"')
    told = page.post(
        "/api/studio/0/what-if", {"round": 1, "lines": [{"line": card, "fields": {"rank": "9"}}]}
    )
    assert moved(told[1]) == [(3, "0.00", "20.00")]
    first = told[1]["differences"][0]
    assert (first["kind"], first["expected"], first["actual"]) == ("cards", ["10", "7"], ["10", "9"])

    stake = line_of('"bet", "box":1,')
    told = page.post(
        "/api/studio/0/what-if", {"round": 1, "lines": [{"line": stake, "fields": {"stake": 2000}}]}
    )
    assert moved(told[1]) == [(1, "25.00", "50.00")]

    told = page.post("/api/studio/0/what-if", {"round": 1, "rules": {"blackjack_pays": [6, 5]}})
    assert moved(told[1]) == [(1, "25.00", "22.00")]
    assert (EVENING.read_bytes(), sorted(EVENING.parent.iterdir())) == before


def test_every_rule_and_option_and_each_of_its_words_has_a_text(page: StudioServer) -> None:
    file = page.get("/api/studio/0")
    texts = catalogue("de")
    for field in (*file["fields"], *file["options"]):
        said = [field["says"], *(one["says"] for one in field["choices"])]
        assert f"field.{field['name']}" in texts
        assert [one["word"] for one in said if "word" in one and one["word"] not in texts] == []
    assert [one["says"] for one in file["fields"] if one["name"] in ("blackjack_pays", "stake_min")] == [
        "3:2",
        {"money": "0.00"},
    ]


def test_an_option_of_the_table_moves_what_its_door_does(page: StudioServer) -> None:
    told = page.post("/api/studio/1/what-if", {"round": 1, "options": {"stand_on_21": False}})
    assert told[0] == 200
    told = page.post("/api/studio/1/what-if", {"round": 1, "options": {"stand_on_22": False}})
    assert told[0] == 409


def test_what_cannot_be_changed_is_a_sentence(page: StudioServer) -> None:
    bad = [
        ({"round": 99}, "ROUND_NOT_FOUND"),
        ({"round": 1, "lines": [{"line": 9999, "fields": None}]}, "WHAT_IF_LINE"),
        ({"round": 1, "lines": [{"line": 3, "fields": {"obs": "reveal"}}]}, "WHAT_IF_FIELD"),
        ({"round": 1, "rules": {"deck": 6}}, "RULES_FIELD_UNKNOWN"),
    ]
    for body, code in bad:
        status, answer = page.post("/api/studio/0/what-if", body)
        assert (status, answer["code"]) == (409, f"error.{code}")
    assert page.post("/api/studio/0/what-if", {"round": 1, "more": 1})[0] == 422
    status, answer = page.post("/api/studio/0/compare", {"rules": "/etc/passwd"})
    assert (status, answer["code"]) == (409, "error.RULES_UNKNOWN")


def test_another_house_is_compared_round_by_round_and_each_difference_has_its_step(
    page: StudioServer,
) -> None:
    status, answer = page.post("/api/studio/0/compare", {"rules": "spielbank"})
    assert status == 200
    assert {one["round"] for one in answer["differences"]} == {1, 2, 3}
    steps = page.get("/api/studio/0")["steps"]
    placed = [one for one in answer["differences"] if one["step"] is not None]
    assert placed
    assert all(steps[one["step"]]["round"] == one["round"] for one in placed)
    assert page.post("/api/studio/0/compare", {"rules": "de"})[1]["differences"] == []


def test_irregularities_and_options_are_compared_by_name() -> None:
    with StudioServer([EVENING]) as server:
        server.enter()
        path = "/api/studio/0/compare"
        assert server.post(path, {"profile": "nl"})[1]["differences"] == []
        for body, code in (
            ({"profile": "/etc/passwd"}, "RULES_UNKNOWN"),
            ({"options": {"stand_on_22": True}}, "FEED_FIELD_BAD"),
        ):
            status, answer = server.post(path, body)
            assert (status, answer["code"]) == (409, f"error.{code}")


def test_a_rule_file_of_ones_own_is_compared_and_may_be_edited_meanwhile(tmp_path: Path) -> None:
    own = tmp_path / "own.toml"
    own.write_text('base = "de"\n')
    with StudioServer([EVENING], rules=[str(own)]) as server:
        server.enter()
        assert server.get("/api/studio/0")["other_rules"] == [*HOUSES, str(own)]
        body = {"rules": str(own)}
        assert server.post("/api/studio/0/compare", body)[1]["differences"] == []
        own.write_text('base = "de"\nblackjack_pays = [6, 5]\n')
        status, answer = server.post("/api/studio/0/compare", body)
        paid = [one for one in answer["differences"] if one["kind"] == "returned"]
        assert status == 200
        assert ([{"money": "25.00"}], [{"money": "22.00"}]) in [
            (one["expected"], one["actual"]) for one in paid
        ]
        own.write_text("decks = 0")
        assert server.post("/api/studio/0/compare", body)[0] == 409
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
    assert case_faults(Case(str(feed), expect, table=True)) == []


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


def test_without_a_folder_no_case_is_kept(page: StudioServer) -> None:
    status, answer = page.post("/api/studio/0/keep", {"round": 1, "name": "case"})
    assert (status, answer["code"]) == (409, "error.CASE_FOLDER")


def test_a_round_with_a_card_that_was_never_turned_is_not_played_otherwise(tmp_path: Path) -> None:
    answers = []
    for hole in ("9", "K"):
        feed = tmp_path / f"{hole}.feed.jsonl"
        feed.write_text(never_turned(hole, [HIT, BUST]) + "\n")
        with StudioServer([feed]) as server:
            server.enter()
            one = server.post("/api/studio/0/what-if", {"round": 1, "rules": {"hole_card": "none"}})
            answers.append((one, server.post("/api/studio/0/compare", {"rules": "fr"})))
    assert answers[0] == answers[1]
    (status, refused), (_, compared) = answers[0]
    assert (status, refused["code"]) == (409, "error.WHAT_IF_SECRET")
    assert (compared["differences"], compared["left_out"]) == ([], 1)


def test_rounds_behind_one_that_never_ends_are_stepped_and_compared(tmp_path: Path) -> None:
    lost = without_the_last_card_of_the_first_round(tmp_path / "lost.feed.jsonl")
    file = StudioFile(read_table_file(str(lost)), at_table=True)
    assert {one.round for one in file.steps} == {1, 2, 3}
    found = compare_view(file, CompareBody(rules="spielbank"), Known(["spielbank"])).differences
    assert {one.round for one in found} >= {2, 3}
