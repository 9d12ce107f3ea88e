"""Crop whole cards upright, with their corners blanked.

Pips or court art remain. A network that reads these errs for other causes than one that reads the index.
"""

from typing import Final, NamedTuple

import cv2
import numpy as np

from vision.geometry import Image, Points
from vision.inference import CropSize, crops_by_matrix, white_levels

WHOLE_CARD_CROP: Final = CropSize(80, 56)
"""Fixed by the shipped network (models/body/manifest.toml)."""

_TWICE_FROM: Final = 2.5
"""Cards so many times as long as their crop are cut at twice its size and halved: no pixel of them is left
out.

Source: bilinear sampling looks at two pixels a side; no measurement on record.
"""


class BlankRule(NamedTuple):
    """The blanked area at each corner: a margin in card heights, and a number of index heights.

    Source: the shipped network was trained on crops that were blanked in this way.
    """

    wide: tuple[float, float] = (0.045, 0.42)
    tall: tuple[float, float] = (0.05, 1.05)


_BLANK_RULE: Final = BlankRule()


def _matrices(outlines: Points, size: CropSize) -> Points:
    """N x 3 x 3 from pixels of crops to pixels of the picture."""
    high, wide = size
    corners = np.array([[0, 0], [wide, 0], [wide, high], [0, high]], np.float32) - np.float32(0.5)
    return np.array(
        [cv2.getPerspectiveTransform(corners, outline) for outline in outlines.astype(np.float32)]
    )


def crop_whole_cards(
    image: Image, outlines: Points, size: CropSize = WHOLE_CARD_CROP, twice_from: float = _TWICE_FROM
) -> Image:
    """Cards of a BGR picture, n x height x width x 3, uint8, of that size.

    `outlines` (n x 4 x 2) are their corners, clockwise from the upper left of an upright index. From
    `twice_from` times as long as the crop on no pixel of a card is left out.
    """
    crops = np.empty((len(outlines), *size, 3), np.uint8)
    large = np.hypot(*(outlines[:, 3] - outlines[:, 0]).T) >= twice_from * size.height_px
    if not large.all():
        crops[~large] = crops_by_matrix(image, _matrices(outlines[~large], size), size)
    if large.any():
        double = CropSize(2 * size.height_px, 2 * size.width_px)
        twice = crops_by_matrix(image, _matrices(outlines[large], double), double)
        usual = (size.width_px, size.height_px)
        crops[large] = [cv2.resize(card, usual, interpolation=cv2.INTER_AREA) for card in twice]
    return crops


def blank_corners(cards: Image, index_shares: Points) -> Image:
    """Crops of whole cards with paper over their four corners; the crops that are given stay as they are.

    `index_shares` (n) is the height of the whole index as a share of the card's long side.
    """
    height, width = cards.shape[1:3]
    white = white_levels(cards).astype(np.uint8)
    blanked = cards.copy()
    for card, paper, share in zip(blanked, white, index_shares, strict=True):
        wide = round(height * (_BLANK_RULE.wide[0] + _BLANK_RULE.wide[1] * float(share)))
        tall = round(height * (_BLANK_RULE.tall[0] + _BLANK_RULE.tall[1] * float(share)))
        for rows in (slice(0, tall), slice(height - tall, height)):
            card[rows, :wide] = paper
            card[rows, width - wide :] = paper
    return blanked
