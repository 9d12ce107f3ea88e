"""Puts overlapping cards into hands, each from the lowest card to the topmost."""

from typing import Final, NamedTuple

import cv2
import numpy as np

from vision.assembly.assembled_card import AssembledCard
from vision.assembly.overlaps import Overlaps, proven_order
from vision.assembly.visible_edges import order_by_edges
from vision.geometry import Points

CUSTOM_WEIGHT: Final = 0.1
"""What the dealers' custom counts against a visible edge or a proof, which count 1: it only breaks ties."""

_OPENNESS_APART: Final = 0.5
"""A card lies on another one when it lies open so much more surely.

Source: of 607 overlapping pairs of drawn tables 56 % are so far apart, one of them the wrong way round; the
indices prove 53 % of them, 2.6 % of these wrongly.
"""

_OPENNESS_SHARED: Final = 0.35
"""Cards of which a third one covers one share at least so much of their area, if openness says their order.

Source: on the 11 overhead photographs it reported 65 pairs rightly and 3 wrongly, edges 47 and none; two of
the three are reported by their edges, the third shares 0.28.
"""

_CUSTOM_SEEN: Final = 3
"""So many pairs of which the picture shows the order, in more than one hand, show the custom of its table, if
all of them agree.

Source: the 11 overhead photographs show 3 to 9 such pairs each and all follow the custom; of 18 outside drawn
tables 9 show one way only.
"""

_FAN_STRAIGHT: Final = 0.5
"""A pair goes the way of its fan where the cosine between its step and all known ones is above this.

Source: no measurement on record.
"""


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


def seen_orders(overlaps: Overlaps) -> dict[tuple[int, int], float]:
    """Return the order that the picture shows for each overlapping pair: as `lies_on`, without the custom."""
    return {(one, other): _seen_order(overlaps, one, other) for one, other in overlaps.pairs}


def custom_of_table(overlaps: Overlaps, seen: dict[tuple[int, int], float], hands: list[list[int]]) -> float:
    """1 where the dealer lays cards by the custom, -1 where by its reverse, 0 where that is not known."""
    shown = {pair for pair, order in seen.items() if order}
    follow = {
        np.sign(seen[pair]) * np.sign(_order_by_custom(*(overlaps.cards[card] for card in pair)))
        for pair in shown
    }
    several = sum(any(pair[0] in hand for pair in shown) for hand in hands) > 1
    return float(follow.pop()) if len(shown) >= _CUSTOM_SEEN and several and len(follow) == 1 else 0.0


def _order_by_openness(overlaps: Overlaps, one: int, other: int) -> float:
    """Return 1 when card `one` is uncovered and `other` is not, -1 for the reverse, else 0.

    A third card may cover the other one. Then this card has to reach far over or under it: it would otherwise
    not look open below it.
    """
    cards = overlaps.cards[one], overlaps.cards[other]
    if cards[0].lies_open is None or cards[1].lies_open is None:
        return 0.0
    apart = cards[0].lies_open - cards[1].lies_open
    if abs(apart) <= _OPENNESS_APART:
        return 0.0
    covered = other if apart > 0 else one
    alone = sum(covered in pair for pair in overlaps.pairs) == 1
    return float(np.sign(apart)) if alone or _shared_part(*cards) >= _OPENNESS_SHARED else 0.0


def _shared_part(one: AssembledCard, other: AssembledCard) -> float:
    """The part of a card that it shares with another one; 0 where an outline is not known."""
    if one.corners is None or other.corners is None:
        return 0.0
    outlines = one.corners.astype(np.float32), other.corners.astype(np.float32)
    shared, _ = cv2.intersectConvexConvex(*outlines)
    return shared / max(cv2.contourArea(outlines[0]), 1e-6)


def _seen_order(overlaps: Overlaps, one: int, other: int) -> float:
    """Return the order of two overlapping cards from indices, then edges, then bodies; 0 for unknown."""
    order = proven_order(overlaps, one, other)
    if not order and overlaps.deck is not None:
        order = order_by_edges(overlaps, one, other)
    return order or _order_by_openness(overlaps, one, other)


def lies_on(overlaps: Overlaps, one: int, other: int) -> float:
    """Positive when card `one` lies on card `other`, negative for the reverse, 0 when they do not overlap."""
    if (min(one, other), max(one, other)) not in overlaps.pairs:
        return 0.0
    seen = _seen_order(overlaps, one, other)
    return seen or _order_by_custom(overlaps.cards[one], overlaps.cards[other])


class OrderedHand(NamedTuple):
    """A hand's cards from the lowest to the topmost, and the cards whose position is a guess."""

    cards: list[int]
    guessed: set[int]


