"""The compiled search for ink and the one in OpenCV are one search."""

import numpy as np
import pytest

from vision.ink import INK_LEVELS, pieces_in_opencv
from vision.kernel import is_compiled, pieces_of_ink
from vision.paper import CELL, find_paper, sample_of
from vision.synth.random_scene import random_deck, random_scene, shoot


def sorted_rows(pieces: np.ndarray) -> np.ndarray:
    return pieces[np.lexsort(pieces.T[::-1])]


@pytest.mark.skipif(not is_compiled(), reason="no C compiler on this machine: OpenCV searches alone")
@pytest.mark.parametrize("seed", range(6))
def test_both_searches_find_the_same_ink(seed: int) -> None:
    rng = np.random.default_rng((42, seed))
    deck = random_deck(rng)
    frame = shoot(random_scene(rng, deck), rng, deck.index_share).frame
    picture = np.ascontiguousarray(frame[: 640 - seed, : 640 - 3 * seed])
    cells = find_paper(sample_of(picture))
    assert cells is not None
    compiled = pieces_of_ink(picture, cells.level, cells.paper, CELL, INK_LEVELS)
    assert compiled is not None
    assert len(compiled) > 20
    np.testing.assert_array_equal(sorted_rows(compiled), sorted_rows(pieces_in_opencv(picture, cells)))


@pytest.mark.skipif(not is_compiled(), reason="no C compiler on this machine: OpenCV searches alone")
def test_a_part_of_a_larger_picture_is_searched_as_if_it_were_alone() -> None:
    rng = np.random.default_rng(7)
    deck = random_deck(rng)
    frame = shoot(random_scene(rng, deck), rng, deck.index_share).frame
    part = frame[64:576, 32:512]
    cells = find_paper(sample_of(part))
    assert cells is not None
    inside = pieces_of_ink(part, cells.level, cells.paper, CELL, INK_LEVELS)
    alone = pieces_of_ink(np.ascontiguousarray(part), cells.level, cells.paper, CELL, INK_LEVELS)
    assert inside is not None
    assert alone is not None
    np.testing.assert_array_equal(inside, alone)


@pytest.mark.parametrize("shape", [(1, 1), (7, 300), (300, 7), (16, 16)])
def test_pictures_too_small_for_paper_hold_none(shape: tuple[int, int]) -> None:
    assert find_paper(sample_of(np.zeros((*shape, 3), np.uint8))) is None
