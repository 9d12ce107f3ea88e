"""Lines of the second edition: read, written back the same, and refused by the field that is wrong."""

from typing import Any

import pytest

from controller.acts.catalogue import ACTS
from controller.domain import ConfigError
from controller.feed.codec import parse, to_json

SAID = {"by": "pit:P1", "reason": "seen on the felt"}
LINES: tuple[dict[str, Any], ...] = (
    {"obs": "amend", "what": "stake", "box": 1, "seat": 0, "stake": 600, **SAID},
    {
        "obs": "amend",
        "what": "stake",
        "box": 1,
        "seat": 2,
        "stake": 0,
        "round": 7,
        "second": "pit:P2",
        **SAID,
    },
    {"obs": "amend", "what": "decision", "box": 1, "hand": 2, "nth": 3, "action": "hit", **SAID},
    {"obs": "amend", "what": "decision", "box": 1, "hand": 1, "nth": 1, "action": None, **SAID},
    {
        "obs": "amend",
        "what": "decision",
        "box": 1,
        "hand": 1,
        "nth": 1,
        "action": "split",
        "seats": [0, 2],
        "stakes": {"1": 0},
        **SAID,
    },
    {"obs": "amend", "what": "insurance", "box": 1, "seat": 0, "stake": 200, **SAID},
    {"obs": "amend", "what": "even_money", "box": 1, "seat": 0, "taken": False, **SAID},
    {"obs": "amend", "what": "peek", "blackjack": True, **SAID},
    {"obs": "amend", "what": "reveal", "round": 2, **SAID},
    {"obs": "amend", "what": "close", **SAID},
    {"obs": "swap", "from": {"box": 1, "hand": 1}, "with": {"box": 2, "hand": 3}, **SAID},
    {"obs": "strike", "card": 3, "as": "boxed", "burn": True, **SAID},
    {"obs": "paid", "box": 1, "seat": 0, "amount": 800, "round": 4},
    {"obs": "paid", "box": 1, "seat": 0, "amount": 800, "how": "entered"},
    {"obs": "chip_reading", "kind": "stake", "box": 2, "seat": 1, "amount": 1500, "p": 0.99},
    {"obs": "chip_reading", "kind": "payout", "box": 2, "seat": 1, "amount": None},
    {"obs": "exposed", "who": "dealer"},
    {"obs": "exposed", "who": 3},
    {"obs": "leave", "box": 1, "seat": 1},
    {"obs": "shuffle", "cards": "discards"},
    {"obs": "shoe_end"},
    {"obs": "shoe_end", "cards": ["Ah", "10s"]},
    {"obs": "shoe_end", "cards": []},
    {"obs": "shoe_void", **SAID},
    {"obs": "limits", "stake_min": 400, "stake_max": 0, "stake_step": 100, "by": "pit:P1"},
    {"obs": "table", "state": "closed", "by": "pit:P1"},
    {"obs": "dealer", "id": "D2", "at": "in"},
    {"obs": "count", "at": "open", "amount": 5000, "by": "pit:P1", "second": "pit:P2"},
    {"obs": "fill", "slip": "F-7", "chips": {"100": 20, "2500": 4}, "by": "pit:P1", "second": "pit:P2"},
    {"obs": "rest_count", "state": "begin"},
    {"obs": "rest_card", "rank": "10", "suit": "s", "out": True},
    {"obs": "rest_card", "rank": None},
    {"obs": "credit", "slip": "C-1", "amount": 200, "chips": {"100": 2}, "by": "pit:P1"},
    {"obs": "slip_void", "kind": "credit", "slip": "C-1", "second": "pit:P2", **SAID},
    {"obs": "drop", "amount": 20000, "seat": 0, "kind": "marker"},
    {"obs": "resume", "codes": ["SHUFFLE_DUE"], **SAID},
    {"obs": "freeze", **SAID},
    {"obs": "message", "text": "box 1 is paid by the cage", "by": "pit:P1"},
    {"obs": "rating", "box": 3, "seat": 0, "guest": "QWERTY23", "by": "pit:P1"},
    {"obs": "note", "text": "the guest at box 1 protests", "round": 3, "by": "dealer:D1"},
)
WRONG: tuple[tuple[dict[str, Any], str], ...] = (
    ({"obs": "amend", **SAID}, "what"),
    ({"obs": "amend", "what": "mood", **SAID}, "what"),
    ({"obs": "amend", "what": ["stake"], **SAID}, "what"),
    ({"obs": "amend", "what": "decision", "box": 1, "hand": 1, "nth": 1, **SAID}, "action"),
    ({"obs": "amend", "what": "decision", "box": 1, "hand": 1, "nth": 0, "action": "hit", **SAID}, "nth"),
    ({"obs": "amend", "what": "peek", "blackjack": True, "by": "pit:P1"}, "reason"),
    ({"obs": "swap", "from": {"box": 1}, "with": {"box": 2, "hand": 1}, **SAID}, "from"),
    ({"obs": "strike", "card": 1, "as": "stolen", **SAID}, "as"),
    ({"obs": "exposed", "who": "guest"}, "who"),
    ({"obs": "paid", "box": 1, "seat": 0, "amount": 800, "how": "computed"}, "how"),
    ({"obs": "chip_reading", "kind": "stake", "box": 2, "seat": 1}, "amount"),
    ({"obs": "chip_reading", "kind": "tip", "box": 2, "seat": 1, "amount": 5}, "kind"),
    ({"obs": "shoe_end", "cards": ["A"]}, "cards"),
    ({"obs": "rest_count", "state": "end"}, "state"),
    ({"obs": "rest_card", "suit": "s"}, "rank"),
    ({"obs": "limits", "stake_min": 500, "stake_max": 400, "stake_step": 0}, "stake_max"),
    ({"obs": "count", "at": "open", "by": "pit:P1"}, "amount"),
    ({"obs": "fill", "slip": "F-7", "amount": 300, "chips": {"100": 2}}, "amount"),
    ({"obs": "credit", "slip": "C-1", "chips": {"100": -2}}, "chips"),
    ({"obs": "note", "text": ""}, "text"),
    ({"obs": "note", "text": "x" * 501}, "text"),
)


@pytest.mark.parametrize("line", LINES, ids=lambda line: f"{line['obs']}-{line.get('what', '')}")
def test_line_is_written_back_as_it_was_read(line: dict[str, Any]) -> None:
    written = to_json(parse(line))
    assert {key: value for key, value in written.items() if (key, value) != ("burn", False)} == line


@pytest.mark.parametrize(("line", "field"), WRONG, ids=lambda part: str(part)[:60])
def test_line_is_refused_by_the_field_that_is_wrong(line: dict[str, Any], field: str) -> None:
    with pytest.raises(ConfigError) as refused:
        parse(line)
    assert refused.value.code in ("FEED_FIELD_MISSING", "FEED_FIELD_BAD")
    assert refused.value.params["field"] == field


def test_ruling_that_names_nobody_is_the_replays_pit() -> None:
    for line in LINES:
        if line["obs"] in ("amend", "swap", "strike", "shoe_void", "freeze", "resume"):
            told = to_json(parse({key: value for key, value in line.items() if key != "by"}))
            assert told["by"] == "pit:replay"


def test_every_name_is_read_by_some_line() -> None:
    first_edition = {
        "shoe", "bet", "close", "card", "decision", "insurance", "even_money", "insurance_closed", "peek",
        "reveal", "cut_card", "correct", "move", "void", "device", "chips", "bank", "end",
    }  # fmt: skip
    assert {line["obs"] for line in LINES} | first_edition == {said.name for said in ACTS.values()}
