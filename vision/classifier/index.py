"""One read index, certain or not."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from vision.geometry import IndexPoses, Points


class Index(NamedTuple):
    """One index of the picture.

    `centre` (2) and `index_px`, the height from the rank's top to the pip's foot, are in pixels; `down` (2)
    is a unit vector from rank to pip. `rank` and `suit` are label numbers. `p_rank`, `p_suit`, `p_index`,
    `p_shown`, `agreed`, `rank_agreed` and `known` are those of a `Posterior`. `whole`: the index lies
    completely within the picture. `suit_open`: the suit is only the likeliest one (`acceptance` decides so).
    """

    centre: Points
    down: Points
    index_px: float
    rank: int
    suit: int
    p_rank: float
    p_suit: float
    p_index: float
    agreed: bool
    whole: bool
    p_shown: float = 0.0
    rank_agreed: bool = True
    suit_open: bool = False
    known: float = math.inf

    @property
    def p(self) -> float:
        """Probability that its name is right and that this is a readable index.

        The name is rank and suit, or the rank alone where the suit is open.
        """
        named = self.p_rank if self.suit_open else self.p_rank * self.p_suit
        return named * self.p_index

    def unnamed(self) -> "Index":
        """Return the same index without an agreed name; it is then unclear."""
        return self._replace(agreed=False, rank_agreed=False)

    @property
    def right(self) -> Points:
        """Return the unit vector to the reader's right of the upright index."""
        return np.array([self.down[1], -self.down[0]])


def poses_of(indices: Sequence[Index]) -> IndexPoses:
    """The poses of n indices as columns."""
    centres, downs = (
        np.array(column).reshape(-1, 2)
        for column in ([index.centre for index in indices], [index.down for index in indices])
    )
    return IndexPoses(centres, downs, np.array([index.index_px for index in indices]))
