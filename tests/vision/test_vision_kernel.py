"""The compiled functions and those in OpenCV and numpy do the same."""

import shutil
import subprocess
import sys
from pathlib import Path

import cv2
import numpy as np
import pytest

from vision.classifier.index_network import INDEX_CROP
from vision.classifier.whole_card import WHOLE_CARD_CROP
from vision.geometry.arrays import Image
from vision.geometry.index_poses import IndexPoses
from vision.inference.crop_sampling import CropSize, crop_matrices, crops_by_matrix, crops_in_opencv
from vision.inference.illumination import prepare_crops, prepare_in_numpy, space_to_depth
from vision.native import kernel
from vision.native.kernel import crops_at, is_compiled, pieces_of_ink, survey_patches
from vision.proposal.connected_components import INK_LEVELS, ink_in_opencv
from vision.proposal.heat_map import PATCH_PX
from vision.proposal.heat_map_input import (
    ALIGN_PX,
    KERNEL_GAIN_RULE,
    heat_map_input,
    heat_map_input_in_opencv,
)
from vision.proposal.index_pairs import propose_indices
from vision.proposal.paper_mask import CELL_PX, SAMPLE_STEP_PX, coarse_sample, find_paper
from vision.proposal.proposal_filter import FILTER_CROP
from vision.synth.random_scenes import random_deck, random_scene, shoot

compiled = pytest.mark.skipif(not is_compiled(), reason="no C compiler on this machine: OpenCV works alone")
SIZES = [
    INDEX_CROP,
    FILTER_CROP,
    WHOLE_CARD_CROP,
]
ODD_SIZES = [(31, 17), (5, 129), (3, 256), (7, 1)]


def drawn_table(seed: int) -> Image:
    rng = np.random.default_rng((42, seed))
    deck = random_deck(rng)
    return shoot(random_scene(rng, deck), rng, deck.rank_share).frame


def sorted_rows(pieces: np.ndarray) -> np.ndarray:
    return pieces[np.lexsort(pieces.T[::-1])]


@compiled
@pytest.mark.parametrize("seed", range(6))
def test_both_searches_find_the_same_ink(seed: int) -> None:
    picture = np.ascontiguousarray(drawn_table(seed)[: 640 - seed, : 640 - 3 * seed])
    cells = find_paper(coarse_sample(picture))
    assert cells is not None
    found = pieces_of_ink(picture, cells.level, cells.paper, CELL_PX, INK_LEVELS)
    assert found is not None
    assert len(found) > 20
    np.testing.assert_array_equal(sorted_rows(found), sorted_rows(ink_in_opencv(picture, cells)))


@compiled
def test_a_part_of_a_larger_picture_is_searched_as_if_it_were_alone() -> None:
    part = drawn_table(7)[64:576, 32:512]
    cells = find_paper(coarse_sample(part))
    assert cells is not None
    inside = pieces_of_ink(part, cells.level, cells.paper, CELL_PX, INK_LEVELS)
    alone = pieces_of_ink(np.ascontiguousarray(part), cells.level, cells.paper, CELL_PX, INK_LEVELS)
    assert inside is not None
    assert alone is not None
    np.testing.assert_array_equal(inside, alone)


