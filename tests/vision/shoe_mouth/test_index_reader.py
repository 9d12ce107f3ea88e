"""The index in a shoe's mouth: named where it is certain, and never guessed."""

import numpy as np
import pytest

from tests.vision.shoe_mouth.mouth_kit import HEIGHT, WIDTH, mouth_picture, smeared
from vision.reading import RANKS
from vision.shoe_mouth import MouthReader

DECKS = range(1, 4)


@pytest.fixture(scope="module")
def reader() -> MouthReader:
    return MouthReader.open()


def test_most_cards_of_drawn_decks_are_named_and_none_wrongly(reader: MouthReader) -> None:
    named = [
        (rank, suit, reader.read(mouth_picture(rank, suit, deck)))
        for deck in DECKS
        for rank in RANKS
        for suit in "cs"
    ]
    told = [(rank, suit, card) for rank, suit, card in named if card is not None]
    assert [(rank, card) for rank, _, card in told if card.rank != rank] == []
    assert [(suit, card) for _, suit, card in told if card.suit not in (suit, None)] == []
    assert len(told) > 0.6 * len(named)


def test_a_smeared_card_has_no_name(reader: MouthReader) -> None:
    for rank in RANKS:
        assert reader.read(smeared(mouth_picture(rank, "s"), 15)) is None


def test_what_is_no_index_has_no_name(reader: MouthReader) -> None:
    chance = np.random.default_rng(17)
    plain = [np.full((HEIGHT, WIDTH), level, np.uint8) for level in (0, 40, 128, 255)]
    noise = [chance.integers(0, 256, (HEIGHT, WIDTH), dtype=np.uint8) for _ in range(20)]
    odd = [np.empty((0, 0), np.uint8), np.zeros((1, 255), np.uint8), np.eye(48, dtype=np.uint8) * 255]
    for picture in (*plain, *noise, *odd):
        assert reader.read(picture) is None


def test_an_index_that_the_border_cuts_or_that_stands_upside_down_has_no_name(reader: MouthReader) -> None:
    for rank in RANKS:
        picture = mouth_picture(rank, "s")
        assert reader.read(np.ascontiguousarray(picture[: HEIGHT // 2])) is None
        assert reader.read(np.ascontiguousarray(picture[HEIGHT // 2 :])) is None
        assert reader.read(np.ascontiguousarray(picture[::-1, ::-1])) is None
