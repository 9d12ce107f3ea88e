"""Places of a survey that hold a card's face or back, or a cut card, and that nothing read explains."""

from typing import Final, NamedTuple

import cv2
import numpy as np

from vision.geometry.arrays import Image, Points
from vision.geometry.outlines import CARD_ASPECT, scaled
from vision.proposal.heat_map import PATCH, Survey

OPENING: Final = 0.12
"""Strips narrower than this, in long sides of a card, are the rims of outlines that do not quite fit."""

SLACK: Final = 0.12
"""Known outlines explain what lies so far beyond them, as a share of half their size."""

CARD_FILLED: Final = 0.4
CARD_SIDES: Final = (0.95, 1.25)
"""What a known card leaves of another one below it fills so much of the rectangle around it, at least, and
fits into a card: sides in long sides of one."""

LONE_LONG: Final = (0.8, 1.25)
LONE_ASPECT: Final = (0.55, 0.88)
LONE_FILLED: Final = 0.8
"""Length in long sides of a card, aspect and filled share of a card that lies alone and uncovered."""

ROUND: Final = (0.7, 0.6)
"""What is wider than this share of its length and smaller than so many cards is a stack of chips."""

CONTACT: Final = 0.8
"""So far, in long sides of a card, what lies below a known card runs along it: chips touch it at a point."""


class Kind(NamedTuple):
    """Which places of a kind count.

    `sure` is the least probability; areas from `least` to `most` are in cards, `longest` is in long sides of
    a card: a tablecloth is larger. `filled` is the least share of the rectangle around: carpets and sleeves
    have less. `alone` is the least area where no known card is near: chips are smaller.
    """

    name: str
    sure: float
    least: float
    most: float
    longest: float
    filled: float
    alone: float


FACE: Final = Kind("face", 0.8, 0.25, 4.0, 2.5, 0.62, 0.25)
BACK: Final = Kind("back", 0.5, 0.25, 2.0, 1.6, 0.66, 0.42)
CUT: Final = Kind("cut", 0.8, 0.4, 1.5, 1.4, 0.72, 0.5)


class Part(NamedTuple):
    """A place in the picture: a point of it near its middle, and the rectangle around it, a short side first.

    `lone` when it has a card's shape: nothing covers it.
    """

    middle: Points
    corners: Points
    lone: bool


class Cover:
    """Which places are explained; on the grid of the survey's heat."""

    def __init__(self, survey: Survey, long_px: float) -> None:
        """Nothing is explained yet; `long_px` is a card's long side."""
        self._survey = survey
        self._pixel = PATCH * survey.scale
        self._mask: Image = np.zeros(survey.heat.shape, np.uint8)
        self._long = long_px / self._pixel

    def outlines(self, cards: list[Points]) -> None:
        """Explain cards by their corners, 4 x 2 each."""
        corners = np.array(cards).reshape(-1, 4, 2)
        for outline in self._at(scaled(corners, 1 + SLACK)):
            cv2.fillConvexPoly(self._mask, outline, 1)

    def disc(self, centre: Points, reach: float) -> None:
        """Explain what lies around a place, within so many long sides of a card."""
        x, y = self._at(centre).tolist()
        cv2.circle(self._mask, (x, y), max(1, round(reach * self._long)), 1, -1)

    def parts(self, kind: Kind) -> list[Part]:
        """Unexplained places that hold a kind and lie wholly in the picture."""
        card = CARD_ASPECT * self._long**2
        there = self._there(kind)
        if cv2.countNonZero(there) < kind.least * card:
            return []
        width = max(1, round(OPENING * self._long))
        there = cv2.morphologyEx(there, cv2.MORPH_OPEN, np.ones((width, width), np.uint8))
        _, labels, stats, _ = cv2.connectedComponentsWithStats(there)
        areas = stats[1:, cv2.CC_STAT_AREA] / card
        chosen = np.flatnonzero((areas >= kind.least) & (areas <= kind.most)) + 1
        parts = (self._part((labels == number).astype(np.uint8), kind) for number in chosen)
        return [part for part in parts if part is not None]

    def _there(self, kind: Kind) -> Image:
        """1 where a kind surely is and nothing explains it."""
        rows, columns = self._survey.heat.shape
        likely = self._survey.kind(kind.name)
        if likely.max(initial=0.0) <= kind.sure:
            return np.zeros((rows, columns), np.uint8)
        smooth = cv2.resize(likely, (columns, rows), interpolation=cv2.INTER_LINEAR)
        return np.asarray((smooth > kind.sure) & (self._mask == 0), np.uint8)

    def _at(self, points: Points) -> Image:
        return np.asarray(np.round((points + 0.5) / self._pixel - 0.5).astype(np.int32))

    def _part(self, mask: Image, kind: Kind) -> Part | None:
        """The part, None when the picture's border cuts it or its shape is no card's and no pile's."""
        rows, columns = np.nonzero(mask)
        points = np.stack([columns, rows], 1)
        if (points.min(0) <= 1).any() or (points.max(0) >= np.array(mask.shape[::-1]) - 2).any():
            return None
        rectangle = cv2.minAreaRect(points.astype(np.float32))
        short, long = sorted(side + 1 for side in rectangle[1])
        filled, cards = len(points) / (short * long), len(points) / (CARD_ASPECT * self._long**2)
        below = short < CARD_SIDES[0] * self._long and long < CARD_SIDES[1] * self._long
        contact = cv2.countNonZero(cv2.dilate(mask, np.ones((3, 3), np.uint8)) & self._mask)
        below &= contact > CONTACT * self._long
        if filled < (CARD_FILLED if below else kind.filled) or long > kind.longest * self._long:
            return None
        if (cards < kind.alone and not below) or (short > ROUND[0] * long and cards < ROUND[1]):
            return None
        corners = cv2.boxPoints((rectangle[0], (rectangle[1][0] + 1, rectangle[1][1] + 1), rectangle[2]))
        if np.hypot(*(corners[1] - corners[0])) > np.hypot(*(corners[2] - corners[1])):
            corners = np.roll(corners, -1, 0)
        shaped = LONE_LONG[0] < long / self._long < LONE_LONG[1] and filled > LONE_FILLED
        shaped &= LONE_ASPECT[0] < short / long < LONE_ASPECT[1]
        middle = points[np.argmin(((points - points.mean(0)) ** 2).sum(1))]
        return Part(self._back(middle), self._back(corners), bool(shaped))

    def _back(self, points: Points) -> Points:
        """Places of the grid in pixels of the picture."""
        return np.asarray((points + 0.5) * self._pixel - 0.5)
