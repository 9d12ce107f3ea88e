"""Puts overlapping cards into hands, each from the lowest card to the topmost."""

from typing import Final

import numpy as np

from vision.assembly.assembled_card import AssembledCard
from vision.assembly.overlaps import Overlaps, proven_order
from vision.assembly.visible_edges import order_by_edges

CUSTOM_WEIGHT: Final = 0.1
"""What the dealers' custom counts against a visible edge or a proof, which count 1: it only breaks ties."""


def group_hands(overlaps: Overlaps) -> list[list[int]]:
    """Numbers of the cards of each hand; hands from left to right by their leftmost index."""
    home = list(range(len(overlaps.cards)))

    def root(number: int) -> int:
        while home[number] != number:
            number = home[number]
        return number

    for one, other in overlaps.pairs:
        home[root(other)] = root(one)
    hands: dict[int, list[int]] = {}
    for number in range(len(overlaps.cards)):
        hands.setdefault(root(number), []).append(number)
    return sorted(
        hands.values(), key=lambda hand: min(float(overlaps.cards[card].best.centre[0]) for card in hand)
    )


def _order_by_custom(one: AssembledCard, other: AssembledCard) -> float:
    """A weak guess: later cards are laid to the right of and above earlier ones, seen upright."""
    apart = one.best.centre - other.best.centre
    sign = 1.0 if other.best.down[1] >= 0 else -1.0
    return CUSTOM_WEIGHT * float(np.sign(sign * (apart @ other.best.right - apart @ other.best.down)))


def lies_on(overlaps: Overlaps, one: int, other: int) -> float:
    """Positive when card `one` lies on card `other`, negative for the reverse, 0 when they do not overlap."""
    if (min(one, other), max(one, other)) not in overlaps.pairs:
        return 0.0
    order = proven_order(overlaps, one, other)
    if not order and overlaps.deck is not None:
        order = order_by_edges(overlaps, one, other)
    return order or _order_by_custom(overlaps.cards[one], overlaps.cards[other])


def _closure(below: list[set[int]]) -> list[set[int]]:
    """What lies below what, when a card on a card on a third one lies on the third."""
    below = [set(cards) for cards in below]
    for middle, deeper in enumerate(below):
        for cards in below:
            if middle in cards:
                cards.update(deeper)
    return below


def order_from_lowest(overlaps: Overlaps, hand: list[int]) -> list[int]:
    """The hand's cards from the lowest to the topmost: again and again the one that lies on nothing left.

    Edges and custom are asked only where the indices, also through third cards, leave a pair open.
    """
    slots = {card: slot for slot, card in enumerate(hand)}
    pairs = [(slots[one], slots[other]) for one, other in overlaps.pairs if one in slots]
    proven = [set[int]() for _ in hand]
    for i, j in pairs:
        proof = proven_order(overlaps, hand[i], hand[j])
        if proof:
            proven[i if proof > 0 else j].add(j if proof > 0 else i)
    below = _closure(proven)
    weights = [dict.fromkeys(cards, 1.0) for cards in below]
    for i, j in pairs:
        if j not in below[i] and i not in below[j]:
            guess = lies_on(overlaps, hand[i], hand[j])
            weights[i][j], weights[j][i] = max(guess, 0.0), max(-guess, 0.0)
    left, order = list(range(len(hand))), []
    while left:
        lowest = min(left, key=lambda slot: sum(weights[slot].get(other, 0.0) for other in left))
        left.remove(lowest)
        order.append(hand[lowest])
    return order
