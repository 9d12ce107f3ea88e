"""What is too small for a card and stands alone is none; whatever may be part of a card is kept."""

import cv2
import numpy as np
import pytest

from vision.geometry import Image
from vision.synth import (
    ART_PX,
    CASINO_STYLE,
    FELTS,
    DrawnCard,
    DrawnChip,
    Scene,
    draw_back,
    draw_card,
    index_truths,
    take_picture,
)
from vision.tracking import is_too_small

PX_PER_MM = 1.5


def table(felt: tuple[int, int, int], *chips: tuple[float, float]) -> tuple[Image, list[tuple[float, float]]]:
    """Two cards on each other and one face down, chips of 39 mm with their value; the cards' places."""
    rng, high = np.random.default_rng(3), 88 * PX_PER_MM
    cloth = np.clip(np.array(felt) + rng.normal(0, 4, (640, 640, 3)), 0, 255).astype(np.uint8)
    cv2.putText(cloth, "17", (60, 560), 0, 1.2, (235, 235, 235), 3)
    cards = tuple(
        DrawnCard(draw_card(CASINO_STYLE, rank, suit, ART_PX), x, y, 10, high, rank, suit)
        for rank, suit, x, y in (("Q", "s", 200, 200), ("7", "h", 230, 185))
    )
    down = DrawnCard(draw_back(CASINO_STYLE, ART_PX), 460, 220, 90, high, face="down")
    rounds = tuple(DrawnChip(x, y, 19.5 * PX_PER_MM, (40, 40, 190)) for x, y in chips)
    scene = Scene(640, 640, cloth, (*cards, down), rounds, None, 0.3)
    picture = take_picture(scene)
    for x, y in chips:
        cv2.putText(picture.frame, "100", (round(x) - 15, round(y) + 5), 0, 0.5, (250, 250, 250), 2)
    tops = [truth.top for truth in index_truths(scene, picture) if truth.rank_visible > 0.5]
    return picture.frame, [*tops, (460.0, 220.0)]


@pytest.mark.parametrize("felt", FELTS)
@pytest.mark.parametrize("light", [1.0, 0.35])
def test_no_part_of_a_card_is_ever_too_small(felt: tuple[int, int, int], light: float) -> None:
    frame, places = table(felt, (500, 480))
    dimmed = np.clip(frame * light, 0, 255).astype(np.uint8)
    assert not [place for place in places if is_too_small(dimmed, place, PX_PER_MM)]


@pytest.mark.parametrize("felt", [one for one in FELTS if max(one) - min(one) > 40])
def test_a_chip_and_its_print_and_a_letter_of_the_layout_are_no_cards(felt: tuple[int, int, int]) -> None:
    frame, _ = table(felt, (500, 480))
    assert is_too_small(frame, (500, 480), PX_PER_MM)
    assert is_too_small(frame, (80, 548), PX_PER_MM)


def test_a_chip_that_lies_on_a_card_may_hide_it() -> None:
    frame, _ = table(FELTS[0], (300, 230))
    assert not is_too_small(frame, (300, 230), PX_PER_MM)
