"""Cuts whole cards out of a picture, upright, with their corners blanked.

What is left are pips or court art: a reader of these fails for other causes than the reader of the index.
"""

from typing import Final

import cv2
import numpy as np

from vision.geometry.arrays import Image, Points
from vision.inference.crop_sampling import cut_at, white_levels

BODY_HEIGHT: Final = 80
BODY_WIDTH: Final = 56

LARGE: Final = 2.5
"""Cards so many times as long as their body are cut at twice its size: no pixel of them is left out."""

BLANK_WIDE: Final = (0.045, 0.42)
BLANK_TALL: Final = (0.05, 1.05)
"""Blanked at each corner, in card heights: a margin, and so many heights of the index (rank to pip)."""


def _matrices(quads: Points, scale: int) -> Points:
    """N x 3 x 3 from pixels of bodies `scale` times the usual size to pixels of the picture."""
    wide, tall = BODY_WIDTH * scale, BODY_HEIGHT * scale
    outline = np.array([[0, 0], [wide, 0], [wide, tall], [0, tall]], np.float32) - np.float32(0.5)
    return np.array([cv2.getPerspectiveTransform(outline, quad) for quad in quads.astype(np.float32)])


def cut_bodies(image: Image, quads: Points) -> Image:
    """Cards, n x BODY_HEIGHT x BODY_WIDTH x 3.

    `quads` (n x 4 x 2) are their corners, clockwise from the upper left of an upright index.
    """
    bodies = np.empty((len(quads), BODY_HEIGHT, BODY_WIDTH, 3), np.uint8)
    large = np.hypot(*(quads[:, 3] - quads[:, 0]).T) >= LARGE * BODY_HEIGHT
    if not large.all():
        bodies[~large] = cut_at(image, _matrices(quads[~large], 1), BODY_HEIGHT, BODY_WIDTH)
    if large.any():
        twice = cut_at(image, _matrices(quads[large], 2), 2 * BODY_HEIGHT, 2 * BODY_WIDTH)
        size = (BODY_WIDTH, BODY_HEIGHT)
        bodies[large] = [cv2.resize(body, size, interpolation=cv2.INTER_AREA) for body in twice]
    return bodies


def cut_body(image: Image, corners: Points) -> Image:
    """One card; see `cut_bodies`."""
    return np.asarray(cut_bodies(image, corners[None])[0])


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
