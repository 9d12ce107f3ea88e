"""A camera that is bumped in the middle of a round, through the whole path from picture to hold."""

from pathlib import Path

import numpy as np
import pytest

from controller.runtime.api import Accepted, DeviceOrder, Rejected, Resume
from tests.devices.bump_kit import DrawnTable
from vision.calibration import latest_layout, load_layout

ORDER = DeviceOrder("overhead", "calibrate", "bumped with a tray")
MARKS = np.array([[200.0, 300.0], [1500.0, 300.0], [960.0, 950.0]])
DEALT = {2: ["10h", "6s"], 5: ["8c", "7d"], 0: ["9d", "?"]}


@pytest.mark.parametrize(
    "bump",
    [
        (5, 0, 0),
        pytest.param((-14, 14, 0), marks=pytest.mark.night),
        pytest.param((80, 0, 0), marks=pytest.mark.night),
        pytest.param((0, 0, 1), marks=pytest.mark.night),
        pytest.param((3, 0, -3), marks=pytest.mark.night),
    ],
    ids=["5", "20", "80", "1deg", "3deg"],
)
def test_a_bump_in_a_round_holds_before_a_card_is_misplaced(
    bump: tuple[float, float, float], tmp_path: Path
) -> None:
    drawn = DrawnTable(tmp_path)
    drawn.deal()
    assert (drawn.holds, drawn.cards()) == ([], DEALT)
    drawn.bump = bump
    drawn.look(5)
    assert "CAMERA_BUMPED" in drawn.holds
    # A card that is dealt meanwhile is taken from no picture of the moved camera.
    drawn.lay(2, "5d", pictures=5)
    assert drawn.cards() == DEALT
    assert isinstance(drawn.table.ask(Resume()), Rejected)
    drawn.bump = (0.0, 0.0, 0.0)
    drawn.look(15)
    assert isinstance(drawn.table.ask(Resume()), Accepted)
    # For three seconds the cards that are known are looked for; what is not among them is a new card.
    drawn.look(45)
    assert drawn.holds == []
    assert drawn.cards() == {**DEALT, 2: ["10h", "6s", "5d"]}


@pytest.mark.parametrize(
    "bump",
    [
        (5, 0, 0),
        pytest.param((22, -8, 0), marks=pytest.mark.night),
        pytest.param((4, 0, 1), marks=pytest.mark.night),
    ],
    ids=["5", "23", "1deg"],
)
def test_a_bumped_camera_is_calibrated_in_its_place_and_the_round_goes_on(
    bump: tuple[float, float, float], tmp_path: Path
) -> None:
    drawn = DrawnTable(tmp_path)
    drawn.deal()
    drawn.bump = bump
    drawn.look(6)
    before = drawn.layout.read_bytes()
    assert isinstance(drawn.table.ask(ORDER, "dealer"), Rejected)
    assert isinstance(drawn.table.ask(ORDER), Accepted)
    drawn.look(15)
    assert isinstance(drawn.table.ask(Resume()), Accepted)
    drawn.look(45)
    drawn.lay(2, "5d")
    assert (drawn.holds, drawn.cards()) == ([], {**DEALT, 2: ["10h", "6s", "5d"]})
    drawn.lay(5, "9s")
    assert drawn.cards()[5] == ["8c", "7d", "9s"]
    (told,) = [body for body in drawn.table.entries("trouble") if body["code"] == "CAMERA_CALIBRATED"]
    assert float(told["params"]["px"]) < 0.6
    (ordered,) = drawn.table.entries("ordered")
    assert (ordered["order"], ordered["reason"]) == ("calibrate", "bumped with a tray")
    assert [body["code"] for body in drawn.table.entries("answered")] == [""]
    assert drawn.layout.read_bytes() == before
    latest = latest_layout(drawn.layout)
    assert (latest.path.name, latest.sha256) == ("layout.anew-1.toml", told["params"]["after"])
    # A restart takes the layout that the camera was given last.
    assert latest.layout == drawn.tracker.layout
    apart = latest.layout.flat.to_mm(drawn.moved(MARKS)) - load_layout(drawn.layout).flat.to_mm(MARKS)
    assert np.abs(apart).max() < 1.0


def test_a_box_that_is_out_of_the_picture_is_not_calibrated_away(tmp_path: Path) -> None:
    drawn = DrawnTable(tmp_path)
    drawn.deal()
    drawn.bump = (80.0, 0.0, 0.0)
    drawn.look(6)
    assert isinstance(drawn.table.ask(ORDER), Accepted)
    drawn.look(3)
    assert [body["code"] for body in drawn.table.entries("answered")] == ["RECALIBRATION_OUTSIDE"]
    assert isinstance(drawn.table.ask(Resume()), Rejected)
    assert list(tmp_path.glob("*.anew-*")) == []


def test_a_camera_in_its_place_takes_no_calibration(tmp_path: Path) -> None:
    drawn = DrawnTable(tmp_path)
    drawn.look(3)
    refused = drawn.table.ask(ORDER)
    assert isinstance(refused, Rejected)
    assert refused.code == "ORDER_NOT_POSSIBLE"


def test_light_that_changes_in_a_round_holds_until_it_is_steady(tmp_path: Path) -> None:
    drawn = DrawnTable(tmp_path)
    drawn.deal()
    drawn.light = 0.55
    drawn.look(15)
    assert "CAMERA_LIGHT" in drawn.holds
    drawn.look(20)
    assert isinstance(drawn.table.ask(Resume()), Accepted)
    drawn.lay(2, "5d", pictures=45)
    assert (drawn.holds, drawn.cards()) == ([], {**DEALT, 2: ["10h", "6s", "5d"]})


def test_a_knock_that_swings_back_holds_nothing(tmp_path: Path) -> None:
    drawn = DrawnTable(tmp_path)
    drawn.deal()
    for right in (8.0, -6.0, 3.0, 0.0):
        drawn.bump = (right, 0.0, 0.0)
        drawn.look()
    drawn.lay(2, "5d")
    assert (drawn.holds, drawn.cards()) == ([], {**DEALT, 2: ["10h", "6s", "5d"]})


def test_hands_that_cross_the_table_are_no_bump(tmp_path: Path) -> None:
    drawn = DrawnTable(tmp_path)
    drawn.look(4)
    for box, card in ((2, "10h"), (5, "8c"), (0, "9d"), (2, "6s"), (5, "7d"), (0, "?")):
        for step in range(3):
            drawn.over = [(300 + 400 * step, 500 - 90 * step), (1500 - 200 * step, 300)]
            drawn.look()
        drawn.over = []
        drawn.lay(box, card)
    assert (drawn.holds, drawn.cards()) == ([], DEALT)
