"""Decks whose pips stand beside their ranks: read as such where the picture shows that, and only there."""

import numpy as np
import pytest

from vision.geometry import Image
from vision.reader import CardReader
from vision.reading import RANKS
from vision.synth import FELTS, DrawnCard, Scene, draw_card, random_style, take_picture
from vision.synth.style import CardStyle

ART_PX = 352
HEIGHT_PX = 170.0
SPREAD = tuple(zip(RANKS, "shdcshdcshdcs", strict=True))


def deck(seed: int, pip_level: float = 1.0, pip_height: float = 0.11) -> CardStyle:
    """A deck of fonts that training never saw, its pip to the right of the rank.

    `pip_level` 1: their feet are level, 0: their tops; heights are shares of the card's.
    """
    style = random_style(np.random.default_rng((404, seed)), held_out=True)
    return style._replace(
        rank_height=0.16, rank_stretch=0.8, pip_height=pip_height, gap=0.02, pip_level=pip_level, corners=2
    )


def table(style: CardStyle, cards: tuple[tuple[str, str], ...]) -> Image:
    """Cards side by side in rows of seven, all of each in view."""
    rows = -(-len(cards) // 7)
    felt = np.full((round((0.2 + 1.15 * rows) * HEIGHT_PX), round(6.3 * HEIGHT_PX), 3), FELTS[0], np.uint8)
    laid = tuple(
        DrawnCard(
            draw_card(style, rank, suit, ART_PX),
            (0.55 + 0.85 * (place % 7)) * HEIGHT_PX,
            (0.65 + 1.15 * (place // 7)) * HEIGHT_PX,
            2.0,
            HEIGHT_PX,
            rank,
            suit,
        )
        for place, (rank, suit) in enumerate(cards)
    )
    return take_picture(Scene(felt.shape[1], felt.shape[0], felt, laid)).frame


@pytest.mark.parametrize("seed", range(3))
def test_cards_with_the_pip_beside_the_rank_are_read(reader: CardReader, seed: int) -> None:
    told = {(card.rank, card.suit) for card in reader.read(table(deck(seed), SPREAD)).cards}
    assert told <= set(SPREAD)
    assert len(told) >= 7


@pytest.mark.parametrize("seed", [0, 3])
def test_a_small_pip_level_with_the_top_of_its_rank_is_found_as_well(reader: CardReader, seed: int) -> None:
    told = [card.rank for card in reader.read(table(deck(seed, 0.0, 0.08), SPREAD)).cards]
    assert set(told) <= set(RANKS)
    assert len(told) == len(set(told)) >= 7


def test_one_corner_alone_does_not_prove_the_layout(reader: CardReader) -> None:
    whole = table(deck(0), SPREAD[3:4])
    assert reader.read(whole).cards
    corner = whole[:, : round(0.75 * HEIGHT_PX)].copy()
    corner[round(0.6 * HEIGHT_PX) :] = FELTS[0]
    assert reader.read(corner).cards == ()
