"""Places where an index may be: what is found, and that the compiled functions and numpy find the same."""

import cv2
import numpy as np
import pytest

from vision.geometry.arrays import Image, Points
from vision.geometry.index_poses import IndexPoses
from vision.native import kernel
from vision.native.kernel import FIELDS, is_compiled, paired, pieces_of_ink, spots_of
from vision.proposal import index_pairs as locate
from vision.proposal.connected_components import (
    INK_LEVELS,
    KERNEL_COMPONENT_RULE,
    InkComponents,
    components_in_numpy,
    find_components,
    ink_in_opencv,
)
from vision.proposal.index_pairs import pair_components, pair_components_in_numpy, propose_indices
from vision.proposal.paper_mask import CELL_PX, SAMPLE_STEP_PX, PaperCells, coarse_sample, find_paper
from vision.synth.random_scenes import random_deck, random_scene, shoot

compiled = pytest.mark.skipif(not is_compiled(), reason="no C compiler on this machine: numpy works alone")
PAPER, INK = 230, 25


def drawn_table(seed: int) -> Image:
    rng = np.random.default_rng((77, seed))
    deck = random_deck(rng)
    return shoot(random_scene(rng, deck), rng, deck.rank_share).frame


def random_spots(count: int, side_px: float, seed: int, *, grid: float = 0.0) -> InkComponents:
    """Spots of any turn, most longer one way; on a grid many stand exactly above and beside each other."""
    rng = np.random.default_rng((78, seed))
    centres = rng.uniform(0, side_px, (count, 2))
    if grid:
        centres = np.round(centres / grid) * grid
    turn, long, short = rng.uniform(0, np.pi, count), rng.uniform(3, 9, count), rng.uniform(1, 6, count)
    turn[::5] = np.round(turn[::5] / (np.pi / 4)) * (np.pi / 4)
    axes = np.stack(
        [np.stack([np.cos(turn), np.sin(turn)], 1), np.stack([-np.sin(turn), np.cos(turn)], 1)], 1
    )
    spreads = np.einsum("nk,nki,nkj->nij", np.stack([long, short], 1) ** 2, axes, axes)
    spreads[::5, 0, 1] = spreads[::5, 1, 0] = np.round(spreads[::5, 0, 1], 9)
    return InkComponents(centres, spreads, rng.uniform(5, 400, count), rng.uniform(0, 1, count))


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


def assert_same(one: IndexPoses | InkComponents, other: IndexPoses | InkComponents) -> None:
    for mine, theirs in zip(one, other, strict=True):
        assert mine.shape == theirs.shape
        np.testing.assert_allclose(mine, theirs, rtol=0, atol=1e-9)


def sorted_places(spots: InkComponents) -> Points:
    """Centres and areas from left to right: the two searches for ink tell pieces in different orders."""
    columns = np.column_stack([spots.centres, spots.areas])
    return columns[np.lexsort(columns.T[::-1])]


def index_at(turn_deg: float, ink: tuple[int, int, int]) -> tuple[Image, Points, Points]:
    """A bar with a disc below it on white paper, its middle and its direction."""
    picture = np.full((200, 240, 3), PAPER, np.uint8)
    turn = np.deg2rad(turn_deg)
    down = np.array([np.sin(turn), np.cos(turn)])
    bar = ((120.0, 100.0), (11.0, 24.0), -turn_deg)
    cv2.fillPoly(picture, [np.round(cv2.boxPoints(bar)).astype(np.int32)], ink)
    disc = np.array([120, 100]) + 24 * down
    cv2.circle(picture, (round(disc[0]), round(disc[1])), 8, ink, cv2.FILLED)
    return picture, np.array([120, 100]) + 10 * down, down


@pytest.mark.parametrize("turn_deg", [0, 30, 90, 145, 180, 270])
@pytest.mark.parametrize("ink", [(INK, INK, INK), (40, 40, 190)])
def test_a_rank_with_a_pip_below_it_is_found_at_any_turn(turn_deg: float, ink: tuple[int, int, int]) -> None:
    picture, middle, down = index_at(turn_deg, ink)
    found = propose_indices(picture)
    near = (np.hypot(*(found.centres - middle).T) < 3) & (found.downs @ down > 0.98)
    assert near.any()
    assert np.abs(found.index_px[near] - 44).min() < 6


