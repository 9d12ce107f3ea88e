"""A camera that is bumped in the middle of a round, through the whole path from picture to hold."""

from pathlib import Path

import pytest

from controller.runtime.api import Accepted, Rejected, Resume
from tests.devices.bump_kit import DrawnTable

DEALT = {2: ["10h", "6s"], 5: ["8c", "7d"], 0: ["9d", "?"]}


@pytest.mark.parametrize(
    "bump",
    [(5, 0, 0), (-14, 14, 0), (80, 0, 0), (0, 0, 1), (3, 0, -3)],
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
