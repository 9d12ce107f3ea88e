"""The demo's table: where each box, hand and the dealer lie in the camera picture, and back from there.

The camera hangs above a 1.84 m wide layout and sees it from the dealer's side: the dealer at the lower edge,
box 1 (his left, dealt first) at the left. 1920 x 1080 pixels, about one pixel a millimetre.

Source of all places here: laid out by hand so that seven boxes with four hands each fit; not measured.
"""

from typing import Final, NamedTuple

from vision.reading import ReadCard

FRAME_WIDTH: Final = 1920
FRAME_HEIGHT: Final = 1080
BOXES: Final = 7
HANDS: Final = 4
"""Hands of one box that have a place of their own."""

DEALER: Final = 0
"""Stands for the dealer where a box number is asked for."""

CARD_PX: Final = 92.0
"""Long side of a card in the picture."""

_BOX_LEFT_PX: Final = 62.0
_BOX_PITCH_PX: Final = 268.0
FAN_STEP: Final = (23.0, -7.0)
"""Each further card of a player's hand lies this far to the right and up."""

HAND_PITCH_PX: Final = 160.0
_DEALER_FIRST: Final = (690.0, 972.0)
_DEALER_STEP_PX: Final = 84.0
_ACROSS_SHIFT: Final = (13.0, 12.0)
"""A card laid crosswise lies a little further on, so that the index below it stays free."""


class CardPlace(NamedTuple):
    """Centre and turn of one card, pixels and degrees clockwise."""

    x: float
    y: float
    angle: float


def box_origin(box: int, hand: int) -> tuple[float, float]:
    """Centre of the first card of a hand; boxes lie on an arc, further hands towards the dealer."""
    bend = ((box - 4) / 3) ** 2
    return _BOX_LEFT_PX + _BOX_PITCH_PX * (box - 1), 212.0 + 130.0 * bend + HAND_PITCH_PX * (hand - 1)


def card_place(box: int, hand: int, number: int, across: bool = False) -> CardPlace:
    """Return the place of the n-th card (0-based) of a hand; `box` DEALER for the dealer's row."""
    if box == DEALER:
        return CardPlace(_DEALER_FIRST[0] + _DEALER_STEP_PX * number, _DEALER_FIRST[1], 0.0)
    x, y = box_origin(box, hand)
    x, y = x + FAN_STEP[0] * number, y + FAN_STEP[1] * number
    if across:
        return CardPlace(x + _ACROSS_SHIFT[0], y + _ACROSS_SHIFT[1], 90.0)
    return CardPlace(x, y, 0.0)


def hand_at(x: float, y: float) -> tuple[int, int] | None:
    """Box and hand of a place in the picture; (DEALER, 1) for the dealer's row, None for no man's land."""
    if (
        _DEALER_FIRST[1] - CARD_PX * 0.7 < y
        and _DEALER_FIRST[0] - CARD_PX < x < _DEALER_FIRST[0] + 8 * _DEALER_STEP_PX
    ):
        return DEALER, 1
    box = int((x - _BOX_LEFT_PX + CARD_PX * 0.45) // _BOX_PITCH_PX) + 1
    if not 1 <= box <= BOXES:
        return None
    foot = y - box_origin(box, 1)[1] + HAND_PITCH_PX - CARD_PX / 2
    hand = int(foot // HAND_PITCH_PX) + 1
    return (box, hand) if 1 <= hand <= HANDS else None


def middle_of(card: ReadCard) -> tuple[float, float]:
    """Centre of a read card: of its quad where known, else the place that was read."""
    if card.quad is None:
        return card.at
    return sum(x for x, _ in card.quad) / 4, sum(y for _, y in card.quad) / 4


def cards_by_hand(cards: tuple[ReadCard, ...]) -> dict[tuple[int, int], tuple[ReadCard, ...]]:
    """Read cards by (box, hand), each hand from its lowest card; the dealer is (DEALER, 1).

    Cards outside every zone are under (-1, 0).
    """
    hands: dict[tuple[int, int], list[tuple[float, ReadCard]]] = {}
    for card in cards:
        x, y = middle_of(card)
        hands.setdefault(hand_at(x, y) or (-1, 0), []).append((x, card))
    return {
        key: tuple(card for _, card in sorted(found, key=lambda pair: pair[0]))
        for key, found in hands.items()
    }
