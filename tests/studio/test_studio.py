"""The tester's screen without a browser: what it opens, where it sends one first, what it keeps back."""

import json
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from controller.recording.recording_reader import Recorded
from controller.replay.table_file import ReadFile, read_table_file
from controller.studio.studio_file import FileOpening
from tests.replay.recorded_kit import changed, two_rounds
from tests.studio.studio_kit import StudioServer

JOURNAL = Path(__file__).parents[1] / "journals" / "release_0.1.0_six_rounds.journal"
BEHIND = Path(__file__).parents[1] / "feeds" / "spielbank" / "behind_rides_on_the_double.feed.jsonl"
"""A double with the stake that each bettor adds."""
FEEDS = sorted((Path(__file__).parents[1] / "feeds" / "table").glob("*.feed.jsonl"))[:12]


@pytest.fixture(scope="module")
def studio() -> Iterator[StudioServer]:
    """A page over a journal and some feeds, entered."""
    with StudioServer([JOURNAL, *FEEDS, BEHIND]) as server:
        server.enter()
        yield server


def test_the_address_works_once_and_nothing_answers_without_it() -> None:
    with StudioServer([JOURNAL]) as server:
        assert server.status("/api/studio") == 401
        assert server.enter() == 303
        assert server.get("/api/studio") == [{"name": JOURNAL.name, "kind": "journal"}]
        assert server.status("/api/studio", host="evil.example") == 400
        server.cookie = ""
        assert server.enter() == 401


def test_every_step_of_a_journal_can_be_seen(studio: StudioServer) -> None:
    before = JOURNAL.read_bytes()
    file = studio.get("/api/studio/0")
    assert {step["round"] for step in file["steps"]} >= {1, 2, 3}
    shown = [studio.get(f"/api/studio/0/step/{at}") for at in range(len(file["steps"]))]
    assert any(one["rules"] for one in shown), "no rule was named that decided"
    assert studio.status(f"/api/studio/0/step/{len(shown)}") == 404
    assert JOURNAL.read_bytes() == before


def test_the_stakes_of_a_decision_are_money(studio: StudioServer) -> None:
    number = len(FEEDS) + 1
    steps = studio.get(f"/api/studio/{number}")["steps"]
    shown = [dict(studio.get(f"/api/studio/{number}/step/{at}")["entry"]) for at in range(len(steps))]
    assert [one["stakes[0]"] for one in shown if "stakes[0]" in one] == [{"money": "4.00"}]


def test_holds_and_refusals_are_what_to_look_at_first(studio: StudioServer) -> None:
    found = 0
    for number in range(1, len(FEEDS) + 1):
        file = studio.get(f"/api/studio/{number}")
        for finding in file["findings"]:
            said = studio.get(f"/api/studio/{number}/step/{finding['step']}")
            found += finding["text"] in said["said"]
            assert file["steps"][finding["step"]]["round"] == finding["round"]
    assert found


def test_devices_that_were_recorded_without_a_table_are_stepped_with_their_bytes(tmp_path: Path) -> None:
    def devices(recorded: Recorded) -> list[Recorded]:
        return [] if recorded.kind == "fact" else [recorded]

    shift = two_rounds(tmp_path)
    alone = changed(shift, tmp_path / "alone.mcap", devices, table=False, mode="record")
    lost = changed(shift, tmp_path / "lost.mcap", devices, table=False)
    # While it is written, and when it is fresh, a card in it may lie face down: no table says which.
    running = alone.with_name("running.mcap.partial")
    running.write_bytes(alone.read_bytes()[:-1])
    for files, face_down in (([alone, running], False), ([running], True)):
        with StudioServer(files, face_down=face_down) as server:
            server.enter()
            codes = [server.refused(f"/api/studio/{at}")["code"] for at in range(len(files))]
            assert set(codes) == {"error.RECORDING_FRESH"}
    with StudioServer([alone, lost], face_down=True) as server:
        server.enter()
        file = server.get("/api/studio/0")
        steps = [dict(server.get(f"/api/studio/0/step/{at}")["entry"]) for at in range(len(file["steps"]))]
        assert [f"{one.get('rank', one.get('state'))}{one.get('suit', '')}" for one in steps] == [
            *("live", "10s", "9h", "7d", "8c", "10d", "6s", "5h", "lost", "live", "9c", "Ks"),
        ]
        assert (file["has_table"], file["left_out"]) == (False, 0)
        assert [one["text"]["code"] for one in file["findings"]] == ["alert.DEVICE_LOST"]
        for at, one in enumerate(steps):
            while (seen := server.get(f"/api/studio/0/seen/{at}"))["state"] == "reading":
                time.sleep(0.01)
            if one["obs"] == "card":
                (chunk,) = seen["received"]
                assert f"rank {one['rank']}" in chunk["reports"][0]
        # A table's own recording without its journal: nobody knows which card lay face down.
        answer = server.refused("/api/studio/1")
        assert (answer["code"], answer["params"]) == ("error.RECORDING_WITHOUT_JOURNAL", {"path": str(lost)})
    an_hour_ago = time.time() - 3700
    os.utime(running, (an_hour_ago, an_hour_ago))
    with StudioServer([running]) as server:
        server.enter()
        assert len(server.get("/api/studio/0")["steps"]) == len(steps)


