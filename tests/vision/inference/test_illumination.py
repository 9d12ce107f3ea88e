"""Light is taken out of crops alike, whichever way it is done."""

import numpy as np
import pytest

from tests.vision.drawing_kit import compiled, drawn_table
from vision.classifier import INDEX_CROP, WHOLE_CARD_CROP
from vision.inference import (
    CropSize,
    crop_matrices,
    crops_by_matrix,
    prepare_crops,
    prepare_in_numpy,
    space_to_depth,
)
from vision.proposal import FILTER_CROP, propose_indices

SIZES = [INDEX_CROP, FILTER_CROP, WHOLE_CARD_CROP]


@compiled
@pytest.mark.parametrize(
    ("height", "width", "to_depth"),
    [(*size, to_depth) for size in SIZES for to_depth in (False, True)] + [(31, 17, False), (5, 129, False)],
)
def test_both_ways_even_and_measure_alike(height: int, width: int, to_depth: bool) -> None:
    picture = drawn_table(5)
    size = CropSize(height, width)
    crops = crops_by_matrix(picture, crop_matrices(propose_indices(picture), size), size)
    crops[0], crops[1], crops[2] = 0, 255, (np.arange(3) * 90).astype(np.uint8)
    one = prepare_crops(crops, to_depth=to_depth, tinted=True)
    other = prepare_in_numpy(crops, to_depth=to_depth, tinted=True)
    off = np.abs(one.tones.astype(int) - other.tones)
    assert off.max() <= 1
    assert (off > 0).mean() < 0.01
    np.testing.assert_allclose(one.paper, other.paper, atol=1e-6)
    np.testing.assert_allclose(one.tints, other.tints, atol=1e-4)
    assert len(prepare_crops(crops, to_depth=to_depth, tinted=False).tints) == 0


def test_space_to_depth_lays_four_neighbours_together() -> None:
    crops = np.arange(4 * 6 * 3, dtype=np.uint8).reshape(1, 4, 6, 3)
    blocks = space_to_depth(crops)
    assert blocks.shape == (1, 2, 3, 12)
    assert blocks[0, 1, 2].tolist() == [*crops[0, 2, 4], *crops[0, 2, 5], *crops[0, 3, 4], *crops[0, 3, 5]]
