"""Find card-sized foreground that no reading or report explains.

The networks know backs by appearance, and not every deck's. This module reports by outline alone.
"""

from collections.abc import Iterator
from typing import Final, NamedTuple

import cv2
import numpy as np

from vision.geometry import CARD_ASPECT, Image, Points, scaled
from vision.objects.card_sized import STROKE, opened
from vision.proposal import SAMPLE_STEP_PX


class LeftoverRule(NamedTuple):
    """Limits of a card's size, open or partly covered by another card.

    Lengths are in long sides of a card. Source: `python -m tests.measures.backs` for what is found, drawn
    tables of decks left out and photographs for false alarms; docs/measurements/reader.md, Backs.
    """

    openings: tuple[float, float] = (0.12, STROKE)
    """What is narrower is left out: rims of outlines that do not quite fit, print."""

    whole: float = 0.85
    turn_deg: int = 15
    largest: float = 2.0
    """A thing that holds a card of this share, turned in such steps, is one that print or stripes of light
    touch, where what is left without them is no larger than so many cards.

    Source: docs/measurements/reader.md, Tight fans and lone backs.
    """

    slack: float = 0.08
    """Known outlines explain what lies so far beyond them, as a share of half their size."""

    least: float = 0.12
    """Area, in cards: the strip that a card leaves of the one below it."""

    contact: float = 0.35
    """What a known card covers runs so far along it, at least: chips and print touch it at a point."""

    thick: float = 0.18
    """Its area by its longer side. The rims that an outline leaves which is off by a sixth are thinner."""

    below: tuple[float, float] = (0.5, 1.25)
    """The longer side of what a known card covers. A chip of 40 mm has 0.45, a card's short side 0.65."""

    alone_short: float = 0.5
    alone_long: tuple[float, float] = (0.75, 2.2)
    """Both sides of what no known card touches: whole words of print are not as high."""

    filled: float = 0.82
    """Least share of the smallest rectangle around it that it fills, with the known cards that lie there: a
    round thing fills 0.79 of its own."""


_LEFTOVER_RULE: Final = LeftoverRule()

_EDGE_STEP: Final = 1.5
"""The edges of a thing's outline are straight to so many pixels of the sample.

Source: no measurement on record; a rounded corner of a card is as large.
"""

_FIT_PX: Final = 20.0
"""A card's long side where it is fitted in. Source: no tuned number, time."""

REACH: Final = 0.4
"""What is found so near to another find, in long sides of a card, is the same thing.

Source: no measurement on record; cards beside each other are 0.65 apart.
"""


def leftover_papers(mask: Image, explained: list[Points], long_px: float) -> list[Points]:
    """The middles (2 each) of things in a card's measures, in pixels of the picture.

    `mask` is a `foreground_mask`; `explained` are the outlines (4 x 2) of all that was read or reported, and
    `long_px` is a card's long side.
    """
    long = long_px / SAMPLE_STEP_PX
    known = np.zeros(mask.shape, np.uint8)
    outlines = scaled(np.array(explained).reshape(-1, 4, 2), 1 + _LEFTOVER_RULE.slack) / SAMPLE_STEP_PX
    for corners in np.rint(outlines).astype(np.int32):
        cv2.fillConvexPoly(known, corners, 255)
    found: list[Points] = []
    for width in _LEFTOVER_RULE.openings:
        for part in _parts(opened(mask & ~known, width * long / 2), long):
            middle = _middle(part, known, long)
            if middle is not None and _is_apart(middle, found, long_px):
                found.append(middle)
    for middle in _holding_a_card(mask & ~known, long):
        if _is_apart(middle, found, long_px):
            found.append(middle)
    return found


def _is_apart(middle: Points, found: list[Points], long_px: float) -> bool:
    """Whether a thing is another one than all that was found."""
    return all(float(np.hypot(*(middle - one))) > REACH * long_px for one in found)