def test_marks_of_different_colours_are_no_index() -> None:
    picture, middle, down = index_at(0, (INK, INK, INK))
    black = cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY) < PAPER
    black[:116] = False
    picture[black] = (40, 40, 220)
    found = propose_indices(picture)
    assert not ((np.hypot(*(found.centres - middle).T) < 3) & (np.abs(found.downs @ down) > 0.9)).any()


@pytest.mark.parametrize("tone", [0, 90, PAPER])
def test_an_even_picture_holds_no_candidates(tone: int) -> None:
    picture = np.full((160, 240, 3), tone, np.uint8)
    assert len(propose_indices(picture).index_px) == 0


@compiled
@pytest.mark.parametrize("seed", range(6))
def test_both_ways_find_the_same_places_on_a_table(seed: int) -> None:
    picture = drawn_table(seed)
    cells = find_paper(coarse_sample(picture))
    assert cells is not None
    pieces = pieces_of_ink(picture, cells.level, cells.paper, CELL_PX, INK_LEVELS)
    assert pieces is not None
    columns = spots_of(pieces, KERNEL_COMPONENT_RULE, cells.white)
    assert columns is not None
    spots = components_in_numpy(pieces, cells.white)
    assert_same(InkComponents(*columns), spots)
    found = pair_components(spots)
    assert len(found.index_px) > 20
    assert_same(found, pair_components_in_numpy(spots))


@compiled
@pytest.mark.parametrize(("count", "side_px", "grid"), [
    (0, 100, 0), (1, 100, 0), (2, 12, 0), (40, 60, 2), (300, 400, 0), (300, 300, 4), (4000, 1500, 0),
])  # fmt: skip
def test_both_ways_pair_the_same_spots_in_the_same_order(count: int, side_px: float, grid: float) -> None:
    spots = random_spots(count, side_px, count, grid=grid)
    found = pair_components(spots)
    assert_same(found, pair_components_in_numpy(spots))
    assert count < 40 or len(found.index_px) > count / 4


@compiled
@pytest.mark.parametrize(("count", "side"), [(0, 50), (1, 50), (60, 40), (900, 500), (5000, 1900)])
def test_both_ways_take_the_same_pieces_for_spots(count: int, side: int) -> None:
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
@pytest.mark.parametrize("room", [0, 1, 30, 500])
def test_candidates_beyond_the_room_are_left_out(room: int) -> None:
    spots = random_spots(300, 250, 5)
    everything = pair_components(spots)
    found = paired(spots, locate.KERNEL_PAIRING_RULE, locate.UNIONS_MAX, room)
    assert found is not None
    assert len(everything.index_px) > 500
    assert_same(IndexPoses(*found), IndexPoses(*(column[:room] for column in everything)))


@compiled
@pytest.mark.parametrize("unions", [0, 7, 100])
def test_both_ways_stop_uniting_at_the_same_pair(unions: int, monkeypatch: pytest.MonkeyPatch) -> None:
    spots = random_spots(200, 200, 6)
    everything = pair_components(spots)
    monkeypatch.setattr(locate, "UNIONS_MAX", unions)
    found = pair_components(spots)
    assert len(found.index_px) < len(everything.index_px)
    assert_same(found, pair_components_in_numpy(spots))


@compiled
def test_without_the_compiled_functions_the_same_spots_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    picture = drawn_table(9)
    places, paper = sorted_places(find_components(picture)), find_paper(coarse_sample(picture))
    monkeypatch.setattr(kernel, "_library", lambda: None)
    alone = find_paper(coarse_sample(picture))
    assert paper is not None
    assert alone is not None
    np.testing.assert_array_equal(paper.paper, alone.paper)
    np.testing.assert_array_equal(paper.level, alone.level)
    np.testing.assert_array_equal(sorted_places(find_components(picture)), places)


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


def test_a_sample_of_odd_sides_is_searched_too() -> None:
    sample = np.full((25, 31, 3), PAPER, np.uint8)
    cells = find_paper(sample)
    assert cells is not None
    assert cells.paper.shape == (25 * SAMPLE_STEP_PX // CELL_PX, 31 * SAMPLE_STEP_PX // CELL_PX)
    assert cells.paper.all()


def test_the_spots_of_an_empty_picture_are_empty() -> None:
    spots = find_components(np.zeros((64, 64, 3), np.uint8))
    assert [column.shape for column in spots] == [(0, 2), (0, 2, 2), (0,), (0,)]
    assert len(pair_components(spots).index_px) == 0
