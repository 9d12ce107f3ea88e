"""Cuts whole cards out of a picture, upright, with their corners blanked.

What is left are pips or court art: a reader of these fails for other causes than the reader of the index.
"""

from typing import Final

import cv2
import numpy as np

from vision.arrays import Image, Points
from vision.rectify import white_levels

BODY_HEIGHT: Final = 80
BODY_WIDTH: Final = 56

BLANK_WIDE: Final = (0.045, 0.42)
BLANK_TALL: Final = (0.05, 1.05)
"""Blanked at each corner, in card heights: a margin, and so many heights of the index (rank to pip)."""


def cut_body(image: Image, corners: Points) -> Image:
    """One card, BODY_HEIGHT x BODY_WIDTH x 3; `corners` clockwise from the upper left of an upright index."""
    target = np.array(
        [[0, 0], [BODY_WIDTH, 0], [BODY_WIDTH, BODY_HEIGHT], [0, BODY_HEIGHT]], np.float32
    ) - np.float32(0.5)
    matrix = cv2.getPerspectiveTransform(corners.astype(np.float32), target)
    size = (BODY_WIDTH, BODY_HEIGHT)
    side = float(np.hypot(*(corners[3] - corners[0])))
    if side < 2.5 * BODY_HEIGHT:
        return cv2.warpPerspective(image, matrix, size, borderMode=cv2.BORDER_REPLICATE)
    twice = np.diag([2.0, 2.0, 1.0]) @ matrix
    large = cv2.warpPerspective(
        image, twice, (2 * BODY_WIDTH, 2 * BODY_HEIGHT), borderMode=cv2.BORDER_REPLICATE
    )
    return cv2.resize(large, size, interpolation=cv2.INTER_AREA)


def blank_corners(bodies: Image, index_shares: Points) -> Image:
    """The same crops with paper over their four corners.

    `index_shares` (n) is the index's height as a share of the card's long side.
    """
    white = white_levels(bodies).astype(np.uint8)
    blanked = bodies.copy()
    for body, paper, share in zip(blanked, white, index_shares, strict=True):
        wide = round(BODY_HEIGHT * (BLANK_WIDE[0] + BLANK_WIDE[1] * float(share)))
        tall = round(BODY_HEIGHT * (BLANK_TALL[0] + BLANK_TALL[1] * float(share)))
        for rows in (slice(0, tall), slice(BODY_HEIGHT - tall, BODY_HEIGHT)):
            body[rows, :wide] = paper
            body[rows, BODY_WIDTH - wide :] = paper
    return blanked
