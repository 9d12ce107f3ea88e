"""Cuts indices and cards out of a picture, upright and at a network's size."""

from typing import Final, NamedTuple

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


def crops_by_matrix(image: Image, matrices: Points, size: CropSize) -> Image:
    """Crops of a BGR picture, n x height x width x 3, uint8.

    `matrices` are those of `crop_matrices`, or n x 3 x 3 in perspective. Outside the picture its border
    repeats.
    """
    return crops_at(image, matrices, *size)


def cut_crops(image: Image, poses: IndexPoses, size: CropSize) -> Image:
    """Return one upright crop for each pose, n x height x width x 3, uint8; border pixels repeat."""
    return crops_by_matrix(image, crop_matrices(poses, size), size)
