"""When a rank is reported: a fitted score with a limit for each height.

The score is a logistic regression of "the rank is right" on what the views of an index say: log odds that
it is. A limit that is higher than the score's own odds ask for makes up for what it leaves out.
"""

import math
from typing import Final, NamedTuple


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
DOUBTED_SCORE: Final = 6.5
"""Of a place that is an index with less than the first probability, so much is asked from 12 px on.

Source: the same section: of all heights, most that are wrong and score higher than `LEAST_SCORES` ask are of
places that may be partly covered, or none.
"""

VOUCHED_LESS: Final = 0.5
"""Of two indices at opposite corners of a card, that have the same rank, so much less is asked of each.

Source: the same section: on those tables 270 cards more and none wrong, 397 and one with 1.0, 684 and six
with 2.0. What one corner says is no independent witness of the other: they share print, light and blur.
"""


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
