"""The reader's geometry: what the camera sees of each size of card, how sharp, and by which light."""

import numpy as np
import pytest
from design.geometry import CARDS, INDICES, OLD_README, READER, Design, mirrored

SPEEDS = (0.2, 0.5, 1.0, 1.5, 2.0)
PHASES = np.linspace(0, 1, 21, endpoint=False)


def worst(design: Design, speed: float) -> int:
    """Fewest pictures with a whole index, over every index, phase of the flashes and place in the tunnel."""
    slack = design.side_slack
    return min(
        design.sights(index, speed, float(phase), side)
        for index in INDICES
        for phase in PHASES
        for side in (-slack / 2, 0.0, slack / 2)
    )


@pytest.mark.parametrize("speed", SPEEDS)
def test_every_index_is_whole_in_a_picture_at_every_speed(speed: float) -> None:
    assert worst(READER, speed) >= (3 if speed <= 1 else 1)


@pytest.mark.parametrize("speed", SPEEDS)
def test_the_geometry_of_the_first_readme_sees_no_index(speed: float) -> None:
    assert worst(OLD_README, speed) == 0
    moved = OLD_README._replace(window=OLD_README.window.moved(-19.0, 0))
    assert moved.sights(INDICES[0], speed, 0) == 1, "the test would see one, were the window in its place"


def test_a_moving_card_is_sharp() -> None:
    assert READER.blur_px(2.0) < 0.5 < OLD_README.blur_px(2.0)
    lowest, highest = 0.0, READER.height
    assert abs(READER.focus_z()) < 0.3
    assert READER.depth_mm() / 2 > highest - lowest - CARDS[0].thick


def test_no_picture_gets_two_flashes_and_few_get_none() -> None:
    optics = READER.optics
    assert optics.exposure_ms < optics.frame_ms < READER.flash_ms
    assert (optics.frame_ms - optics.exposure_ms) / optics.frame_ms < 0.05


@pytest.mark.parametrize("plane", [0.0, 2.7, *READER.pane_z])
def test_the_lens_does_not_see_a_lamp_in_a_shining_card_or_in_the_pane(plane: float) -> None:
    x0, y0, x1, y1 = READER.window
    for lamp in READER.lamps:
        x, y = mirrored(READER.lens, lamp, plane)
        outside = max(x0 - x, x - x1, y0 - y, y - y1)
        assert outside > 2.0, (lamp, plane, x, y)


def test_a_card_has_left_before_another_one_could_be_read_in_its_place() -> None:
    """Of a card with four indices, too, none is in the window when the outer sensor is free again."""
    for card in CARDS:
        assert card.along > READER.outer_x - READER.inner_x, "both sensors see it at one time"
        leading = READER.outer_x + card.along
        for index in INDICES:
            assert not READER.shows(index, leading)
            trailing = READER.outer_x + index.behind[0]
            assert trailing >= READER.window.x1
    # A card that has just covered the inner sensor has left no picture behind that would show the one before.
    assert READER.outer_x - READER.inner_x + 2.0 > READER.window.x1 - 2.0
