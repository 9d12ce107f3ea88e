"""The second reader: names cards by their bodies, pips and court art, with the indices blanked.

It never names a card by itself. Where it is sure of something else than the index says, nobody can be
certain: two readers that fail for different causes seldom agree on the same mistake.
"""

from typing import Final, NamedTuple

import numpy as np

from vision.assembly.card_joining import Card
from vision.classifier.networks import Scores
from vision.classifier.whole_card import BODY_HEIGHT, BODY_WIDTH, blank_corners, cut_bodies
from vision.geometry.arrays import Image, Points
from vision.labels import RANKS, STATES

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


class Bodies(NamedTuple):
    """Numbers of some cards, and their bodies: n x BODY_HEIGHT x BODY_WIDTH x 3, corners blanked."""

    numbers: list[int]
    crops: Image


def bodies_of(image: Image, cards: list[Card], covered: set[int]) -> Bodies:
    """The bodies of the cards whose outline is known and large enough.

    `covered` are the numbers of those on which another one surely lies: they are left out.
    """
    known = [
        number for number, card in enumerate(cards) if card.corners is not None and number not in covered
    ]
    quads = np.array([cards[number].corners for number in known]).reshape(-1, 4, 2)
    sides = np.hypot(*(quads[:, 3] - quads[:, 0]).T)
    chosen = np.flatnonzero(sides >= LEAST_PX)
    if not len(chosen):
        return Bodies([], np.empty((0, BODY_HEIGHT, BODY_WIDTH, 3), np.uint8))
    numbers = [known[slot] for slot in chosen]
    shares = np.array([cards[number].best.height for number in numbers]) / sides[chosen]
    return Bodies(numbers, blank_corners(cut_bodies(image, quads[chosen]), shares))


def named_otherwise(cards: list[Card], numbers: list[int], scores: Scores) -> set[int]:
    """Those of the numbered cards whose body is surely another one, by its scores, than their index says."""
    lies_open = scores.state[:, STATES.index("index")] > OPEN_SURE
    ranks = _court_as_one(scores.rank)
    doubted = set()
    for slot in np.flatnonzero(lies_open).tolist():
        best = cards[numbers[slot]].best
        rank, suit = int(ranks[slot].argmax()), int(scores.suit[slot].argmax())
        other_rank = ranks[slot, rank] > RANK_SURE and rank != _as_one(best.rank)
        other_suit = scores.suit[slot, suit] > SUIT_SURE and suit != best.suit
        if other_rank or other_suit:
            doubted.add(numbers[slot])
    return doubted
