"""The second reader: names cards by their bodies, pips and court art, with the indices blanked.

It never names a card by itself. Where it is sure of something else than the index says, nobody can be
certain: two readers that fail for different causes seldom agree on the same mistake.
"""

from typing import Final

import numpy as np

from vision.arrays import Image, Points
from vision.bodies import blank_corners, cut_bodies
from vision.cards import Card
from vision.labels import RANKS, STATES, SUITS
from vision.network import BodyNetwork

OPEN_SURE: Final = 0.9
RANK_SURE: Final = 0.9
SUIT_SURE: Final = 0.95
"""Least probabilities of a body lying open, of its rank and of its suit, for it to contradict."""

LEAST_PX: Final = 45.0
"""Long side of the smallest card whose pips can be counted."""

COURT: Final = [RANKS.index(rank) for rank in "JQK"]
"""Every deck draws its courts in its own way: a body tells a court card, not which."""


def _court_as_one(ranks: Points) -> Points:
    """Rank probabilities (n x 13) with all court cards counted as the jack."""
    merged = ranks.copy()
    merged[:, COURT[0]] = ranks[:, COURT].sum(1)
    merged[:, COURT[1:]] = 0
    return merged


def _as_one(rank: int) -> int:
    return COURT[0] if rank in COURT else rank


def _bodies(image: Image, cards: list[Card], covered: set[int]) -> tuple[list[int], Image]:
    """The cards whose outline is known, large enough and not `covered`, and their bodies."""
    known = [
        number for number, card in enumerate(cards) if card.corners is not None and number not in covered
    ]
    quads = np.array([cards[number].corners for number in known]).reshape(-1, 4, 2)
    sides = np.hypot(*(quads[:, 3] - quads[:, 0]).T)
    chosen = np.flatnonzero(sides >= LEAST_PX)
    if not len(chosen):
        return [], np.empty(0)
    numbers = [known[slot] for slot in chosen]
    shares = np.array([cards[number].best.height for number in numbers]) / sides[chosen]
    return numbers, blank_corners(cut_bodies(image, quads[chosen]), shares)


def contradicted(image: Image, cards: list[Card], covered: set[int], network: BodyNetwork) -> set[int]:
    """Numbers of the cards whose body is surely another card's than their index says.

    `covered` are the numbers of those on which another one surely lies; the others are tried.
    """
    chosen, bodies = _bodies(image, cards, covered)
    if not chosen:
        return set()
    scores = network.classify(bodies)
    lies_open = scores.state[:, STATES.index("index")] > OPEN_SURE
    ranks = _court_as_one(scores.rank)
    doubted = set()
    for slot, number in enumerate(chosen):
        best, rank, suit = cards[number].best, int(ranks[slot].argmax()), int(scores.suit[slot].argmax())
        other_rank = ranks[slot, rank] > RANK_SURE and rank != _as_one(best.rank)
        other_suit = scores.suit[slot, suit] > SUIT_SURE and suit != best.suit
        if lies_open[slot] and (other_rank or other_suit):
            doubted.add(number)
    assert len(SUITS) == scores.suit.shape[1]
    return doubted
