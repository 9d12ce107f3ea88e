"""Propose upright indices: pairs from the tables' search, and looser pairs in the known direction.

On a table a rank and its pip have any direction, so many things pair by chance and limits are tight. Here
they stand one above the other, and wider limits accept decks of any design.
"""

from typing import Final, NamedTuple

import numpy as np

from vision.geometry import Image, IndexPoses, Points, concatenated
from vision.proposal import PAIRING_RULE, InkComponents, find_components, pair_components


class UprightRule(NamedTuple):
    """Limits for components that are a rank and its pip, one above the other.

    Source: of 200 drawn cards at rest 16 were not found by the search for tables, none with these limits
    (history of this file).
    """

    aside: float = 0.3
    """A pip's middle is this share of the index's height beside its rank's, at most."""

    gap: tuple[float, float] = (-0.15, 1.2)
    """Room between rank and pip, in heights of the rank."""

    pip_size: tuple[float, float] = (0.25, 1.4)
    """Height of the pip, in heights of the rank."""

    digit_apart: float = 1.1
    digit_level: float = 0.2
    digit_size: float = 1.5
    """The digits of a ten: so far apart, so level (in their height), so alike in height (ratio), at most."""

    index_px: tuple[float, float] = (15.0, 220.0)
    """Height of the whole index."""


_UPRIGHT_RULE: Final = UprightRule()

VARIANCE_MIN: Final = 0.25
"""A component is at least half a pixel to either side in standard deviations: thin strokes have a size,
too."""


class _Boxes:
    """Components of ink as upright boxes: middle, top, foot and height, n each, pixels."""

    def __init__(self, middle: Points, top: Points, foot: Points) -> None:
        self.middle, self.top, self.foot = middle, top, foot
        self.height = foot - top

    @classmethod
    def of(cls, components: InkComponents, reach: float) -> "_Boxes":
        """Boxes that end `reach` standard deviations above and below the centres."""
        half = reach * np.sqrt(np.maximum(components.spreads[:, 1, 1], VARIANCE_MIN))
        x, y = components.centres[:, 0], components.centres[:, 1]
        return cls(x, y - half, y + half)


def propose_upright_indices(image: Image) -> IndexPoses:
    """Every place of a BGR picture where an upright index may stand, some of them more than once."""
    components = find_components(image)
    found = concatenated((pair_components(components), upright_pairs(components)))
    return found.take(np.flatnonzero(found.downs[:, 1] > 0))


def upright_pairs(components: InkComponents) -> IndexPoses:
    """Every component, or two side by side, with a smaller one below."""
    rule = _UPRIGHT_RULE
    ranks = _with_digits(_Boxes.of(components, PAIRING_RULE.rank_reach))
    pips = _Boxes.of(components, PAIRING_RULE.pip_reach)
    aside = np.abs(ranks.middle[:, None] - pips.middle)
    total = pips.foot - ranks.top[:, None]
    gap = (pips.top - ranks.foot[:, None]) / ranks.height[:, None]
    size = pips.height / ranks.height[:, None]
    fits = (rule.gap[0] < gap) & (gap < rule.gap[1]) & (rule.pip_size[0] < size) & (size < rule.pip_size[1])
    fits &= (aside < rule.aside * total) & (rule.index_px[0] < total) & (total < rule.index_px[1])
    rank, pip = np.nonzero(fits)
    middle = (ranks.middle[rank] + pips.middle[pip]) / 2
    level = (ranks.top[rank] + pips.foot[pip]) / 2
    downs = np.tile([0.0, 1.0], (len(rank), 1))
    return IndexPoses(np.column_stack([middle, level]), downs, total[rank, pip])


def _with_digits(boxes: _Boxes) -> _Boxes:
    """The boxes, and the union of each two that may be the digits of a ten."""
    rule, height = _UPRIGHT_RULE, boxes.height
    apart = boxes.middle - boxes.middle[:, None]
    level = np.abs(boxes.top - boxes.top[:, None]) < rule.digit_level * height
    alike = np.abs(np.log(height / height[:, None])) < np.log(rule.digit_size)
    one, two = np.nonzero((apart > 0) & (apart < rule.digit_apart * height) & level & alike)
    both = (
        (boxes.middle[one] + boxes.middle[two]) / 2,
        np.minimum(boxes.top[one], boxes.top[two]),
        np.maximum(boxes.foot[one], boxes.foot[two]),
    )
    single = (boxes.middle, boxes.top, boxes.foot)
    return _Boxes(*(np.concatenate(pair) for pair in zip(single, both, strict=True)))
