"""What counts as a change, and what never does."""

import cv2
import numpy as np
import pytest

from tests.vision.tracking.stage_kit import Lay, Stage, draw
from vision.geometry import Image
from vision.tracking.change_gate import ChangeGate

STEP_MS = 33


class Watched:
    """A gate that has read the whole table once."""

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self.gate = ChangeGate(stage.picture().shape)
        self.now_ms = 0
        self.due = 0
        for _ in range(10):
            self.show(stage.picture())
        self.due = 0

    def show(self, picture: Image, step_ms: int = STEP_MS) -> int:
        """Blocks that are to be read after this picture; they are taken for read."""
        self.now_ms += step_ms
        change = self.gate.look(picture, self.now_ms)
        self.gate.seen(change.due)
        self.due += int(change.due.sum())
        return int(change.due.sum())

    def run(self, pictures: int, step_ms: int = STEP_MS) -> int:
        return sum(self.show(self.stage.picture(), step_ms) for _ in range(pictures))


@pytest.fixture
def stage() -> Stage:
    stage = Stage(noise=2.5)
    stage.lays += [Lay("8h", 40, 50), Lay("3c", 48, 47), Lay("10d", 200, 60), Lay("K" + "s", 300, 120)]
    return stage


def test_a_noisy_table_at_rest_is_read_once(stage: Stage) -> None:
    assert Watched(stage).run(120) == 0


def test_a_card_is_due_when_it_has_lain_still_for_a_tenth_of_a_second(stage: Stage) -> None:
    watched = Watched(stage)
    stage.lays.append(Lay("5d", 120, 120))
    due = [watched.show(stage.picture()) for _ in range(8)]
    assert due[:3] == [0, 0, 0]
    assert sum(due) >= 15


def test_slow_pictures_need_three_alike(stage: Stage) -> None:
    watched = Watched(stage)
    stage.lays.append(Lay("5d", 120, 120))
    due = [watched.show(stage.picture(), 400) for _ in range(4)]
    assert due[:2] == [0, 0]
    assert sum(due) >= 15


def test_an_index_that_changes_is_due_though_everything_around_stays(stage: Stage) -> None:
    watched = Watched(stage)
    stage.lays[2] = Lay("10h", 200, 60)
    assert watched.run(8) > 0


@pytest.mark.parametrize("light", [0.7, 0.9, 1.1, 1.2])
def test_a_step_of_the_exposure_is_no_change(stage: Stage, light: float) -> None:
    stage.light = 0.8
    watched = Watched(stage)
    stage.light *= light
    # The brightest paper may burn out: that much may be read again, but not the table.
    assert watched.run(30) < 0.02 * watched.gate.rows * watched.gate.columns


def test_light_that_fades_over_a_minute_is_no_change(stage: Stage) -> None:
    watched = Watched(stage)
    for _ in range(150):
        stage.light *= 0.996
        watched.show(stage.picture(), 400)
    assert watched.due == 0


def test_mains_flicker_is_no_change(stage: Stage) -> None:
    watched = Watched(stage)
    for number in range(90):
        stage.light = 0.95 + 0.04 * np.sin(2.1 * number)
        watched.show(stage.picture())
    assert watched.due == 0


def test_a_shaking_camera_is_learnt_and_a_new_card_is_still_seen(stage: Stage) -> None:
    watched = Watched(stage)

    def shaken() -> Image:
        shift = stage.rng.normal(0, 0.08, 2)
        moved = np.array([[1, 0, shift[0]], [0, 1, shift[1]]])
        picture = stage.picture()
        return cv2.warpAffine(picture, moved, picture.shape[1::-1], borderMode=cv2.BORDER_REPLICATE)

    for _ in range(120):
        watched.show(shaken())
    watched.due = 0
    for _ in range(40):
        watched.show(shaken())
    assert watched.due < 30
    stage.lays.append(Lay("5d", 120, 120))
    assert sum(watched.show(shaken()) for _ in range(12)) >= 12


def test_a_camera_that_was_pushed_has_everything_read_anew(stage: Stage) -> None:
    watched = Watched(stage)
    before = stage.lays
    stage.lays = [lay._replace(x=lay.x + 4, y=lay.y + 3) for lay in before]
    assert watched.run(8) > 10


def test_what_a_hand_holds_is_waited_for(stage: Stage) -> None:
    watched = Watched(stage)
    stage.lays.append(Lay("5d", 120, 120))
    due = []
    for number in range(15):
        stage.hands = [(125 + number % 3, 128, 14)]
        due.append(watched.show(stage.picture()))
    assert sum(due) == 0
    stage.hands = []
    assert watched.run(8) >= 15


@pytest.mark.parametrize("size", [(1080, 1920), (2160, 3840), (90, 160), (480, 480), (7, 5)])
def test_pictures_of_any_size(size: tuple[int, int]) -> None:
    picture = np.full((*size, 3), (60, 110, 30), np.uint8)
    gate = ChangeGate(picture.shape)
    due = [bool(gate.look(picture, number * STEP_MS).due.all()) for number in range(6)]
    assert due[0] is False
    assert due[-1] is True


def test_the_drawn_index_is_what_the_reader_finds(stage: Stage) -> None:
    picture = np.full((216, 384, 3), (60, 110, 30), np.uint8)
    for lay in stage.lays:
        draw(picture, lay)
    assert sorted(str(card.rank) for card in stage.reader.read(picture).cards) == ["10", "3", "8", "K"]
