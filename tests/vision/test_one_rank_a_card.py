"""One quad, one card: what stands in two corners of a card is one rank, or none is told."""

import numpy as np
import pytest

from vision.reader import CardReader
from vision.synth import ART_PX, DrawnCard, Scene, draw_card, random_felt, random_style, take_picture


@pytest.mark.parametrize("rank", ["6", "9"])
@pytest.mark.parametrize("turn", [0.0, 180.0])
def test_a_lower_index_that_stands_upright_makes_no_other_card(
    reader: CardReader, rank: str, turn: float
) -> None:
    rng = np.random.default_rng(5533)
    style = random_style(rng, held_out=True)._replace(lower="pip_first", corners=2)
    card = DrawnCard(draw_card(style, rank, "h", ART_PX), 320, 320, turn, 180, rank, "h")
    picture = take_picture(Scene(640, 640, random_felt(rng, 640), (card,), (), None, 0.3)).frame
    reading = reader.read(picture, thorough=True)
    assert [one.rank for one in reading.cards] in ([], [rank])
    assert reading.cards or reading.unclear
