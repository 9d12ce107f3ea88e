"""The reader's geometry, light and thickness as arithmetic: what the camera sees, what a hand changes."""

import numpy as np
import pytest
from design.geometry import (
    CARDS,
    CODE_SPOTS,
    FINGER,
    INDICES,
    READER,
    Box,
    Design,
    lowest_sight_deg,
    mirrored,
)
from design.light import (
    LAMP,
    REFLECTIVE,
    STRAY,
    code_filled,
    filled,
    flash_lux,
    headroom_volt,
    lamp_ampere,
    reflected_volt,
    stuck_ampere,
    usb_ampere,
)
from design.thickness import COUNTS_PER_FARAD, GLUE_MM, RESOLUTION_FARAD, counts, hand_share, percent

from tests.hardware.firmware_kit import load_firmware

PHASES = np.linspace(0, 1, 16, endpoint=False)
FIRST_VERSION = READER._replace(
    bottom_z=-78.0,
    slide_deg=90.0,
    axis_z=None,
    flash_ms=8.5,
    window=Box(-4.0, 0.5, 44.0, 40.5),
    optics=READER.optics._replace(exposure_ms=2.0),
)
"""As this reader was first drawn: no mirror, no slide, and the exposure of examples/mouth.toml."""


def fewest(design: Design, speed: float) -> dict[str, int]:
    """Fewest pictures with each whole index, over both rhythms and all places in the tunnel."""
    slack = design.side_slack
    return {
        index.name: min(
            design.sights(index, speed, float(phase), float(flash), side_y=side)
            for phase in PHASES
            for flash in PHASES
            for side in (-slack / 2, slack / 2)
        )
        for index in INDICES
    }


@pytest.mark.parametrize(("speed", "least"), [(0.2, 12), (0.5, 5), (1.0, 2), (1.5, 1), (2.0, 1)])
def test_every_index_is_whole_in_a_picture_up_to_two_metres_a_second(speed: float, least: int) -> None:
    assert min(fewest(READER, speed).values()) >= least


def test_an_exposure_of_two_milliseconds_misses_cards() -> None:
    assert min(fewest(FIRST_VERSION, 1.0).values()) == 0


def test_no_picture_gets_two_flashes_and_no_two_in_a_row_get_none() -> None:
    optics, flash_ms = READER.optics, READER.flash_ms
    assert optics.exposure_ms + READER.flash_us / 1000 < flash_ms
    missed = flash_ms - optics.exposure_ms
    assert missed / flash_ms < 0.05
    # From frame to frame the flashes move on by more than what is missed.
    assert abs(optics.frame_ms - 2 * flash_ms) > missed


def test_a_moving_card_is_sharp_in_the_picture_that_is_read() -> None:
    assert READER.blur_px(2.0) < 0.5
    assert READER.blur_px(3.0) < 0.75
    assert abs(READER.focus_z()) < 0.3
    assert READER.depth_mm() / 2 > READER.height - CARDS[0].thick


def test_a_guest_sees_no_face_of_a_card_between_mouth_and_felt() -> None:
    assert READER.felt_mm() <= 47
    for card in CARDS:
        assert READER.steepest_deg(card) < lowest_sight_deg(READER)
        assert FIRST_VERSION.steepest_deg(card) > lowest_sight_deg(FIRST_VERSION)


def test_the_carriage_takes_every_lens_and_the_code_lights_are_in_the_field_it_is_set_to() -> None:
    near, far = READER.carriage()
    stack = READER.stack
    for front in stack.front_mm:
        for pupil in stack.pupil_mm:
            assert near <= READER.pupil[1] + stack.board_behind(front, pupil) <= far
    assert far - near > 10, "what makers' lenses differ by"
    # A field that is 6 mm nearer, as where the lens's front was taken for its plane, loses the lights.
    share = (READER.path_mm - 6) / READER.path_mm
    half = (READER.picture.x1 - READER.picture.x0) / 2 * share
    reach = max(READER.lens[0] - x + 2.0 for x, _ in CODE_SPOTS)
    assert half < reach < (READER.picture.x1 - READER.picture.x0) / 2