def test_the_first_picture_is_there_before_the_file_is_read_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first_at_whole: list[bool] = []

    def watched(name: str, most: int | None = None, *, devices: bool = False) -> ReadFile:
        if most is None:
            first_at_whole.append(opening.first is not None)
        return read_table_file(name, most, devices=devices)

    monkeypatch.setattr("controller.studio.studio_file.read_table_file", watched)
    for path in (FEEDS[0], JOURNAL, two_rounds(tmp_path)):
        opening = FileOpening(path, at_table=True, now_utc_us=0, face_down=False)
        begins = opening.load().steps[0]
        assert opening.first is not None
        assert opening.first.line == begins.taken.line.number
        assert len(read_table_file(str(path), 4).lines) <= 4 < len(read_table_file(str(path)).lines)
    assert first_at_whole == [True, True, True]


def test_a_round_that_is_not_over_is_stepped_too(tmp_path: Path) -> None:
    feed = FEEDS[0].read_text().splitlines()
    cut = tmp_path / "cut.feed.jsonl"
    card = next(at for at, line in enumerate(feed) if '"card"' in line)
    cut.write_text("\n".join(feed[: card + 1]) + "\n")
    with StudioServer([cut]) as server:
        server.enter()
        file = server.get("/api/studio/0")
        assert {step["round"] for step in file["steps"]} == {1}
        assert (file["left_out"], len(file["steps"])) == (0, card)
        assert server.status(f"/api/studio/0/step/{card}") == 404


def never_turned(hole: str, ending: list[dict[str, Any]]) -> str:
    """A round that ends with the dealer's second card face down, whatever it is."""
    deal = [("10", {}), ("7", {}), ("6", {}), (hole, {"face": "down"})]
    lines: list[dict[str, Any]] = [
        {"obs": "bet", "box": 1, "seat": 0, "stake": 1000},
        {"obs": "close"},
        *(
            {"obs": "card", "rank": rank, "suit": "s", "by": "shoe", "id": f"c{number}", "p": 0.99, **how}
            for number, (rank, how) in enumerate(deal)
        ),
        *ending,
        {"obs": "end"},
        {"obs": "bet", "box": 1, "seat": 0, "stake": 1000},
    ]
    head = {"feed": 1, "table": "T", "rules": "spielbank", "currency": "EUR"}
    return "\n".join(json.dumps(one) for one in (head, *({"t": t} | line for t, line in enumerate(lines))))


VOID = {"obs": "void", "box": None, "by": "pit", "reason": "OTHER"}
MOVE = {"obs": "move", "card": 4, "to": "burn", "by": "pit", "reason": "OTHER"}
HIT = {"obs": "decision", "box": 1, "hand": 1, "action": "hit"}
BUST = {"obs": "card", "rank": "K", "suit": "d", "by": "shoe"}


@pytest.mark.parametrize("ending", [[HIT, BUST], [VOID], [MOVE, VOID]], ids=["bust", "void", "moved"])
def test_a_card_that_was_never_turned_is_in_no_answer(tmp_path: Path, ending: list[dict[str, Any]]) -> None:
    answers = []
    for hole in ("9", "4", "K"):
        feed = tmp_path / hole / "round.feed.jsonl"
        feed.parent.mkdir()
        feed.write_text(never_turned(hole, ending) + "\n")
        with StudioServer([feed]) as server:
            server.enter()
            file = server.get("/api/studio/0")
            steps = [server.get(f"/api/studio/0/step/{at}") for at in range(len(file["steps"]))]
        assert len(steps) >= 8
        answers.append((file, steps))
    assert answers[0] == answers[1] == answers[2]