class _Below:
    """The known part of the order of a hand's cards, by their places in it."""

    def __init__(self, count: int) -> None:
        self.sets = [set[int]() for _ in range(count)]

    def put(self, lower: int, upper: int) -> None:
        """Note that one card lies on another one, and on all that lies below that."""
        for card, under in enumerate(self.sets):
            if card == upper or upper in under:
                under |= {lower, *self.sets[lower]}

    def has(self, one: int, other: int) -> bool:
        """Whether there is any evidence of the order of two cards, even a contradictory one."""
        return one in self.sets[other] or other in self.sets[one]

    def upwards(self, pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
        """Pairs that are known, the lower card first."""
        return [(i, j) if i in self.sets[j] else (j, i) for i, j in pairs]

    def knows(self, one: int, other: int) -> bool:
        """Whether the order of two cards is known without contradiction."""
        return (one in self.sets[other]) != (other in self.sets[one])


def order_hand(
    overlaps: Overlaps, hand: list[int], seen: dict[tuple[int, int], float], custom: float = 0.0
) -> OrderedHand:
    """Sort a hand's cards from the lowest up: repeatedly take the card that lies on none of the rest.

    The order of two cards (`seen_orders`) also holds for the cards on or below them. A pair without evidence
    follows the direction in which the rest of its fan grows. Without such a direction the table's `custom`
    decides (`custom_of_table`). Where that is 0, the dealers' custom decides, and the position is a guess.
    """
    if len(hand) == 1:
        return OrderedHand(hand, set())
    slots = {card: slot for slot, card in enumerate(hand)}
    orders = {(slots[one], slots[other]): seen[one, other] for one, other in sorted(seen) if one in slots}
    below, pairs = _seen_below(orders, len(hand)), list(orders)
    _follow_fan(below, pairs, [overlaps.cards[card] for card in hand])
    guessed = [(i, j) for i, j in pairs if not below.knows(i, j)]
    for i, j in guessed:
        if not below.has(i, j):
            on = (custom or 1.0) * _order_by_custom(overlaps.cards[hand[i]], overlaps.cards[hand[j]]) > 0
            below.put(*((j, i) if on else (i, j)))
    if custom:
        guessed = [(i, j) for i, j in guessed if not below.knows(i, j)]
    return OrderedHand([hand[slot] for slot in _from_lowest(below)], _later_of(guessed, below, hand))


def _seen_below(orders: dict[tuple[int, int], float], count: int) -> _Below:
    """Collect the seen orders of `count` cards; 1 means that the first of a pair lies on the second."""
    below = _Below(count)
    for (i, j), order in orders.items():
        if order:
            below.put(*((j, i) if order > 0 else (i, j)))
    return below


def _middle(card: AssembledCard) -> Points:
    return card.best.centre if card.corners is None else np.asarray(card.corners.mean(0))


def _follow_fan(below: _Below, pairs: list[tuple[int, int]], cards: list[AssembledCard]) -> None:
    """Note the open pairs that follow the way of their fan; most hands have none."""
    open_pairs = [(i, j) for i, j in pairs if not below.has(i, j)]
    if open_pairs:
        known = below.upwards([pair for pair in pairs if below.knows(*pair)])
        for lower, upper in _in_line_with_fan(open_pairs, known, [_middle(card) for card in cards]):
            below.put(lower, upper)


def _in_line_with_fan(
    open_pairs: list[tuple[int, int]], known: list[tuple[int, int]], middles: list[Points]
) -> list[tuple[int, int]]:
    """Open pairs, the lower card first, that follow the one way in which all known pairs of a fan grow."""
    if not known:
        return []
    ways = np.array([middles[upper] - middles[lower] for lower, upper in known])
    ways /= np.maximum(np.hypot(*ways.T), 1e-9)[:, None]
    found = []
    for i, j in open_pairs:
        way = middles[j] - middles[i]
        along = ways @ way / max(float(np.hypot(*way)), 1e-9)
        if abs(along).min() > _FAN_STRAIGHT and abs(np.sign(along).sum()) == len(along):
            found.append((i, j) if along[0] > 0 else (j, i))
    return found


def _from_lowest(below: _Below) -> list[int]:
    left, order = list(range(len(below.sets))), list[int]()
    while left:
        lowest = min(left, key=lambda slot: len(below.sets[slot].intersection(left) - {slot}))
        left.remove(lowest)
        order.append(lowest)
    return order


def _later_of(guessed: list[tuple[int, int]], below: _Below, hand: list[int]) -> set[int]:
    """Numbers of the cards that were guessed to lie on another one."""
    return {hand[j if i in below.sets[j] else i] for i, j in guessed}
