"""Test-time augmentation: the same indices seen again, a little shifted, scaled and turned."""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from vision.geometry import IndexPoses, concatenated


class Augmentation(NamedTuple):
    """One further view of an index: shift right and down (index heights), scale, turn in degrees."""

    right: float
    below: float
    scale: float
    turn_deg: float


def _augmented(poses: IndexPoses, by: Augmentation) -> IndexPoses:
    turn = np.deg2rad(by.turn_deg)
    downs = poses.downs * np.cos(turn) - poses.rights * np.sin(turn)
    return IndexPoses(poses.beside(by.right, by.below), downs, poses.index_px * by.scale)


def augmented_views(poses: IndexPoses, augmentations: Iterable[Augmentation]) -> IndexPoses:
    """All poses under the first augmentation, then all under the second, and so on."""
    return concatenated([_augmented(poses, one) for one in augmentations])
