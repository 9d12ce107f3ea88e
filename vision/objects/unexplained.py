"""Areas of a heat map that hold a card's face or back, or a cut card, and that nothing read explains."""

from typing import Final, NamedTuple

import cv2
import numpy as np

from vision.geometry import CARD_ASPECT, Image, Points, scaled
from vision.proposal import PATCH_PX, CellKind, HeatMap


class AreaRule(NamedTuple):
    """Limits for areas of one kind. Areas are in cards, lengths in long sides of a card."""

    kind: CellKind
    sure: float
    """Least probability of the kind."""

    least: float
    longest: float
    """Area and length: a tablecloth is larger."""

    filled: float
    """Least share of the rectangle around it: carpets and sleeves have less."""

    alone: float
    """Least area where no known card is near: chips are smaller."""


FACE_AREA: Final = AreaRule("face", 0.8, 0.25, 2.5, 0.62, 0.25)
BACK_AREA: Final = AreaRule("back", 0.5, 0.25, 1.6, 0.66, 0.42)
CUT_CARD_AREA: Final = AreaRule("cut", 0.8, 0.4, 1.4, 0.72, 0.5)
"""Source: chosen on 120 drawn tables and a quarter of the photographs; docs/measurements/reader.md, What the
heat map adds, has what they do together. The single numbers have no measurement on record."""


class ShapeLimits(NamedTuple):
    """Shape limits of areas, in long sides of a card or shares of them.

    Source: as for the area rules. `contact` and `chips` keep stacks of chips from being reported as cards
    face down, as they were on every third full table of the demo's deck (history of this file).
    """

    opening: float = 0.12
    """Strips narrower than this are the rims of outlines that do not quite fit."""

    slack: float = 0.12
    """Known outlines explain what lies so far beyond them, as a share of half their size."""

    below_filled: float = 0.4
    below_sides: tuple[float, float] = (0.95, 1.25)
    """What a known card leaves of another one below it fills so much of the rectangle around it, at least,
    and fits into a card."""

    contact: float = 0.8
    """So far what lies below a known card runs along it: chips touch it at a point."""

    chips: tuple[float, float] = (0.7, 0.6)
    """What is wider than the first share of its length and smaller than so many cards is a stack of chips."""


_SHAPE_LIMITS: Final = ShapeLimits()


class ExplainedMask:
    """The explained places, on the grid of a heat map's heat."""

    def __init__(self, heat_map: HeatMap, long_px: float) -> None:
        """Start with nothing explained; `long_px` is a card's long side in pixels of the picture."""
        self._heat_map = heat_map
        self._pixel = PATCH_PX * heat_map.scale
        self._mask: Image = np.zeros(heat_map.heat.shape, np.uint8)
        self._long = long_px / self._pixel

    def explain_cards(self, outlines: list[Points]) -> None:
        """Explain cards by their corners, 4 x 2 each."""
        corners = np.array(outlines).reshape(-1, 4, 2)
        for outline in self._on_grid(scaled(corners, 1 + _SHAPE_LIMITS.slack)):
            cv2.fillConvexPoly(self._mask, outline, 1)

    def explain_around(self, centre: Points, reach: float) -> None:
        """Mark the surroundings of a place as explained, `reach` in long sides of a card."""
        x, y = self._on_grid(centre).tolist()
        cv2.circle(self._mask, (x, y), max(1, round(reach * self._long)), 1, -1)

    def unexplained(self, rule: AreaRule) -> list[Points]:
        """Places (2 each) near the middles of unexplained areas of a kind that lie wholly in the picture."""
        card = CARD_ASPECT * self._long**2
        there = self._there(rule)
        if cv2.countNonZero(there) < rule.least * card:
            return []
        width = max(1, round(_SHAPE_LIMITS.opening * self._long))
        there = cv2.morphologyEx(there, cv2.MORPH_OPEN, np.ones((width, width), np.uint8))
        _, labels, stats, _ = cv2.connectedComponentsWithStats(there)
        areas = stats[1:, cv2.CC_STAT_AREA] / card
        chosen = np.flatnonzero(areas >= rule.least) + 1
        found = (self._middle((labels == number).astype(np.uint8), rule) for number in chosen)
        return [middle for middle in found if middle is not None]

    def _there(self, rule: AreaRule) -> Image:
        """1 where a kind surely is and nothing explains it."""
        rows, columns = self._heat_map.heat.shape
        likely = self._heat_map.kind(rule.kind)
        if likely.max(initial=0.0) <= rule.sure:
            return np.zeros((rows, columns), np.uint8)
        smooth = cv2.resize(likely, (columns, rows), interpolation=cv2.INTER_LINEAR)
        return np.asarray((smooth > rule.sure) & (self._mask == 0), np.uint8)

    def _middle(self, mask: Image, rule: AreaRule) -> Points | None:
        """A place near an area's middle; None when the border cuts it or its shape is no card's or pile's."""
        rows, columns = np.nonzero(mask)
        points = np.stack([columns, rows], 1)
        if (points.min(0) <= 1).any() or (points.max(0) >= np.array(mask.shape[::-1]) - 2).any():
            return None
        rectangle = cv2.minAreaRect(points.astype(np.float32))
        short, long = sorted(side + 1 for side in rectangle[1])
        filled = len(points) / (short * long)
        if not self._counts(mask, rule, (short, long), filled, len(points)):
            return None
        middle = points[np.argmin(((points - points.mean(0)) ** 2).sum(1))]
        return np.asarray((middle + 0.5) * self._pixel - 0.5)

    def _counts(
        self, mask: Image, rule: AreaRule, sides: tuple[float, float], filled: float, size: int
    ) -> bool:
        """Whether an area is a partly covered card, or a card or pile by itself."""
        limits, (short, long) = _SHAPE_LIMITS, sides
        cards = size / (CARD_ASPECT * self._long**2)
        below = short < limits.below_sides[0] * self._long and long < limits.below_sides[1] * self._long
        contact = cv2.countNonZero(cv2.dilate(mask, np.ones((3, 3), np.uint8)) & self._mask)
        below &= contact > limits.contact * self._long
        if filled < (limits.below_filled if below else rule.filled) or long > rule.longest * self._long:
            return False
        is_chips = short > limits.chips[0] * long and cards < limits.chips[1]
        return not ((cards < rule.alone and not below) or is_chips)

    def _on_grid(self, points: Points) -> Image:
        """Places of the picture in whole cells of the grid."""
        return np.asarray(np.round((points + 0.5) / self._pixel - 0.5).astype(np.int32))
