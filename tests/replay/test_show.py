"""`stand17 show`: a round as people read it, and nothing of a card that lies face down."""

import json
from pathlib import Path

from tests.replay.replay_kit import FEEDS, Json, call

EVERY = FEEDS / "de" / "every_outcome.feed.jsonl"
HEADER = {"feed": 1, "table": "BJ1", "rules": "spielbank", "currency": "EUR"}
DEAL: list[Json] = [
    {"obs": "bet", "box": 3, "seat": 0, "stake": 400},
    *({"obs": "card", "rank": rank, "suit": "c", "by": "shoe", "p": 0.5} for rank in ("10", "9", "2")),
    {"obs": "card", "rank": "K", "suit": "d", "by": "shoe", "p": 0.5},
]


def feed(path: Path, lines: list[Json]) -> Path:
    path.write_text("".join(json.dumps(line) + "\n" for line in [HEADER, *lines]))
    return path


def test_a_round_tells_cards_decisions_money_and_the_rule_that_decided() -> None:
    told = call("show", EVERY, "--round", "1")
    assert told.returncode == 0
    for line in (
        "dealer: 10 6 2 = 18",
        "  hand 1: A K = 21, stakes 10.00 EUR",
        "  seat 0, hand 1 main: blackjack, 10.00 EUR staked, 25.00 EUR due  [DE-13]",
        "  seat 0, hand 1 main: bust, 10.00 EUR staked, 0.00 EUR due  [DE-23]",
        "  line 33, 0:00:48: decision box 6 hand 1 double",
        "All boxes: staked 90.00 EUR, due 110.00 EUR, handed back 110.00 EUR, difference 0.00 EUR,"
        " players' net +20.00 EUR.",
    ):
        assert line in told.stdout.splitlines()


def test_a_face_down_card_is_masked_in_words_and_in_json_until_it_is_turned(tmp_path: Path) -> None:
    """SB: the second card of the dealer lies face down; the shoe has read it, and it was corrected."""
    ruled = {"obs": "correct", "card": 4, "rank": "Q", "suit": "s", "by": "pit:P1", "reason": "misread"}
    path = feed(tmp_path / "open.feed.jsonl", [*DEAL, ruled])
    words, told = call("show", path, "--round", "1"), call("show", path, "--round", "1", "--json")
    account = json.loads(told.stdout)
    assert account["dealer"] == {"cards": ["9c", "?"], "p": [0.5, None], "total": 9}
    assert account["events"][0]["told"]["rank"] is None
    assert "pit:P1: ruling correct card 4" in words.stdout
    for secret in ("Q", "K", "Kd", "Qs", "K♦", "Q♠"):
        assert secret not in words.stdout.split()
        assert f'"{secret}"' not in told.stdout

    stand = {"obs": "decision", "box": 3, "hand": 1, "action": "stand"}
    turned = feed(tmp_path / "turned.feed.jsonl", [*DEAL, ruled, stand, {"obs": "reveal"}])
    assert "dealer: 9♣ (50.00 %) Q♠ = 19" in call("show", turned, "--round", "1").stdout


def test_the_rounds_shown_one_by_one_have_the_sums_of_the_report() -> None:
    report = json.loads(call("report", EVERY, "--json").stdout)["report"]
    rounds = range(1, report["settled"] + 1)
    shown = [json.loads(call("show", EVERY, "--round", str(number), "--json").stdout) for number in rounds]
    bets = [bet for one in shown for bet in one["money"]]
    for key in ("staked", "returned"):
        assert sum(bet[key] for bet in bets) == report[key]
    assert -sum(bet["net"] for bet in bets) == report["win"]


def test_each_act_is_listed_with_its_fields_but_those_that_stand_with_the_boxes(tmp_path: Path) -> None:
    acts: list[Json] = [
        {"obs": "exposed", "who": "dealer"},
        {"obs": "note", "text": "looked at", "by": "pit:P1"},
        {"obs": "void", "box": 3, "by": "pit:P1", "reason": "seen", "second": "pit:P2"},
    ]
    words = call("show", feed(tmp_path / "a.feed.jsonl", [*DEAL, *acts]), "--round", "1").stdout
    for line in (
        "exposed who dealer",
        "pit:P1: note text looked at",
        "ruling void box 3 second pit:P2 (seen)",
    ):
        assert line in words
    assert ": bet" not in words, "its stake stands with its box"


