"""Cards face down: alone, and as the last of a hand."""

import cv2
import numpy as np
import pytest

from tests.vision.objects.table_kit import placed, table
from vision.card_sized import assign_to_hands
from vision.reader import CardReader
from vision.reading import Face, PointPx, ReadCard
from vision.synth import DrawnCard, draw_back, random_style, take_picture


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


PLAIN, WOVEN, RINGS = 6, 14, 29
"""Numbers of drawn decks whose backs no network takes for one: they were passed over."""


@pytest.mark.parametrize("number", [PLAIN, WOVEN, RINGS])
def test_a_card_face_down_of_any_back_is_told_or_unclear(reader: CardReader, number: int) -> None:
    """Alone, turned over print, below a card and on one, and beside one; and nothing else is."""
    back = draw_back(random_style(np.random.default_rng((5, number))), 276)
    places = [(400, 300, 4), (800, 300, 50), (400, 560, 0), (860, 560, 0), (1320, 560, 0)]
    down = [DrawnCard(back, x, y, turn, 130, face="down") for x, y, turn in places]
    below, above, beside = placed(460, 560, 0, "4h"), placed(800, 560, 0, "5s"), placed(1220, 560, 0, "Qc")
    scene = table(*down[:3], below, above, down[3], beside, down[4])
    for x in (730, 830):
        cv2.putText(scene.felt, "17", (x, 380), cv2.FONT_HERSHEY_DUPLEX, 2, (235, 235, 235), 4)
    reading = reader.read(take_picture(scene).frame)
    told = [card.at for card in reading.cards if card.face == "down"] + [spot.at for spot in reading.unclear]
    for x, y, _ in places:
        assert any(abs(at[0] - x) < 65 and abs(at[1] - y) < 65 for at in told), (x, y)
    assert len([card for card in reading.cards if card.face == "up"]) == 6
    assert len(told) == len(places), told
