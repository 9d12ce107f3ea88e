"""The heat map network's input: the picture smaller, evenly bright, in squares of a few pixels."""

from typing import Final, NamedTuple

import cv2
import numpy as np

from vision.geometry import Image
from vision.native import SURVEY_PX, GainRule, survey_patches
from vision.proposal.heat_map import OUTPUT_CELL_PX, PATCH_DEPTH, PATCH_PX

_INPUT_LONG_PX: Final = SURVEY_PX
"""Long side of the network's picture at most: larger pictures are made smaller by a whole number."""

_FULL_SIZE_MAX_PX: Final = 640
"""Pictures with a longer side than this are halved at least: the network was trained on halved tables.

Source: models/MODEL_CARD.md, Data.
"""

ALIGN_PX: Final = 4 * PATCH_PX
"""The network's picture has sides that are multiples of this: its layers halve the patches twice."""


class ExposureRule(NamedTuple):
    """Brightness of the network's input picture.

    Source: the shipped network was trained with these values (models/MODEL_CARD.md, Data: the brightest 3 %
    of a picture are brought to one tone).
    """

    share: float = 0.97
    tone: float = 230.0
    """The tone that this share of the pixels is darker than is brought to that tone, 0..255."""

    gain: tuple[float, float] = (0.8, 6.0)
    """Least and greatest factor."""


_EXPOSURE_RULE: Final = ExposureRule()

KERNEL_GAIN_RULE: Final = GainRule(_EXPOSURE_RULE.share, _EXPOSURE_RULE.tone, *_EXPOSURE_RULE.gain)


def picture_patches(picture: Image) -> Image:
    """Return a copy of a picture (sides multiples of ALIGN_PX) as rows x columns x PATCH_DEPTH."""
    rows, columns = picture.shape[0] // PATCH_PX, picture.shape[1] // PATCH_PX
    strips = np.ascontiguousarray(picture).reshape(-1).view(f"V{3 * PATCH_PX}")
    squares = strips.reshape(rows, PATCH_PX, columns).transpose(0, 2, 1)
    return np.ascontiguousarray(squares).view(np.uint8).reshape(rows, columns, PATCH_DEPTH)


def _scale_of(image: Image) -> int:
    """Pixels of the picture for one of the network's."""
    long_px: int = max(image.shape[:2])
    return max(-(-long_px // _INPUT_LONG_PX), 2 if long_px > _FULL_SIZE_MAX_PX else 1)


def exposure_gain(picture: Image) -> float:
    """The factor that brings the brightest parts of a BGR picture to the rule's tone."""
    sample = np.ascontiguousarray(picture[::OUTPUT_CELL_PX, ::OUTPUT_CELL_PX])
    blue, green, red = cv2.split(sample)
    brightest = np.asarray(cv2.max(cv2.max(blue, green), red), np.uint8)
    tones = np.bincount(brightest.ravel(), minlength=256).cumsum()
    white = int(np.searchsorted(tones, _EXPOSURE_RULE.share * tones[-1]))
    return float(np.clip(_EXPOSURE_RULE.tone / max(white, 1), *_EXPOSURE_RULE.gain))


def prepared_picture(image: Image) -> Image:
    """The picture as the network sees it: smaller, evenly bright, filled up to multiples of ALIGN_PX."""
    scale = _scale_of(image)
    height, width = (max(1, side // scale) for side in image.shape[:2])
    even = np.empty((height + -height % ALIGN_PX, width + -width % ALIGN_PX, 3), np.uint8)
    part = even[:height, :width]
    interpolation = cv2.INTER_AREA if scale == 2 else cv2.INTER_LINEAR
    cv2.resize(image, (width, height), dst=part, interpolation=interpolation)
    cv2.convertScaleAbs(part, dst=part, alpha=exposure_gain(part))
    even[height:, :width] = part[-1]
    even[:, width:] = even[:, width - 1 : width]
    return even


def heat_map_input_in_opencv(image: Image) -> Image:
    """Return the result of `kernel.survey_patches`, computed with OpenCV."""
    return picture_patches(prepared_picture(image))


def heat_map_input(image: Image) -> tuple[Image, int]:
    """The network's input for a BGR picture of any size but an empty one.

    Returns rows x columns x PATCH_DEPTH, uint8, and pixels of the picture for one of the network's.
    """
    scale = _scale_of(image)
    patches = survey_patches(image, scale, ALIGN_PX // PATCH_PX, KERNEL_GAIN_RULE)
    return (heat_map_input_in_opencv(image) if patches is None else patches), scale
