"""When an index is certain: every limit with its measurement, and the fitted score of a rank.

All of `p_...` are geometric means over the views of an index (`indices.Posterior`). Heights are those of the
whole index, rank and pip together. The score is a logistic regression of "the rank is right" on the views of
an index, in log odds. Ranks are decided by it, suits by limits from measured risk.
"""

import math
from collections.abc import Sequence
from itertools import combinations
from typing import Final, NamedTuple

from vision.indices import Index
from vision.reading import RANKS, SUITS


class RankWeights(NamedTuple):
    """Weights of the score's parts.

    Source: the even ones of 6,000 drawn tables of decks left out of training, 30,000 indices, by maximum
    likelihood (models/MODEL_CARD.md, Acceptance of a rank).
    """

    constant: float = -2.4
    rank_odds: float = 0.95
    index_odds: float = 0.5
    height: float = 1.1
    """Of the log odds of the rank and of being an index, and of the natural logarithm of the height."""


RANK_WEIGHTS: Final = RankWeights()

HEIGHT_PX: Final = 20.0
"""The height of rank and pip together, in pixels, whose logarithm counts as 0."""

P_LEAST: Final = 1e-4
P_MOST: Final = 1 - 1e-5
"""Probabilities count as no less and no more than these, in the fit as well."""

LEAST_SCORES: Final = ((9.0, 7.0), (12.0, 6.25), (15.0, 5.5), (20.0, 5.0))
"""From which height on (pixels, rank and pip together) which score is asked; below the first none is enough.

Source: docs/measurements/reader.md, A rank by itself: the lowest in steps of a quarter with nothing wrong on
8,444 drawn tables that were dealt and on 8,000 of cards thrown over each other.
"""

LIKELY_INDEX: Final = 0.9
_DOUBTED_SCORE: Final = 6.5
"""Of a place that is an index with less than the first probability, so much is asked from 12 px on.

Source: the same section: of all heights, most that are wrong and score higher than `LEAST_SCORES` ask are of
places that may be partly covered, or none.
"""


class ProbabilityLimits(NamedTuple):
    """Least probabilities of an index that is reported.

    Source: docs/measurements/reader.md, How the thresholds were chosen (table), except where a field says
    otherwise.
    """

    p_rank: float = 0.975
    """Of a rank, where no score of it is asked: at the shoe's mouth, and of a deck's own prints."""

    p_suit: float = 0.985

    p_index_seven: float = 0.98
    """Of being an index, for a seven for which no opposite corner vouches: the 1 of a ten whose 0 is covered
    looks like one.

    Source: such a 1 of a jumbo deck, 63 px, was a seven at 0.9986 and an index at 0.934 to 0.948; of the 18
    sevens that 60 drawn tables of decks left out say by their rank alone none is less of one than 0.993.
    """

    p_index_suit: float = 0.95
    """Of being an index, for the suit of a card of which no other corner is read: its pip may be covered.

    Source: on a jumbo 4K table (33,000,000; deck 1, table 722, noise) three suits were the next card's pip,
    at 0.887 to 0.936; of 303 suits on 18 plain drawn tables six are less than 0.95, 16 less than 0.98.
    """

    p_suit_small_black: float = 0.996
    """Of the suit of a small club or spade (`SizeLimits.small_black_px`), whose leaves run together."""

    p_suit_smallest: float = 0.998
    """Of the suit of a heart or diamond below `SizeLimits.index_px`.

    Source: of drawn ones, decks left out, 2,617 of 9 to 15 px are that sure, none wrong.
    """


PROBABILITY_LIMITS: Final = ProbabilityLimits()


