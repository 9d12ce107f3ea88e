"""What lies and moves on a drawn felt beside the cards: chips, a glass, print in the zones, shadows, arms.

Places are in pixels of a picture of 1920 x 1080; the one that is drawn has `times` as many a side.
Source of sizes and colours: chosen by eye; not measured.
"""

from random import Random
from typing import Final, NamedTuple

import cv2
import numpy as np

from vision.geometry import Image
from vision.synth.demo_table import (
    BOXES,
    CARD_PX,
    CHIP_COLOURS,
    CHIP_PX,
    FRAME_HEIGHT,
    FRAME_WIDTH,
    PRINT_INK,
    box_origin,
    felt_with_print,
)
from vision.synth.scene import DrawnChip

Place = tuple[float, float]
Colour = tuple[int, int, int]

SLEEVE: Final[Colour] = (48, 42, 40)
SKINS: Final[tuple[Colour, ...]] = ((150, 180, 225), (110, 140, 195), (60, 85, 140))
SHOULDER_Y: Final = FRAME_HEIGHT + 160.0
GLASS_PX: Final = 36


class Arm(NamedTuple):
    """A dealer's arm over the felt: its hand at `at`."""

    at: Place
    skin: Colour
    sleeve: Colour = SLEEVE


def laid_felt(chance: Random, times: int) -> tuple[Image, tuple[DrawnChip, ...]]:
    """The felt with print inside its zones and a shadow over a part of it; chips in the circles and zones."""
    felt = felt_with_print().copy()
    for box in range(1, BOXES + 1):
        x, y = (round(value) for value in box_origin(box, 1))
        cv2.putText(felt, "INSURANCE 2:1", (x + 8, y + 560), 2, 0.5, PRINT_INK, 1, cv2.LINE_AA)
        cv2.circle(felt, (x + 170, y + 470), 26, PRINT_INK, 2, cv2.LINE_AA)
        cv2.putText(felt, "10", (x + 156, y + 478), 2, 0.6, PRINT_INK, 1, cv2.LINE_AA)
    shade = np.zeros(felt.shape[:2], np.float32)
    left = chance.randint(200, 1500)
    corners = np.array([(left, 0), (left + 260, 0), (left + 500, FRAME_HEIGHT), (left + 180, FRAME_HEIGHT)])
    cv2.fillPoly(shade, [corners.astype(np.int32)], chance.uniform(0.15, 0.4))
    felt = (felt * (1 - cv2.GaussianBlur(shade, (0, 0), 14))[..., None]).astype(np.uint8)
    glass = (chance.randint(120, FRAME_WIDTH - 120), 60)
    cv2.circle(felt, glass, GLASS_PX, (205, 210, 200), 3, cv2.LINE_AA)
    cv2.ellipse(felt, glass, (GLASS_PX - 10, GLASS_PX - 16), 30, 0, 200, (235, 238, 235), 2, cv2.LINE_AA)
    large = cv2.resize(felt, None, fx=times, fy=times, interpolation=cv2.INTER_LINEAR)
    return np.asarray(large, np.uint8), tuple(_chips(chance, times))


def _chips(chance: Random, times: int) -> list[DrawnChip]:
    chips = []
    for box in range(1, BOXES + 1):
        x, y = box_origin(box, 1)
        for at in ((x + 60, y - 112), (x + 190 + chance.uniform(-8, 8), y + chance.uniform(250, 420))):
            for level in range(chance.randint(1, 4)):
                colour = CHIP_COLOURS[chance.randrange(len(CHIP_COLOURS))]
                place = ((at[0] + level) * times, (at[1] - level) * times)
                chips.append(DrawnChip(*place, CHIP_PX * times, colour))
    return chips


def draw_arm(frame: Image, arm: Arm, times: int) -> None:
    """The arm comes from the dealer's side; its fingers lie on the near edge of a card at its place."""
    x, y = arm.at
    hand = np.array((x, y + 0.62 * CARD_PX)) * times
    shoulder = np.array((FRAME_WIDTH / 2 + 0.35 * (x - FRAME_WIDTH / 2), SHOULDER_Y)) * times
    along = (shoulder - hand) / max(float(np.hypot(*(shoulder - hand))), 1.0)
    across = np.array((-along[1], along[0]))
    wrist = hand + along * 70 * times
    _limb(frame, wrist, shoulder, 74 * times, arm.sleeve)
    _limb(frame, hand, wrist, 52 * times, arm.skin)
    for finger in (-18, -6, 6, 18):
        root = hand + across * finger * times
        _limb(frame, root - along * 34 * times, root, 11 * times, arm.skin)


def _limb(frame: Image, first: Image, last: Image, thick: int, colour: Colour) -> None:
    ends = [tuple(int(value) for value in end) for end in (first, last)]
    cv2.line(frame, ends[0], ends[1], colour, thick, cv2.LINE_AA)
