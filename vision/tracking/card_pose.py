"""Poses of cards: distances in card lengths, outlines, and places within them.

A card length is the long side of a card, `card_px` in pixels.
"""

from typing import Final, NamedTuple

import cv2
import numpy as np

from vision.geometry import Points, Rect
from vision.reading import PointPx, Quad

_LONE_HALF: Final = 0.3
"""Half side, in card lengths, of the square taken for a card of which only an index is known.

Source: no measurement on record.
"""


class CardPose(NamedTuple):
    """The place of the index that was read (of the centre while face down), and the corners if known."""

    at: PointPx
    quad: Quad | None


def _centre_of(pose: CardPose) -> PointPx:
    """The card's centre where its corners are known, else the place that was read."""
    if pose.quad is None:
        return pose.at
    return sum(x for x, _ in pose.quad) / 4, sum(y for _, y in pose.quad) / 4


def index_places(pose: CardPose) -> tuple[PointPx, ...]:
    """Return the places of the card's indices: the read one and, with known corners, its opposite."""
    if pose.quad is None:
        return (pose.at,)
    x, y = _centre_of(pose)
    return pose.at, (2 * x - pose.at[0], 2 * y - pose.at[1])


def long_side_px(pose: CardPose) -> float | None:
    """Long side of the card, where its corners are known."""
    if pose.quad is None:
        return None
    (ax, ay), (bx, by), (cx, cy) = pose.quad[:3]
    return float(max(np.hypot(bx - ax, by - ay), np.hypot(cx - bx, cy - by)))


def distance_px(one: PointPx, other: PointPx) -> float:
    """Between two places."""
    return float(np.hypot(one[0] - other[0], one[1] - other[1]))


def distance_in_cards(one: CardPose, other: CardPose, card_px: float) -> float:
    """Return the distance of two poses in card lengths: of centres, or of indices without a centre."""
    if one.quad is not None and other.quad is not None:
        return distance_px(_centre_of(one), _centre_of(other)) / card_px
    return _between_indices(one, other, card_px)


def same_card_distance(one: CardPose, other: CardPose, card_px: float) -> float:
    """Return the smaller of both distances, for one card whose corners are estimated with each read."""
    return min(distance_in_cards(one, other, card_px), _between_indices(one, other, card_px))


def _between_indices(one: CardPose, other: CardPose, card_px: float) -> float:
    return min(distance_px(a, b) for a in index_places(one) for b in index_places(other)) / card_px


def crossed(one: CardPose, other: CardPose) -> bool:
    """Whether the angle between two cards is nearer to a quarter turn than to none."""
    if one.quad is None or other.quad is None:
        return False
    (ax, ay), (bx, by), *_ = one.quad
    (cx, cy), (dx, dy), *_ = other.quad
    along = abs((bx - ax) * (dx - cx) + (by - ay) * (dy - cy))
    across = abs((bx - ax) * (dy - cy) - (by - ay) * (dx - cx))
    return across > along


def facing(one: CardPose, other: CardPose) -> bool:
    """Whether one outline begins at the corner where the other ends; False without an outline."""
    if one.quad is None or other.quad is None:
        return False
    (ax, ay), _, _, (bx, by) = one.quad
    (cx, cy), _, _, (dx, dy) = other.quad
    return (bx - ax) * (dx - cx) + (by - ay) * (dy - cy) < 0


def outline_of(pose: CardPose, card_px: float) -> Points:
    """Corners of the card, 4 x 2; of a square around the index where the card's own are not known."""
    if pose.quad is not None:
        return np.array(pose.quad, np.float32)
    (x, y), half = pose.at, _LONE_HALF * card_px
    return np.array([(x - half, y - half), (x + half, y - half), (x + half, y + half), (x - half, y + half)])


def bounds_of(pose: CardPose, card_px: float) -> Rect:
    """The upright rectangle around a card."""
    points = outline_of(pose, card_px)
    (left, top), (right, foot) = points.min(0), points.max(0)
    return int(left), int(top), int(right) + 1, int(foot) + 1


def covers(pose: CardPose, place: PointPx, card_px: float, slack: float = 0.0) -> bool:
    """Whether a place lies on the card, its outline grown by `slack` card lengths."""
    corners = outline_of(pose, card_px).astype(np.float32)
    return cv2.pointPolygonTest(corners, place, True) >= -slack * card_px


def within(quad: Quad, place: PointPx, slack_px: float = 0.0) -> bool:
    """Whether a place lies within these corners, or at most `slack_px` away."""
    return cv2.pointPolygonTest(np.array(quad, np.float32), place, True) >= -slack_px


def carried(pose: CardPose, at: PointPx, quad: Quad | None) -> CardPose:
    """The pose after a new read. Without corners, the ones known before go along with the nearest index."""
    if quad is not None or pose.quad is None:
        return CardPose(at, quad)
    near = min(index_places(pose), key=lambda place: distance_px(place, at))
    right, down = at[0] - near[0], at[1] - near[1]
    first, second, third, fourth = ((x + right, y + down) for x, y in pose.quad)
    return CardPose(at, (first, second, third, fourth))
