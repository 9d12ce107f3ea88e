"""What the cameras show of a card that somebody is asked for, and how the pit answers a camera in doubt."""

import json
import time
import urllib.error
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from sight_kit import StageCamera, at
from view_kit import after, snapshot
from view_kit import cards as dealt
from view_kit import table as view_table
from web_kit import Served

from controller.acts.catalogue import Bet, Close, Decision, Reveal
from controller.journal.entry import Entry
from controller.journal.store import JournalReader
from controller.screens.evidence import may_picture

FeltFinding = dict[str, Any]
SOON_S = 15.0


@pytest.fixture
def camera() -> StageCamera:
    return StageCamera()


@pytest.fixture
def table(tmp_path: Path, camera: StageCamera) -> Iterator[Served]:
    """Box 1 has an eight and a five, the dealer a ten, all in the camera's sight; no hole card here."""
    with Served(tmp_path, rules="fr", camera=camera) as served:
        served.say(Bet(1, 0, 1000), Close())
        served.deal("8h", "10s", "5c")
        camera.lay(at(1, "8h", 1), at(0, "10s"), at(1, "5c"))
        yield served


def until(holds: Callable[[], bool], timeout_s: float = SOON_S) -> None:
    """Ask the server from outside, again and again."""
    end_s = time.monotonic() + timeout_s
    while not holds():
        assert time.monotonic() < end_s
        time.sleep(0.05)


def pad(served: Served) -> FeltFinding:
    shown: FeltFinding = served.state()["prompts"][0]["pad"]
    return shown


def unread(served: Served) -> None:
    served.deal("?")
    assert served.state()["prompts"][0]["line"]["code"] == "line.WHICH_CARD"


def picture(served: Served, path: str) -> Any:
    return cv2.imdecode(np.frombuffer(served.get(path), np.uint8), cv2.IMREAD_COLOR)


def act(served: Served, shown: FeltFinding, **fields: Any) -> tuple[int, FeltFinding]:
    return served.command({**shown, **fields}, role="pit", actor="S-02")


def written(folder: Path, kind: str) -> list[tuple[str, FeltFinding]]:
    reader = JournalReader(folder / "table.journal")
    try:
        found = [one for one in reader.read() if isinstance(one, Entry) and one.kind == kind]
    finally:
        reader.close()
    return [(one.actor, json.loads(one.body)) for one in found]


def doubted(served: Served, camera: StageCamera) -> FeltFinding:
    """The camera was certain of the eight and reads a three, again and again."""
    until(lambda: any(camera_knows(served, "8h")))
    camera.misread("8h", "3d")
    served.deal("2c")
    camera.lay(at(1, "2c", 2)._replace(x=113))
    until(lambda: [hold.code for hold in served.now.holds] == ["CAMERA_UNSURE"])
    (row,) = served.state()["doubts"]
    return dict(row)


def camera_knows(served: Served, card: str) -> Iterator[bool]:
    """Whether the camera takes something for this card."""
    for spot in served.spots(1):
        yield str(spot.card) == card


def test_a_card_that_only_the_camera_reads_is_pictured_and_hinted_at(
    table: Served, camera: StageCamera
) -> None:
    unread(table)
    assert (pad(table)["watched"], pad(table)["guesses"], pad(table)["picture"]) == (True, [], None)
    camera.lay(at(1, "3d", 2))
    until(lambda: pad(table)["guesses"] == [["3", 99]])
    seen = picture(table, pad(table)["picture"])
    assert seen.shape[0] <= 480
    assert (seen.min(axis=2) > 180).mean() > 0.1, "the paper of a card"
    with pytest.raises(urllib.error.HTTPError, match="404"):
        table.get("/api/pictures/none")


def test_what_nobody_can_read_is_pictured_and_a_weak_hint_stays_unsaid(
    table: Served, camera: StageCamera
) -> None:
    camera.reader.rank, camera.reader.p = "3", 0.55
    unread(table)
    camera.lay(at(1, "?", 2))
    until(lambda: pad(table)["picture"] is not None)
    assert pad(table)["guesses"] == []
    camera.reader.p = 0.72
    camera.stage.lays[-1] = at(1, "?", 2)._replace(x=at(1, "?", 2).x + 3)
    until(lambda: pad(table)["guesses"] == [["3", 72]])


