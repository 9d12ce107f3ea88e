"""Second looks: where something lies that no read explains, the reader may have missed a card."""

from collections.abc import Iterable
from typing import Final, NamedTuple

import cv2
import numpy as np

from vision.geometry.outlines import CARD_ASPECT
from vision.tracking.background import Mask
from vision.tracking.block_grid import Grid, Moment, any_in
from vision.tracking.card_pose import Rect, outline
from vision.tracking.track import Track
from vision.tracking.unread_objects import Spot

AFTER_MS: Final = (100, 300, 900)
"""Waits before each second look at a place that changed."""

UNEXPLAINED: Final = 0.1
"""So much of a card's area has to lie there in one piece, beside what is known."""

MARGIN: Final = 0.06
"""Known cards explain what lies this near to them, in card lengths: shadows and estimated corners."""

AT_ONCE_MOST: Final = 64


class Later(NamedTuple):
    """A place to look at again, when, and how often that was done."""

    rect: Rect
    at_ms: int
    looks: int


class Again:
    """The places that are to be looked at again although nothing has changed there."""

    def __init__(self) -> None:
        """Begin with none."""
        self._later: list[Later] = []

    def due(self, now: Moment) -> list[Rect]:
        """The places whose time has come. Those that change meanwhile are read for that reason."""
        self._later = [later for later in self._later if _rests(later, now)]
        return [later.rect for later in self._later if now.mono_ms >= later.at_ms]

    def after(self, changed: list[Rect], unknown: Mask, now: Moment) -> None:
        """Plan second looks after a read of `changed` places; `unknown` as from `unexplained`."""
        done = [later for later in self._later if now.mono_ms >= later.at_ms]
        self._later = [later for later in self._later if now.mono_ms < later.at_ms]
        for rect, looks in [(rect, 0) for rect in changed] + [
            (later.rect, later.looks + 1) for later in done
        ]:
            if looks < len(AFTER_MS):
                at_ms = now.mono_ms + AFTER_MS[looks]
                self._later += [Later(part, at_ms, looks) for part in _things(rect, unknown, now.grid)]
        del self._later[:-AT_ONCE_MOST]


def _rests(later: Later, now: Moment) -> bool:
    blocks = now.grid.blocks(later.rect)
    return not any_in(now.change.moving, blocks) and not any_in(now.change.due, blocks)


def unexplained(unlike: Mask, tracks: Iterable[Track], spots: Iterable[Spot], grid: Grid) -> Mask:
    """Small pixels of things that are no felt, no known card and no spot."""
    mask = unlike.astype(np.uint8)
    scale = np.array(grid.small_scale)
    for track in tracks:
        corners = outline(track.pose, grid.card_px)
        away = corners - corners.mean(0)
        wider = corners + away / np.linalg.norm(away, axis=1, keepdims=True) * MARGIN * grid.card_px
        cv2.fillConvexPoly(mask, np.round(wider * scale).astype(np.int32), 0)
    for spot in spots:
        left, top, right, foot = grid.around(spot.at, 1.0)
        mask[_span(top, foot, scale[1]), _span(left, right, scale[0])] = 0
    return mask.astype(bool)


def _span(start: int, end: int, scale: float) -> slice:
    return slice(max(int(start * scale), 0), max(int(end * scale), 0))


def _things(rect: Rect, unknown: Mask, grid: Grid) -> list[Rect]:
    """Rectangles around the unknown things in a place that are large enough to be part of a card."""
    left, top, right, foot = rect
    across, down = grid.small_scale
    rows, columns = _span(top, foot, down), _span(left, right, across)
    _, _, stats, _ = cv2.connectedComponentsWithStats(unknown[rows, columns].astype(np.uint8))
    least = UNEXPLAINED * CARD_ASPECT * grid.card_px**2 * across * down
    return [
        (
            int((columns.start + x) / across),
            int((rows.start + y) / down),
            round((columns.start + x + wide) / across),
            round((rows.start + y + tall) / down),
        )
        for x, y, wide, tall, area in stats[1:].tolist()
        if area >= least
    ]
