"""Outlines of cards (four corners, clockwise) and points within them."""

from typing import Final

import cv2
import numpy as np

from vision.geometry.arrays import Points

NEXT_CORNER: Final = [1, 2, 3, 0]
"""Numbers of the corners that follow corners 0 to 3 of an outline."""

CARD_ASPECT: Final = 0.70
"""Width over height of a card.

Source: between the two formats in use, bridge (57 x 88 mm, 0.65) and poker (63 x 88 mm, 0.72).
"""


def scaled(outlines: Points, factor: float) -> Points:
    """Outlines (... x 4 x 2) made `factor` times as large about their middles."""
    middles = outlines.sum(-2, keepdims=True) / outlines.shape[-2]
    return np.asarray(middles + (outlines - middles) * factor)


def inside_each(points: Points, outlines: Points, slack: float = 0.0) -> Points:
    """Return which of n x 2 points lie in which of m x 4 x 2 convex outlines, n x m, bool.

    The outlines are first grown by `slack`, a share of their half size; a negative one shrinks them. A point
    is inside when it lies on the same side of all four edges, in either winding.
    """
    corners = scaled(outlines, 1 + slack).transpose(1, 0, 2)
    x, y = corners[..., 0], corners[..., 1]
    wide, high = x[NEXT_CORNER] - x, y[NEXT_CORNER] - y
    sides = wide[:, None] * points[:, 1:] - high[:, None] * points[:, :1]
    sides -= (wide * y - high * x)[:, None]
    return np.asarray((sides.min(0) >= 0) | (sides.max(0) <= 0))


def all_inside(points: Points, corners: Points, slack: float = 0.0) -> Points:
    """Return which of n x 2 points lie in one convex outline (4 x 2), n, bool; `slack` as `inside_each`."""
    return np.asarray(inside_each(points, corners[None], slack)[:, 0])


def inside(point: Points, corners: Points, slack: float = 0.0) -> bool:
    """Whether one point (2) lies in one convex outline (4 x 2); `slack` as for `inside_each`."""
    return bool(all_inside(point[None], corners, slack)[0])


def overlap(one: Points, other: Points) -> bool:
    """Whether two convex outlines share any area; touching outlines do not."""
    area, _ = cv2.intersectConvexConvex(one.astype(np.float32), other.astype(np.float32))
    return area > 0
