"""Cuts candidates out of a picture, upright and at the network's size."""

from typing import Final

import cv2
import numpy as np

from vision.arrays import Image, Points
from vision.locate import Candidates

CROP_HEIGHT: Final = 64
CROP_WIDTH: Final = 48
GLANCE_HEIGHT: Final = CROP_HEIGHT // 2
GLANCE_WIDTH: Final = CROP_WIDTH // 2
INDEX_SHARE: Final = 0.68
"""The index (rank's top to pip's foot) fills this share of the crop's height."""

WHITE_PERCENTILE: Final = 88
PAPER_TONE: Final = 170
"""Tone of paper in an evened crop: 255 is one and a half times as bright."""

MIDDLE: Final = slice(13, 35)
RANK_ROWS: Final = slice(10, 35)
PIP_ROWS: Final = slice(40, 54)
PAPER_BRIGHT: Final = 0.7


def crop_matrices(candidates: Candidates, height_px: int, width_px: int) -> Points:
    """N x 2 x 3 matrices from pixels of a crop of that size to pixels of the picture."""
    scale = candidates.heights / (INDEX_SHARE * height_px)
    across = np.stack([candidates.downs[:, 1], -candidates.downs[:, 0]], 1)
    linear = np.stack([across, candidates.downs], 2) * scale[:, None, None]
    middle = np.array([(width_px - 1) / 2, (height_px - 1) / 2])
    return np.concatenate([linear, (candidates.centres - linear @ middle)[:, :, None]], 2)


def cut_crops(
    image: Image, candidates: Candidates, height_px: int = CROP_HEIGHT, width_px: int = CROP_WIDTH
) -> Image:
    """All crops, n x height x width x 3, uint8; outside the picture the border repeats."""
    crops = np.empty((len(candidates.heights), height_px, width_px, 3), np.uint8)
    flags, size = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP, (width_px, height_px)
    for crop, matrix in zip(crops, crop_matrices(candidates, height_px, width_px), strict=True):
        cv2.warpAffine(image, matrix, size, dst=crop, flags=flags, borderMode=cv2.BORDER_REPLICATE)
    return crops


def white_levels(crops: Image) -> Points:
    """Brightness of the paper in each crop and channel, n x 3, float32."""
    coarse = crops[:, ::4, ::4]
    pixels = coarse.shape[1] * coarse.shape[2]
    sample = np.ascontiguousarray(coarse.reshape(len(crops), pixels, 3).transpose(0, 2, 1))
    slot = int(sample.shape[2] * WHITE_PERCENTILE / 100)
    sample.partition(slot, axis=2)
    return np.maximum(sample[:, :, slot].astype(np.float32), 24.0)


def even_light(crops: Image, white: Points) -> Image:
    """The crops with light and its colour taken out: paper gets PAPER_TONE in each channel."""
    evened = np.empty_like(crops)
    for crop, even, scale in zip(crops, evened, (PAPER_TONE / white).tolist(), strict=True):
        cv2.multiply(crop, (*scale, 0.0), dst=even)  # type: ignore[call-overload]  # stubs: no scalars
    return evened


def paper_share(crops: Image, white: Points) -> Points:
    """Share of each crop that is about as bright as its paper, 0..1."""
    bright = crops[:, ::4, ::4] > PAPER_BRIGHT * white[:, None, None]
    return np.asarray(bright.all(3).mean((1, 2)))


def ink_tints(crops: Image, white: Points) -> Points:
    """Colour of rank and pip in each crop, n x 2 x 3 (blue, green, red), 0 as paper, 1 without any light.

    The darker a pixel of the part's middle columns, the more it counts.
    """
    parts = []
    for rows in (RANK_ROWS, PIP_ROWS):
        middle = crops[:, rows, MIDDLE].astype(np.float32)
        dark = 1.0 - np.minimum(middle / white[:, None, None, :], 1.0)
        weight = dark.max(axis=3, keepdims=True) ** 2
        parts.append((dark * weight).sum((1, 2)) / np.maximum(weight.sum((1, 2)), 1e-6))
    return np.stack(parts, 1)
