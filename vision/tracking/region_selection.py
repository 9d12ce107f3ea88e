"""Select the regions to read, and the results that count."""

from collections.abc import Iterable
from typing import Final, NamedTuple

import cv2
import numpy as np

from vision.geometry import Rect, grown, meet, union
from vision.reading import ReadCard, Unclear, may_be_one_card
from vision.tracking.block_grid import BlockGrid, PictureChange, any_in
from vision.tracking.card_pose import bounds_of, distance_px, index_places
from vision.tracking.change_gate import Blocks
from vision.tracking.regions import merged
from vision.tracking.track import Track
from vision.tracking.unread_objects import UnreadObject


class SelectionRule(NamedTuple):
    """Lengths are in card lengths. Source: no measurement on record."""

    margin: float = 0.35
    """Regions are read with so much more around them."""

    neighbour: float = 0.1
    """Cards that this margin reaches are read whole, with so much around them."""

    edge: float = 0.25
    """What is unclear this near to a region's edge is a card that the edge cuts."""

    index_half: float = 0.1
    """Half side of an index: nothing may move over it while it is read."""

    own_corner: float = 0.3
    """What is unclear this near to an index of a card that was read is that index."""

    other_rank: float = 0.5
    """But from this probability of another rank on it is another card's: in a fan indices stand that near."""


SELECTION_RULE: Final = SelectionRule()


def regions_to_read(
    places: list[Rect], tracks: list[Track], unread: Iterable[UnreadObject], now: PictureChange
) -> list[Rect]:
    """The given places with the cards there, and still places that are open, as few rectangles."""
    grid, rule = now.grid, SELECTION_RULE
    rects = [_with_cards(rect, tracks, grid) for rect in places]
    # A card with one known index lies within its length around that index, in any direction.
    rects += [
        grid.around(track.at, 1.0) if track.pose.quad is None else bounds_of(track.pose, grid.card_px)
        for track in tracks
        if track.due(now.mono_ms) and now.rests(track.pose)
    ]
    rects += [
        grid.around(known.at, 1.0)
        for known in unread
        if known.due(now.mono_ms) and now.still_at(known.at, rule.index_half)
    ]
    return merged((_uncutting(rect, tracks, grid) for rect in rects), grid.shape)


def _uncutting(rect: Rect, tracks: list[Track], grid: BlockGrid) -> Rect:
    """Return the rectangle with a margin, extended over all cards that the margin reaches.

    A back beside half a card is not reported: the rest of that card hides it.
    """
    margin = grown(rect, SELECTION_RULE.margin * grid.card_px)
    return union(margin, grown(_with_cards(margin, tracks, grid), SELECTION_RULE.neighbour * grid.card_px))


def _with_cards(rect: Rect, tracks: list[Track], grid: BlockGrid) -> Rect:
    whole = rect
    for track in tracks:
        place = bounds_of(track.pose, grid.card_px)
        if meet(rect, place):
            whole = union(whole, place)
    return whole


def usable(cards: Iterable[ReadCard], now: PictureChange) -> list[ReadCard]:
    """The reads of indices over which nothing was moving."""
    return [card for card in cards if now.still_at(card.at, SELECTION_RULE.index_half)]


def uncut(
    unclear: Iterable[Unclear], regions: list[Rect], read: list[Track], now: PictureChange
) -> list[Unclear]:
    """Return unclear spots without cards cut by a region's edge and without indices of `read` cards."""
    own_px = SELECTION_RULE.own_corner * now.grid.card_px
    return [
        spot
        for spot in unclear
        # A watched table knows the order of its cards: a guessed order raises no question.
        if spot.reason != "order"
        and now.still_at(spot.at, SELECTION_RULE.index_half)
        and now.grid.inside(spot.at, SELECTION_RULE.edge, regions)
        and not any(_is_own_corner(spot, track, own_px) for track in read)
    ]


def _is_own_corner(spot: Unclear, track: Track, own_px: float) -> bool:
    """Whether an unclear spot is an index of a read card."""
    other = track.best is not None and spot.rank not in {None, track.best.rank}
    if other and spot.p >= SELECTION_RULE.other_rank:
        return False
    return any(distance_px(spot.at, place) <= own_px for place in index_places(track.pose))


def doubt_identities(read: Iterable[Track], trail: Blocks, now: PictureChange) -> None:
    """Doubt which is which of like cards that one motion (`trail`) has touched and that look different."""
    due, grid = now.change.due, now.grid
    touched = [track for track in read if track.reported and any_in(due, grid.inner(track.pose))]
    ranks = [track.best and track.best.rank for track in touched]
    if len(ranks) == len(set(ranks)):
        return
    _, parts = cv2.connectedComponents(cv2.dilate(trail.astype(np.uint8), np.ones((3, 3), np.uint8)))
    trails = [set(parts[grid.inner(track.pose)].flat) - {0} for track in touched]
    for number, one in enumerate(touched):
        for other, own in zip(touched[:number], trails[:number], strict=True):
            if may_be_one_card(one.best, other.best) and own & trails[number]:
                one.identity_certain = other.identity_certain = False
