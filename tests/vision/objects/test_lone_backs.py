"""A card face down that lies alone on a calibrated felt, of a deck that no network has seen."""

from random import Random

import numpy as np
import pytest

from controller.devices.cameras.tracker import FeltCamera
from controller.domain import Card
from controller.witnesses.felt_view import DEALER_BOX
from tests.witnesses.drawn_felt import Drawn, DrawnFelt
from tests.witnesses.drawn_rounds import LAYOUT
from vision.calibration import load_layout
from vision.reader import CardReader
from vision.sequence import RestingReader
from vision.synth import random_style

DEALT_MM = (660.0, 930.0)
PICTURES = 16


@pytest.mark.parametrize("deck", [0, 2, 3, 11])
def test_it_is_seen_by_its_size_though_nothing_else_lies_there(reader: CardReader, deck: int) -> None:
    """A single picture without a layout says nothing of any of them."""
    camera = FeltCamera(RestingReader(reader), load_layout(LAYOUT))
    style = random_style(np.random.default_rng((71, deck)))
    felt = DrawnFelt(Random(3), camera, style, busy=False)
    felt.view()
    felt.laid[1] = Drawn(Card("K", "s"), DEALT_MM, 0.0, "down")
    felt.frame = None
    for _ in range(PICTURES):
        felt.now_ms += 160
        view = felt.view()
    seen = [(card.face, card.box) for card in (*view.cards, *view.unread)]
    assert seen == [("down", DEALER_BOX)]
