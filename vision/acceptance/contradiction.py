"""Cards that cannot both be what they are read as: one of them has a rank and another card's pip."""

from typing import Final

import numpy as np

from vision.assembly.card_joining import Card
from vision.assembly.deck_geometry import (
    FIT,
    PARALLEL,
    Corner,
    Deck,
    alike,
    cosine,
    mean_height,
    misfit,
    offset,
)
from vision.classifier.index_reading import Index, frames_of
from vision.geometry.arrays import Points, within

CLEAR: Final = 0.5
"""An index at least this probable contradicts others."""

NEAREST: Final = FIT / 3
"""An index of whatever rank that stands so exactly in another card's corner (`misfit`) contradicts it."""

APART: Final = 0.4
"""The same for an index of its rank, in index heights off: cards that lie so exactly on each other seldom
both show a corner. On 600 drawn tables it told three of seven wrong faces, and no exact hand was lost."""

BESIDE: Final = 0.25
ALONG: Final = 0.75
"""Indices nearer to each other than this share ink: centres across and along them, in their heights."""


def contradicted(cards: list[Card], deck: Deck | None) -> set[int]:
    """Numbers of the cards that contradict another one, clearly read.

    Of a card with more than one corner in sight the corners have found each other: it is never doubted.
    """
    clear = [number for number, card in enumerate(cards) if _shown(card.best) >= CLEAR]
    lone = [number for number in clear if len(cards[number].indices) == 1]
    others = [(number, index) for number in clear for index in cards[number].indices]
    doubted: set[int] = set()
    for slot, place in np.argwhere(_concerned(cards, lone, others, deck)).tolist():
        one, (other, index) = lone[slot], others[place]
        if one != other and _contradict(cards[one].best, index, deck):
            doubted |= {one, other} & set(lone)
    return doubted


def _concerned(
    cards: list[Card], lone: list[int], others: list[tuple[int, Index]], deck: Deck | None
) -> Points:
    """Which indices may have to do with which lone cards: close, or near and facing or of their rank."""
    best, indices = [cards[number].best for number in lone], [index for _, index in others]
    mine, theirs = frames_of(best), frames_of(indices)
    close = within(mine.centres, theirs.centres, ALONG * theirs.heights)
    if deck is None:
        return close
    near = within(mine.centres, theirs.centres, 1.6 * deck.diagonal * np.maximum(theirs.heights, deck.height))
    one_rank = np.equal.outer([index.rank for index in best], [index.rank for index in indices])
    return np.asarray(close | (near & (one_rank | (mine.downs @ theirs.downs.T <= -PARALLEL))))


def _shown(index: Index) -> float:
    """How clearly an index has its name, whether it is partly hidden or not."""
    return index.p_rank * index.p_suit * index.p_shown


def _contradict(one: Index, other: Index, deck: Deck | None) -> bool:
    """Whether a lone card's index and another card's cannot both be there."""
    whole = one.p >= CLEAR and other.p >= CLEAR
    if whole and _share_ink(one, other):
        return True
    if deck is None or alike(one, other):
        return False
    foot = Corner(deck.right, deck.below, turned=True)
    if whole and misfit(one, other, foot, deck) < NEAREST:
        return True
    return one.rank == other.rank and _one_card(other, one, deck)


def _share_ink(one: Index, other: Index) -> bool:
    right, below = (abs(part) for part in offset(one, other, mean_height(one, other)))
    return right < BESIDE and below < ALONG and abs(cosine(one, other)) > PARALLEL


def _one_card(one: Index, other: Index, deck: Deck) -> bool:
    """Whether an index stands where another one's card has one, too."""
    right, below = offset(one, other, mean_height(one, other))
    turned = cosine(one, other)
    if abs(turned) < PARALLEL:
        return False
    places = [(deck.right, deck.below)] if turned < 0 else []
    if deck.four:
        right = abs(right)
        places = [(deck.right, deck.below), (0.0, deck.below)] if turned < 0 else [(deck.right, 0.0)]
    return any(np.hypot(right - x, below - y) < APART for x, y in places)