def _holding_a_card(left: Image, long: float) -> Iterator[Points]:
    """Points of what is left where a whole card fits in, in pixels of the picture."""
    rule, scale = _LEFTOVER_RULE, min(1.0, _FIT_PX / long)
    high_px, wide_px = (max(1, round(side * scale)) for side in left.shape)
    small = cv2.resize(left, (wide_px, high_px), interpolation=cv2.INTER_NEAREST)
    high = rule.whole * long * scale
    room: Image = np.zeros(small.shape, np.uint8)
    for degrees in range(0, 180, rule.turn_deg):
        corners = cv2.boxPoints(((0.0, 0.0), (CARD_ASPECT * high, high), degrees))
        corners -= corners.min(0)
        kernel = np.zeros(np.ceil(corners.max(0)).astype(int)[::-1] + 1, np.uint8)
        cv2.fillConvexPoly(kernel, np.rint(corners).astype(np.int32), 1)
        held = cv2.morphologyEx(small, cv2.MORPH_OPEN, kernel, borderType=cv2.BORDER_CONSTANT, borderValue=0)
        room = cv2.bitwise_or(room, held)
    _, parts, stats, centres = cv2.connectedComponentsWithStats(room)
    areas = stats[:, cv2.CC_STAT_AREA] / (CARD_ASPECT * (long * scale) ** 2)
    for number in range(1, len(centres)):
        if areas[number] < rule.largest and not _is_cut(parts == number):
            yield np.asarray((centres[number] + 0.5) * SAMPLE_STEP_PX / scale - 0.5)


def _is_cut(part: Image) -> bool:
    """Whether the picture's border cuts a thing."""
    return bool(part[0].any() or part[-1].any() or part[:, 0].any() or part[:, -1].any())


def _parts(left: Image, long: float) -> Iterator[Image]:
    """Yield the connected parts as masks (1 inside), without those too small or cut by the border."""
    rule = _LEFTOVER_RULE
    _, parts, stats, _ = cv2.connectedComponentsWithStats(left)
    areas = stats[:, cv2.CC_STAT_AREA] / (CARD_ASPECT * long**2)
    for number in np.flatnonzero(areas >= rule.least).tolist():
        part = (parts == number).astype(np.uint8)
        if number and not _is_cut(part):
            yield part


def _middle(part: Image, known: Image, long: float) -> Points | None:
    """Return a point of the part near its middle; None where it has not a card's size."""
    points = np.argwhere(part)[:, ::-1]
    filled, sides = _best_rectangle(points, part | known)
    if filled < _LEFTOVER_RULE.filled or not _is_as_large(part, known, (sides + 1) / long, long):
        return None
    middle = points[np.argmin(((points - points.mean(0)) ** 2).sum(1))]
    return np.asarray((middle + 0.5) * SAMPLE_STEP_PX - 0.5)


def _best_rectangle(points: Points, there: Image) -> tuple[float, Points]:
    """Return the filled share and the sides of the best filled rectangle along the part's edges.

    The smallest rectangle lies askew around a card that another covers on two sides.
    """
    hull = cv2.convexHull(points.astype(np.float32)).reshape(-1, 2)
    edges = cv2.approxPolyDP(hull, _EDGE_STEP, closed=True).reshape(-1, 2)
    best, sides = 0.0, np.zeros(2)
    for edge in np.roll(edges, -1, 0) - edges:
        across = edge / max(float(np.hypot(*edge)), 1.0)
        axes = np.array([across, (-across[1], across[0])])
        least, most = (hull @ axes.T).min(0), (hull @ axes.T).max(0)
        square = np.array([(0, 0), (1, 0), (1, 1), (0, 1)])
        around = np.zeros(there.shape, np.uint8)
        corners = (least + square * (most - least)) @ axes
        cv2.fillConvexPoly(around, np.rint(corners).astype(np.int32), 1)
        filled = cv2.countNonZero(around & there) / max(cv2.countNonZero(around), 1)
        if filled > best:
            best, sides = filled, most - least
    return best, sides


def _is_as_large(part: Image, known: Image, sides: Points, long: float) -> bool:
    """Whether such sides fit a card, or the visible rest of a card under a known one."""
    rule, (shorter, longer) = _LEFTOVER_RULE, sorted(sides.tolist())
    contact = cv2.countNonZero(cv2.dilate(part, np.ones((3, 3), np.uint8)) & known)
    thick = cv2.countNonZero(part) / (longer * long**2)
    if contact >= rule.contact * long and thick > rule.thick:
        return bool(rule.below[0] < longer < rule.below[1])
    return bool(shorter > rule.alone_short and rule.alone_long[0] < longer < rule.alone_long[1])