def test_a_hold_at_the_table_is_told_with_its_ways_out(tmp_path: Path) -> None:
    late = {"obs": "card", "rank": "5", "suit": "h", "to": "box", "box": 6}
    told = call("show", feed(tmp_path / "a.feed.jsonl", [*DEAL, late]), "--round", "1", "--table")
    assert any("hold CARD_TO_EMPTY_BOX [" in line for line in told.stdout.splitlines()), told.stdout


def test_a_recording_is_shown_with_what_its_devices_did() -> None:
    recording = FEEDS.parent / "recordings" / "line-lost-in-play.mcap"
    told = call("show", recording, "--round", "2")
    assert "  hand 1: 10♦ 5♥ K♠ = 25, stakes 10.00 EUR" in told.stdout
    assert "device shoe lost" in told.stdout
    assert "hold DEVICE_LOST" in told.stdout
    assert "hold.DEVICE_LOST" not in told.stdout, "the key of a text in place of the text"


def test_a_round_that_is_not_there_is_a_sentence_and_exit_2() -> None:
    told = call("show", EVERY, "--round", "9")
    assert told.returncode == 2
    assert "9" in told.stderr


PAID_WRONG: list[Json] = [
    {"obs": "bet", "box": 1, "seat": 0, "stake": 4000},
    {"obs": "bet", "box": 2, "seat": 0, "stake": 1000},
    *({"obs": "card", "rank": rank, "suit": "c"} for rank in ("10", "10", "9", "9", "9", "7")),
    {"obs": "decision", "box": 1, "hand": 1, "action": "stand"},
    {"obs": "decision", "box": 2, "hand": 1, "action": "stand"},
    {"obs": "reveal"},
    {"obs": "card", "rank": "2", "suit": "c"},
    {"obs": "paid", "box": 1, "seat": 0, "amount": 8500},
]


def test_due_handed_back_and_the_difference_are_three_words(tmp_path: Path) -> None:
    path = feed(tmp_path / "wrong.feed.jsonl", PAID_WRONG)
    words = call("show", path, "--round", "1").stdout.splitlines()
    account = json.loads(call("show", path, "--round", "1", "--json").stdout)
    assert "  seat 0, hand 1 main: win, 40.00 EUR staked, 80.00 EUR due  [SB-13]" in words
    assert (
        "  seat 0: staked 40.00 EUR, due 80.00 EUR, handed back 85.00 EUR, difference +5.00 EUR,"
        " net +45.00 EUR" in words
    )
    assert "  seat 0: staked 10.00 EUR, due 20.00 EUR, net +10.00 EUR" in words
    assert words[-1] == (
        "All boxes: staked 50.00 EUR, due 100.00 EUR, handed back 105.00 EUR, difference +5.00 EUR,"
        " players' net +55.00 EUR."
    )
    first, second = account["money"]
    assert [first[key] for key in ("returned", "handed_back", "entered", "difference", "net")] == [
        8000,
        8500,
        True,
        500,
        4500,
    ]
    assert [second[key] for key in ("returned", "handed_back", "entered", "difference")] == [
        2000,
        2000,
        False,
        0,
    ]


def test_a_payout_that_is_put_right_after_the_round_is_what_was_handed_back(tmp_path: Path) -> None:
    late = {"obs": "paid", "box": 1, "seat": 0, "amount": 8000, "round": 1, "by": "pit:P1"}
    next_bet = {"obs": "bet", "box": 1, "seat": 0, "stake": 1000}
    path = feed(tmp_path / "late.feed.jsonl", [*PAID_WRONG, {"obs": "end"}, next_bet, late])
    words = call("show", path, "--round", "1").stdout
    assert "handed back 80.00 EUR, difference 0.00 EUR" in words
