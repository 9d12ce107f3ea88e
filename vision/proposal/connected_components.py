"""Connected components of ink on white paper, with place, spread and colour.

Ink is clearly darker than the paper around it, at one of three levels. A component found at two levels is
returned once.
"""

from typing import Final, NamedTuple

import numpy as np

from vision.geometry import Image, Points
from vision.native import SpotRule, pieces_of_ink, spots_of
from vision.proposal.paper_mask import CELL_PX, coarse_sample, find_paper

INK_LEVELS: Final = (184, 133, 218)
"""Ink is darker than so many parts in 256 of the paper: as a rule; where glyphs touch; where light washes red
out.

Source: looking at three levels instead of one, and in the dark too, raised what is read of the phone
photographs from 89 to 94 of 100 cards (history of this file).
"""


class ComponentRule(NamedTuple):
    """Limits for components that can be a glyph or a pip, and for equal components.

    Source: no measurement on record, except where a field names one.
    """

    longest_px: tuple[float, float] = (4, 110)
    """Least and greatest of the longer side of the upright box; the greatest bounds the search for pairs."""

    shortest_px: float = 2
    """Least of its shorter side."""

    filled: float = 0.12
    """More than this share of the box is ink."""

    same_place_px: float = 1.5
    same_area: tuple[float, float] = (0.6, 1.7)
    """Components of two levels are one when their centres are nearer than this and their areas have such a
    ratio."""

    contrast_min: float = 20.0
    """Redness is a share of the grey levels between paper and ink, or of this where there are fewer."""


COMPONENT_RULE: Final = ComponentRule()

_KERNEL_COMPONENT_RULE: Final = SpotRule(
    longest=COMPONENT_RULE.longest_px,
    shortest=COMPONENT_RULE.shortest_px,
    filled=COMPONENT_RULE.filled,
    place=COMPONENT_RULE.same_place_px,
    area=COMPONENT_RULE.same_area,
    contrast=COMPONENT_RULE.contrast_min,
)


class InkComponents(NamedTuple):
    """N connected components of ink.

    `centres`: n x 2, pixels. `spreads`: n x 2 x 2, covariances of their pixels' places. `areas`: n, pixels.
    `redness`: n, 0 black .. 1 as red as can be.
    """

    centres: Points
    spreads: Points
    areas: Points
    redness: Points


_NO_COMPONENTS: Final = InkComponents(np.empty((0, 2)), np.empty((0, 2, 2)), np.empty(0), np.empty(0))


def find_components(image: Image, sample: Image | None = None) -> InkComponents:
    """All components of ink in a BGR picture that could be part of an index.

    `sample` is the picture's `coarse_sample`, where the caller has it already.
    """
    cells = find_paper(coarse_sample(image) if sample is None else sample)
    if cells is None:
        return _NO_COMPONENTS
    sums = pieces_of_ink(image, cells.level, cells.paper, CELL_PX, INK_LEVELS)
    return InkComponents(*spots_of(sums, _KERNEL_COMPONENT_RULE, cells.white))
