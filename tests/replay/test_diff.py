"""`stand17 diff`: two files, or one under other rules; what differs comes in order, the cause first."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.replay.replay_kit import FEEDS, call, journal_of, objects

EVENING = FEEDS / "de" / "every_outcome.feed.jsonl"


def changed(path: Path, number: int, **fields: Any) -> Path:
    """The evening with one line told otherwise; `number` counts as the program does, the header is 1."""
    lines = EVENING.read_text().splitlines()
    lines[number - 1] = json.dumps({**json.loads(lines[number - 1]), **fields})
    path.write_text("\n".join(lines) + "\n")
    return path


def test_a_file_does_not_differ_from_itself_nor_from_the_journal_that_it_leaves(tmp_path: Path) -> None:
    assert call("diff", EVENING, EVENING).stdout == "No difference in 3 rounds.\n"
    journal = journal_of(EVENING, tmp_path / "t.journal")
    told = call("diff", EVENING, journal)
    assert (told.returncode, told.stdout) == (0, "No difference in 3 rounds.\n")


def test_a_card_read_as_another_is_the_first_difference_and_its_payment_follows(tmp_path: Path) -> None:
    # Box 3 has 10 7 against 18; with 10 9 it wins.
    number = next(
        at
        for at, line in enumerate(EVENING.read_text().splitlines(), start=1)
        if '"rank": "7"' in line or '"rank":"7"' in line
    )
    told = call("diff", EVENING, changed(tmp_path / "other.feed.jsonl", number, rank="9"))
    assert told.returncode == 1
    first, *rest = told.stdout.splitlines()
    assert first.startswith(f"round 1, line {number}, ")
    assert first.endswith("box 3 hand 1 has the cards 10 9, expected 10 7")
    assert any(line.endswith("box 3 is due 20.00 EUR, expected 0.00 EUR") for line in rest)


def test_of_two_witnesses_cards_it_says_after_which_one_is_missing_too_many_or_in_another_place(
    tmp_path: Path,
) -> None:
    lines = EVENING.read_text().splitlines()
    cards = [at for at, line in enumerate(lines) if json.loads(line).get("obs") == "card"]
    fifth, sixth = (json.loads(lines[cards[at]]) for at in (4, 5))
    faces = [{name: card.get(name) for name in ("rank", "suit")} for card in (fifth, sixth)]
    swapped = [json.dumps(fifth | faces[1]), json.dumps(sixth | faces[0])]
    lost = [*lines[: cards[5]], *lines[cards[5] + 1 :]]
    twice = [*lines[: cards[5]], *lines[cards[5] : cards[5] + 1], *lines[cards[5] :]]
    turned = [
        *lines[: cards[4]],
        swapped[0],
        *lines[cards[4] + 1 : cards[5]],
        swapped[1],
        *lines[cards[5] + 1 :],
    ]
    for other, words in (
        (lost, "a card is missing after card 5 of the round"),
        (twice, "a card too many after card"),
        (turned, "the cards come in another order after card 4 of the round"),
    ):
        path = tmp_path / "other.feed.jsonl"
        path.write_text("\n".join(other) + "\n")
        first = call("diff", EVENING, path).stdout.splitlines()[0]
        assert first.startswith("round 1, ")
        assert words in first


def test_every_round_is_compared_where_the_other_rules_cannot_settle_the_first() -> None:
    """With a hole card the second card of the dealer is missing in every round of a house without one."""
    told = call("diff", EVENING, "--rules", "spielbank", "--json")
    *found, summary = objects(told)
    assert summary["rounds"] == 3
    assert not [one for one in found if one.get("what") in {"only_expected", "only_actual"}]


def test_a_round_that_never_ends_hides_no_later_one(tmp_path: Path) -> None:
    """At a table's door the lost card holds, and every line after it goes into the round that waits."""
    lost = without_the_last_card_of_the_first_round(tmp_path / "lost.feed.jsonl")
    *found, summary = objects(call("diff", EVENING, lost, "--table", "--json"))
    assert {one["round"] for one in found} == {1}
    assert (summary["of"], summary["behind"]) == (3, 2)
    under = objects(call("diff", lost, "--rules", "spielbank", "--table", "--json"))
    assert {one["round"] for one in under if one["type"] == "difference"} >= {2, 3}
    assert "never ended: 2 rounds" in call("diff", EVENING, lost, "--table").stdout


