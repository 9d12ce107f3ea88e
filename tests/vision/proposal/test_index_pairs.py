"""Places where an index may be: what is found, and that the compiled functions and numpy find the same."""

import cv2
import numpy as np
import pytest

from tests.vision.drawing_kit import compiled, drawn_table
from vision.geometry import Image, IndexPoses, Points
from vision.native import paired, pieces_of_ink, spots_of
from vision.proposal import InkComponents, index_pairs, pair_components, propose_indices
from vision.proposal.connected_components import INK_LEVELS, KERNEL_COMPONENT_RULE, components_in_numpy
from vision.proposal.index_pairs import pair_components_in_numpy
from vision.proposal.paper_mask import CELL_PX, coarse_sample, find_paper

PAPER, INK = 230, 25


def random_components(count: int, side_px: float, seed: int, *, grid: float = 0.0) -> InkComponents:
    """Components of any turn, most longer one way; a grid stands many exactly above and beside each other."""
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


def assert_same(one: IndexPoses | InkComponents, other: IndexPoses | InkComponents) -> None:
    for mine, theirs in zip(one, other, strict=True):
        assert mine.shape == theirs.shape
        np.testing.assert_allclose(mine, theirs, rtol=0, atol=1e-9)


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
def test_an_even_picture_has_no_proposals(tone: int) -> None:
    picture = np.full((160, 240, 3), tone, np.uint8)
    assert len(propose_indices(picture).index_px) == 0


@compiled
@pytest.mark.parametrize("seed", range(6))
def test_both_ways_find_the_same_places_on_a_table(seed: int) -> None:
    picture = drawn_table(seed, 77)
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
def test_both_ways_pair_the_same_components_in_the_same_order(
    count: int, side_px: float, grid: float
) -> None:
    spots = random_components(count, side_px, count, grid=grid)
    found = pair_components(spots)
    assert_same(found, pair_components_in_numpy(spots))
    assert count < 40 or len(found.index_px) > count / 4


@compiled
@pytest.mark.parametrize("room", [0, 1, 30, 500])
def test_proposals_beyond_the_room_are_left_out(room: int) -> None:
    spots = random_components(300, 250, 5)
    everything = pair_components(spots)
    found = paired(spots, index_pairs.KERNEL_PAIRING_RULE, index_pairs.UNIONS_MAX, room)
    assert found is not None
    assert len(everything.index_px) > 500
    assert_same(IndexPoses(*found), IndexPoses(*(column[:room] for column in everything)))


@compiled
@pytest.mark.parametrize("unions", [0, 7, 100])
def test_both_ways_stop_uniting_at_the_same_pair(unions: int, monkeypatch: pytest.MonkeyPatch) -> None:
    spots = random_components(200, 200, 6)
    everything = pair_components(spots)
    monkeypatch.setattr(index_pairs, "UNIONS_MAX", unions)
    found = pair_components(spots)
    assert len(found.index_px) < len(everything.index_px)
    assert_same(found, pair_components_in_numpy(spots))


def test_no_components_make_no_proposals() -> None:
    assert len(propose_indices(np.zeros((64, 64, 3), np.uint8)).index_px) == 0
