"""What to read now, and what of it counts."""

from collections.abc import Iterable
from typing import Final

import cv2
import numpy as np

from vision.reading import ReadCard, Unclear
from vision.tracking.block_grid import Grid, Moment, any_in
from vision.tracking.card_pose import Rect, bounds, distance, index_places
from vision.tracking.change_gate import Blocks
from vision.tracking.regions import grown, meet, merged, union
from vision.tracking.track import Track
from vision.tracking.unread_objects import Spot

MARGIN: Final = 0.35
"""Regions are read with so much more around them, in card lengths."""

EDGE: Final = 0.25
"""What is unclear this near to a region's edge (in card lengths) is a card that the edge cuts."""

INDEX_HALF: Final = 0.1
"""Half side of an index, in card lengths: nothing may move over it while it is read."""

OWN_CORNER: Final = 0.3
"""What is unclear this near to an index of a card that was read is that index."""


def wanted(places: list[Rect], tracks: list[Track], spots: Iterable[Spot], now: Moment) -> list[Rect]:
    """Regions to read: the given places with the cards there, and still places that are open."""
    grid = now.grid
    rects = [_with_cards(rect, tracks, grid) for rect in places]
    rects += [
        bounds(track.pose, grid.card_px)
        for track in tracks
        if track.due(now.mono_ms) and now.rests(track.pose)
    ]
    rects += [
        grid.around(spot.at, 1.0)
        for spot in spots
        if spot.due(now.mono_ms) and now.still_at(spot.at, INDEX_HALF)
    ]
    return merged((grown(rect, MARGIN * grid.card_px) for rect in rects), grid.shape)


def _with_cards(rect: Rect, tracks: list[Track], grid: Grid) -> Rect:
    whole = rect
    for track in tracks:
        place = bounds(track.pose, grid.card_px)
        if meet(rect, place):
            whole = union(whole, place)
    return whole


def usable(cards: Iterable[ReadCard], now: Moment) -> list[ReadCard]:
    """The reads of indices over which nothing was moving."""
    return [card for card in cards if now.still_at(card.at, INDEX_HALF)]


def uncut(unclear: Iterable[Unclear], regions: list[Rect], read: list[Track], now: Moment) -> list[Unclear]:
    """What could not be read, but cards that a region's edge cuts, and indices of cards that were `read`."""
    places = [place for track in read for place in index_places(track.pose)]
    return [
        spot
        for spot in unclear
        if now.still_at(spot.at, INDEX_HALF)
        and now.grid.inside(spot.at, EDGE, regions)
        and all(distance(spot.at, place) > OWN_CORNER * now.grid.card_px for place in places)
    ]


def mix_like(read: Iterable[Track], trail: Blocks, now: Moment) -> None:
    """Doubt the identity of like cards that one motion has touched and that look different since."""
    due, grid = now.change.due, now.grid
    touched = [track for track in read if track.told and any_in(due, grid.inner(track.pose))]
    names = [track.best for track in touched]
    if len(names) == len(set(names)):
        return
    _, parts = cv2.connectedComponents(cv2.dilate(trail.astype(np.uint8), np.ones((3, 3), np.uint8)))
    trails = [set(parts[grid.inner(track.pose)].flat) - {0} for track in touched]
    for number, one in enumerate(touched):
        for other, own in zip(touched[:number], trails[:number], strict=True):
            if one.best == other.best and own & trails[number]:
                one.identity_certain = other.identity_certain = False