def without_the_last_card_of_the_first_round(path: Path) -> Path:
    lines = EVENING.read_text().splitlines()
    told = [json.loads(line).get("obs") for line in lines]
    end = told.index("end")
    last = max(at for at, obs in enumerate(told[:end]) if obs == "card")
    path.write_text("\n".join(lines[:last] + lines[last + 1 :]) + "\n")
    return path


def test_a_card_that_was_never_turned_is_told_by_no_other_rules(tmp_path: Path) -> None:
    """A house without a hole card would have it lie open; its draws, and what is paid, would tell it."""
    feed = (FEEDS / "nl" / "all_over_ends_the_round.feed.jsonl").read_text(encoding="utf-8")
    hole = '"rank": "10", "suit": "d", "face": "down"'
    assert hole in feed
    said = set()
    for rank in ("10", "5", "A"):
        path = tmp_path / "evening.feed.jsonl"
        path.write_text(feed.replace(hole, hole.replace("10", rank)), encoding="utf-8")
        for house in ("fr", "own.toml"):
            (tmp_path / "own.toml").write_text(
                'base = "nl"\nname = "own"\nhole_card = "none"\npeek = "none"\n'
            )
            rules = house if house == "fr" else tmp_path / house
            said.add((house, call("diff", path, "--rules", rules).stdout))
    assert len(said) == 2
    assert all("never turned: 1." in words for _, words in said)


def test_another_rule_file_names_the_field_and_the_money_it_moves(tmp_path: Path) -> None:
    own = tmp_path / "own.toml"
    own.write_text('base = "de"\nname = "own"\nblackjack_pays = [6, 5]\n')
    told = call("diff", EVENING, "--rules", own, "--json")
    assert told.returncode == 1
    *found, summary = objects(told)
    assert {"type": "rule", "field": "blackjack_pays", "expected": [3, 2], "actual": [6, 5]} in found
    assert [entry for entry in found if entry["type"] == "difference"] == [
        {
            "type": "difference",
            "round": 1,
            "what": "returned",
            "box": 1,
            "seat": 0,
            "expected": 2500,
            "actual": 2200,
            "line": 39,
            "t": 57.0,
        }
    ]
    assert summary == {"type": "summary", "differences": 1, "rounds": 1, "of": 3}


def test_a_round_that_is_missing_leaves_the_others_as_they_are(tmp_path: Path) -> None:
    lines = EVENING.read_text().splitlines()
    first, second, *_ = (at for at, line in enumerate(lines, start=1) if json.loads(line).get("obs") == "end")
    two = tmp_path / "two.feed.jsonl"
    two.write_text("\n".join([*lines[:first], *lines[second:]]) + "\n")
    answer = call("diff", EVENING, two, "--json")
    assert [(entry.get("what"), entry.get("round")) for entry in objects(answer)[:-1]] == [
        ("only_expected", 2)
    ]


@pytest.mark.parametrize(
    "arguments", [(EVENING,), (EVENING, "nowhere.feed.jsonl"), (EVENING, "--rules", "none")]
)
def test_what_cannot_be_compared_is_a_sentence_and_exit_2(arguments: tuple[str | Path, ...]) -> None:
    told = call("diff", *arguments)
    assert told.returncode == 2
    assert told.stderr.strip()
    assert "error." not in told.stderr


def test_a_table_option_and_a_profile_are_compared_beside_the_rules(tmp_path: Path) -> None:
    feed = FEEDS / "table" / "missed_box_is_void.feed.jsonl"
    own = tmp_path / "own.toml"
    own.write_text(
        'base = "nl"\n[irregularities.MISSED_CARD]\n'
        'release = "two"\nways = ["void_round"]\nsource = "house"\n'
    )
    told = objects(call("diff", feed, "--table", "--option", "stand_on_21=false", "--json"))
    assert {"type": "rule", "field": "stand_on_21", "expected": True, "actual": False} in told
    result = call("diff", feed, "--table", "--profile", own, "--json")
    assert {one["field"] for one in objects(result) if one["type"] == "rule"} >= {"MISSED_CARD"}
    for words, code in (
        (("--option", "stand_on_21"), "OPTION_BAD"),
        (("--option", "stand_on_22=1"), "FEED_FIELD_BAD"),
        (("--profile", tmp_path / "none.toml"), "RULES_UNKNOWN"),
    ):
        refused = call("diff", feed, *words, "--json")
        assert (refused.returncode, json.loads(refused.stderr)["code"]) == (2, code)
