"""What has a card's measures is found by its outline alone, whatever touches it."""

import cv2
import numpy as np
import pytest

from vision.geometry import CARD_ASPECT, Image, Points
from vision.proposal import SAMPLE_STEP_PX
from vision.remaining import leftover_papers

LONG_PX = 104.0
MIDDLE = (960.0, 540.0)


def card(turn_deg: float) -> Points:
    """The outline of a card in the middle of a picture of 1920 x 1080."""
    return cv2.boxPoints((MIDDLE, (CARD_ASPECT * LONG_PX, LONG_PX), turn_deg)).astype(np.float64)


def mask(*things: Points) -> Image:
    """What stands out from the felt."""
    drawn = np.zeros((1080 // SAMPLE_STEP_PX, 1920 // SAMPLE_STEP_PX), np.uint8)
    for thing in things:
        cv2.fillConvexPoly(drawn, np.rint(thing / SAMPLE_STEP_PX).astype(np.int32), 255)
    return drawn


def stripe(height_cards: float) -> Points:
    """A stripe of light across the whole picture."""
    top, foot = MIDDLE[1], MIDDLE[1] + height_cards * LONG_PX
    return np.array([(0.0, top), (1920, top), (1920, foot), (0, foot)])


@pytest.mark.parametrize("turn_deg", [0.0, 20.0, 90.0])
def test_a_card_that_stripes_of_light_run_into_is_found(turn_deg: float) -> None:
    found = leftover_papers(mask(card(turn_deg), stripe(0.3)), [], LONG_PX)
    assert [bool(np.hypot(*(one - MIDDLE)) < LONG_PX / 3) for one in found] == [True]


def test_a_stripe_of_light_by_itself_is_no_card_however_wide() -> None:
    for height_cards in (0.3, 0.6, 2.0):
        assert leftover_papers(mask(stripe(height_cards)), [], LONG_PX) == []


def test_a_card_that_was_read_is_not_found_again() -> None:
    assert leftover_papers(mask(card(20.0), stripe(0.3)), [card(20.0)], LONG_PX) == []


def test_a_picture_without_a_pixel_of_felt_has_none() -> None:
    assert leftover_papers(np.zeros((1, 1), np.uint8), [], LONG_PX) == []