class SizeLimits(NamedTuple):
    """Heights of a whole index in pixels (`Index.index_px`)."""

    index_px: float = 15.0
    """Below it a heart or diamond needs `ProbabilityLimits.p_suit_smallest`.

    Source: no measurement on record; docs/measurements/reader.md, Drawn stress, shows the risk by height.
    """

    black_px: float = 20.0
    """Below it nothing tells clubs from spades: such a card is reported by its rank or not.

    Source: a club of 17 px was once taken for a spade (docs/measurements/reader.md, How the thresholds were
    chosen). Of 51 drawn ones of 15 to 18 px, decks left out, that pass all other limits two have the wrong
    suit. From 0.998 on none of 4,121 of 15 to 20 px has; but the profile of an outside deck took a club of 16
    px for a spade at 0.9993.
    """

    small_black_px: float = 28.0
    """Below it clubs and spades need `ProbabilityLimits.p_suit_small_black`.

    Source: as for that limit.
    """


SIZE_LIMITS: Final = SizeLimits()

SHOWN: Final = 0.6
"""An index that is less surely whole may be partly covered, or none, and says nothing by itself, and two of
one card their rank at most: what is covered is the pip.

Source: the 0 of a wide ten with its pip was a certain queen (D) by its French deck's profile, 16 times on 20
drawn tables, an index at 0.05 to 0.495; nine indices that reported their rank rightly there were less of one
than 0.5. One more such 0 had 0.535 on 43 tables, where one of 536 lone cards that are right has less than
0.6. The sliver of a heart beside the three of a drawn deck with pips beside the ranks was taken for a
diamond at 0.993 by its profile and at 0.92 by the network; both corners of the card looked so.
"""


class OtherLettersRule(NamedTuple):
    """When a deck counts as having other letters, and which ranks are then reported.

    Source: `python -m tests.measures.letters`, 250 decks of fonts left out. Of 3,810 crops of ranks that
    would be reported otherwise, 86 % are `known`; of 1,017 of other letters, 31 are. `unknown` is the limit
    below which four in a thousand ranks fall, and nearly half of the other letters.
    """

    unknown: float = -2.4
    """Below these log odds a letter is none of the thirteen."""

    cards: int = 2
    """So many cards with such letters are of a deck that has them."""

    known: float = 2.0
    """Least log odds of a rank of such a deck."""

    eight: float = 1.0
    """Least log odds of an eight beside a single card with such a letter: a German jack (B) looks like one.

    Source: on 220 drawn tables of eleven decks left out (45,000,000, 1080p and 4K) eleven jacks of the German
    one would be certain eights, at -0.7 to 0.9; of 349 eights 103 are below 1, too many for every table.
    """


OTHER_LETTERS_RULE: Final = OtherLettersRule()


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
    return asked[-1] if p_index >= LIKELY_INDEX else max(asked[-1], _DOUBTED_SCORE)


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
    # 0.5: of two indices at opposite corners of a card, that have the same rank, so much less is asked of
    # each. Source: the same section: on those tables 270 cards more and none wrong, 397 and one with 1.0,
    # 684 and six with 2.0. What one corner says is no independent witness of the other: they share print,
    # light and blur.
    asked = least_score(index.p_index, index.index_px) - (0.0 if alone else 0.5)
    return score >= asked and is_sound(index, alone=alone)


def is_certain(index: Index) -> bool:
    """Whether rank and suit of an index may be reported."""
    return is_rank_certain(index) and is_suit_certain(index)


def reported_indices(indices: Sequence[Index]) -> list[Index]:
    """Return the indices of a card whose rank may be reported; opposite corners may confirm each other.

    They may even where both look partly covered: nothing covers two corners in the same way, so the deck
    looks like that. The probability of an index, covered or not, then decides.
    """
    alone = [index for index in indices if is_rank_certain(index)]
    if alone:
        return alone
    # They stay unchanged: none is certain by itself, and `has_pips_beside` needs uncertain ones.
    # An opposite corner of the same rank vouches for it.
    vouched = [
        index for index in indices if is_rank_certain(index._replace(p_index=index.p_shown), alone=False)
    ]
    # Two of them stand at opposite ends of their card.
    return vouched if any(float(one.down @ other.down) < 0 for one, other in combinations(vouched, 2)) else []
