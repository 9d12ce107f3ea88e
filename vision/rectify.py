"""Cuts candidates out of a picture, upright and at the network's size."""

from typing import Final

import cv2
import numpy as np

from vision.arrays import Image, Points
from vision.locate import Candidates

CROP_HEIGHT: Final = 64
CROP_WIDTH: Final = 48
INDEX_SHARE: Final = 0.68
"""The index (rank's top to pip's foot) fills this share of the crop's height."""

WHITE_PERCENTILE: Final = 88
MIDDLE: Final = slice(13, 35)
RANK_ROWS: Final = slice(10, 35)
PIP_ROWS: Final = slice(40, 54)
PAPER_BRIGHT: Final = 0.7


def crop_matrix(centre: Points, down: Points, height: float) -> Points:
    """2 x 3 matrix from crop pixels to picture pixels."""
    scale = height / (INDEX_SHARE * CROP_HEIGHT)
    across = np.array([down[1], -down[0]])
    matrix = np.empty((2, 3))
    matrix[:, 0], matrix[:, 1] = across * scale, down * scale
    matrix[:, 2] = centre - matrix[:, :2] @ [(CROP_WIDTH - 1) / 2, (CROP_HEIGHT - 1) / 2]
    return matrix


def cut_crop(image: Image, centre: Points, down: Points, height: float) -> Image:
    """One crop, CROP_HEIGHT x CROP_WIDTH x 3; outside the picture the border repeats."""
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    matrix = crop_matrix(centre, down, height)
    return cv2.warpAffine(
        image, matrix, (CROP_WIDTH, CROP_HEIGHT), flags=flags, borderMode=cv2.BORDER_REPLICATE
    )


def cut_crops(image: Image, candidates: Candidates) -> Image:
    """All crops, n x CROP_HEIGHT x CROP_WIDTH x 3, uint8."""
    crops = np.empty((len(candidates.heights), CROP_HEIGHT, CROP_WIDTH, 3), np.uint8)
    for slot, (centre, down, height) in enumerate(zip(*candidates, strict=True)):
        crops[slot] = cut_crop(image, centre, down, float(height))
    return crops


def white_levels(crops: Image) -> Points:
    """Brightness of the paper in each crop and channel, n x 3, float32."""
    sample = crops[:, ::4, ::4].reshape(len(crops), -1, 3)
    slot = int(sample.shape[1] * WHITE_PERCENTILE / 100)
    return np.maximum(np.partition(sample, slot, axis=1)[:, slot].astype(np.float32), 24.0)


def paper_share(crops: Image, white: Points) -> Points:
    """Share of each crop that is about as bright as its paper, 0..1."""
    sample = crops[:, ::4, ::4].reshape(len(crops), -1, 3)
    return np.asarray((sample > PAPER_BRIGHT * white[:, None]).all(2).mean(1))


def whiten(crops: Image, white: Points) -> Points:
    """Network input n x 3 x height x width, float32, -1 black .. 1 paper: light and its colour taken out."""
    scaled = np.minimum(crops * (2.0 / white)[:, None, None, :], 3.0) - 1
    return np.ascontiguousarray(scaled.transpose(0, 3, 1, 2), np.float32)


def ink_tints(crops: Image, white: Points) -> Points:
    """Colour of rank and pip in each crop, n x 2 x 3 (blue, green, red), 0 as paper, 1 without any light.

    The darker a pixel of the part's middle columns, the more it counts.
    """
    scaled = np.minimum(crops[:, :, MIDDLE].astype(np.float32) / white[:, None, None, :], 1.0)
    parts = []
    for rows in (RANK_ROWS, PIP_ROWS):
        dark = 1.0 - scaled[:, rows].reshape(len(crops), -1, 3)
        weight = dark.max(axis=2, keepdims=True) ** 2
        parts.append((dark * weight).sum(1) / np.maximum(weight.sum(1), 1e-6))
    return np.stack(parts, 1)
