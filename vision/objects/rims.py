"""Find cards face down by their white rim, at a camera with a known card size."""

from typing import Final

import cv2
import numpy as np

from vision.classifier import IndexNetwork
from vision.geometry import Image, Points, inside_each, scaled
from vision.objects.card_sized import (
    FOREGROUND_RULE,
    CardSizedObject,
    card_corners,
    felt_colour,
    find_card_sized_objects,
)
from vision.proposal import SAMPLE_STEP_PX, coarse_sample

_RIM_SLACK: Final = 0.25
"""A rim alone has to be as long as a card to this share: the outline of a printed box has any size.

Source: on the demo's felt a line of print that a green back touches makes its rim longer by 0.2.
"""

_RIM_LIGHT: Final = 60
"""A white rim is lighter than the felt around it in its darkest channel by so many grey levels.

Source: on a drawn dark red felt with stripes of light the rim had 130 and more, the felt 33 at most.
"""

_BESIDE_RIM: Final = (0.8, 1.25)
"""The back within a rim, and the felt beside it, as shares of the outline's size: they differ as a thing does
from the felt. Within a printed outline there is felt. Source: no measurement on record."""


def rims(
    image: Image, mask: Image, outlines: list[Points], card_px: float, network: IndexNetwork
) -> list[CardSizedObject]:
    """Backs apart from the known `outlines` of which the rim alone stands out, or of which it is all white.

    The first are of the felt's own colour; the felt around the others is lit so unevenly that it stands out
    itself. `mask` is a `foreground_mask`, and is used up; `card_px` is a card's long side.
    """
    found = find_card_sized_objects(image, mask, outlines, None, network)
    sides_px = (float(np.hypot(*(one.corners[3] - one.corners[0]))) for one in found)
    own = [
        one
        for one, long_px in zip(found, sides_px, strict=True)
        if one.kind == "hollow" and abs(long_px / card_px - 1) < _RIM_SLACK
    ]
    return [*own, *(CardSizedObject(corners, "hollow", 0.0) for corners in _white(image, outlines, card_px))]


def _white(image: Image, outlines: list[Points], card_px: float) -> list[Points]:
    """Outlines (4 x 2) of white rims of a card's size around something that is not felt."""
    sample = cv2.blur(coarse_sample(image), (2, 2))
    light = cv2.subtract(sample.min(2), felt_colour(sample).min(2)) > _RIM_LIGHT
    contours, _ = cv2.findContours(light.astype(np.uint8), cv2.RETR_LIST, cv2.CHAIN_APPROX_SIMPLE)
    found = (card_corners(contour, card_px, _RIM_SLACK) for contour in contours)
    rimmed: list[Points] = []
    for corners in found:
        known = np.array([*outlines, *rimmed]).reshape(-1, 4, 2)
        if corners is None or inside_each(corners.mean(0)[None], known).any():
            continue
        if _is_filled(sample, corners):
            rimmed.append(corners)
    return rimmed


def _is_filled(sample: Image, corners: Points) -> bool:
    """Whether the area within a rim differs from the area around it."""
    inner, outer = (_ring(sample, corners, share) for share in _BESIDE_RIM)
    return bool(np.abs(inner - outer).max() > FOREGROUND_RULE.unlike_felt)


def _ring(sample: Image, corners: Points, share: float) -> Points:
    """The usual colour along an outline that is so many times as large."""
    ring = np.zeros(sample.shape[:2], np.uint8)
    points = np.rint(scaled(corners[None], share)[0] / SAMPLE_STEP_PX).astype(np.int32)
    cv2.polylines(ring, [points], True, 1)
    return np.asarray(np.median(sample[ring > 0], 0)) if ring.any() else np.zeros(3)
