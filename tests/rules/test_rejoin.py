"""`replay --table --rejoin`: a round that is held for good ends the round, and no longer the shift."""

import json
from pathlib import Path
from typing import Any

from tests.replay.replay_kit import call, objects

Json = dict[str, Any]
HEADER = {"feed": 1, "table": "T", "rules": "spielbank", "started_at": "2026-11-20T19:00:00Z"}
BET: Json = {"obs": "bet", "box": 1, "seat": 0, "stake": 1000}
CLOSE: Json = {"obs": "close"}
END: Json = {"obs": "end"}


def card(rank: str, suit: str, **more: Any) -> Json:
    return {"obs": "card", "rank": rank, "suit": suit, **more}


def deal(suit: str) -> list[Json]:
    """Box 1 stands on 20, the dealer has 17."""
    return [
        BET,
        CLOSE,
        *(card(rank, suit) for rank in ("10", "9", "J", "8")),
        {"obs": "decision", "box": 1, "hand": 1, "action": "stand"},
        {"obs": "reveal"},
    ]


DRAWS: Json = card("2", "c", to="dealer")
"""The dealer draws on 17."""
PAID: Json = {"obs": "paid", "box": 1, "seat": 0, "amount": 2000}


def played(
    tmp_path: Path, *lines: Json, options: tuple[str, ...] = ("--rejoin",), header: Json = HEADER
) -> list[Json]:
    feed = tmp_path / "a.feed.jsonl"
    timed = ({"t": float(number), **line} for number, line in enumerate(lines))
    feed.write_text("".join(json.dumps(line) + "\n" for line in (header, *timed)))
    answer = call("replay", "--table", "--json", *options, feed)
    assert answer.returncode == 0, answer.stderr
    return objects(answer)


def told(lines: list[Json]) -> list[tuple[Any, ...]]:
    wanted = ("skipped", "hold", "round", "refused", "released")
    return [
        (line["type"], line.get("code") or line.get("because") or (line["round"], line["status"]))
        for line in lines
        if line["type"] in wanted
    ]


def test_play_goes_on_at_the_first_bet_after_the_table_was_cleared(tmp_path: Path) -> None:
    lines = played(tmp_path, *deal("s"), DRAWS, PAID, END, *deal("h"), END)
    assert told(lines) == [
        ("round", (1, "settled")),
        ("hold", "DEALER_DREW_ON_17"),
        ("skipped", "DEALER_DREW_ON_17"),
        ("round", (1, "disputed")),
        ("round", (2, "settled")),
    ]
    (skipped,) = [line for line in lines if line["type"] == "skipped"]
    assert skipped == {
        "type": "skipped",
        "feed": "a.feed.jsonl",
        "from_line": 11,
        "to_line": 12,
        "because": "DEALER_DREW_ON_17",
    }
    summary = lines[-1]
    assert (summary["rounds"], summary["settled"], summary["disputed"]) == (2, 1, 1)


def test_without_the_option_every_refused_line_is_a_line(tmp_path: Path) -> None:
    lines = played(tmp_path, *deal("s"), DRAWS, PAID, END, *deal("h"), END, options=())
    assert [line["type"] for line in lines].count("refused") > 5
    assert not any(line["type"] == "skipped" for line in lines)


def test_where_nothing_clears_the_table_the_stakes_after_a_card_do(tmp_path: Path) -> None:
    """A bet that comes too late is none of them: no more bets were told after it."""
    late = {**BET, "box": 2}
    lines = played(tmp_path, *deal("s"), DRAWS, late, PAID, *deal("h"), DRAWS, *deal("d"))
    rounds = [(line["round"], line["status"]) for line in lines if line["type"] == "round"]
    assert rounds == [
        (1, "settled"),
        (1, "disputed"),
        (2, "settled"),
        (2, "disputed"),
        (3, "settled"),
    ]


def test_a_hold_that_is_ruled_on_keeps_its_round(tmp_path: Path) -> None:
    burns = {"obs": "strike", "card": 5, "burn": True, "by": "pit", "reason": "drawn on 17"}
    lines = played(tmp_path, *deal("s"), DRAWS, PAID, burns, END, *deal("h"), END)
    assert ("released", "DEALER_DREW_ON_17") in told(lines)
    assert ("refused", "TABLE_HELD") in told(lines)
    assert [line["status"] for line in lines if line["type"] == "round"][-2:] == ["settled", "settled"]


def test_cards_of_the_round_that_was_left_count_as_dealt(tmp_path: Path) -> None:
    """Six packs have six nines of spades: two that came while the table was held count with the rest."""
    nines = [card("9", "s") for _ in range(3)]
    more = [line for _ in range(3) for line in (*deal("s"), END)]
    lines = played(tmp_path, *deal("s"), DRAWS, *nines, END, *more)
    assert [line["code"] for line in lines if line["type"] == "alert"].count("TOO_MANY_OF_A_KIND") == 1


def test_a_shoe_that_waited_for_a_count_is_dealt_from(tmp_path: Path) -> None:
    """Else every round behind it would be dealt from a shoe that has long run out."""
    shoe: Json = {"obs": "shoe", "decks": 6, "cards": 9}
    burn: Json = card("2", "d", to="burn")
    lines = played(
        tmp_path,
        *(shoe, burn, *deal("s"), END),
        *(shoe | {"cards": 300}, burn, *deal("h"), END),
        *deal("d"),
        END,
        header=HEADER | {"table_options": {"count_every": 1}},
    )
    assert told(lines) == [
        ("round", (1, "settled")),
        ("hold", "COUNT_DUE"),
        ("skipped", "COUNT_DUE"),
        ("round", (2, "disputed")),
        ("round", (3, "settled")),
    ]
