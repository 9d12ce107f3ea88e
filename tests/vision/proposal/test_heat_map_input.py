"""The heat map network's input: the compiled function and OpenCV make the same."""

import cv2
import numpy as np
import pytest

from controller.domain import TableError
from tests.vision.drawing_kit import drawn_table
from vision.heat_map import (
    ALIGN_PX,
    KERNEL_GAIN_RULE,
    PATCH_PX,
    heat_map_input,
    heat_map_input_in_opencv,
)
from vision.native import survey_patches


@pytest.mark.parametrize("share", [0.03, 0.4, 1.0], ids=["black", "dark", "plain"])
@pytest.mark.parametrize(
    ("scale", "high", "wide"), [(1, 1, 1), (1, 301, 640), (2, 540, 902), (3, 600, 2403), (4, 404, 3600)]
)
def test_both_ways_shrink_a_picture_alike_for_the_heat_map(
    scale: int, high: int, wide: int, share: float
) -> None:
    larger = cv2.resize((drawn_table(6) * share).astype(np.uint8), (wide + 5, high + 3))
    part = larger[1 : high + 1, 2 : wide + 2]
    patches = survey_patches(part, scale, ALIGN_PX // PATCH_PX, KERNEL_GAIN_RULE)
    assert patches is not None
    np.testing.assert_array_equal(patches, heat_map_input_in_opencv(part))


def test_both_ways_make_every_picture_evenly_bright() -> None:
    picture = np.resize(np.arange(256, dtype=np.uint8), (24, 32, 3))
    for white in range(256):
        picture[::8, ::8] = white
        patches = survey_patches(picture, 1, ALIGN_PX // PATCH_PX, KERNEL_GAIN_RULE)
        np.testing.assert_array_equal(patches, heat_map_input_in_opencv(picture), f"white is {white}")


@pytest.mark.parametrize(("shape", "scale"), [((1, 700), 2), ((641, 643), 2), ((90, 5000), 5)])
def test_pictures_that_do_not_shrink_evenly_are_left_to_opencv(shape: tuple[int, int], scale: int) -> None:
    picture = np.random.default_rng(1).integers(0, 256, (*shape, 3), np.uint8)
    assert survey_patches(picture, scale, ALIGN_PX // PATCH_PX, KERNEL_GAIN_RULE) is None
    patches, pixels = heat_map_input(picture)
    assert pixels == scale
    np.testing.assert_array_equal(patches, heat_map_input_in_opencv(picture))


def test_an_empty_picture_has_no_heat_map() -> None:
    with pytest.raises(TableError, match="PICTURE_ARRAY_EMPTY"):
        heat_map_input(np.empty((0, 0, 3), np.uint8))
