"""The boxes in each camera's picture; for several cameras over one plan, the owner of each box."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import combinations
from typing import Final, NamedTuple

import numpy as np

from controller.domain import ConfigError
from controller.runtime.contradictions import Pixel
from vision.calibration import Layout, check_zones, zone_name

BoxAt = Callable[[Pixel], int | None]
"""Tells the box at a place in the picture: 0 is the dealer, None is nobody's."""


class CircleZone(NamedTuple):
    """A circle in the picture, in pixels, in which the cards of a box lie; box 0 is the dealer."""

    box: int
    x: float
    y: float
    radius: float


def circle_zones(zones: Iterable[CircleZone]) -> BoxAt:
    """Return the `BoxAt` of round zones: the nearest centre, measured in its radius."""
    known = tuple(zones)

    def box_at(at: Pixel) -> int | None:
        distances = {zone: ((at[0] - zone.x) ** 2 + (at[1] - zone.y) ** 2) / zone.radius**2 for zone in known}
        nearest = min(distances, key=distances.__getitem__, default=None)
        return nearest.box if nearest is not None and distances[nearest] <= 1 else None

    return box_at


NamedLayout = tuple[str, Layout]
"""A camera's name, and what it was calibrated with."""

APART_MM: Final = 10.0
"""The same box lies no further apart in two layouts. Not measured: by one plan they are the same."""


class OwnedBox(NamedTuple):
    """A box (0: the dealer), the camera that owns it, and its pixels a millimetre there.

    `cameras` are all that see the box, the owner first.
    """

    box: int
    camera: str
    px_per_mm: float
    cameras: tuple[str, ...]


def owned_boxes(cameras: Sequence[NamedLayout]) -> tuple[OwnedBox, ...]:
    """Return each box that any camera sees, with its owner, by number.

    The owner has most pixels per millimetre at the box's worst corner; among equal ones (to a thousandth),
    the camera named first.
    """
    seen: dict[int, list[tuple[float, str]]] = {}
    for name, layout in cameras:
        for zone in layout.zone:
            if zone.number is not None:
                px_per_mm = round(float(layout.flat.px_per_mm(zone.corners()).min()), 3)
                seen.setdefault(zone.number, []).append((px_per_mm, name))
    return tuple(_owned(box, seen[box]) for box in sorted(seen))


def _owned(box: int, seen: list[tuple[float, str]]) -> OwnedBox:
    """Return a box with its cameras, the best first, equal ones in their order."""
    best_first = sorted(seen, key=lambda one: -one[0])
    px_per_mm, camera = best_first[0]
    return OwnedBox(box, camera, px_per_mm, tuple(name for _, name in best_first))


def fitted(cameras: Sequence[NamedLayout]) -> dict[str, Layout]:
    """Return the layouts with the owner's outline for each box, so that all cameras agree on a card's box.

    Raises `ConfigError` LAYOUTS_APART for a box that lies elsewhere in another layout, and LAYOUTS_CLASH for
    a box that overlaps another zone of the other layout.
    """
    _require_one_plane(cameras)
    layouts = dict(cameras)
    owner = {one.box: one.camera for one in owned_boxes(cameras)}
    outline = {
        zone_name(zone): zone
        for name, layout in cameras
        for zone in layout.zone
        if zone.number is not None and owner[zone.number] == name
    }
    found = {}
    for name, layout in layouts.items():
        zones = tuple(outline.get(zone_name(zone), zone) for zone in layout.zone)
        try:
            check_zones(zones)
        except ValueError as error:
            raise ConfigError("LAYOUTS_CLASH", error=f"{name}: {error}") from error
        found[name] = layout.model_copy(update={"zone": zones})
    return found


def _require_one_plane(cameras: Sequence[NamedLayout]) -> None:
    for (name, layout), (other, second) in combinations(cameras, 2):
        for box, apart in _apart_mm(layout, second):
            if apart > APART_MM:
                raise ConfigError("LAYOUTS_APART", camera=name, other=other, box=box, mm=round(apart))


def _apart_mm(one: Layout, other: Layout) -> Iterator[tuple[int, float]]:
    """Yield the distance between the centres of each common box, in millimetres."""
    middles = [{zone.number: zone.corners().mean(0) for zone in layout.zone} for layout in (one, other)]
    for box in sorted(number for number in middles[0] if number is not None and number in middles[1]):
        yield box, float(np.hypot(*(middles[0][box] - middles[1][box])))
