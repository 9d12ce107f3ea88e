"""Cuts indices and cards out of a picture, upright and at a network's size.

Where the compiled functions are there they do it; OpenCV gives the same, one tone up or down.
"""

from typing import Final, NamedTuple

import cv2
import numpy as np

from vision.geometry import Image, IndexPoses, Points
from vision.native import crops_at

INDEX_SHARE: Final = 0.68
"""An index, from the rank's top to the pip's foot, fills this share of its crop's height.

Source: the shipped networks were trained on such crops; the rest is room for poses that are a little off.
"""


class CropSize(NamedTuple):
    """Size of a network's crops in pixels."""

    height_px: int
    width_px: int


def crop_matrices(poses: IndexPoses, size: CropSize) -> Points:
    """N x 2 x 3 matrices from pixels of a crop of that size to pixels of the picture."""
    scale = poses.index_px / (INDEX_SHARE * size.height_px)
    linear = np.stack([poses.rights, poses.downs], 2) * scale[:, None, None]
    middle = np.array([(size.width_px - 1) / 2, (size.height_px - 1) / 2])
    return np.concatenate([linear, (poses.centres - linear @ middle)[:, :, None]], 2)


def crops_in_opencv(image: Image, matrices: Points, size: CropSize) -> Image:
    """What `crops_by_matrix` gives without the compiled functions."""
    crops = np.empty((len(matrices), *size, 3), np.uint8)
    flags, wide_high = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP, (size.width_px, size.height_px)
    warp = cv2.warpAffine if matrices.shape[1] == 2 else cv2.warpPerspective
    for crop, matrix in zip(crops, matrices, strict=True):
        warp(image, matrix, wide_high, dst=crop, flags=flags, borderMode=cv2.BORDER_REPLICATE)
    return crops


def crops_by_matrix(image: Image, matrices: Points, size: CropSize) -> Image:
    """Crops of a BGR picture, n x height x width x 3, uint8.

    `matrices` are those of `crop_matrices`, or n x 3 x 3 in perspective. Outside the picture its border
    repeats.
    """
    crops = crops_at(image, matrices, *size)
    return crops_in_opencv(image, matrices, size) if crops is None else crops


def cut_crops(image: Image, poses: IndexPoses, size: CropSize) -> Image:
    """One upright crop for each pose, n x height x width x 3, uint8; the picture's border repeats."""
    return crops_by_matrix(image, crop_matrices(poses, size), size)
