"""What several views of the same places say together."""

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from vision.classifier.networks import Scores
from vision.geometry.arrays import Points
from vision.labels import STATES

INDEX: Final = STATES.index("index")
OCCLUDED: Final = STATES.index("occluded")

IMPOSSIBLE: Final = 1e-9
"""A view that gives a label no probability at all still leaves it this much."""


class Said(NamedTuple):
    """For n indices: the labels that the views prefer, and geometric means of the views' probabilities.

    `p_index` is that of an index, `p_shown` of one that may be partly hidden; `agreed` tells whether every
    view prefers that rank and that suit.
    """

    rank: Points
    suit: Points
    p_rank: Points
    p_suit: Points
    p_index: Points
    p_shown: Points
    agreed: Points

    def least(self) -> Points:
        """The smallest probability of each."""
        return np.asarray(np.minimum(np.minimum(self.p_rank, self.p_suit), self.p_index))

    def replaced(self, rows: Points, other: "Said") -> None:
        """Takes over what others say of some rows."""
        for column, new in zip(self, other, strict=True):
            column[rows] = new


def _product(heads: Sequence[Points]) -> Points:
    product = heads[0] + IMPOSSIBLE
    for head in heads[1:]:
        product *= head + IMPOSSIBLE
    return product


def named(heads: Sequence[Points]) -> tuple[Points, Points, Points]:
    """Best label of each place (n), its geometric mean over the views, and whether all of them prefer it.

    `heads` are probabilities, n x labels for each view.
    """
    product = _product(heads)
    best = product.argmax(1)
    same = np.all([head.argmax(1) == best for head in heads], 0)
    return best, product[np.arange(len(best)), best] ** (1 / len(heads)), same


def said_by(views: Sequence[Scores]) -> Said:
    """Joins views of the same places."""
    rank, p_rank, same_rank = named([view.rank for view in views])
    suit, p_suit, same_suit = named([view.suit for view in views])
    whole = [view.state[:, INDEX] for view in views]
    shown = [part + view.state[:, OCCLUDED] for part, view in zip(whole, views, strict=True)]
    p_index, p_shown = (_product(heads) ** (1 / len(views)) for heads in (whole, shown))
    return Said(rank, suit, p_rank, p_suit, p_index, p_shown, same_rank & same_suit)