@pytest.mark.parametrize("plane", [0.0, 2.7, *READER.pane_z])
def test_the_lens_does_not_see_a_lamp_in_a_shining_card_or_in_the_pane(plane: float) -> None:
    x0, y0, x1, y1 = READER.window
    for lamp in READER.lamps:
        x, y = mirrored(READER.lens, lamp, plane)
        outside = max(x0 - x, x - x1, y0 - y, y - y1)
        assert outside > 1.5, (lamp, plane, x, y)


def test_a_card_has_left_before_another_one_could_be_read_in_its_place() -> None:
    """Of a card with four indices, too, none is in the window when the outer sensor is free again."""
    for card in CARDS:
        assert card.along > READER.outer_x - READER.inner_x, "both sensors see it at one time"
        leading = READER.outer_x + card.along
        for index in INDICES:
            assert not READER.shows(index, leading)
            assert READER.outer_x + index.behind[0] >= READER.window.x1
    # A card that has just covered the inner sensor has left no picture behind that would show the one before.
    assert READER.outer_x - READER.inner_x + 2.0 > READER.window.x1 - 2.0


def test_the_flash_is_as_bright_with_every_lamp() -> None:
    low, high = lamp_ampere()
    assert high / low < 1.35
    for volt in LAMP.forward_volt:
        assert headroom_volt(volt) > 0.3, "the limiter still limits"
    assert stuck_ampere() < 0.1, "a switch that stays on harms no lamp"
    assert usb_ampere() < 0.5
    spots = [(x, y) for x in (READER.window.x0, 22.0, READER.window.x1) for y in (0.5, 20.5, 40.5)]
    full = [filled(flash_lux(spot) * low * READER.flash_us / 1e6) for spot in spots]
    assert 0.07 < min(full) < max(full) < 0.4, "four times the sensor's lowest gain fills the scale"
    room = filled(500 * STRAY * READER.optics.exposure_ms / 1000)
    assert room < min(full) / 20


def test_light_of_the_room_that_falls_through_the_slot_misses_the_window() -> None:
    aside = FINGER[0] - READER.window.y1
    assert np.degrees(np.arctan2(READER.height, aside)) < 41, "only what comes flatter reaches it"
    assert np.degrees(np.arctan2(READER.height, 1.0)) > 70, "as when the slot began a millimetre beside it"


def test_the_weakest_code_light_is_at_the_end_of_the_scale() -> None:
    assert code_filled() > 1.5


def test_a_threshold_tells_the_cut_card_from_paper_with_the_worst_part() -> None:
    near, far = 0.8, 0.8 + READER.height - 0.3
    for part in (*REFLECTIVE.on_milliampere, 0.3):
        paper = reflected_volt(part, far, REFLECTIVE.paper)
        black = reflected_volt(part, near, REFLECTIVE.black)
        crosstalk = REFLECTIVE.crosstalk_milliampere / 1000 * REFLECTIVE.load_ohm
        assert paper - black > 3 * (0.010 + crosstalk), (part, paper, black)
    # A level of a digital pin, 2.0 V above ground with 10 kilo-ohm, calls the weakest part's paper black.
    weak = reflected_volt(REFLECTIVE.on_milliampere[0], far, REFLECTIVE.paper)
    assert 3.3 - weak * 10_000 / REFLECTIVE.load_ohm > 2.0


def test_a_hand_over_the_roof_weighs_no_card() -> None:
    for hand_mm in (5.0, 10.0, 30.0):
        assert hand_share(hand_mm=hand_mm) < 0.02
    assert hand_share(finger=True) < 0.1
    assert hand_share(hand_mm=10.0, sensed_below=False) > 2, "the upper foil would weigh two cards"
    assert hand_share(hand_mm=5.0, sensed_below=False) > 5


def test_one_card_and_two_lie_apart_whatever_air_is_under_the_foils_once_it_is_calibrated() -> None:
    pair = load_firmware().mouth.Settings().pair
    for air in (GLUE_MM[0], 0.2, GLUE_MM[1]):
        card = counts(1, air)
        assert card > 40 * RESOLUTION_FARAD * COUNTS_PER_FARAD
        assert percent(1, air, card) == pytest.approx(100)
        assert pair >= 130
        assert percent(2, air, card) > pair + 60
    assert percent(2, GLUE_MM[1], counts(1) * 1.4) < pair, "a setting that is not this reader's hides a pair"
