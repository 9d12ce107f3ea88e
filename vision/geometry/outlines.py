"""Outlines of cards: four corners, clockwise, and what lies in them."""

from typing import Final

import cv2
import numpy as np

from vision.geometry.arrays import Points

NEXT: Final = [1, 2, 3, 0]
"""The corners that follow those of an outline."""

CARD_ASPECT: Final = 0.70
"""Width over height of a card: 0.65 (bridge) to 0.72 (poker)."""


def scaled(outlines: Points, factor: float) -> Points:
    """Outlines (... x 4 x 2) that are so many times as large about their middles."""
    middles = outlines.sum(-2, keepdims=True) / outlines.shape[-2]
    return np.asarray(middles + (outlines - middles) * factor)


def inside_each(points: Points, outlines: Points, slack: float = 0.0) -> Points:
    """Which of n x 2 points lie in which of m x 4 x 2 convex outlines, n x m; `slack` as for `all_inside`.

    A point is inside when it lies on the same side of all four edges, whichever way they run.
    """
    corners = scaled(outlines, 1 + slack).transpose(1, 0, 2)
    x, y = corners[..., 0], corners[..., 1]
    wide, high = x[NEXT] - x, y[NEXT] - y
    sides = wide[:, None] * points[:, 1:] - high[:, None] * points[:, :1]
    sides -= (wide * y - high * x)[:, None]
    return np.asarray((sides.min(0) >= 0) | (sides.max(0) <= 0))


def all_inside(points: Points, corners: Points, slack: float = 0.0) -> Points:
    """Which of n x 2 points lie in a convex outline grown by `slack` (share of its half size)."""
    return np.asarray(inside_each(points, corners[None], slack)[:, 0])


def inside(point: Points, corners: Points, slack: float = 0.0) -> bool:
    """Whether a point lies in a convex outline grown by `slack`."""
    return bool(all_inside(point[None], corners, slack)[0])


def overlap(one: Points, other: Points) -> bool:
    """Whether two convex outlines share any area."""
    area, _ = cv2.intersectConvexConvex(one.astype(np.float32), other.astype(np.float32))
    return area > 0
