"""Fuse several views of the same indices to one posterior for each index."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from vision.classifier.scores import STATE_INDEX, STATE_OCCLUDED, Scores
from vision.geometry import LEAST, Points


class Posterior(NamedTuple):
    """For n indices: preferred labels, and geometric means of their probabilities (0..1) over the views.

    `rank`, `suit`: label numbers. `p_index` is the probability of a readable index, `p_shown` of one that may
    be partly covered. `agreed`: every view prefers that rank and suit; `rank_agreed`: every view prefers that
    rank. `known`: the smallest log odds over the views that the letter is one of the thirteen (`Scores`).
    """

    rank: Points
    suit: Points
    p_rank: Points
    p_suit: Points
    p_index: Points
    p_shown: Points
    agreed: Points
    rank_agreed: Points
    known: Points

    def weakest(self) -> Points:
        """The smallest of the probabilities of rank, suit and index, n."""
        return np.asarray(np.minimum(np.minimum(self.p_rank, self.p_suit), self.p_index))

    def replace_rows(self, rows: Points, other: "Posterior") -> None:
        """Overwrites some rows, in place, by those of another posterior."""
        for column, new in zip(self, other, strict=True):
            column[rows] = new


def _product(heads: Sequence[Points]) -> Points:
    product = heads[0] + LEAST
    for head in heads[1:]:
        product *= head + LEAST
    return product


def fuse_labels(heads: Sequence[Points]) -> tuple[Points, Points, Points]:
    """Best label of each index (n), its geometric mean over the views, and whether all of them prefer it.

    `heads` are probabilities, n x labels for each view.
    """
    product = _product(heads)
    best = product.argmax(1)
    same = np.all([head.argmax(1) == best for head in heads], 0)
    return best, product[np.arange(len(best)), best] ** (1 / len(heads)), same


def fuse_views(views: Sequence[Scores]) -> Posterior:
    """Joins one or more views of the same n indices."""
    rank, p_rank, same_rank = fuse_labels([view.rank for view in views])
    suit, p_suit, same_suit = fuse_labels([view.suit for view in views])
    whole = [view.state[:, STATE_INDEX] for view in views]
    shown = [part + view.state[:, STATE_OCCLUDED] for part, view in zip(whole, views, strict=True)]
    p_index, p_shown = (_product(heads) ** (1 / len(views)) for heads in (whole, shown))
    known = np.min([view.known for view in views], 0)
    return Posterior(rank, suit, p_rank, p_suit, p_index, p_shown, same_rank & same_suit, same_rank, known)
