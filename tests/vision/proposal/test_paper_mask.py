"""Where paper is: cells of the picture."""

import numpy as np
import pytest

from tests.vision.drawing_kit import drawn_table
from vision.proposal import CELL_PX, SAMPLE_STEP_PX, coarse_sample, find_paper

PAPER = 230


@pytest.mark.parametrize("shape", [(0, 0), (8, 7), (8, 8), (61, 83), (240, 320)])
def test_the_sample_is_every_fourth_pixel(shape: tuple[int, int]) -> None:
    picture = drawn_table(4)[100 : 100 + shape[0], 50 : 50 + shape[1]]
    high, wide = shape[0] // CELL_PX * CELL_PX, shape[1] // CELL_PX * CELL_PX
    wanted = picture[SAMPLE_STEP_PX // 2 : high : SAMPLE_STEP_PX, SAMPLE_STEP_PX // 2 : wide : SAMPLE_STEP_PX]
    np.testing.assert_array_equal(coarse_sample(picture), wanted)


@pytest.mark.parametrize("shape", [(1, 1), (7, 300), (300, 7), (16, 16)])
def test_pictures_too_small_for_paper_hold_none(shape: tuple[int, int]) -> None:
    assert find_paper(coarse_sample(np.zeros((*shape, 3), np.uint8))) is None


@pytest.mark.parametrize(("row", "column", "paper"), [
    (0, 0, False), (0, 9, False), (11, 5, False), (7, 15, False), (6, 7, True), (1, 1, True),
])  # fmt: skip
def test_a_bright_cell_at_the_border_alone_is_no_paper(row: int, column: int, paper: bool) -> None:
    picture = np.full((96, 128, 3), 20, np.uint8)
    picture[row * CELL_PX : (row + 1) * CELL_PX, column * CELL_PX : (column + 1) * CELL_PX] = PAPER
    cells = find_paper(coarse_sample(picture))
    assert (cells is not None) == paper
    picture[40:56, 56:72] = PAPER
    cells = find_paper(coarse_sample(picture))
    assert cells is not None
    assert cells.paper[5, 7] == 1
    assert cells.paper[row, column] == paper
