"""Places where an upright index may be: what the search for tables finds, and looser pairs of a known pose.

On a table a rank and its pip are sought at any turn, so that many things pair by chance and limits are tight.
Here they stand one above the other, and decks of any make may be told apart by wider limits.
"""

from typing import Final

import numpy as np

from vision.geometry.arrays import Image, Points
from vision.proposal.connected_components import Spots, find_spots
from vision.proposal.index_pairs import PIP_REACH, RANK_REACH, Candidates, candidates_of, joined

ASIDE: Final = 0.3
"""A pip's middle is this share of the index's height beside its rank's, at most."""

GAP: Final = (-0.15, 1.2)
"""Room between rank and pip, in heights of the rank."""

PIP_SIZE: Final = (0.25, 1.4)
"""Height of the pip, in heights of the rank."""

DIGIT_APART: Final = 1.1
DIGIT_LEVEL: Final = 0.2
DIGIT_SIZE: Final = 1.5
"""The digits of a ten: so far apart, so level (in their height), so alike in height."""

HEIGHT_PX: Final = (15.0, 220.0)


class _Boxes:
    """Pieces of ink as upright boxes: middle, top, foot."""

    def __init__(self, middle: Points, top: Points, foot: Points) -> None:
        self.middle, self.top, self.foot = middle, top, foot
        self.height = foot - top

    @classmethod
    def of(cls, spots: Spots, reach: float) -> "_Boxes":
        half = reach * np.sqrt(np.maximum(spots.spreads[:, 1, 1], 0.25))
        return cls(spots.centres[:, 0], spots.centres[:, 1] - half, spots.centres[:, 1] + half)


def upright_candidates(image: Image) -> Candidates:
    """Every place of a BGR picture where an upright index may stand, some of them more than once."""
    spots = find_spots(image)
    found = joined((candidates_of(spots), upright_pairs(spots)))
    return found.take(np.flatnonzero(found.downs[:, 1] > 0))


def upright_pairs(spots: Spots) -> Candidates:
    """Every piece of ink, or two side by side, with a smaller one below."""
    ranks, pips = _with_digits(_Boxes.of(spots, RANK_REACH)), _Boxes.of(spots, PIP_REACH)
    aside = np.abs(ranks.middle[:, None] - pips.middle)
    total = pips.foot - ranks.top[:, None]
    gap = (pips.top - ranks.foot[:, None]) / ranks.height[:, None]
    size = pips.height / ranks.height[:, None]
    fits = (GAP[0] < gap) & (gap < GAP[1]) & (PIP_SIZE[0] < size) & (size < PIP_SIZE[1])
    fits &= (aside < ASIDE * total) & (HEIGHT_PX[0] < total) & (total < HEIGHT_PX[1])
    rank, pip = np.nonzero(fits)
    middle = (ranks.middle[rank] + pips.middle[pip]) / 2
    level = (ranks.top[rank] + pips.foot[pip]) / 2
    downs = np.tile([0.0, 1.0], (len(rank), 1))
    return Candidates(np.column_stack([middle, level]), downs, total[rank, pip])


def _with_digits(boxes: _Boxes) -> _Boxes:
    """The boxes, and the union of each two that may be the digits of a ten."""
    height = boxes.height
    apart = boxes.middle - boxes.middle[:, None]
    level = np.abs(boxes.top - boxes.top[:, None]) < DIGIT_LEVEL * height
    alike = np.abs(np.log(height / height[:, None])) < np.log(DIGIT_SIZE)
    one, two = np.nonzero((apart > 0) & (apart < DIGIT_APART * height) & level & alike)
    both = (
        (boxes.middle[one] + boxes.middle[two]) / 2,
        np.minimum(boxes.top[one], boxes.top[two]),
        np.maximum(boxes.foot[one], boxes.foot[two]),
    )
    single = (boxes.middle, boxes.top, boxes.foot)
    return _Boxes(*(np.concatenate(pair) for pair in zip(single, both, strict=True)))
