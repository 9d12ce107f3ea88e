"""What `replay`, `show`, `diff` and `table` tell a tester of a file, each fact once and at its place."""

import csv
import io
import json
from pathlib import Path

import pytest

from tests.replay.replay_kit import Json, call

HEADER: Json = {"feed": 1, "table": "BJ1", "rules": "spielbank", "currency": "EUR"}
PIT: Json = {"by": "pit:anna", "reason": "misread"}


def dealt(*, suit: str | None = "c", p: float | None = None, stake: int = 1000) -> list[Json]:
    """A round that box 1 wins with 19 against 18."""
    more: Json = ({} if suit is None else {"suit": suit}) | ({} if p is None else {"p": p})
    return [
        {"obs": "bet", "box": 1, "seat": 0, "stake": stake},
        *({"obs": "card", "rank": rank, **more} for rank in ("10", "9", "9", "9")),
        {"obs": "decision", "box": 1, "hand": 1, "action": "stand"},
        {"obs": "reveal"},
        {"obs": "end"},
    ]


def feed(path: Path, lines: list[Json], header: Json = HEADER) -> Path:
    timed = ({"t": float(at), **line} for at, line in enumerate(lines))
    path.write_text("".join(json.dumps(line) + "\n" for line in [header, *timed]))
    return path


def test_show_names_how_sure_the_reader_was_of_each_card_below_its_limit(tmp_path: Path) -> None:
    lines = dealt(p=0.9999)
    lines[1]["p"] = 0.97
    path = feed(tmp_path / "a.feed.jsonl", lines)
    words = call("show", path, "--round", "1").stdout
    assert "hand 1: 10♣ (97.00 %) 9♣ = 19" in words
    assert "Least certain read: 10♣, 97.00 %. Cards with a certainty: 4 of 4." in words
    account = json.loads(call("show", path, "--round", "1", "--json").stdout)
    assert account["boxes"][0]["hands"][0]["p"] == [0.97, 0.9999]


def test_how_sure_the_reader_was_of_a_face_down_card_is_told_nowhere(tmp_path: Path) -> None:
    lines = dealt(p=0.9999)[:5]
    lines[4]["p"] = 0.9123
    path = feed(tmp_path / "a.feed.jsonl", lines)
    for told in (call("show", path, "--round", "1"), call("show", path, "--round", "1", "--json")):
        assert told.returncode == 0
        assert "91.23" not in told.stdout
        assert "0.9123" not in told.stdout


def test_a_payout_of_an_earlier_round_is_listed_under_that_round_alone(tmp_path: Path) -> None:
    late = {"obs": "paid", "box": 1, "seat": 0, "amount": 2000, "round": 1, "by": "pit:anna"}
    path = feed(tmp_path / "a.feed.jsonl", [*dealt(), *dealt()[:3], late, *dealt()[3:]])
    assert "paid box 1" in call("show", path, "--round", "1").stdout
    assert "paid box 1" not in call("show", path, "--round", "2").stdout


def test_diff_names_a_suit_that_both_files_say_otherwise(tmp_path: Path) -> None:
    other = dealt()
    other[1]["suit"] = "h"
    other[2]["suit"] = "d"
    one = feed(tmp_path / "a.feed.jsonl", dealt())
    told = call("diff", one, feed(tmp_path / "b.feed.jsonl", other))
    assert told.returncode == 1
    assert "box 1 hand 1 has the suits h c, expected c c" in told.stdout
    assert "the dealer has the suits d c, expected c c" in told.stdout
    assert call("diff", one, feed(tmp_path / "c.feed.jsonl", dealt(suit=None))).returncode == 0


def test_diff_compares_times_within_a_round_where_it_is_asked_to(tmp_path: Path) -> None:
    one = feed(tmp_path / "a.feed.jsonl", dealt())
    later = [{"t": at + (100.0 if at < 4 else 105.0), **line} for at, line in enumerate(dealt())]
    other = feed(tmp_path / "b.feed.jsonl", later)
    assert call("diff", one, other).returncode == 0
    told = call("diff", one, other, "--times", "1")
    assert told.returncode == 1
    assert "9 s after the round began, expected 4 s" in told.stdout
    assert call("diff", one, other, "--times", "6").returncode == 0


def test_a_round_that_was_expected_and_is_not_there_is_a_sentence(tmp_path: Path) -> None:
    path = feed(tmp_path / "a.feed.jsonl", dealt())
    expected = tmp_path / "e.jsonl"
    expected.write_text('{"type": "round", "round": 7}\n')
    told = call("replay", path, "--expect", expected)
    assert told.returncode == 1
    assert "a.feed.jsonl round 1: this round was not expected" in told.stdout
    assert "a.feed.jsonl round 7: this round was expected and is not there" in told.stdout
    assert "{" not in told.stdout