def test_no_hint_while_another_card_of_the_box_is_not_known_to_the_camera(
    table: Served, camera: StageCamera
) -> None:
    camera.stage.lays[0] = at(1, "?", 1)
    camera.reader.rank, camera.reader.p = "8", 0.9
    unread(table)
    until(lambda: pad(table)["picture"] is not None)
    assert pad(table)["guesses"] == [], "the eight that it means is a card that the table knows"


def test_an_old_picture_is_not_shown(table: Served, camera: StageCamera) -> None:
    unread(table)
    camera.lay(at(1, "3d", 2))
    until(lambda: pad(table)["picture"] is not None)
    camera.dark = True
    until(lambda: pad(table)["picture"] is None and pad(table)["guesses"] == [])


def test_the_picture_ends_where_the_box_ends(table: Served, camera: StageCamera) -> None:
    unread(table)
    camera.lay(at(1, "3d", 2)._replace(x=125), at(2, "Kc")._replace(x=166))
    until(lambda: pad(table)["guesses"] == [["3", 99]])
    seen = picture(table, pad(table)["picture"])
    right = seen[:, -seen.shape[1] // 6 :]
    assert right.max() < 60, "beside the box everything is dark"


def test_nothing_is_pictured_beside_a_face_down_card(table: Served, camera: StageCamera) -> None:
    camera.lay(at(1, "down", 2)._replace(y=120))
    until(lambda: "down" in [card.face for card in table.lying()])
    unread(table)
    camera.lay(at(1, "?", 2)._replace(y=100))
    until(lambda: len(table.spots(1)) >= 2)
    end_s = time.monotonic() + 2.5
    while time.monotonic() < end_s:
        assert pad(table)["picture"] is None, "it may be the face-down one"
        time.sleep(0.2)


@pytest.mark.parametrize("hole", ["Ah", "5h"])
def test_a_hole_card_that_the_camera_could_read_is_in_no_answer(
    tmp_path: Path, camera: StageCamera, hole: str
) -> None:
    """The dealer's open card is unread, and his other one lies so that a camera can read it."""
    with Served(tmp_path, rules="spielbank", camera=camera) as served:
        served.say(Bet(1, 0, 1000), Close())
        served.deal("8h", "?")
        camera.lay(at(1, "8h"), at(0, "?"), at(0, hole, 1))
        until(lambda: len(served.spots(0)) > 1)
        assert pad(served) | {"title": None, "rank_obs": None} == {
            "title": None,
            "rank_obs": None,
            "not_a_card": None,
            "face_down": None,
            "guesses": [],
            "watched": False,
            "picture": None,
        }
        assert hole not in json.dumps(served.state())


def test_a_hint_does_not_depend_on_the_hole_card(tmp_path: Path) -> None:
    """A box's card is unread while the hole card lies so that the camera can read it."""

    def answers(hole: str) -> str:
        camera = StageCamera()
        (tmp_path / hole).mkdir()
        with Served(tmp_path / hole, rules="spielbank", camera=camera) as served:
            served.say(Bet(1, 0, 1000), Close())
            served.deal("8h", "6c", "?", hole)
            camera.lay(at(1, "8h"), at(0, "6c"), at(1, "3d", 2), at(0, hole, 1))
            until(lambda: pad(served)["guesses"] == [["3", 99]] and len(served.spots(0)) == 2)
            state = served.state()
            state["prompts"][0]["pad"]["picture"] = state["prompts"][0]["pad"]["picture"] is not None
            held = [hold | {"since_utc_us": 0} for hold in state["holds"]]
            clocks = {"seq": 0, "at_utc_us": 0, "holds": held}
            return json.dumps({**state, **clocks, "alerts": len(state["alerts"])})

    assert answers("Ah") == answers("5h")


@pytest.mark.parametrize(
    ("rules", "cards", "allowed"),
    [
        ("fr", ("10", "9", "8"), {0, 2}),
        ("spielbank", ("10", "9", "8"), set()),
        ("spielbank", ("10", "9", "8", "7"), set()),
        ("spielbank", ("10", "9", "8", "2", "turned", "5"), {0, 2}),
    ],
)
def test_which_of_the_dealers_cards_may_be_pictured(
    rules: str, cards: tuple[str, ...], allowed: set[int]
) -> None:
    state = after(view_table(rules), Bet(1, 0, 1000))
    for card in cards:
        if card == "turned":
            state = after(state, Decision(1, 1, "stand"), Reveal())
        else:
            state = after(state, *dealt(card))
    shot = snapshot(state)
    assert {place for place in (0, 1, 2, None) if may_picture(shot, 0, place)} == allowed
    assert may_picture(shot, 1, 1)


def test_the_dealers_second_card_is_never_pictured(tmp_path: Path, camera: StageCamera) -> None:
    with Served(tmp_path, rules="fr", camera=camera) as served:
        served.say(Bet(1, 0, 1000), Close())
        served.deal("8h", "10s", "9h")
        camera.lay(at(1, "8h"), at(0, "10s"), at(1, "9h", 1))
        served.say(Decision(1, 1, "stand"))
        served.deal("?")
        camera.lay(at(0, "?", 1))
        until(lambda: len(served.spots(0)) > 1)
        assert (pad(served)["watched"], pad(served)["picture"]) == (False, None)


def test_the_pit_confirms_the_card_and_the_hold_ends_for_good(
    tmp_path: Path, table: Served, camera: StageCamera
) -> None:
    row = doubted(table, camera)
    assert (row["was"]["rank"], row["seen"]["rank"], row["table"]["rank"]) == ("8", "3", "8")
    assert picture(table, row["picture"]).size
    assert act(table, row["name"])[1]["code"] == "refused.NAMING_INCOMPLETE"
    assert (
        table.command({**row["name"], "card": "8h", "reason": "MISREAD"})[1]["code"] == "refused.NOT_ALLOWED"
    )
    assert act(table, row["name"], card="8h", reason="MISREAD")[0] == 200
    assert (table.now.holds, table.state()["doubts"]) == ((), [])
    assert act(table, row["name"], card="3d", reason="MISREAD")[1]["code"] == "refused.DOUBT_OVER"
    table.deal("4c")
    camera.lay(at(1, "4c")._replace(x=86, y=154))
    until(lambda: any(camera_knows(table, "4c")))
    assert "CAMERA_UNSURE" not in [hold.code for hold in table.now.holds]
    ((who, body),) = written(tmp_path, "named")
    assert (who, body["was"], body["seen"], body["card"]) == ("pit:S-02", "8h", "3d", "8h")
    assert body["reason"] == "MISREAD"


def test_a_correction_of_the_tables_card_reaches_the_camera(
    tmp_path: Path, table: Served, camera: StageCamera
) -> None:
    row = doubted(table, camera)
    ruling = {**row["correct"], "rank": "3", "suit": "d", "by": "S-02", "reason": "MISREAD"}
    assert act(table, {"do": "observe", "obs": ruling})[0] == 200
    assert table.now.holds == ()
    assert table.now.state.boxes[0].hands[0].cards[0].card == ("3", "d")
    until(lambda: any(camera_knows(table, "3d")))
    assert [body["card"] for _, body in written(tmp_path, "named")] == ["3d"]


def test_the_camera_believes_the_pit_without_having_been_in_doubt(tmp_path: Path, table: Served) -> None:
    until(lambda: any(camera_knows(table, "8h")) and len(table.spots(1)) == 2)
    ruling = {"obs": "correct", "card": 1, "rank": "9", "by": "S-02", "reason": "MISREAD"}
    assert act(table, {"do": "observe", "obs": ruling})[0] == 200
    until(lambda: any(camera_knows(table, "9h")))
    assert [(body["was"], body["seen"], body["card"]) for _, body in written(tmp_path, "named")] == [
        ("8h", None, "9h")
    ]
    assert table.now.holds == ()


def test_a_question_survives_a_restart_and_its_picture_does_not(table: Served, camera: StageCamera) -> None:
    before = doubted(table, camera)
    camera.dark = True
    table.restart()
    (row,) = table.state()["doubts"]
    assert (row["was"], row["seen"], row["picture"]) == (before["was"], before["seen"], None)
    with pytest.raises(urllib.error.HTTPError, match="404"):
        table.get(before["picture"])
    assert act(table, row["name"], card="8h", reason="OTHER")[0] == 200
    assert [hold.code for hold in table.now.holds] == ["RESTARTED"]
