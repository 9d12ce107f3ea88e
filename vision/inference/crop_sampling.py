"""Cuts candidates out of a picture, upright and at the network's size, and takes their light out.

Where the compiled functions are there they do it; OpenCV and numpy do the same, a tone up or down.
"""

from functools import cache
from typing import Final, NamedTuple

import cv2
import numpy as np

from vision.geometry.arrays import Image, Points
from vision.native.kernel import EvenRule, crops_at, evened_crops
from vision.proposal.index_pairs import Candidates

CROP_HEIGHT: Final = 48
CROP_WIDTH: Final = 36
GLANCE_HEIGHT: Final = 32
GLANCE_WIDTH: Final = 24
INDEX_SHARE: Final = 0.68
"""The index (rank's top to pip's foot) fills this share of the crop's height."""

WHITE_PERCENTILE: Final = 88
WHITE_LEAST: Final = 24.0
SAMPLE_STEP: Final = 4
"""Paper is as bright as the percentile of every so many pixels, in rows and columns, or this at least."""

PAPER_TONE: Final = 170
"""Tone of paper in an evened crop: 255 is one and a half times as bright."""

MIDDLE: Final = (13 / 48, 35 / 48)
RANK_ROWS: Final = (10 / 64, 35 / 64)
PIP_ROWS: Final = (40 / 64, 54 / 64)
"""Where rank and pip stand: shares of the crop's width, and of its height."""

PAPER_BRIGHT: Final = 0.7


class Prepared(NamedTuple):
    """Crops as the networks take them, and what was measured on the way.

    `paper` (n) is the share of each crop that is about as bright as its paper, 0..1. `tints` (n x 2 x 3: rank
    and pip; blue, green, red) is how much light the ink takes away: 0 as paper, 1 without any light. The
    darker a pixel of the middle columns, the more it counts.
    """

    tones: Image
    paper: Points
    tints: Points


def crop_matrices(candidates: Candidates, height_px: int, width_px: int) -> Points:
    """N x 2 x 3 matrices from pixels of a crop of that size to pixels of the picture."""
    scale = candidates.heights / (INDEX_SHARE * height_px)
    linear = np.stack([candidates.rights, candidates.downs], 2) * scale[:, None, None]
    middle = np.array([(width_px - 1) / 2, (height_px - 1) / 2])
    return np.concatenate([linear, (candidates.centres - linear @ middle)[:, :, None]], 2)


def cut_in_opencv(image: Image, matrices: Points, height_px: int, width_px: int) -> Image:
    """What `kernel.crops_at` cuts."""
    crops = np.empty((len(matrices), height_px, width_px, 3), np.uint8)
    flags, size = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP, (width_px, height_px)
    warp = cv2.warpAffine if matrices.shape[1] == 2 else cv2.warpPerspective
    for crop, matrix in zip(crops, matrices, strict=True):
        warp(image, matrix, size, dst=crop, flags=flags, borderMode=cv2.BORDER_REPLICATE)
    return crops


def cut_at(image: Image, matrices: Points, height_px: int, width_px: int) -> Image:
    """Crops, n x height x width x 3, uint8, by matrices as of `crop_matrices`, or n x 3 x 3.

    Outside the picture its border repeats.
    """
    crops = crops_at(image, matrices, height_px, width_px)
    return cut_in_opencv(image, matrices, height_px, width_px) if crops is None else crops


def cut_crops(
    image: Image, candidates: Candidates, height_px: int = CROP_HEIGHT, width_px: int = CROP_WIDTH
) -> Image:
    """All crops, n x height x width x 3, uint8; outside the picture the border repeats."""
    return cut_at(image, crop_matrices(candidates, height_px, width_px), height_px, width_px)


