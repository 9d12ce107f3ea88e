"""Letters of other languages are none of the thirteen ranks, whichever of them they come nearest to."""

import numpy as np
import pytest

from vision.reader import CardReader
from vision.synth import FELTS, DrawnCard, Scene, draw_card, random_style, take_picture
from vision.synth.style import CardStyle

ART_PX = 352
LETTERS = ("1", "B", "D", "R")
"""Ace, jack, queen and king of a deck of nobody's."""


def deck(seed: int) -> CardStyle:
    """A deck of fonts that training never saw, with its index in two corners."""
    return random_style(np.random.default_rng((303, seed)), held_out=True)._replace(
        corners=2, rank_height=0.12
    )


def spread(style: CardStyle, ranks: str, height_px: float) -> np.ndarray:
    """Cards of these ranks side by side, two rows of red and black ones."""
    felt = np.full((round(2.4 * height_px), round(4.2 * height_px), 3), FELTS[0], np.uint8)
    cards = tuple(
        DrawnCard(
            draw_card(style, rank, suit, ART_PX),
            (0.6 + place) * height_px,
            (0.65 + 1.1 * row) * height_px,
            3.0,
            height_px,
            rank,
            suit,
        )
        for row, suit in enumerate("sh")
        for place, rank in enumerate(ranks)
    )
    return take_picture(Scene(felt.shape[1], felt.shape[0], felt, cards)).frame


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("height_px", [240.0, 150.0])
def test_letters_of_another_language_are_never_told_as_ranks(
    reader: CardReader, seed: int, height_px: float
) -> None:
    reading = reader.read(spread(deck(seed)._replace(letters=LETTERS), "AJQK", height_px))
    assert reading.cards == ()
    assert len(reading.unclear) >= 8


def test_the_same_decks_own_letters_are_told(reader: CardReader) -> None:
    told = [reader.read(spread(deck(seed), "AJQK", 240.0)).cards for seed in range(4)]
    assert sum(len(cards) for cards in told) >= 24
    for cards in told:
        assert {card.rank for card in cards} <= set("AJQK")
