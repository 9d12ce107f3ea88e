"""Second looks: where something lies that no read explains, the reader may have missed a card."""

from collections.abc import Iterable
from typing import Final, NamedTuple

import cv2
import numpy as np

from vision.geometry import CARD_ASPECT, Rect
from vision.tracking.background import Mask
from vision.tracking.block_grid import BlockGrid, PictureChange, any_in
from vision.tracking.card_pose import outline_of
from vision.tracking.track import Track
from vision.tracking.unread_objects import UnreadObject


class SecondLookRule(NamedTuple):
    """When a place is read again. Source: no measurement on record, except where a field names one."""

    after_ms: tuple[int, ...] = (100, 300, 900)
    """Waits before each second look at a place that changed."""

    unexplained: float = 0.1
    """So much of a card's area has to lie there in one piece, beside what is known: the strip of a card that
    a fan leaves open is a tenth of it (history of this file)."""

    margin: float = 0.06
    """Known cards explain what lies this near to them, in card lengths: shadows and estimated corners."""

    planned_max: int = 64
    """Places that are planned at once, a bound of time."""


_SECOND_LOOK_RULE: Final = SecondLookRule()


class PlannedLook(NamedTuple):
    """A place to look at again, when, and how often that was done."""

    rect: Rect
    at_ms: int
    looks: int


class SecondLooks:
    """The places that are to be looked at again although nothing has changed there."""

    def __init__(self) -> None:
        """Begin with none."""
        self._later: list[PlannedLook] = []

    def due(self, now: PictureChange) -> list[Rect]:
        """Return the places due for a second read; places that change are read for that reason."""
        self._later = [later for later in self._later if _rests(later, now)]
        return [later.rect for later in self._later if now.mono_ms >= later.at_ms]

    def after(self, changed: list[Rect], unknown: Mask, now: PictureChange) -> None:
        """Plan second looks after a read of `changed` places; `unknown` as from `unexplained_mask`."""
        done = [later for later in self._later if now.mono_ms >= later.at_ms]
        self._later = [later for later in self._later if now.mono_ms < later.at_ms]
        for rect, looks in [(rect, 0) for rect in changed] + [
            (later.rect, later.looks + 1) for later in done
        ]:
            if looks < len(_SECOND_LOOK_RULE.after_ms):
                at_ms = now.mono_ms + _SECOND_LOOK_RULE.after_ms[looks]
                self._later += [
                    PlannedLook(part, at_ms, looks) for part in _card_parts(rect, unknown, now.grid)
                ]
        del self._later[: -_SECOND_LOOK_RULE.planned_max]


def _rests(later: PlannedLook, now: PictureChange) -> bool:
    blocks = now.grid.blocks(later.rect)
    return not any_in(now.change.moving, blocks) and not any_in(now.change.due, blocks)


def unexplained_mask(
    unlike: Mask, tracks: Iterable[Track], unread: Iterable[UnreadObject], grid: BlockGrid
) -> Mask:
    """Small pixels that are no felt, no known card and no object that is known to be unread."""
    mask = unlike.astype(np.uint8)
    scale = np.array(grid.small_scale)
    for track in tracks:
        corners = outline_of(track.pose, grid.card_px)
        away = corners - corners.mean(0)
        outwards = away / np.linalg.norm(away, axis=1, keepdims=True)
        wider = corners + outwards * _SECOND_LOOK_RULE.margin * grid.card_px
        cv2.fillConvexPoly(mask, np.round(wider * scale).astype(np.int32), 0)
    for known in unread:
        left, top, right, foot = grid.around(known.at, 1.0)
        mask[_span(top, foot, scale[1]), _span(left, right, scale[0])] = 0
    return mask.astype(bool)


def _span(start: int, end: int, scale: float) -> slice:
    """Rows or columns of the small picture."""
    return slice(max(int(start * scale), 0), max(int(end * scale), 0))


def _card_parts(rect: Rect, unknown: Mask, grid: BlockGrid) -> list[Rect]:
    """Return rectangles around unknown parts of a place that are large enough for a card."""
    left, top, right, foot = rect
    across, down = grid.small_scale
    rows, columns = _span(top, foot, down), _span(left, right, across)
    _, _, stats, _ = cv2.connectedComponentsWithStats(unknown[rows, columns].astype(np.uint8))
    least = _SECOND_LOOK_RULE.unexplained * CARD_ASPECT * grid.card_px**2 * across * down
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
