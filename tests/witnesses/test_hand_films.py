"""A dealer's hand that stops with a card over boxes: nothing is paid wrong, hardly anything is asked."""

import os
from collections import Counter
from typing import Any

import pytest

from controller.devices.cameras.tracker import open_felt_camera
from tests.witnesses.drawn_felt import Stop
from tests.witnesses.drawn_rounds import LAYOUT
from tests.witnesses.felt_scenery import SLEEVE, Colour
from tests.witnesses.hand_films import STOOD, DrawnFilm, HandFaults, SeenFilm
from tests.witnesses.simulated_felt import STEADY, USUAL
from vision.synth import CASINO_STYLE

FILMS = int(os.environ.get("STAND17_HAND_FILMS", "6"))
"""Films a house; more are played where a figure is wanted."""

HOUSES = ["nl", "de", "spielbank", "fr", "it"]

FELT_SLEEVE: Colour = (62, 112, 32)
"""As the drawn felt: the hand alone can be seen."""


@pytest.mark.parametrize("house", HOUSES)
def test_hands_that_stop_from_half_a_second_to_six_change_no_payout_and_ask_nothing(house: str) -> None:
    films = [SeenFilm(house, seed, STEADY) for seed in range(FILMS)]
    assert Counter(film.play().verdict for film in films) == {"right": FILMS}
    assert [film.false for film in films if film.false] == []


@pytest.mark.parametrize("house", HOUSES)
def test_nor_do_they_under_a_camera_that_errs(house: str) -> None:
    for seed in range(FILMS):
        assert SeenFilm(house, seed, USUAL).play().verdict == "right", (house, seed)


@pytest.mark.parametrize(
    "faults", [HandFaults(unseen=0.1), HandFaults(unseen=1.0), HandFaults(imagined=0.05)]
)
def test_a_hand_that_is_not_seen_or_imagined_holds_the_table_and_pays_nothing_wrong(
    faults: HandFaults,
) -> None:
    for house in HOUSES:
        for seed in range(FILMS):
            assert SeenFilm(house, seed, STEADY, faults).play().verdict in {"right", "held"}, (house, seed)


@pytest.mark.parametrize(
    ("house", "seed", "unseen"),
    [("de", 19, 0.1), ("fr", 45, 0.1), ("nl", 118, 0.1), ("nl", 183, 0.1), ("it", 38, 0.3)],
    ids=[
        "entered at a box and found elsewhere in it",
        "another card lies where an entered one went on",
        "swept with its hand before it was reported",
        "swept with its hand after an answer at another box",
        "reported along in the hand and laid across",
    ],
)
def test_a_card_that_an_unseen_hand_carries_on_is_paid_right_or_asked(
    house: str, seed: int, unseen: float
) -> None:
    assert SeenFilm(house, seed, STEADY, HandFaults(unseen)).play().verdict in {"right", "held"}


@pytest.mark.parametrize(
    ("sleeve", "stop"),
    [
        (SLEEVE, Stop((100.0, 420.0), 2000)),
        (FELT_SLEEVE, Stop((120.0, 330.0), 2000)),
        (SLEEVE, Stop((82.0, 250.0), 6000)),
    ],
    ids=["beside the hand that stood", "in a sleeve of felt", "on the hand that stood"],
)
def test_a_drawn_card_that_stops_over_a_box_that_stood_is_laid_where_it_belongs(
    sleeve: Colour, stop: Stop
) -> None:
    felt: dict[str, Any] = {
        "camera": open_felt_camera(LAYOUT),
        "style": CASINO_STYLE,
        "times": 2,
        "sleeve": sleeve,
    }
    played = DrawnFilm(felt, STOOD._replace(stops={7: (stop,)})).play()
    assert (played.verdict, played.codes, played.asked) == ("right", (), ())
