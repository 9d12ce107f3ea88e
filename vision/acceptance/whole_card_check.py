"""A second reader: compare a card's pips and court art, with the index blanked, with its index.

It never names a card by itself. Where it is certain of another name than the index, the card is not certain:
two readers that err for different causes seldom agree on one mistake. Where only the suit differs and two
corners name the card, the rank stays.
"""

from typing import Final, NamedTuple

import numpy as np

from vision.acceptance.certainty import BLACK_SUITS
from vision.acceptance.limits import ACES_MIN, CHECK_RULE, CORNERS_MIN
from vision.assembly import AssembledCard
from vision.classifier import (
    STATE_INDEX,
    WHOLE_CARD_CROP,
    Index,
    Scores,
    blank_corners,
    crop_whole_cards,
)
from vision.geometry import Image, Points
from vision.labels import RANKS, SUITS

COURT: Final = [RANKS.index(rank) for rank in "JQK"]
"""Every deck draws its courts in its own way: a whole card says a court card, not which one."""


ACE: Final = RANKS.index("A")


def _has_one_large_pip(ranks: Points, indices: Points) -> bool:
    """Whether open cards of several ranks (n, by their indices) all look like aces (rank probabilities)."""
    aces = indices[ranks[:, ACE] > CHECK_RULE.rank]
    return len(set(aces.tolist()) - {ACE}) >= ACES_MIN


class WholeCardDoubts(NamedTuple):
    """Numbers of cards that contradict their indices, and of those with a doubtful suit."""

    cards: set[int]
    suits: set[int]


class WholeCardCrops(NamedTuple):
    """Numbers of some cards, and their crops: n x height x width x 3, uint8, corners blanked."""

    numbers: list[int]
    crops: Image


def _court_as_one(ranks: Points) -> Points:
    """Rank probabilities (n x 13) with all court cards counted as the jack."""
    merged = ranks.copy()
    merged[:, COURT[0]] = ranks[:, COURT].sum(1)
    merged[:, COURT[1:]] = 0
    return merged


def _as_one(rank: int) -> int:
    return COURT[0] if rank in COURT else rank


def _differs(index: Index, suit: int) -> bool:
    """Whether a suit contradicts an index's suit; where that is open, its colour counts."""
    return _is_black(suit) != _is_black(index.suit) if index.suit_open else suit != index.suit


def _is_black(suit: int) -> bool:
    return SUITS[suit] in BLACK_SUITS


def whole_cards_to_check(image: Image, cards: list[AssembledCard], covered: set[int]) -> WholeCardCrops:
    """Return crops of the cards whose outline is known, in a BGR picture.

    `covered` are numbers of cards that surely lie under another; they are left out.
    """
    known = [
        number for number, card in enumerate(cards) if card.corners is not None and number not in covered
    ]
    if not known:
        return WholeCardCrops([], np.empty((0, *WHOLE_CARD_CROP, 3), np.uint8))
    outlines = np.array([cards[number].corners for number in known]).reshape(-1, 4, 2)
    long_px = np.hypot(*(outlines[:, 3] - outlines[:, 0]).T)
    shares = np.array([cards[number].best.index_px for number in known]) / long_px
    return WholeCardCrops(known, blank_corners(crop_whole_cards(image, outlines), shares))


def with_whole_cards(
    cards: list[AssembledCard], numbers: list[int], scores: Scores, suits: set[int]
) -> list[AssembledCard]:
    """The cards, the numbered ones with how surely they lie open; the suits of those in `suits` left open."""
    openness = dict(zip(numbers, scores.state[:, STATE_INDEX].tolist(), strict=True))
    known = [card._replace(lies_open=openness.get(number)) for number, card in enumerate(cards)]
    return [_without_suit(card) if number in suits else card for number, card in enumerate(known)]


def _without_suit(card: AssembledCard) -> AssembledCard:
    return card._replace(indices=tuple(index._replace(suit_open=True) for index in card.indices))


def doubts_of_whole_cards(cards: list[AssembledCard], numbers: list[int], scores: Scores) -> WholeCardDoubts:
    """Return the contradictions between the crops' scores and the indices of the numbered cards."""
    lies_open = scores.state[:, STATE_INDEX] > CHECK_RULE.lies_open
    ranks = _court_as_one(scores.rank)
    indices = np.array([cards[number].best.rank for number in numbers], int)
    ranks[:, ACE] *= not _has_one_large_pip(ranks[lies_open], indices[lies_open])
    doubts = WholeCardDoubts(set(), set())
    for slot in np.flatnonzero(lies_open).tolist():
        card = cards[numbers[slot]]
        rank, suit = int(ranks[slot].argmax()), int(scores.suit[slot].argmax())
        other_rank = ranks[slot, rank] > CHECK_RULE.rank and rank != _as_one(card.best.rank)
        other_suit = scores.suit[slot, suit] > CHECK_RULE.suit and _differs(card.best, suit)
        rank_stays = card.certain >= CORNERS_MIN and _is_black(suit) == _is_black(card.best.suit)
        if other_rank or (other_suit and not rank_stays):
            doubts.cards.add(numbers[slot])
        elif other_suit:
            doubts.suits.add(numbers[slot])
    return doubts
