"""Map places of the picture to blocks of the change gate: motion, rest and change at a card."""

from typing import Final, NamedTuple

import numpy as np

from vision.geometry import Rect, clipped, grown, lies_within
from vision.reading import PointPx
from vision.tracking.card_pose import CardPose, bounds_of
from vision.tracking.change_gate import Blocks, Change, ChangeGate

Slices = tuple[slice, slice]
"""Rows and columns of a part of the grid."""

_RIM: Final = 0.1
"""Motion this near to a card's edge, in card lengths, is its neighbour's.

Source: no measurement on record.
"""

_SAME_LENGTH: Final = 0.08
"""Estimates of a card's length that differ by less than this share are one.

Source: no measurement on record.
"""

KEPT_MAX: Final = 1000
"""Places whose blocks are remembered: more than ever lie on a table, and a bound of memory."""


class BlockGrid:
    """The blocks of one picture size. Lengths are given in card lengths; `card_px` is one in pixels."""

    def __init__(self, shape: tuple[int, ...], gate: ChangeGate, card_px: float) -> None:
        """`shape` of the pictures: height, width and so on, in pixels."""
        self.shape = shape
        self.card_px = card_px
        self.scale = (gate.columns / shape[1], gate.rows / shape[0])
        """Blocks a pixel, across and down."""
        self.small_scale = (gate.small.shape[1] / shape[1], gate.small.shape[0] / shape[0])
        """Pixels of the small picture a pixel, across and down."""
        self._size = (gate.rows, gate.columns)
        self._inner: dict[CardPose, Slices] = {}

    def measure(self, card_px: float) -> None:
        """Take the length of a card anew, unless it is much the same."""
        if abs(card_px / self.card_px - 1) > _SAME_LENGTH:
            self.card_px = card_px
            self._inner.clear()

    def blocks(self, rect: Rect) -> Slices:
        """The blocks that a rectangle touches, at least one."""
        left, top = int(rect[0] * self.scale[0]), int(rect[1] * self.scale[1])
        right, foot = int(np.ceil(rect[2] * self.scale[0])), int(np.ceil(rect[3] * self.scale[1]))
        rows, columns = self._size
        return (
            slice(min(max(top, 0), rows - 1), max(min(foot, rows), 1)),
            slice(min(max(left, 0), columns - 1), max(min(right, columns), 1)),
        )

    def around(self, at: PointPx, half: float) -> Rect:
        """The square around a place."""
        return grown((int(at[0]), int(at[1]), int(at[0]) + 1, int(at[1]) + 1), half * self.card_px)

    def card(self, pose: CardPose, margin: float = 0.0) -> Rect:
        """The upright rectangle around a card, within the picture."""
        return clipped(grown(bounds_of(pose, self.card_px), margin * self.card_px), self.shape)

    def inner(self, pose: CardPose) -> Slices:
        """The blocks of a card without its rim, where its neighbours' motion shows."""
        found = self._inner.get(pose)
        if found is None:
            if len(self._inner) >= KEPT_MAX:
                self._inner.clear()
            found = self._inner[pose] = self.blocks(self.card(pose, -_RIM))
        return found

    def inside(self, at: PointPx, half: float, regions: list[Rect]) -> bool:
        """Whether the square around a place lies in one of the regions."""
        rect = clipped(self.around(at, half), self.shape)
        return any(lies_within(rect, region) for region in regions)


class PictureChange(NamedTuple):
    """The motion and change of one picture, with its time."""

    grid: BlockGrid
    change: Change
    mono_ms: int

    def still_at(self, at: PointPx, half: float) -> bool:
        """Whether nothing has recently moved around a place; `half` a side in card lengths."""
        grid = self.grid
        return bool(self.change.still[grid.blocks(grid.around(at, half))].all())

    def unchanged_at(self, at: PointPx, half: float) -> bool:
        """Whether a place is still, and unchanged since it was read; `half` as above."""
        changed = self.change.changed[self.grid.blocks(self.grid.around(at, half))]
        return self.still_at(at, half) and not changed.any()

    def rests(self, pose: CardPose) -> bool:
        """Whether nothing has recently moved over a card."""
        return bool(self.change.still[self.grid.inner(pose)].all())


def any_in(blocks: Blocks, place: Slices) -> bool:
    """Whether any of a place's blocks is set."""
    return bool(blocks[place].any())
