"""The face-down card: nothing that leaves the process may depend on it before it is turned."""

import contextlib
import json
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from view_kit import after, cards, table, view_of
from web_kit import Served
from websockets.sync.client import connect

from controller.acts.catalogue import Bet, Close, Decision, InsuranceClosed, Observation
from controller.engine.state import TableState

SITUATIONS: list[tuple[str, int, tuple[str, ...], str, str]] = [
    ("spielbank", 1, ("10h", "6c", "7d"), "10d", "5c"),
    ("spielbank", 1, ("10h", "Ac", "7d"), "Kd", "5c"),
    ("spielbank", 1, ("10h", "Kc", "7d"), "Ad", "5c"),
    ("nl", 2, ("9h", "9s", "Ac", "8d", "7d"), "Kd", "5c"),
    ("nl", 2, ("9h", "9s", "9d", "9c", "7d"), "9d", "5c"),
    ("it", 1, ("10h", "Ac", "7d"), "Kd", "5c"),
]
"""House, boxes, the cards before the face-down one, and two ranks that it might have."""

COUNTERS = ("at_utc_us", "since_utc_us", "age_ms", "seq")
"""Clocks, and the number of the journal entry: an alert that is kept from screens has one too."""


def told(folder: Path, situation: tuple[str, int, tuple[str, ...], str, str], hole: str) -> list[str]:
    """Everything that a stranger can get out of the running server, times left out."""
    house, boxes, open_cards, *_ = situation
    folder.mkdir()
    with (
        Served(folder, rules=house) as served,
        connect(f"ws://{served.host}/ws", additional_headers=served.looking) as live,
    ):
        served.say(*(Bet(box, 0, 1000) for box in range(1, boxes + 1)), Close())
        served.deal(*open_cards, hole)
        sent = list(_messages(live, served.now.seq))
        attempts = [
            served.observe("decision", box=1, hand=1, action=action)
            for action in ("double", "split", "surrender")
        ]
        tried = [
            served.post("/api/preview", {"obs": _correction(card, rank)})
            for card in (1, 2)
            for rank in ("A", "5", "9", "K")
        ]
        pages = [served.get(path).decode() for path in ("/api/state", "/metrics")]
    return [_timeless(text) for text in (*sent, json.dumps(attempts), json.dumps(tried), *pages)]


def _correction(card: int, rank: str) -> dict[str, Any]:
    return {"obs": "correct", "card": card, "rank": rank, "by": "S-02", "reason": "MISREAD"}


def _messages(live: Any, seq: int) -> Iterator[str]:
    """The state messages up to `seq`; how many come in between is a matter of speed, the last one is not."""
    while True:
        message = live.recv(timeout=60)
        if f'"seq":{seq},' in message and '"view"' in message:
            yield message
            return


def _timeless(text: str) -> str:
    """JSON without clocks; metrics without their creation times and connection counts."""
    with contextlib.suppress(json.JSONDecodeError):
        return json.dumps(_without_clocks(json.loads(text)), sort_keys=True)
    return "\n".join(
        row
        for row in text.splitlines()
        if not any(word in row for word in ("_created", "screens", "journal_seq"))
    )


def _without_clocks(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _without_clocks(inner) for name, inner in value.items() if name not in COUNTERS}
    return [_without_clocks(inner) for inner in value] if isinstance(value, list) else value


@pytest.mark.parametrize("situation", SITUATIONS, ids=lambda entry: f"{entry[0]}-{entry[2][-2]}-{entry[3]}")
def test_two_face_down_cards_look_the_same_from_outside(
    tmp_path: Path, situation: tuple[str, int, tuple[str, ...], str, str], caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG):
        one = told(tmp_path / "one", situation, situation[3])
        first_log = caplog.text
        caplog.clear()
        other = told(tmp_path / "other", situation, situation[4])
    assert one == other
    secret = f'"{situation[3][:-1]}"'
    assert secret not in first_log
    assert '"hidden": true' in one[-2]


def test_the_view_says_of_it_only_that_it_lies_there() -> None:
    state = after(table(), Bet(1, 0, 1000), *cards("10", "6", "7", "9"))
    dealer = json.loads(view_of(state).model_dump_json())["dealer"]
    assert dealer["cards"][1] == {"hidden": True}
    assert dealer["total"] == "6"


def test_a_turned_card_is_shown_to_everybody(tmp_path: Path) -> None:
    with Served(tmp_path) as served:
        served.say(Bet(1, 0, 1000))
        served.deal("10h", "6c", "7d", "9d")
        served.say(Decision(1, 1, "stand"))
        status, _ = served.observe("reveal")
        assert status == 200
        assert served.state()["dealer"]["cards"][1]["rank"] == "9"


@pytest.mark.parametrize("facts", [(), (InsuranceClosed(),)])
def test_keys_before_the_check_do_not_know_the_card(facts: tuple[Observation, ...]) -> None:
    def keys(hole: str) -> str:
        state: TableState = after(table("spielbank"), Bet(1, 0, 1000), *cards("9", "A", "8", hole), *facts)
        return view_of(state).model_dump_json()

    assert keys("K") == keys("5")
