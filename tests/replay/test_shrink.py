"""`stand17 shrink`: ten planted faults, each left in at most the round that shows it."""

import json
from pathlib import Path

import pytest

from tests.planted_faults.plants import FAULTS, Fault, Shift, dealt, written
from tests.replay.replay_kit import FEEDS, call, objects

ROUNDS = 6
PLANTED = 4


@pytest.fixture(scope="module")
def shifts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Shift, str]]:
    """A shift of each house, with the rounds that it comes to without a fault."""
    folder = tmp_path_factory.mktemp("shifts")
    found = {}
    for house in ("fr", "nl"):
        shift = dealt(house, ROUNDS)
        feed = folder / f"{house}.feed.jsonl"
        feed.write_text("".join(json.dumps(line) + "\n" for line in (shift.header, *shift.lines)))
        found[house] = shift, call("replay", feed, "--json").stdout
    return found


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_planted_fault_is_left_in_at_most_its_round(
    shifts: dict[str, tuple[Shift, str]], fault: Fault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    shift, expected = shifts[fault.house]
    feed, in_round = written(shift, fault, PLANTED, tmp_path)
    Path("shift.expect.jsonl").write_text(expected)
    told = call("shrink", feed, *fault.when, "-o", "small.feed.jsonl", "--json")
    assert told.returncode == 0, told.stderr
    sizes = json.loads(told.stderr)
    small = Path("small.feed.jsonl").read_text().splitlines()[1:]
    assert (sizes["rounds"], sizes["lines"]) == (1, len(small))
    assert len(small) <= in_round < sizes["lines_before"]
    again = call("shrink", "small.feed.jsonl", *fault.when)
    assert (again.returncode, len(again.stdout.splitlines())) == (0, len(small) + 1)


def test_what_differs_is_written_beside_the_small_feed_and_is_all_that_differs(tmp_path: Path) -> None:
    feed = FEEDS / "de" / "every_outcome.feed.jsonl"
    expected = tmp_path / "e.jsonl"
    right = feed.with_name("every_outcome.expect.jsonl").read_text().splitlines()
    first = json.loads(right[0])
    first["bets"][0]["returned"] = 3750
    expected.write_text("\n".join([json.dumps(first), *right[1:]]))
    small = tmp_path / "small.feed.jsonl"
    told = call("shrink", feed, "--when", "differs", "--expect", expected, "--out", small)
    assert (told.returncode, small.stat().st_mode & 0o777) == (0, 0o600)
    report = call("replay", small, "--only", "differences")
    differences = [line for line in report.stdout.splitlines() if line.startswith("≠")]
    assert len(differences) == 1
    assert differences[0].endswith("box 1 is due 25.00 EUR, expected 37.50 EUR")
    assert '"box": 2' not in small.read_text()


def test_an_amount_of_a_box_can_be_what_is_looked_for() -> None:
    feed = FEEDS / "de" / "every_outcome.feed.jsonl"
    found = objects(call("shrink", feed, "--when", "paid[6]!=30.00", "--round", "1"))
    assert {line["box"] for line in found if "box" in line} == {6}
    assert call("shrink", feed, "--when", "paid[6]==31.00").returncode == 1


def test_what_was_handed_back_what_is_due_and_the_difference_are_three_conditions(tmp_path: Path) -> None:
    feed = tmp_path / "wrong.feed.jsonl"
    header = {"feed": 1, "table": "BJ1", "rules": "spielbank", "currency": "EUR"}
    round_ = [
        {"obs": "bet", "box": 3, "seat": 0, "stake": 4000},
        *({"obs": "card", "rank": rank} for rank in ("10", "9", "9", "9")),
        {"obs": "decision", "box": 3, "hand": 1, "action": "stand"},
        {"obs": "reveal"},
        {"obs": "paid", "box": 3, "seat": 0, "amount": 8500},
    ]
    feed.write_text("".join(json.dumps(line) + "\n" for line in [header, *round_]))
    for shown in ("paid[3]==85.00", "due[3]==80.00", "difference[3]==5.00", "difference[3]>-1.00"):
        assert call("shrink", feed, "--when", shown).returncode == 0, shown
    for not_shown in ("paid[3]==80.00", "due[3]==85.00", "difference[3]<0.00"):
        assert call("shrink", feed, "--when", not_shown).returncode == 1, not_shown


def test_a_fault_that_needs_the_rounds_before_keeps_their_cards_alone(tmp_path: Path) -> None:
    """A fifth ace of spades in one pack: the four before lie in the shoe's count, not in whole rounds."""
    header = {"feed": 1, "table": "BJ1", "rules": "de", "rule_overrides": {"decks": 1}, "currency": "EUR"}
    hand = [{"obs": "card", "rank": rank} for rank in ("A", "9", "9", "8")]
    win = [
        {"obs": "bet", "box": 1, "seat": 0, "stake": 1000},
        *hand,
        {"obs": "decision", "box": 1, "hand": 1, "action": "stand"},
        {"obs": "reveal"},
        {"obs": "end"},
    ]
    feed = tmp_path / "a.feed.jsonl"
    feed.write_text(
        "".join(json.dumps(line) + "\n" for line in [header, {"obs": "shoe", "decks": 1}, *win * 5])
    )
    told = call("shrink", feed, "--when", "alert=TOO_MANY_OF_A_KIND")
    left = objects(told)[1:]
    assert sum(line["obs"] == "card" for line in left) == 5
    assert sum(line["obs"] == "bet" for line in left) <= 1


@pytest.mark.parametrize(
    "arguments",
    [(), ("--when", "paid[x]=3"), ("--when", "differs"), ("--when", "differs", "--command", "true")],
    ids=["nothing", "no-condition", "no-expectation", "both"],
)
def test_what_cannot_be_asked_is_a_sentence_and_exit_2(arguments: tuple[str, ...]) -> None:
    told = call("shrink", FEEDS.parent / "recordings" / "line-lost-in-play.mcap", *arguments)
    assert told.returncode == 2
    assert told.stderr.strip()
    assert "error." not in told.stderr


def test_a_recording_becomes_a_small_feed() -> None:
    recording = FEEDS.parent / "recordings" / "line-lost-in-play.mcap"
    told = call("shrink", recording, "--when", "paid[1]==0.00")
    assert told.returncode == 0
    assert objects(told)[0]["table"] == "BJ7"