def test_a_block_of_lines_that_stands_twice_in_a_file_is_named(tmp_path: Path) -> None:
    cards = ("10", "9", "2", "3", "2", "2", "9")
    long: list[Json] = [
        {"obs": "bet", "box": 1, "seat": 0, "stake": 1000},
        *({"obs": "card", "rank": rank, "suit": "c"} for rank in cards[:3]),
        *({"obs": "card", "rank": rank, "suit": "d"} for rank in cards[3:6]),
        {"obs": "decision", "box": 1, "hand": 1, "action": "stand"},
        *({"obs": "card", "rank": rank, "suit": "h"} for rank in ("7", "8")),
        {"obs": "end"},
    ]
    path = feed(tmp_path / "a.feed.jsonl", [*long, *dealt(), *long])
    told = call("replay", "--jobs", "1", path).stdout
    assert "finding ROUND_REPEATED: This round says word for word what round 1 says" in told
    assert "ROUND_REPEATED" not in call("replay", "--jobs", "1", feed(path, [*long, *dealt()])).stdout


def test_two_dealers_at_one_table_are_named(tmp_path: Path) -> None:
    seated = [{"obs": "dealer", "id": name, "at": "in"} for name in ("anna", "bert")]
    left = {"obs": "dealer", "id": "anna", "at": "out"}
    path = feed(tmp_path / "a.feed.jsonl", [*seated, *dealt()])
    told = call("replay", "--jobs", "1", path).stdout
    assert "finding TWO_DEALERS: bert takes the table while anna has not left it" in told
    path = feed(tmp_path / "a.feed.jsonl", [seated[0], left, seated[1], *dealt()])
    assert "TWO_DEALERS" not in call("replay", "--jobs", "1", path).stdout


@pytest.mark.parametrize("options", [(), ("--table",)], ids=["by the rules", "at a table's door"])
def test_the_text_of_a_replay_says_who_ruled_and_why(tmp_path: Path, options: tuple[str, ...]) -> None:
    ruled = {"obs": "correct", "card": 1, "rank": "10", "suit": "h", **PIT}
    path = feed(tmp_path / "a.feed.jsonl", [*dealt()[:4], ruled, *dealt()[4:]])
    told = call("replay", *options, path).stdout
    assert "line 6: pit:anna rules correct: misread" in told


def test_a_ruling_on_a_face_down_card_names_no_card(tmp_path: Path) -> None:
    ruled = {"obs": "correct", "card": 4, "rank": "Q", "suit": "s", **PIT}
    cards = [{"obs": "card", "rank": rank, "suit": "c"} for rank in ("10", "9", "9", "K")]
    path = feed(tmp_path / "a.feed.jsonl", [dealt()[0], *cards, ruled])
    line = next(line for line in call("replay", path).stdout.splitlines() if "rules correct" in line)
    assert line.strip() == "line 7: pit:anna rules correct: misread"


def test_a_line_after_the_last_round_opens_no_round_in_the_table(tmp_path: Path) -> None:
    note = {"obs": "note", "text": "a quiet evening", "by": "pit:anna"}
    path = feed(tmp_path / "a.feed.jsonl", [*dealt(), note])
    rows = list(csv.DictReader(io.StringIO(call("table", path, "-o", "-").stdout)))
    assert [(row["round"], row["status"]) for row in rows] == [("1", "settled")]


def test_a_line_that_a_held_round_refuses_names_the_option_that_plays_on(tmp_path: Path) -> None:
    stray = {"obs": "card", "rank": "2", "suit": "c", "to": "box", "box": 6}
    path = feed(tmp_path / "a.feed.jsonl", [*dealt()[:4], stray, *dealt()[4:], *dealt()])
    told = call("replay", "--table", path).stdout
    assert "refused TABLE_HELD" in told
    assert told.count("--rejoin plays on behind it") == 1
    assert "--rejoin" not in call("replay", "--table", "--rejoin", path).stdout


def test_alerts_of_one_cause_are_one_line_and_a_count(tmp_path: Path) -> None:
    """One pack, dealt for five rounds: each further card is one too many."""
    header = {**HEADER, "rule_overrides": {"decks": 1}}
    path = feed(tmp_path / "a.feed.jsonl", [{"obs": "shoe", "decks": 1}, *dealt() * 5], header)
    words = call("replay", path).stdout
    alerts = [json.loads(line) for line in call("replay", "--json", path).stdout.splitlines()]
    times = sum(line.get("code") == "TOO_MANY_OF_A_KIND" for line in alerts)
    assert times > 5
    assert (
        sum(
            "critical TOO_MANY_OF_A_KIND" in line or "TOO_MANY_OF_A_KIND: " in line
            for line in words.splitlines()
        )
        == 1
    )
    assert f"{times - 1} more alerts TOO_MANY_OF_A_KIND" in words


def test_a_remark_on_a_round_that_has_not_begun_is_not_said_to_be_too_late(tmp_path: Path) -> None:
    note = {"obs": "note", "text": "x", "round": 9, "by": "pit:anna"}
    told = call("replay", feed(tmp_path / "a.feed.jsonl", [note])).stdout
    assert "refused NO_SUCH_ROUND: There is no such round here: it has not begun yet" in told
