"""Whether a camera is trusted, over rounds that are dealt with hands over the table, knocks, and light."""

from functools import cache
from random import Random

import cv2
import numpy as np
import pytest

from vision.geometry import Image
from vision.synth import DrawnTableView, TableCard, TableHand, render_frame, table_scene
from vision.tracking import SteadyCamera

RANKS = ["A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"]
STEP_MS = 100
NOISES = 8
"""No two pictures in a row have the same noise; to make each anew takes half of the time."""


@cache
def noise(number: int) -> Image:
    return np.random.default_rng(number).integers(0, 4, (1080, 1920, 3), np.uint8)


class Filmed:
    """A table of seven boxes, filmed ten times a second; what the camera was at each picture."""

    def __init__(self, seed: int) -> None:
        self.chance = Random(seed)
        self.hands: dict[int, list[TableCard]] = {}
        self.camera = SteadyCamera()
        self.now_ms = 0
        self.seed = seed
        self.states: list[str] = []

    def picture(self, arms: int = 0) -> Image:
        hands = tuple(TableHand(box, 1, tuple(cards)) for box, cards in self.hands.items())
        drawn = render_frame(table_scene(DrawnTableView(hands, tuple(range(1, 8))), self.seed), self.now_ms)
        for _ in range(arms):
            x, y = self.chance.randrange(200, 1700), self.chance.randrange(150, 900)
            turn = self.chance.uniform(-120, -60) if y > 450 else self.chance.uniform(60, 120)
            along = np.array((np.cos(np.radians(turn)), np.sin(np.radians(turn))))
            back = np.array((x, y)) - 1500 * along
            cv2.line(
                drawn, (x, y), (int(back[0]), int(back[1])), (40, 40, 50), self.chance.randrange(80, 150)
            )
            cv2.ellipse(drawn, (x, y), (120, 60), turn, 0, 360, (90, 120, 190), -1)
        return drawn

    def show(self, image: Image, pictures: int = 1) -> str:
        for _ in range(pictures):
            self.now_ms += STEP_MS
            noisy = np.asarray(cv2.add(image, noise(self.now_ms // STEP_MS % NOISES)), np.uint8)
            self.states.append(self.camera.look(noisy, self.now_ms).state)
        return self.states[-1]

    def play(self) -> None:
        """A round: cards laid by hands that cross, and taken away box by box."""
        self.show(self.picture(), 3)
        draws = [self.chance.randrange(8) for _ in range(6)]
        for box in [*range(1, 8), 0, *range(1, 8), *draws]:
            for _ in range(2):
                self.show(self.picture(self.chance.choice((1, 1, 2))))
            card = TableCard(self.chance.choice(RANKS), self.chance.choice("shdc"))
            self.hands.setdefault(box, []).append(card)
            self.show(self.picture(), 2)
        for box in list(self.hands):
            self.show(self.picture(1))
            del self.hands[box]
            self.show(self.picture())


@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.night)])
def test_a_round_with_hands_over_the_table_is_never_taken_for_a_bump(seed: int) -> None:
    filmed = Filmed(seed)
    filmed.play()
    assert set(filmed.states) == {"in_place"}


class FilmedOnCloth(Filmed):
    """Cards on plain cloth, without any print."""

    def picture(self, arms: int = 0) -> Image:
        with_cards, (hands, self.hands) = super().picture(arms), (self.hands, {})
        bare, self.hands = super().picture(), hands
        cloth = np.full_like(bare, (60, 110, 30))
        there = cv2.absdiff(with_cards, bare).max(axis=2) > 8
        cloth[there] = with_cards[there]
        return cloth


@pytest.mark.night
def test_plain_cloth_from_which_cards_are_taken_is_no_covered_camera() -> None:
    filmed = FilmedOnCloth(3)
    filmed.play()
    filmed.show(filmed.picture(), 40)
    assert set(filmed.states) == {"in_place"}


def test_a_table_that_shows_nothing_any_more_is_covered_only_after_a_while() -> None:
    filmed = Filmed(1)
    filmed.show(filmed.picture(), 3)
    coat = np.full((1080, 1920, 3), 50, np.uint8)
    assert filmed.show(coat, 5) == "doubt"
    assert filmed.show(coat, 40) == "covered"
    assert filmed.show(filmed.picture(), 20) == "in_place"


@pytest.mark.parametrize("level", [0.5, 1.6])
def test_light_that_is_switched_is_told_and_then_the_usual_one(level: float) -> None:
    filmed = Filmed(1)
    filmed.show(filmed.picture(), 3)
    lit = np.asarray(cv2.convertScaleAbs(filmed.picture(), alpha=level), np.uint8)
    assert filmed.show(lit) != "light"
    assert filmed.show(lit, 14) == "light"
    assert filmed.show(lit, 25) == "in_place"


@pytest.mark.night
def test_daylight_that_goes_slowly_is_followed() -> None:
    filmed = Filmed(1)
    filmed.show(filmed.picture(), 3)
    bright = filmed.picture()
    for step in range(200):
        lit = np.asarray(cv2.convertScaleAbs(bright, alpha=1 - 0.0025 * step), np.uint8)
        assert filmed.show(lit, 3) == "in_place"


@pytest.mark.night
def test_a_reference_that_shows_another_table_is_not_waited_for() -> None:
    sheets = np.random.default_rng(4).integers(0, 255, (135, 240, 3), np.uint8)
    other = np.asarray(cv2.resize(sheets, (1920, 1080), interpolation=cv2.INTER_NEAREST), np.uint8)
    filmed = Filmed(1)
    filmed.camera = SteadyCamera(other)
    filmed.show(filmed.picture(), 50)
    assert "covered" not in filmed.states
    assert filmed.states[-1] == "in_place"
