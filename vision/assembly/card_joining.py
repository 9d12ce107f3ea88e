"""From indices to physical cards: the corners of a card are one card, whatever the number of its indices."""

from math import atan2, cos, hypot, sin
from typing import Final, NamedTuple

import numpy as np

from vision.assembly.deck_geometry import (
    BELOW_RANGE,
    FIT,
    PAIRS_KNOWN,
    RIGHT_RANGE,
    Corner,
    Deck,
    alike,
    cosine,
    learn_deck,
    mean_height,
    misfit,
    offset,
)
from vision.assembly.paper_edges import brightness, top_margin
from vision.classifier.index_reading import Index
from vision.geometry.arrays import Image, Points
from vision.geometry.outlines import CARD_ASPECT

ACROSS_DOUBT: Final = 0.50
ACROSS_TURN: Final = 0.75
"""Like indices that face each other (cosine), off by less than the first, may be one card's under strong
tilt: one of them is unclear. Hands that lie the same way seldom show such a pair. The direction of a small
ten may be off by 20 degrees."""

SIDE_TURN: Final = 0.88
SIDE_SLANT: Final = 0.25
"""How far tilt may turn the indices of one edge against each other (cosine), and out of their line."""

FOUR_REACH: Final = 1.8
"""With four indices a card, like cards within this many diagonals of each other may be one."""

MARGIN_SURE: Final = 0.5
"""Indices at least this probable show where cards end."""


class Card(NamedTuple):
    """Indices of one physical card, the surest first.

    `corners` (4 x 2, clockwise from the upper left) is None where the card's size is not known. A `doubtful`
    card may be a corner of another, like card. `certain` of its indices are certain, where that was judged.
    """

    indices: tuple[Index, ...]
    corners: Points | None
    doubtful: bool = False
    certain: int = 0

    @property
    def best(self) -> Index:
        """The surest index."""
        return self.indices[0]


def _places(deck: Deck, side: int) -> tuple[Corner, ...]:
    """The other corners seen from an upper left (side 1) or upper right (-1) index."""
    right, below = deck.right * side, deck.below
    if side > 0 and not deck.four:
        return (Corner(right, below, turned=True),)
    return (
        Corner(right, below, turned=True),
        Corner(right, 0.0, turned=False),
        Corner(0.0, below, turned=True),
    )


class _Proposal(NamedTuple):
    """Indices that would make one card, seen from the first, and how badly they fit."""

    members: tuple[int, ...]
    side: int
    badness: float


def _proposal(indices: list[Index], like: list[int], first: int, side: int, deck: Deck) -> _Proposal:
    """The card seen from one index, among the indices `like` it."""
    members, badness = [first], 0.0
    for corner in _places(deck, side):
        errors = {
            other: misfit(indices[first], indices[other], corner, deck)
            for other in like
            if other not in members
        }
        best = min(errors, key=lambda other: errors[other], default=None)
        if best is not None and errors[best] < deck.fit:
            members.append(best)
            badness += errors[best]
    return _Proposal(tuple(members), side, badness)


def _outline(index: Index, deck: Deck, side: int) -> Points:
    """The card around an index that stands in its upper left (side 1) or upper right (-1) corner."""
    tall = deck.below + 1 + 2 * deck.margin
    wide = max(tall * CARD_ASPECT, deck.right + 0.3)
    left = -(wide - deck.right) / 2 - (deck.right if side < 0 else 0.0)
    top = -0.5 - deck.margin
    steps = ((left, top), (left + wide, top), (left + wide, top + tall), (left, top + tall))
    (x, y), (down_x, down_y) = index.centre.tolist(), (index.down * index.height).tolist()
    return np.array(
        [(x + right * down_y + below * down_x, y - right * down_x + below * down_y) for right, below in steps]
    )


def _paired_outline(one: Index, other: Index, deck: Deck) -> Points:
    """Outline from two opposite indices: place, turn and size all follow from the line between them."""
    (x, y), (down_x, down_y) = (other.centre - one.centre).tolist(), one.down.tolist()
    height = hypot(x, y) / deck.diagonal
    turn = atan2(y, x) - atan2(
        deck.below * down_y - deck.right * down_x, deck.below * down_x + deck.right * down_y
    )
    down = np.array([down_x * cos(turn) - down_y * sin(turn), down_x * sin(turn) + down_y * cos(turn)])
    return _outline(one._replace(down=down, height=height), deck, 1)


def _paper_side(image: Image | None, index: Index, deck: Deck, side: int) -> int:
    """On which side of a lone index its card lies, where four corners carry one: where there is paper."""
    if image is None:
        return side
    left, right = (brightness(image, _outline(index, deck, way)) for way in (1, -1))
    return 1 if left >= right else -1


def _card(indices: list[Index], proposal: _Proposal, deck: Deck, image: Image | None) -> Card:
    members = [indices[number] for number in proposal.members]
    first = members[0]
    opposite = [
        other
        for other in members[1:]
        if misfit(first, other, Corner(deck.right, deck.below, turned=True), deck) < deck.fit
    ]
    if proposal.side > 0 and opposite:
        corners = _paired_outline(first, opposite[0], deck)
    elif deck.four and not opposite and not any(_is_beside(first, other, deck) for other in members[1:]):
        corners = _outline(first, deck, _paper_side(image, first, deck, proposal.side))
    else:
        corners = _outline(first, deck, proposal.side)
    return Card(tuple(sorted(members, key=lambda index: -index.p)), corners)