def _white_slot(height_px: int, width_px: int) -> int:
    """Number of sampled pixels in a crop that are darker than its paper."""
    return int(-(-height_px // SAMPLE_STEP) * -(-width_px // SAMPLE_STEP) * WHITE_PERCENTILE / 100)


def white_levels(crops: Image) -> Points:
    """Brightness of the paper in each crop and channel, n x 3, float32."""
    coarse = crops[:, ::SAMPLE_STEP, ::SAMPLE_STEP]
    pixels = coarse.shape[1] * coarse.shape[2]
    sample = np.ascontiguousarray(coarse.reshape(len(crops), pixels, 3).transpose(0, 2, 1))
    slot = _white_slot(*crops.shape[1:3])
    sample.partition(slot, axis=2)
    return np.maximum(sample[:, :, slot].astype(np.float32), WHITE_LEAST)


def even_light(crops: Image, white: Points) -> Image:
    """The crops with light and its colour taken out: paper gets PAPER_TONE in each channel."""
    evened = np.empty_like(crops)
    for crop, even, scale in zip(crops, evened, (PAPER_TONE / white).tolist(), strict=True):
        cv2.multiply(crop, (*scale, 0.0), dst=even)  # type: ignore[call-overload]  # stubs: no scalars
    return evened


def fold(crops: Image) -> Image:
    """Crops with each 2 x 2 pixels laid together: n x height / 2 x width / 2 x 12.

    A network whose first layer would skip every second pixel takes a third less time that way.
    """
    count, height, width, channels = crops.shape
    cells = crops.reshape(count, height // 2, 2, width // 2, 2, channels).transpose(0, 1, 3, 2, 4, 5)
    return cells.reshape(count, height // 2, width // 2, 4 * channels)


def _paper_share(crops: Image, white: Points) -> Points:
    bright = crops[:, ::SAMPLE_STEP, ::SAMPLE_STEP] > PAPER_BRIGHT * white[:, None, None]
    return np.asarray(bright.all(3).mean((1, 2)))


def _part(shares: tuple[float, float], side_px: int) -> slice:
    return slice(round(shares[0] * side_px), round(shares[1] * side_px))


def _ink_tints(crops: Image, white: Points) -> Points:
    height, width = crops.shape[1:3]
    parts = []
    for rows in (RANK_ROWS, PIP_ROWS):
        middle = crops[:, _part(rows, height), _part(MIDDLE, width)].astype(np.float32)
        dark = 1.0 - np.minimum(middle / white[:, None, None, :], 1.0)
        weight = dark.max(axis=3, keepdims=True) ** 2
        parts.append((dark * weight).sum((1, 2)) / np.maximum(weight.sum((1, 2)), 1e-6))
    return np.stack(parts, 1)


@cache
def _rule(height_px: int, width_px: int) -> EvenRule:
    middle, rank, pip = _part(MIDDLE, width_px), _part(RANK_ROWS, height_px), _part(PIP_ROWS, height_px)
    return EvenRule(
        darker=_white_slot(height_px, width_px),
        floor=WHITE_LEAST,
        tone=PAPER_TONE,
        bright=PAPER_BRIGHT,
        columns=(middle.start, middle.stop),
        rows=(rank.start, rank.stop, pip.start, pip.stop),
    )


def prepare_in_numpy(crops: Image, *, folded: bool, tinted: bool) -> Prepared:
    """What `kernel.evened_crops` does."""
    white = white_levels(crops)
    evened = even_light(crops, white)
    tints = _ink_tints(crops, white) if tinted else np.empty((0, 2, 3), np.float32)
    return Prepared(fold(evened) if folded else evened, _paper_share(crops, white), tints)


def prepare(crops: Image, *, folded: bool, tinted: bool) -> Prepared:
    """N > 0 crops for a network that takes them folded (`fold`) or as they are; tints only where `tinted`."""
    done = evened_crops(crops, _rule(*crops.shape[1:3]), folded=folded, tinted=tinted)
    return prepare_in_numpy(crops, folded=folded, tinted=tinted) if done is None else Prepared(*done)
