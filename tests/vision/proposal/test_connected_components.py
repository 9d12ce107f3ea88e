"""Components of ink: the compiled search and OpenCV find the same ones."""

import numpy as np
import pytest

from tests.vision.drawing_kit import compiled, drawn_table
from vision.geometry import Points
from vision.native import FIELDS, kernel, pieces_of_ink, spots_of
from vision.proposal import InkComponents, find_components
from vision.proposal.connected_components import (
    INK_LEVELS,
    KERNEL_COMPONENT_RULE,
    components_in_numpy,
    ink_in_opencv,
)
from vision.proposal.paper_mask import CELL_PX, PaperCells, coarse_sample, find_paper

PAPER = 230


def sorted_rows(pieces: np.ndarray) -> np.ndarray:
    return pieces[np.lexsort(pieces.T[::-1])]


def random_pieces(count: int, side: int, seed: int) -> Points:
    """Solid boxes of ink at three levels, many of them twice, in the columns of `pieces_of_ink`."""
    rng = np.random.default_rng((79, seed))
    left, top = rng.integers(0, side, (2, count)).astype(float)
    wide, high = rng.integers(1, 130, (2, count)).astype(float)
    twins = count // 2 * 2
    for values in (left, top, wide, high):
        values[1:twins:2] = values[:twins:2]
    area = np.floor(wide * high * rng.uniform(0.05, 1, count)) + 1
    x, y = left + (wide - 1) / 2, top + (high - 1) / 2
    xx, yy = x * x + (wide**2 - 1) / 12, y * y + (high**2 - 1) / 12
    tones = rng.integers(0, 256, (2, count)) * [[2.0], [1.0]]
    sums = [value * area for value in (x, y, xx, yy, x * y, *tones)]
    box = [np.sort(rng.integers(0, 3, count)), area, left, top, left + wide - 1, top + high - 1]
    pieces = np.stack([*box, *sums], 1)
    assert pieces.shape == (count, FIELDS)
    return pieces


def sorted_places(spots: InkComponents) -> Points:
    """Centres and areas from left to right: the two searches for ink tell pieces in different orders."""
    columns = np.column_stack([spots.centres, spots.areas])
    return columns[np.lexsort(columns.T[::-1])]


def assert_same(one: InkComponents, other: InkComponents) -> None:
    for mine, theirs in zip(one, other, strict=True):
        assert mine.shape == theirs.shape
        np.testing.assert_allclose(mine, theirs, rtol=0, atol=1e-9)


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
@pytest.mark.parametrize(("count", "side"), [(0, 50), (1, 50), (60, 40), (900, 500), (5000, 1900)])
def test_both_ways_take_the_same_pieces_for_components(count: int, side: int) -> None:
    pieces = random_pieces(count, side, count)
    columns = spots_of(pieces, KERNEL_COMPONENT_RULE, 200.0)
    assert columns is not None
    spots = components_in_numpy(pieces, 200.0)
    assert count < 60 or 0 < len(spots.areas) < count
    assert_same(InkComponents(*columns), spots)


@compiled
@pytest.mark.parametrize("width", [8, 64, 72, 328, 640])
def test_both_searches_sum_up_runs_of_any_length(width: int) -> None:
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
    assert found is not None
    assert found[:, 1].max() > width / 2
    wanted = ink_in_opencv(picture, cells)
    np.testing.assert_array_equal(found[np.lexsort(found.T)], wanted[np.lexsort(wanted.T)])


@compiled
def test_without_the_compiled_functions_the_same_components_are_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    picture = drawn_table(9, 77)
    places, paper = sorted_places(find_components(picture)), find_paper(coarse_sample(picture))
    monkeypatch.setattr(kernel, "compiled_library", lambda: None)
    alone = find_paper(coarse_sample(picture))
    assert paper is not None
    assert alone is not None
    np.testing.assert_array_equal(paper.paper, alone.paper)
    np.testing.assert_array_equal(paper.level, alone.level)
    np.testing.assert_array_equal(sorted_places(find_components(picture)), places)


def test_an_empty_picture_has_no_components() -> None:
    found = find_components(np.zeros((64, 64, 3), np.uint8))
    assert [column.shape for column in found] == [(0, 2), (0, 2, 2), (0,), (0,)]
