"""Light is taken out of crops."""

import numpy as np
import pytest

from tests.vision.drawing_kit import drawn_table
from vision.inference import (
    CropSize,
    crop_matrices,
    crops_by_matrix,
    normalise_illumination,
    prepare_crops,
    space_to_depth,
    white_levels,
)
from vision.networks import INDEX_CROP
from vision.proposal import propose_indices


@pytest.mark.parametrize(("height", "width", "to_depth"), [(*INDEX_CROP, True), (31, 17, False)])
def test_crops_are_evened_as_in_training(height: int, width: int, to_depth: bool) -> None:
    picture = drawn_table(5)
    size = CropSize(height, width)
    crops = crops_by_matrix(picture, crop_matrices(propose_indices(picture), size), size)
    crops[0], crops[1], crops[2] = 0, 255, (np.arange(3) * 90).astype(np.uint8)
    prepared, paper = prepare_crops(crops, to_depth=to_depth)
    tones = normalise_illumination(crops, white_levels(crops))
    off = np.abs(prepared.astype(int) - (space_to_depth(tones) if to_depth else tones))
    assert off.max() <= 1
    assert (off > 0).mean() < 0.01
    assert paper[:2].tolist() == [0, 1]


def test_space_to_depth_lays_four_neighbours_together() -> None:
    crops = np.arange(4 * 6 * 3, dtype=np.uint8).reshape(1, 4, 6, 3)
    blocks = space_to_depth(crops)
    assert blocks.shape == (1, 2, 3, 12)
    assert blocks[0, 1, 2].tolist() == [*crops[0, 2, 4], *crops[0, 2, 5], *crops[0, 3, 4], *crops[0, 3, 5]]
