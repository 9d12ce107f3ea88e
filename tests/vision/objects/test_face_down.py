"""Cards face down: alone, and as the last of a hand."""

import numpy as np

from tests.vision.objects.table_kit import placed, table
from vision.objects import assign_to_hands
from vision.reader import CardReader
from vision.reading import Face, PointPx, ReadCard
from vision.synth import take_picture


def read(at: PointPx, face: Face, hand: int) -> ReadCard:
    x, y = at
    quad = ((x - 30, y - 45), (x + 30, y - 45), (x + 30, y + 45), (x - 30, y + 45))
    return ReadCard("5" if face == "up" else None, "h" if face == "up" else None, 1.0, at, quad, face, hand)


def test_a_back_that_lies_alone_is_a_card_face_down(reader: CardReader) -> None:
    reading = reader.read(take_picture(table(placed(960, 400, 30, None))).frame)
    down = [card for card in reading.cards if card.face == "down"]
    assert len(down) == 1
    assert np.hypot(*np.subtract(down[0].at, (960, 400))) < 12
    assert down[0].rank is None
    assert reading.unclear == ()


def test_a_back_that_overlaps_a_hand_is_its_last_card() -> None:
    up = [read((100, 100), "up", 1), read((130, 110), "up", 1), read((500, 100), "up", 2)]
    cards = assign_to_hands(up, [read((175, 120), "down", 0), read((562, 100), "down", 0)])
    assert [(card.face, card.hand) for card in cards] == [
        ("up", 1),
        ("up", 1),
        ("down", 1),
        ("up", 2),
        ("down", 3),
    ]
