"""No card of a fan is passed over without a word: tables on which one was, drawn from decks left out."""

import cv2
import numpy as np
import pytest

from models.layouts import layout_deck
from models.measure.hands import judge_hands
from models.stress.scenes import dealt_table, take
from vision.reader import CardReader


@pytest.mark.parametrize("table", [25])
def test_every_card_of_a_fan_is_told_or_unclear(table: int) -> None:
    rng = np.random.default_rng((990_033, table))
    scene, hands = dealt_table(rng, layout_deck(rng, held_out=True))
    shot = take(scene, hands)
    noisy = np.clip(shot.picture.frame + rng.normal(0, 4, shot.picture.frame.shape), 0, 255)
    _, packed = cv2.imencode(".jpg", noisy.astype(np.uint8), [cv2.IMWRITE_JPEG_QUALITY, 88])
    picture = np.asarray(cv2.imdecode(packed, cv2.IMREAD_COLOR))
    judged = judge_hands(CardReader.open(threads=1).read_thoroughly(picture), shot.hands)
    assert judged["short"] == judged["false"] == 0, judged
