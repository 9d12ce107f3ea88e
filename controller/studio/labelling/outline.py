"""Four corners that a person tapped, as an outline that training and measuring read."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from controller.domain.errors import ConfigError

AREA_MIN_PX: Final = 100.0
"""A smaller outline was tapped by mistake: an index alone has more."""


def outline_of(corners: Sequence[float], width: int, height: int) -> dict[str, object]:
    """`quad`, clockwise from the corner tapped first, and `bbox`, of eight numbers in pixels.

    Raises ConfigError LABEL_OUTLINE where they do not stand around one card in the picture: in a row, in a
    bow, or outside.
    """
    points = list(zip(corners[::2], corners[1::2], strict=True))
    turns = [_turn(points, at) for at in range(4)]
    if all(turn < 0 for turn in turns):
        # Tapped the other way round: the first corner stays the first.
        points, turns = [points[0], *points[:0:-1]], [-turn for turn in turns]
    within = all(0 <= x <= width and 0 <= y <= height for x, y in points)
    if not within or min(turns) <= 0 or _area(points) < AREA_MIN_PX:
        raise ConfigError("LABEL_OUTLINE")
    xs, ys = [x for x, _ in points], [y for _, y in points]
    return {"quad": [list(point) for point in points], "bbox": [min(xs), min(ys), max(xs), max(ys)]}


def _turn(points: Sequence[tuple[float, float]], at: int) -> float:
    """Above 0 where the way turns right, y downwards, at the corner after this one."""
    (ax, ay), (bx, by), (cx, cy) = (points[(at + step) % 4] for step in range(3))
    return (bx - ax) * (cy - by) - (by - ay) * (cx - bx)


def _area(points: Sequence[tuple[float, float]]) -> float:
    return abs(sum(ax * by - bx * ay for (ax, ay), (bx, by) in pairwise([*points, points[0]]))) / 2
