"""Takes light and its colour out of crops, and measures their paper on the way."""

from functools import cache
from typing import Final, NamedTuple

import cv2
import numpy as np

from vision.geometry import Image, Points
from vision.native import EvenRule, evened_crops

PAPER_TONE: Final = 170
"""Tone of paper in a normalised crop; 255 is one and a half times as bright.

Source: the shipped networks were trained on it.
"""


class WhiteRule(NamedTuple):
    """Parameters for the brightness of a crop's paper, for each colour channel.

    Source: no measurement on record; the shipped networks were trained with these values.
    """

    percentile: int = 88
    """Share of a crop's pixels, in percent, that are darker than its paper."""

    floor: float = 24.0
    """Grey levels that paper has at least: a black crop must not be made bright."""

    step: int = 4
    """Every so many pixels one is looked at, in rows and columns."""

    bright: float = 0.7
    """A pixel counts as paper from this share of the paper's brightness on, in all channels."""


WHITE: Final = WhiteRule()


class PreparedCrops(NamedTuple):
    """N crops as network input, with their measurements.

    `tones`: n x height x width x 3, uint8, or with each 2 x 2 pixels as twelve channels (`space_to_depth`).
    `paper`: n, share of each crop that is about as bright as its paper, 0..1.
    """

    tones: Image
    paper: Points


def _white_slot(height_px: int, width_px: int) -> int:
    """Number of sampled pixels in a crop that are darker than its paper."""
    return int(-(-height_px // WHITE.step) * -(-width_px // WHITE.step) * WHITE.percentile / 100)


def white_levels(crops: Image) -> Points:
    """Brightness of the paper in each of n crops and each channel, n x 3, float32."""
    coarse = crops[:, :: WHITE.step, :: WHITE.step]
    pixels = coarse.shape[1] * coarse.shape[2]
    sample = np.ascontiguousarray(coarse.reshape(len(crops), pixels, 3).transpose(0, 2, 1))
    slot = _white_slot(*crops.shape[1:3])
    sample.partition(slot, axis=2)
    return np.maximum(sample[:, :, slot].astype(np.float32), WHITE.floor)


def normalise_illumination(crops: Image, white: Points) -> Image:
    """The crops with their paper at PAPER_TONE in each channel; `white` as of `white_levels`."""
    normalised = np.empty_like(crops)
    for crop, out, scale in zip(crops, normalised, (PAPER_TONE / white).tolist(), strict=True):
        cv2.multiply(crop, (*scale, 0.0), dst=out)  # type: ignore[call-overload]  # stubs: no scalars
    return normalised


def space_to_depth(crops: Image) -> Image:
    """Return crops with each 2 x 2 pixels as channels: n x height / 2 x width / 2 x 12.

    A network whose first layer would skip every second pixel takes a third less time (docs/decisions/0013).
    """
    count, height, width, channels = crops.shape
    cells = crops.reshape(count, height // 2, 2, width // 2, 2, channels).transpose(0, 1, 3, 2, 4, 5)
    return cells.reshape(count, height // 2, width // 2, 4 * channels)


@cache
def _rule(height_px: int, width_px: int) -> EvenRule:
    """The same rules for the compiled functions, in pixels of such a crop."""
    return EvenRule(
        darker=_white_slot(height_px, width_px),
        floor=WHITE.floor,
        tone=PAPER_TONE,
        bright=WHITE.bright,
    )


def prepare_crops(crops: Image, *, to_depth: bool) -> PreparedCrops:
    """N > 0 crops for a network; `to_depth` where it takes them by `space_to_depth`."""
    return PreparedCrops(*evened_crops(crops, _rule(*crops.shape[1:3]), folded=to_depth))
