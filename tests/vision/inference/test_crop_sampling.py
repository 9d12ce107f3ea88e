"""Crops: what is cut is what lies there, and beyond the border it repeats."""

import cv2
import numpy as np
import pytest

from tests.vision.drawing_kit import drawn_table
from vision.faces import WHOLE_CARD_CROP
from vision.geometry import Image, IndexPoses, Points
from vision.inference import CropSize, crop_matrices, crops_by_matrix
from vision.networks import INDEX_CROP
from vision.proposal import FILTER_CROP, propose_indices

SIZES = [INDEX_CROP, FILTER_CROP, WHOLE_CARD_CROP]
ODD_SIZES = [(31, 17), (5, 129), (3, 256), (7, 1)]


def warped(picture: Image, matrices: Points, size: CropSize) -> Points:
    flags, wide_high = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP, (size.width_px, size.height_px)
    return np.array(
        [
            cv2.warpAffine(picture, one, wide_high, flags=flags, borderMode=cv2.BORDER_REPLICATE)
            for one in matrices
        ]
    )


@pytest.mark.parametrize(("height", "width"), [*SIZES, *ODD_SIZES])
def test_crops_are_those_of_opencv(height: int, width: int) -> None:
    picture = drawn_table(0)
    size = CropSize(height, width)
    matrices = crop_matrices(propose_indices(picture), size)
    assert len(matrices) > 20
    off = np.abs(crops_by_matrix(picture, matrices, size).astype(int) - warped(picture, matrices, size))
    assert off.max() <= 2
    assert (off > 0).mean() < 0.01


def test_crops_beyond_the_border_repeat_it() -> None:
    picture = drawn_table(3)[:200, :300]
    centres = np.array(
        [[-4.0, -4.0], [303.0, 100.0], [150.0, 199.5], [-5e3, 60.0], [2e4, 2e4], [150.0, 90.0]]
    )
    downs = np.tile([0.6, 0.8], (len(centres), 1))
    heights = np.array([30.0, 80.0, 12.0, 40.0, 60.0, 1e7])
    matrices = crop_matrices(IndexPoses(centres, downs, heights), INDEX_CROP)
    tones = crops_by_matrix(picture, matrices, INDEX_CROP)
    near = warped(np.ascontiguousarray(picture), matrices[:3], INDEX_CROP)
    assert np.abs(tones[:3].astype(int) - near).max() <= 2
    assert (tones[4] == picture[-1, -1]).all()
    assert len(np.unique(tones[5].reshape(-1, 3), axis=0)) <= 4


def test_crops_are_the_same_however_the_picture_lies_in_memory() -> None:
    picture = drawn_table(3)[:100, :90]
    matrices = crop_matrices(propose_indices(drawn_table(3)), INDEX_CROP)
    wanted = crops_by_matrix(np.ascontiguousarray(picture), matrices, INDEX_CROP)
    turned = np.ascontiguousarray(picture[::-1])[::-1]
    mirrored = np.ascontiguousarray(picture[:, ::-1])[:, ::-1]
    for same in (picture, turned, mirrored):
        np.testing.assert_array_equal(crops_by_matrix(same, matrices, INDEX_CROP), wanted)


@pytest.mark.parametrize("shape", [(1, 40), (40, 1), (1, 1)])
def test_a_picture_of_one_line_is_repeated(shape: tuple[int, int]) -> None:
    picture = np.full((*shape, 3), 77, np.uint8)
    matrices = np.array([[[1.0, 0, 0], [0, 1.0, 0]]])
    assert (crops_by_matrix(picture, matrices, CropSize(8, 8)) == 77).all()
