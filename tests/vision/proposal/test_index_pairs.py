"""Places where an index may be."""

import cv2
import numpy as np
import pytest

from vision import proposal
from vision.geometry import Image, IndexPoses, Points
from vision.native import paired
from vision.proposal import InkComponents, pair_components, propose_indices

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


def assert_same(one: IndexPoses, other: IndexPoses) -> None:
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


@pytest.mark.parametrize("room", [0, 1, 30, 500])
def test_proposals_beyond_the_room_are_left_out(room: int) -> None:
    spots = random_components(300, 250, 5)
    everything = pair_components(spots)
    found = paired(spots, proposal.KERNEL_PAIRING_RULE, proposal.UNIONS_MAX, room)
    assert len(everything.index_px) > 500
    assert_same(IndexPoses(*found), IndexPoses(*(column[:room] for column in everything)))


@pytest.mark.parametrize("unions", [0, 7, 100])
def test_no_more_pieces_are_united_than_may_be(unions: int, monkeypatch: pytest.MonkeyPatch) -> None:
    spots = random_components(200, 200, 6)
    everything = pair_components(spots)
    monkeypatch.setattr(proposal, "UNIONS_MAX", unions)
    found = pair_components(spots)
    assert 100 < len(found.index_px) < len(everything.index_px)


def test_no_components_make_no_proposals() -> None:
    assert len(propose_indices(np.zeros((64, 64, 3), np.uint8)).index_px) == 0
