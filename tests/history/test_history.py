"""The history of a journal: the same however it is read, of every version, with no card face down."""

import json
from pathlib import Path
from time import process_time
from typing import Any

import pytest

from controller.history.entry_line import EntryLine
from controller.history.history import History
from tests.history.history_kit import RULES, entries_of, everything, history_of, lines_of
from tests.replay.random_shift import RandomShift

JOURNALS = Path(__file__).resolve().parent.parent / "journals"


def fact(seq: int, obs: str, round_: int = 1, actor: str = "device:shoe", **fields: Any) -> EntryLine:
    return EntryLine(seq, "fact", seq * 1_000_000, round_, actor, {"obs": obs, **fields})


@pytest.mark.parametrize("seed", range(3))
def test_a_history_read_entry_by_entry_is_the_one_read_at_once(seed: int, tmp_path: Path) -> None:
    journal = tmp_path / "t.journal"
    truth = RandomShift(journal, seed, 3).truth
    lines = lines_of(entries_of(journal))
    slow = History(RULES)
    for line in lines:
        slow.take([line])
    at_once = history_of(journal)
    assert everything(slow) == everything(at_once)
    found = {row["round"]: row for row in at_once.rows("SELECT * FROM round")}
    for number, result in truth.rounds.items():
        if number not in found:
            continue
        row = found[number]
        staked, returned = (sum(bet[name] for bet in result["bets"]) for name in ("staked", "returned"))
        assert row["status"] == result["status"]
        if result["status"] in ("settled", "voided"):
            assert (row["staked"], row["returned"], row["won"]) == (staked, returned, staked - returned)


@pytest.mark.parametrize("journal", sorted(JOURNALS.glob("*.journal")), ids=lambda path: path.stem)
def test_journals_of_every_version_are_read(journal: Path) -> None:
    history = history_of(journal)
    told = history.rows("SELECT * FROM shift")
    assert history.unreadable == []
    assert told[-1]["rounds"] > 0
    assert (told[-1]["drop"], told[-1]["fills"], told[-1]["opening"]) == (None, None, None)
    assert sum(row["win"] for row in history.rows("SELECT win FROM round")) == told[-1]["win"]


def test_no_row_changes_with_a_card_that_lies_face_down() -> None:
    told = []
    for rank, certainty in (("2", 0.5), ("K", 0.9)):
        history = History(RULES)
        history.take(
            [
                fact(1, "bet", actor="dealer:d1", box=1, seat=0, stake=400),
                fact(2, "card", rank=rank, suit="s", face="down", p=certainty),
                EntryLine(
                    3, "alert", 3, 1, "system:engine", {"code": "X", "params": {"rank": rank, "raw": rank}}
                ),
                EntryLine(4, "waiting", 4, 1, "device:shoe", {"obs": "card", "rank": rank}),
                EntryLine(
                    5, "held", 5, 1, "device:cam", {"code": "Y", "params": {"seen": rank, "card": rank}}
                ),
            ]
        )
        told.append(everything(history))
    assert told[0] == told[1]


def test_an_entry_of_another_form_stops_no_view() -> None:
    odd: list[dict[str, Any]] = [
        {"bets": {"a": 1}, "round": 1, "status": "settled"},
        {"bets": [{"box": 2**70, "seat": None, "staked": "x", "returned": []}], "round": 1},
        {"obs": ["bet"], "stake": 1.5, "round": "1"},
        {"obs": "count", "chips": {"x": None}, "at": 3},
        {"obs": "slip_void", "kind": None, "slip": {"a": 1}},
        {"obs": "bet", "box": [1], "stake": 100},
        {"code": 17, "params": [1], "about": {"round": "x"}},
        {"unreadable": "ENTRY_UNREADABLE"},
    ]
    history, seq = History(RULES), 0
    for kind in ("fact", "settled", "adjusted", "disputed", "payout", "held", "released", "resumed", "named"):
        for body in odd:
            seq += 1
            history.take([EntryLine(seq, kind, -(2**62) + seq, 1, "dealer:d1", body)])
    assert len(everything(history)["entry"]) == seq
    assert history.unreadable


def test_time_stands_still_where_the_clock_is_set() -> None:
    history = History(RULES)
    jumped = {"code": "CLOCK_STEPPED_FORWARD", "severity": "warning", "round": 1, "params": {}}
    history.take(
        [
            EntryLine(1, "fact", 10_000_000, 1, "dealer:d1", {"obs": "bet", "box": 1, "seat": 0, "stake": 5}),
            EntryLine(2, "fact", 12_000_000, 1, "device:shoe", {"obs": "card", "rank": "9"}),
            EntryLine(3, "fact", 4_000_000, 1, "device:shoe", {"obs": "card", "rank": "9"}),
            EntryLine(4, "trouble", 90_000_000, 1, "system:table", jumped),
            EntryLine(5, "fact", 91_000_000, 1, "dealer:d1", {"obs": "end"}),
        ]
    )
    assert [row["at"] for row in history.rows("SELECT at FROM entry")] == [0, 2e6, 2e6, 2e6, 3e6]
    steps = history.rows("SELECT before_us, after_us FROM clock_step")
    assert [tuple(step.values()) for step in steps] == [(12_000_000, 4_000_000), (4_000_000, 90_000_000)]
    (dealt,) = history.rows("SELECT took FROM dealer")
    assert dealt == {"took": 3_000_000}


def test_one_entry_more_costs_less_than_two_milliseconds_at_thirty_thousand(tmp_path: Path) -> None:
    journal = tmp_path / "t.journal"
    RandomShift(journal, 4, 3)
    once = lines_of(entries_of(journal))
    history, lines = History(RULES), list[EntryLine]()
    while len(lines) < 30_000:
        behind, numbers = len(lines), len(lines) * 10
        for line in once:
            number = None if line.round is None else line.round + numbers
            body = json.loads(json.dumps(dict(line.body)))
            if isinstance(body.get("round"), int):
                body["round"] += numbers
            cause = None if line.caused_by is None else line.caused_by + behind
            lines.append(
                line._replace(
                    seq=line.seq + behind,
                    at_utc_us=line.at_utc_us + behind * 10_000_000,
                    round=number,
                    body=body,
                    caused_by=cause,
                )
            )
    history.take(lines[:-200])
    begun = process_time()
    for line in lines[-200:]:
        history.take([line])
    assert (process_time() - begun) / 200 < 0.002
