"""Assembled cards as they are reported: by hand, from the lowest card to the topmost."""

from typing import NamedTuple

from vision.assembly.assembled_card import AssembledCard
from vision.assembly.hands import custom_of_table, group_hands, order_hand, seen_orders
from vision.assembly.overlaps import Overlaps
from vision.geometry import Points
from vision.labels import RANKS, SUITS
from vision.reading import PointPx, Quad, ReadCard


def as_point(place: Points) -> PointPx:
    """A place (2) as plain numbers."""
    x, y = place.tolist()
    return x, y


def as_quad(corners: Points | None) -> Quad | None:
    """Corners of a card (4 x 2) as plain numbers; None stays None."""
    if corners is None:
        return None
    first, second, third, fourth = corners.tolist()
    return tuple(first), tuple(second), tuple(third), tuple(fourth)


def _as_read(card: AssembledCard, hand: int) -> ReadCard:
    index = card.best
    at, quad = as_point(index.centre), as_quad(card.corners)
    suit = None if index.suit_open else SUITS[index.suit]
    name, certain = (RANKS[index.rank], suit), card.certain
    return ReadCard(*name, index.p, at, quad, "up", hand, certain, joined=card.joined)


class ReadHands(NamedTuple):
    """Cards by hand, each hand from its lowest card, and the places (2 each) of cards in guessed order."""

    cards: list[ReadCard]
    guessed: list[PointPx]


def face_up_cards(overlaps: Overlaps) -> ReadHands:
    """The cards by hand; hands are numbered from 1, from left to right."""
    read, guessed = list[ReadCard](), list[PointPx]()
    seen, hands = seen_orders(overlaps), group_hands(overlaps)
    custom = custom_of_table(overlaps, seen, hands)
    for number, hand in enumerate(hands, start=1):
        ordered = order_hand(overlaps, hand, seen, custom)
        read += [_as_read(overlaps.cards[card], number) for card in ordered.cards]
        guessed += [as_point(overlaps.cards[card].best.centre) for card in sorted(ordered.guessed)]
    return ReadHands(read, guessed)
