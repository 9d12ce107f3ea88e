"""A deck that the camera of a running table enrols between two rounds, from the pit's order to the file."""

import time
from pathlib import Path

import pytest

from controller.config import CameraSection
from controller.devices.cameras.deck import deck_of
from controller.runtime.api import Accepted, DeviceOrder, Rejected, Resume
from tests.devices.bump_kit import DrawnTable
from tests.vision.enrolment.deck_kit import FRENCH, spread
from vision.enrolment import load_profile

PATIENCE_S = 120.0


def ordered(drawn: DrawnTable, order: str) -> str:
    """What the table answers to an order of the pit: "" where it was taken."""
    told = drawn.table.ask(DeviceOrder("overhead", order, "NEW_DECK"))
    return "" if isinstance(told, Accepted) else told.code


def answers(drawn: DrawnTable, count: int) -> list[str]:
    """The codes of the answers, once there are so many."""
    end = time.monotonic() + PATIENCE_S
    while len(drawn.table.entries("answered")) < count and time.monotonic() < end:
        drawn.look()
        time.sleep(0.05)
    return [body["code"] for body in drawn.table.entries("answered")]


def troubles(drawn: DrawnTable, code: str) -> list[dict[str, object]]:
    return [body["params"] for body in drawn.table.entries("trouble") if body["code"] == code]


@pytest.fixture
def drawn(tmp_path: Path) -> DrawnTable:
    """A table whose camera sees the deck spread."""
    table = DrawnTable(tmp_path)
    table.look(4)
    table.spread = spread(FRENCH, 0).image
    return table


@pytest.mark.night
def test_a_deck_is_enrolled_at_the_table_and_counts_from_the_next_start(
    drawn: DrawnTable, tmp_path: Path
) -> None:
    assert isinstance(drawn.table.ask(DeviceOrder("overhead", "enrol", "x"), "dealer"), Rejected)
    assert (ordered(drawn, "spread"), ordered(drawn, "enrol")) == ("ORDER_NOT_POSSIBLE", "")
    drawn.look(5)
    assert ("DECK_ENROLLING" in drawn.holds, isinstance(drawn.table.ask(Resume()), Rejected)) == (True, True)
    assert (ordered(drawn, "spread"), answers(drawn, 2)) == ("", ["", ""])
    drawn.spread = spread(FRENCH, 1).image
    assert (ordered(drawn, "spread"), ordered(drawn, "stop_enrol")) == ("", "ORDER_PENDING")
    assert answers(drawn, 3) == ["", "", ""]
    drawn.spread = None
    drawn.look(5)
    assert isinstance(drawn.table.ask(Resume()), Accepted)
    drawn.look(40)
    assert (drawn.holds, drawn.cards()) == ([], {2: [], 5: [], 0: []})
    (told,) = troubles(drawn, "DECK_ENROLLED")
    section = CameraSection(name="overhead", source="0", layout=drawn.layout)
    made = deck_of(section)
    assert made == tmp_path / "layout.anew-1.profile"
    profile = load_profile(made)
    assert (told["file"], told["sha256"]) == (made.name, profile.sha256)
    assert (profile.figures.cards, profile.figures.wrong) == (52, 0)
    # Beside a profile that the configuration names it does not count.
    named = tmp_path / "house.profile"
    named.write_bytes(made.read_bytes())
    assert deck_of(section.model_copy(update={"deck": named})) == named


def test_what_cannot_be_enrolled_says_why_and_leaves_no_file(drawn: DrawnTable, tmp_path: Path) -> None:
    assert ordered(drawn, "enrol") == ""
    drawn.look(2)
    assert (ordered(drawn, "spread"), answers(drawn, 2)) == ("", ["", ""])
    drawn.spread = None
    assert (ordered(drawn, "spread"), answers(drawn, 3)) == ("", ["", "", "ENROL_NOT_FOUND"])
    (told,) = troubles(drawn, "ENROL_NOT_FOUND")
    assert (told["name"], told["known"]) == ("overhead", 104)
    assert list(tmp_path.glob("*.profile")) == []


def test_nobody_enrols_while_cards_of_a_round_lie_and_who_began_can_give_up(drawn: DrawnTable) -> None:
    assert (ordered(drawn, "enrol"), ordered(drawn, "stop_enrol")) == ("", "")
    drawn.spread = None
    drawn.look(5)
    assert drawn.holds == []
    drawn.lay(2, "10h")
    assert (drawn.cards()[2], ordered(drawn, "enrol")) == (["10h"], "ORDER_BETWEEN_ROUNDS")
