"""Report each new piece of paper on a table once, when it lies still under a resting camera."""

from collections.abc import Iterator
from typing import Final, NamedTuple

import cv2
import numpy as np

from vision.geometry import Image, Points, Rect, clipped, grown
from vision.proposal import coarse_sample, find_paper
from vision.tracking import Blocks, ChangeGate

PAPER_SHARE: Final = 0.5
"""A block of the change gate is paper from this share of its cells on.

Source: no measurement on record.
"""

_MARGIN_PX: Final = 48
"""So much around a piece is kept: the search for paper compares it with what surrounds it.

Source: half of the window of `vision.proposal.paper_mask`, and an index that is cut by the piece's edge.
"""


_SAME_PRINT: Final = 0.8
"""What correlates with what was there before by this much or more is the same print.

Source: no measurement on record; between these lie a print in other light (1) and any two indices (0.5).
"""


class LaidPaper(NamedTuple):
    """A piece of paper that was laid down, or turned, since the table was last at rest there.

    `rest` counts the pictures in which something new lay still; pieces of one rest have no known order.
    `image` (BGR) shows it with a margin, `before` the same place before. `place`: its left, top, right and
    foot in both. `area_px` is the area of new paper.
    """

    mono_ms: int
    rest: int
    image: Image
    before: Image
    place: Rect
    area_px: float

    def is_new(self, at: Points, size_px: float) -> bool:
        """Whether the print in a square of `size_px` around `at` (2) was not there before.

        A card laid partly over another darkens the visible rest of that one, and changes nothing else of it.
        """
        left, top, right, foot = self.place
        if not (left <= at[0] <= right and top <= at[1] <= foot):
            return False
        around = (round(at[0] - size_px / 2), round(at[1] - size_px / 2))
        rect = clipped((*around, around[0] + round(size_px), around[1] + round(size_px)), self.image.shape)
        now, then = (
            cv2.cvtColor(picture[rect[1] : rect[3], rect[0] : rect[2]], cv2.COLOR_BGR2GRAY)
            for picture in (self.image, self.before)
        )
        return float(cv2.matchTemplate(now, then, cv2.TM_CCOEFF_NORMED)[0, 0]) < _SAME_PRINT


class PaperWatch:
    """Follow the pictures of one camera without naming cards, so it works for unreadable decks."""

    def __init__(self) -> None:
        """Begin before the first picture."""
        self._gate: ChangeGate | None = None
        self._known: Blocks = np.zeros((0, 0), bool)
        self._before: Image = np.zeros((0, 0, 3), np.uint8)
        self._rest = 0

    def look(self, image: Image, mono_ms: int) -> list[LaidPaper]:
        """Take the next picture (BGR) at `mono_ms`; return the papers laid down since the previous one."""
        gate = self._gate
        if gate is None or image.shape != self._before.shape:
            # A picture of another size resets the watch: papers on the table then have no known time.
            gate = self._gate = ChangeGate(image.shape)
            self._before, self._known = image.copy(), np.zeros((gate.rows, gate.columns), bool)
        due = gate.look(image, mono_ms).due
        if not due.any():
            return []
        gate.seen(due)
        new = due & self._known
        self._known = self._known | due
        self._rest += bool(new.any())
        pieces = list(self._pieces(image, mono_ms, new)) if new.any() else []
        size = image.shape[1::-1]
        cv2.copyTo(
            image, cv2.resize(due.astype(np.uint8), size, interpolation=cv2.INTER_NEAREST), self._before
        )
        return pieces

    def _pieces(self, image: Image, mono_ms: int, new: Blocks) -> Iterator[LaidPaper]:
        """The blocks that are new and paper now, each island for itself."""
        found = find_paper(coarse_sample(image))
        if found is None:
            return
        rows, columns = new.shape
        share = cv2.resize(found.paper.astype(np.float32), (columns, rows), interpolation=cv2.INTER_AREA)
        fresh = (new & (share >= PAPER_SHARE)).astype(np.uint8)
        down, across = image.shape[0] / rows, image.shape[1] / columns
        _, _, boxes, _ = cv2.connectedComponentsWithStats(fresh, connectivity=8)
        for x, y, wide, tall, blocks in boxes[1:].tolist():
            island = (int(x * across), int(y * down), round((x + wide) * across), round((y + tall) * down))
            left, top, right, foot = clipped(grown(island, _MARGIN_PX), image.shape)
            now, then = (np.array(picture[top:foot, left:right]) for picture in (image, self._before))
            place = (island[0] - left, island[1] - top, island[2] - left, island[3] - top)
            yield LaidPaper(mono_ms, self._rest, now, then, place, blocks * across * down)