@compiled
@pytest.mark.parametrize("shape", [(0, 0), (8, 7), (8, 8), (61, 83), (240, 320)])
def test_both_ways_take_the_same_sample(shape: tuple[int, int]) -> None:
    picture = drawn_table(4)[100 : 100 + shape[0], 50 : 50 + shape[1]]
    high, wide = shape[0] // CELL_PX * CELL_PX, shape[1] // CELL_PX * CELL_PX
    wanted = picture[SAMPLE_STEP_PX // 2 : high : SAMPLE_STEP_PX, SAMPLE_STEP_PX // 2 : wide : SAMPLE_STEP_PX]
    np.testing.assert_array_equal(coarse_sample(picture), wanted)


@pytest.mark.parametrize("shape", [(1, 1), (7, 300), (300, 7), (16, 16)])
def test_pictures_too_small_for_paper_hold_none(shape: tuple[int, int]) -> None:
    assert find_paper(coarse_sample(np.zeros((*shape, 3), np.uint8))) is None


@compiled
@pytest.mark.parametrize(("height", "width"), [*SIZES, *ODD_SIZES])
@pytest.mark.parametrize("seed", range(3))
def test_both_ways_cut_the_same_crops(seed: int, height: int, width: int) -> None:
    picture = drawn_table(seed)
    size = CropSize(height, width)
    matrices = crop_matrices(propose_indices(picture), size)
    assert len(matrices) > 20
    tones = crops_by_matrix(picture, matrices, size).astype(int)
    off = np.abs(tones - crops_in_opencv(picture, matrices, size))
    assert off.max() <= 2
    assert (off > 0).mean() < 0.01


@compiled
def test_crops_beyond_the_border_repeat_it() -> None:
    picture = drawn_table(3)[:200, :300]
    centres = np.array(
        [[-4.0, -4.0], [303.0, 100.0], [150.0, 199.5], [-5e3, 60.0], [2e4, 2e4], [150.0, 90.0]]
    )
    downs = np.tile([0.6, 0.8], (len(centres), 1))
    heights = np.array([30.0, 80.0, 12.0, 40.0, 60.0, 1e7])
    matrices = crop_matrices(IndexPoses(centres, downs, heights), INDEX_CROP)
    tones = crops_by_matrix(picture, matrices, INDEX_CROP)
    near = crops_in_opencv(np.ascontiguousarray(picture), matrices[:3], INDEX_CROP)
    assert np.abs(tones[:3].astype(int) - near).max() <= 2
    assert (tones[4] == picture[-1, -1]).all()
    assert len(np.unique(tones[5].reshape(-1, 3), axis=0)) <= 4


@compiled
def test_crops_are_the_same_however_the_picture_lies_in_memory() -> None:
    picture = drawn_table(3)[:100, :90]
    matrices = crop_matrices(propose_indices(drawn_table(3)), INDEX_CROP)
    wanted = crops_by_matrix(np.ascontiguousarray(picture), matrices, INDEX_CROP)
    turned = np.ascontiguousarray(picture[::-1])[::-1]
    mirrored = np.ascontiguousarray(picture[:, ::-1])[:, ::-1]
    for same in (picture, turned, mirrored):
        np.testing.assert_array_equal(crops_by_matrix(same, matrices, INDEX_CROP), wanted)


@pytest.mark.parametrize("shape", [(1, 40), (40, 1), (1, 1)])
def test_a_picture_of_one_line_is_left_to_opencv(shape: tuple[int, int]) -> None:
    picture = np.full((*shape, 3), 77, np.uint8)
    matrices = np.array([[[1.0, 0, 0], [0, 1.0, 0]]])
    assert crops_at(picture, matrices, 8, 8) is None
    assert (crops_by_matrix(picture, matrices, CropSize(8, 8)) == 77).all()


@compiled
@pytest.mark.parametrize(
    ("height", "width", "folded"),
    [(*size, folded) for size in SIZES for folded in (False, True)] + [(31, 17, False), (5, 129, False)],
)
def test_both_ways_even_and_measure_alike(height: int, width: int, folded: bool) -> None:
    picture = drawn_table(5)
    size = CropSize(height, width)
    crops = crops_by_matrix(picture, crop_matrices(propose_indices(picture), size), size)
    crops[0], crops[1], crops[2] = 0, 255, (np.arange(3) * 90).astype(np.uint8)
    one = prepare_crops(crops, folded=folded, tinted=True)
    other = prepare_in_numpy(crops, folded=folded, tinted=True)
    off = np.abs(one.tones.astype(int) - other.tones)
    assert off.max() <= 1
    assert (off > 0).mean() < 0.01
    np.testing.assert_allclose(one.paper, other.paper, atol=1e-6)
    np.testing.assert_allclose(one.tints, other.tints, atol=1e-4)
    assert len(prepare_crops(crops, folded=folded, tinted=False).tints) == 0


def test_folding_lays_four_neighbours_together() -> None:
    crops = np.arange(4 * 6 * 3, dtype=np.uint8).reshape(1, 4, 6, 3)
    folded = space_to_depth(crops)
    assert folded.shape == (1, 2, 3, 12)
    assert folded[0, 1, 2].tolist() == [*crops[0, 2, 4], *crops[0, 2, 5], *crops[0, 3, 4], *crops[0, 3, 5]]


@compiled
@pytest.mark.parametrize("share", [0.03, 0.4, 1.0], ids=["black", "dark", "plain"])
@pytest.mark.parametrize(
    ("scale", "high", "wide"), [(1, 1, 1), (1, 301, 640), (2, 540, 902), (3, 600, 2403), (4, 404, 3600)]
)
def test_both_ways_shrink_a_picture_alike_for_the_survey(
    scale: int, high: int, wide: int, share: float
) -> None:
    larger = cv2.resize((drawn_table(6) * share).astype(np.uint8), (wide + 5, high + 3))
    part = larger[1 : high + 1, 2 : wide + 2]
    patches = survey_patches(part, scale, ALIGN_PX // PATCH_PX, KERNEL_GAIN_RULE)
    assert patches is not None
    np.testing.assert_array_equal(patches, heat_map_input_in_opencv(part))


@compiled
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


def test_an_empty_picture_has_no_survey() -> None:
    with pytest.raises(cv2.error):
        heat_map_input(np.empty((0, 0, 3), np.uint8))


@compiled
def test_a_library_of_other_sources_is_not_called(tmp_path: Path) -> None:
    """Its functions may take other arguments, which would end the process in the middle of a round."""
    shutil.copytree(Path(kernel.__file__).parents[1], tmp_path / "vision")
    asked = [sys.executable, "-c", "from vision.native.kernel import is_compiled; print(is_compiled())"]
    same = subprocess.run(asked, cwd=tmp_path, capture_output=True, text=True, check=True)
    with (tmp_path / "vision/native/ink.c").open("a", encoding="utf-8") as source:
        source.write("/* newer */")
    newer = subprocess.run(asked, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert (same.stdout.strip(), newer.stdout.strip()) == ("True", "False")
