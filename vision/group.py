"""Puts cards that lie on each other into hands and finds out which card lies on which."""

from typing import Final

import numpy as np

from vision.arrays import Points
from vision.cards import Card, Deck, inside

TOUCH: Final = 0.04
"""Cards whose outlines, grown by this share, overlap lie in one hand."""


def _corners_overlap(one: Points, other: Points) -> bool:
    """Separating axes over both outlines' edges."""
    for quad in (one, other):
        edges = np.roll(quad, -1, 0) - quad
        normals = np.stack([-edges[:, 1], edges[:, 0]], 1)
        first, second = one @ normals.T, other @ normals.T
        if ((first.max(0) < second.min(0)) | (second.max(0) < first.min(0))).any():
            return False
    return True


def _grown(corners: Points) -> Points:
    middle = corners.mean(0)
    return np.asarray(middle + (corners - middle) * (1 + TOUCH))


def touching(one: Card, other: Card) -> bool:
    """Whether two cards overlap; without outlines, whether their indices are near."""
    if one.corners is None or other.corners is None:
        reach = 4 * max(one.best.height, other.best.height)
        return float(np.hypot(*(one.best.centre - other.best.centre))) < reach
    return _corners_overlap(_grown(one.corners), _grown(other.corners))


def hands_of(cards: list[Card]) -> list[list[int]]:
    """Numbers of the cards of each hand, in order of the first card."""
    home = list(range(len(cards)))

    def root(number: int) -> int:
        while home[number] != number:
            number = home[number]
        return number

    for i in range(len(cards)):
        for j in range(i + 1, len(cards)):
            if root(i) != root(j) and touching(cards[i], cards[j]):
                home[max(root(i), root(j))] = min(root(i), root(j))
    hands: dict[int, list[int]] = {}
    for number in range(len(cards)):
        hands.setdefault(root(number), []).append(number)
    return list(hands.values())


def _hidden_corner(card: Card, deck: Deck) -> Points | None:
    """Where the card's unseen index should be; None when both were seen."""
    if len(card.indices) > 1:
        return None
    index = card.best
    return np.asarray(index.centre + (index.right * deck.right + index.down * deck.below) * index.height)


def _evidence(upper: Card, lower: Card, deck: Deck) -> float:
    """How strongly the picture says that one card lies on the other."""
    assert upper.corners is not None
    assert lower.corners is not None
    shown = sum(inside(index.centre, lower.corners, -0.04) for index in upper.indices)
    hidden = _hidden_corner(lower, deck)
    covered = hidden is not None and inside(hidden, upper.corners, 0.0)
    return 2.0 * shown + 1.0 * covered


def _dealt_later(one: Card, other: Card) -> float:
    """A weak guess from custom: the later card lies to the right of and above the earlier one."""
    apart = one.best.centre - other.best.centre
    return 0.1 * float(np.tanh((apart @ other.best.right - apart @ other.best.down) / other.best.height))


def lowest_first(cards: list[Card], hand: list[int], deck: Deck | None) -> list[int]:
    """The hand's cards from the lowest to the topmost."""
    height = dict.fromkeys(hand, 0.0)
    for i in hand:
        for j in hand:
            if i == j or not touching(cards[i], cards[j]):
                continue
            known = deck is not None and cards[i].corners is not None and cards[j].corners is not None
            proof = (
                _evidence(cards[i], cards[j], deck) - _evidence(cards[j], cards[i], deck)
                if known and deck
                else 0.0
            )
            height[i] += float(np.sign(proof)) if proof else _dealt_later(cards[i], cards[j])
    return _settled(cards, hand, deck, height)


def _settled(cards: list[Card], hand: list[int], deck: Deck | None, height: dict[int, float]) -> list[int]:
    """Insertion by pairwise proof, so that a long fan is not judged by counts alone."""
    order: list[int] = []
    for card in sorted(hand, key=lambda number: height[number]):
        slot = len(order)
        while slot and _above(cards[order[slot - 1]], cards[card], deck):
            slot -= 1
        order.insert(slot, card)
    return order


def _above(one: Card, other: Card, deck: Deck | None) -> bool:
    if deck is None or one.corners is None or other.corners is None or not touching(one, other):
        return False
    return _evidence(one, other, deck) > _evidence(other, one, deck)