def _is_beside(one: Index, other: Index, deck: Deck) -> bool:
    """Whether two of a card's indices stand at its same end."""
    corners = (Corner(right, 0.0, turned=False) for right in (deck.right, -deck.right))
    return any(misfit(one, other, corner, deck) < deck.fit for corner in corners)


def _within_one_card(one: Card, other: Card, deck: Deck) -> bool:
    """Whether some of their indices are no further apart than a card's corners are."""
    reach = FOUR_REACH * deck.diagonal * max(one.best.height, other.best.height, deck.height)
    return any(np.hypot(*(a.centre - b.centre)) < reach for a in one.indices for b in other.indices)


def _along_an_edge(one: Index, other: Index) -> bool:
    """Whether two like indices could stand at one edge of a card with four, of whatever size."""
    right, below = (abs(part) for part in offset(one, other, mean_height(one, other)))
    turn = cosine(one, other)
    if turn > SIDE_TURN:
        return RIGHT_RANGE[0] < right < RIGHT_RANGE[1] and below < SIDE_SLANT * right
    return turn < -SIDE_TURN and BELOW_RANGE[0] < below < BELOW_RANGE[1] and right < SIDE_SLANT * below


def _across(one: Index, other: Index) -> bool:
    """Whether two like indices could stand at opposite corners of a card, of whatever size."""
    right, below = offset(one, other, mean_height(one, other))
    wide, tall = RIGHT_RANGE[0] < abs(right) < RIGHT_RANGE[1], BELOW_RANGE[0] < below < BELOW_RANGE[1]
    return cosine(one, other) < -SIDE_TURN and wide and tall


def _may_be_one(one: Card, other: Card) -> bool:
    """Whether two like cards could be one of unknown size; one with opposite corners has no more of them."""
    alone = len(one.indices) == 1 and len(other.indices) == 1
    pairs = [(a, b) for a in one.indices for b in other.indices]
    return any(_along_an_edge(a, b) for a, b in pairs) or (alone and _across(*pairs[0]))


def _loosely(one: Card, other: Card, deck: Deck) -> bool:
    """Whether two like cards could after all be one card, seen under more tilt than the fit allows."""
    if deck.four or deck.maybe_four:
        return _within_one_card(one, other, deck)
    whole = len(one.indices) > 1 and len(other.indices) > 1
    if deck.pairs < PAIRS_KNOWN and not whole:
        return _may_be_one(one, other)
    if len(one.indices) > 1 or len(other.indices) > 1:
        return False
    across, *aside = _places(deck._replace(four=True), 1)
    pairs = ((one.best, other.best), (other.best, one.best))
    facing = min(misfit(first, second, across, deck, ACROSS_TURN) for first, second in pairs)
    beside = min(misfit(first, second, corner, deck) for first, second in pairs for corner in aside)
    return facing < ACROSS_DOUBT or beside < FIT / 2


def _flag_like_cards(cards: list[Card], deck: Deck) -> list[Card]:
    """Marks the weaker of two like cards that might be one."""
    ranked = sorted(cards, key=lambda card: (-len(card.indices), -card.best.p))
    flagged: list[Card] = []
    like: dict[tuple[int, int], list[Card]] = {}
    for card in ranked:
        stronger = like.setdefault((card.best.rank, card.best.suit), [])
        flagged.append(card._replace(doubtful=any(_loosely(other, card, deck) for other in stronger)))
        stronger.append(flagged[-1])
    return flagged


def _doubt_twins(cards: list[Card]) -> list[Card]:
    """Where no geometry is known, only the surest of like cards counts: the others may be its corners."""
    ranked = sorted(cards, key=lambda card: -card.best.p)
    return [
        card._replace(doubtful=any(alike(card.best, surer.best) for surer in ranked[:place]))
        for place, card in enumerate(ranked)
    ]


def _with_margin(deck: Deck, indices: list[Index], image: Image | None) -> Deck:
    """The deck with the margin above its ranks as the picture shows it."""
    margin = None if image is None else top_margin(image, [one for one in indices if one.p > MARGIN_SURE])
    return deck if margin is None else deck._replace(margin=margin)


def join_indices(indices: list[Index], image: Image | None = None) -> tuple[list[Card], Deck | None]:
    """Cards from indices, and the deck's geometry where the picture showed it.

    `image` (BGR) tells where the cards' paper ends; without it margins are usual ones.
    """
    deck = learn_deck(indices)
    if deck is None:
        return _doubt_twins([Card((index,), None) for index in indices]), None
    deck = _with_margin(deck, indices, image)
    sides = (1, -1) if deck.four else (1,)
    kinds: dict[tuple[int, int], list[int]] = {}
    for number, index in enumerate(indices):
        kinds.setdefault((index.rank, index.suit), []).append(number)
    proposals = [
        _proposal(indices, like, first, side, deck)
        for like in kinds.values()
        for first in like
        for side in sides
    ]
    proposals.sort(key=lambda proposal: (-len(proposal.members), proposal.badness))
    used: set[int] = set()
    cards: list[Card] = []
    while proposals:
        proposal = proposals.pop(0)
        if used.isdisjoint(proposal.members):
            used |= set(proposal.members)
            cards.append(_card(indices, proposal, deck, image))
    for number in set(range(len(indices))) - used:
        cards.append(Card((indices[number],), _outline(indices[number], deck, 1)))
    return _flag_like_cards(cards, deck), deck
