"""Components of ink: the compiled search finds what a plain one finds."""

import cv2
import numpy as np
import pytest

from tests.vision.drawing_kit import drawn_table
from vision.geometry import Image, Points
from vision.native import FIELDS, LEAST_PX, pieces_of_ink
from vision.proposal import CELL_PX, INK_LEVELS, PaperCells, coarse_sample, find_components, find_paper

PAPER = 230


def sorted_rows(pieces: Points) -> Points:
    return pieces[np.lexsort(pieces.T)]


def plainly_searched(image: Image, cells: PaperCells) -> Points:
    """Pieces of ink by labels and their sums, in the columns of `pieces_of_ink`."""
    rows, columns = cells.paper.shape
    size = columns * CELL_PX, rows * CELL_PX
    part = image[: size[1], : size[0]]
    level = cv2.resize(cells.level.astype(np.float32), size, interpolation=cv2.INTER_LINEAR)
    paper = cv2.resize(cells.paper, size, interpolation=cv2.INTER_NEAREST) > 0
    found = [np.empty((0, FIELDS))]
    for number, share in enumerate(INK_LEVELS):
        ink = (part.min(2).astype(np.float32) * 256 < level * share) & paper
        _, labels = cv2.connectedComponents(ink.astype(np.uint8), connectivity=8)
        for piece in range(1, labels.max() + 1):
            y, x = np.nonzero(labels == piece)
            colour = part[y, x].astype(np.float64)
            box = [number, len(x), x.min(), y.min(), x.max(), y.max()]
            sums = [(x**p * y**q).sum() for p, q in ((1, 0), (0, 1), (2, 0), (0, 2), (1, 1))]
            found.append(np.array([[*box, *sums, colour[:, :2].sum(), colour[:, 2].sum()]]))
    pieces = np.concatenate(found)
    return pieces[pieces[:, 1] >= LEAST_PX]


@pytest.mark.parametrize("seed", range(2))
def test_ink_is_found_on_a_table(seed: int) -> None:
    picture = np.ascontiguousarray(drawn_table(seed)[: 320 - seed, : 320 - 3 * seed])
    cells = find_paper(coarse_sample(picture))
    assert cells is not None
    found = pieces_of_ink(picture, cells.level, cells.paper, CELL_PX, INK_LEVELS)
    assert len(found) > 20
    np.testing.assert_array_equal(sorted_rows(found), sorted_rows(plainly_searched(picture, cells)))


def test_a_part_of_a_larger_picture_is_searched_as_if_it_were_alone() -> None:
    part = drawn_table(7)[64:576, 32:512]
    cells = find_paper(coarse_sample(part))
    assert cells is not None
    inside = pieces_of_ink(part, cells.level, cells.paper, CELL_PX, INK_LEVELS)
    alone = pieces_of_ink(np.ascontiguousarray(part), cells.level, cells.paper, CELL_PX, INK_LEVELS)
    np.testing.assert_array_equal(inside, alone)


@pytest.mark.parametrize("width", [8, 64, 72, 328])
def test_runs_of_any_length_are_summed_up(width: int) -> None:
    rng = np.random.default_rng((80, width))
    picture = rng.integers(0, 60, (64, width, 3)).astype(np.uint8)
    for row in picture[1:]:
        for start in rng.integers(0, width, 5):
            row[start : start + rng.integers(1, 90)] = PAPER
    cells = PaperCells(
        np.ones((8, width // CELL_PX), np.uint8), np.full((8, width // CELL_PX), PAPER, np.uint8), PAPER
    )
    cells.paper[5, ::9] = 0
    found = pieces_of_ink(picture, cells.level, cells.paper, CELL_PX, INK_LEVELS)
    assert found[:, 1].max() > width / 2
    np.testing.assert_array_equal(sorted_rows(found), sorted_rows(plainly_searched(picture, cells)))


def test_an_empty_picture_has_no_components() -> None:
    found = find_components(np.zeros((64, 64, 3), np.uint8))
    assert [column.shape for column in found] == [(0, 2), (0, 2, 2), (0,), (0,)]
