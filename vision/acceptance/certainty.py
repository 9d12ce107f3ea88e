"""Decide when an index is certain: its rank by one fitted score, its suit by limits from measured risk.

The score is a logistic regression of "the rank is right" on the views of an index, in log odds. A limit
above the score's own odds makes up for influences that the score leaves out.
"""

import math
from collections.abc import Sequence
from itertools import combinations
from typing import Final

from vision.acceptance.limits import (
    DOUBTED_SCORE,
    HEIGHT_PX,
    LEAST_SCORES,
    LIKELY_INDEX,
    P_LEAST,
    P_MOST,
    PROBABILITY_LIMITS,
    RANK_WEIGHTS,
    SHOWN,
    SIZE_LIMITS,
    VOUCHED_LESS,
)
from vision.classifier import Index
from vision.labels import RANKS, SUITS

SEVEN: Final = RANKS.index("7")
BLACK_SUITS: Final = frozenset({"c", "s"})


def log_odds(p: float) -> float:
    """Natural logarithm of the odds of a probability, within `P_LEAST` and `P_MOST`."""
    p = min(max(p, P_LEAST), P_MOST)
    return math.log(p / (1 - p))


def log_height(index_px: float) -> float:
    """Natural logarithm of a height in pixels over `HEIGHT_PX`."""
    return math.log(index_px / HEIGHT_PX)


def rank_score(p_rank: float, p_index: float, index_px: float) -> float:
    """Log odds that a rank is right, by its probability, that of being an index, and the index's height."""
    weights = RANK_WEIGHTS
    seen = weights.rank_odds * log_odds(p_rank) + weights.index_odds * log_odds(p_index)
    return weights.constant + seen + weights.height * log_height(index_px)


def least_score(p_index: float, index_px: float) -> float:
    """The score that is asked of an index of such a height; `p_index`: the probability of being one."""
    asked = [score for from_px, score in LEAST_SCORES if index_px >= from_px]
    if not asked:
        return math.inf
    return asked[-1] if p_index >= LIKELY_INDEX else max(asked[-1], DOUBTED_SCORE)


def least_p_suit(suit: int, index_px: float) -> float:
    """Least probability of a suit (its number) that is reported, by an index of such a height."""
    small_black = SUITS[suit] in BLACK_SUITS and index_px < SIZE_LIMITS.small_black_px
    return PROBABILITY_LIMITS.p_suit_small_black if small_black else PROBABILITY_LIMITS.p_suit


def is_suit_certain(index: Index) -> bool:
    """Whether the suit of an index may be reported, given that its rank may be."""
    if SUITS[index.suit] in BLACK_SUITS and index.index_px < SIZE_LIMITS.black_px:
        return False
    if index.p_index < SHOWN:
        return False
    tiny, least = index.index_px < SIZE_LIMITS.index_px, least_p_suit(index.suit, index.index_px)
    return index.agreed and index.p_suit >= (PROBABILITY_LIMITS.p_suit_smallest if tiny else least)


def is_sound(index: Index, *, alone: bool = True) -> bool:
    """Whether only probability or size, if anything, keeps the rank of an index from being reported.

    `alone`: no index at the opposite corner confirms it. An index confirmed at both ends is not the 1 of a
    ten with its 0 covered.
    """
    may_be_ten = alone and index.rank == SEVEN and index.p_index < PROBABILITY_LIMITS.p_index_seven
    shown = index.p_index >= SHOWN and not may_be_ten
    return shown and index.whole and index.rank_agreed


def is_rank_certain(index: Index, *, alone: bool = True) -> bool:
    """Whether the rank of an index may be reported; `alone` as for `is_sound`."""
    score = rank_score(index.p_rank, index.p_index, index.index_px)
    asked = least_score(index.p_index, index.index_px) - (0.0 if alone else VOUCHED_LESS)
    return score >= asked and is_sound(index, alone=alone)


def is_certain(index: Index) -> bool:
    """Whether rank and suit of an index may be reported."""
    return is_rank_certain(index) and is_suit_certain(index)


def _is_vouched(index: Index) -> bool:
    """Whether the rank may be reported because the opposite corner shows the same rank."""
    return is_rank_certain(index._replace(p_index=index.p_shown), alone=False)


def _facing(indices: Sequence[Index]) -> bool:
    """Whether any two indices stand at opposite ends of their card."""
    return any(float(one.down @ other.down) < 0 for one, other in combinations(indices, 2))


def reported_indices(indices: Sequence[Index]) -> list[Index]:
    """Return the indices of a card whose rank may be reported; opposite corners may confirm each other.

    They may even where both look partly covered: nothing covers two corners in the same way, so the deck
    looks like that. The probability of an index, covered or not, then decides.
    """
    alone = [index for index in indices if is_rank_certain(index)]
    if alone:
        return alone
    # They stay unchanged: none is certain by itself, and `has_pips_beside` needs uncertain ones.
    vouched = [index for index in indices if _is_vouched(index)]
    return vouched if _facing(vouched) else []
