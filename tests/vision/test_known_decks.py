"""Drawn 4K tables of decks with a profile, on which a card was passed over or taken for another one."""

import numpy as np
import pytest

from tests.measures.joined import frames
from tests.measures.sealed import OPENED, profile_of, table_of, tally
from vision.reader import CardReader

FIRST = 45_000_000
"""Where the numbers of the decks begin: none that is sealed."""

TABLES = [
    pytest.param(FIRST, 6, 18, id="French: the 0 of a wide ten is no queen (D), and no ten is passed over"),
    pytest.param(FIRST, 7, 0, id="German: an eight is no jack (B), and none is passed over"),
    pytest.param(FIRST, 1, 17, id="half of a five behind the last card", marks=pytest.mark.night),
    pytest.param(OPENED, 1, 722, id="jumbo: the pip of the next card is no suit", marks=pytest.mark.night),
]


@pytest.mark.parametrize(("first", "number", "table"), TABLES)
def test_no_card_is_passed_over_or_taken_for_another(first: int, number: int, table: int) -> None:
    shot, rng = table_of(number, table, 2.0, first)
    deck = profile_of(number, 2.0, first)
    assert deck is not None
    card_px = float(np.median([card.height for card in shot.scene.cards]))
    reading = CardReader.open(deck=deck).read(frames(shot, rng, 1)[0], card_px=card_px)
    counts = tally(shot, reading, 28.0)
    assert (counts["wrong"], counts["twice"], counts["short"]) == (0, 0, 0)
    assert counts["right"] > counts["unclear"]
