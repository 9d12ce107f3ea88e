"""A picture by itself: where something stays unclear it is read again as other exposures would show it."""

import itertools

import numpy as np
import pytest

from vision.geometry import Image
from vision.reader import CardReader
from vision.reading import RANKS, SUITS, Reading
from vision.synth import DrawnTableView, TableCard, TableHand, render_frame, table_scene

ALL_CARDS = list(itertools.product(RANKS, SUITS))

Name = tuple[str, str]


def two_cards_a_box(seed: int) -> tuple[list[Name], Image]:
    """Fourteen different cards on seven boxes, and their picture."""
    names = [ALL_CARDS[number] for number in np.random.default_rng(seed).permutation(52)[:14]]
    hands = [
        TableHand(box, 1, tuple(TableCard(*name) for name in names[2 * box - 2 : 2 * box]))
        for box in range(1, 8)
    ]
    frame = render_frame(table_scene(DrawnTableView(tuple(hands)), seed), seed)
    return names, frame


def overexposed(frame: Image, tones: int) -> Image:
    """So many tones brighter: paper is white all over and red ink nearly so."""
    return np.asarray(np.clip(frame.astype(int) + tones, 0, 255), np.uint8)


def told(reading: Reading, truth: list[Name]) -> list[Name]:
    """Which of the true cards are told; fails at a card that is none of them, or is told twice."""
    left = list(truth)
    for card in reading.cards:
        left.remove(next(name for name in left if name[0] == card.rank and card.suit in {name[1], None}))
    return [name for name in truth if name not in left]


@pytest.mark.parametrize("seed", range(3))
def test_bleached_cards_are_read_again_and_told(reader: CardReader, seed: int) -> None:
    truth, frame = two_cards_a_box(seed)
    bleached = overexposed(frame, 130)
    once, again = reader.read(bleached), reader.read(bleached, thorough=True)
    assert len(once.cards) < len(truth), "the picture is not bleached enough to need a second reading"
    assert told(again, truth) == truth
    assert not again.unclear


@pytest.mark.parametrize("seed", range(3))
def test_what_is_told_at_once_stays_told_and_nothing_wrong_is_added(reader: CardReader, seed: int) -> None:
    truth, frame = two_cards_a_box(seed)
    worse = overexposed(frame, 160)
    once, again = reader.read(worse), reader.read(worse, thorough=True)
    assert set(told(once, truth)) < set(told(again, truth))
    assert len(again.unclear) <= len(once.unclear)


def test_a_clear_picture_is_read_once(reader: CardReader) -> None:
    _, frame = two_cards_a_box(0)
    assert reader.read(frame, thorough=True)[:2] == reader.read(frame)[:2]
