"""Where a camera sees the boxes: places in its pictures in, boxes out."""

from collections.abc import Callable, Iterable
from typing import NamedTuple

from controller.runtime.witness.tracked_cards import Pixel

BoxAt = Callable[[Pixel], int | None]
"""Tells the box at a place in the picture: 0 is the dealer, None is nobody's."""


class CircleZone(NamedTuple):
    """A circle in the picture, in pixels, in which the cards of a box lie; box 0 is the dealer."""

    box: int
    x: float
    y: float
    radius: float


def circle_zones(zones: Iterable[CircleZone]) -> BoxAt:
    """Make the `BoxAt` of round zones: the one whose centre is nearest, measured in its radius."""
    known = tuple(zones)

    def box_at(at: Pixel) -> int | None:
        distances = {zone: ((at[0] - zone.x) ** 2 + (at[1] - zone.y) ** 2) / zone.radius**2 for zone in known}
        nearest = min(distances, key=distances.__getitem__, default=None)
        return nearest.box if nearest is not None and distances[nearest] <= 1 else None

    return box_at
