"""Which read is which known card."""

import pytest

from vision.reading import Quad, ReadCard
from vision.tracking.change_gate import CardPose
from vision.tracking.track import Track
from vision.tracking.tracks import match

CARD_PX = 80.0
HEAD: Quad = ((1136, 362), (1189, 364), (1187, 438), (1135, 437))
FOOT: Quad = ((1182, 453), (1129, 458), (1122, 383), (1175, 378))
"""Outlines of one small ten as its two corners give them, a quarter of a card apart."""


def ten(quad: Quad, at: tuple[float, float]) -> ReadCard:
    return ReadCard("10", "h", 0.99, at, quad, "up", 0, 1)


def known(card: ReadCard) -> Track:
    track = Track(1, CardPose(card.at, card.quad), "up", 0)
    track.read_as(card, 0)
    return track


@pytest.mark.parametrize(("touched", "same"), [(False, True), (True, False)])
def test_a_small_card_read_by_its_other_corner_is_itself_unless_something_moved(
    touched: bool, same: bool
) -> None:
    track, foot = known(ten(HEAD, (1141, 377))), ten(FOOT, (1176, 439))
    track.touched = touched
    matching = match([track], [foot], lambda _: False, CARD_PX)
    assert (len(matching.pairs) == 1, matching.fresh == [foot]) == (same, not same)


def test_two_like_cards_in_one_picture_stay_two() -> None:
    head, foot = ten(HEAD, (1141, 377)), ten(FOOT, (1176, 439))
    matching = match([known(head)], [foot, head], lambda _: False, CARD_PX)
    assert [card for _, card in matching.pairs] == [head]
    assert matching.fresh == [foot]
