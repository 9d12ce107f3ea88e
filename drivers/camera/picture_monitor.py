"""Whether a picture that came in time is sound: frozen, black, burnt out, blurred, moved, another size.

A camera over a table is fixed in place, exposure and focus, so its own first good pictures are the measure.
Sharpness is how much fine detail a picture has, and how wide its steepest edges are.
"""

from typing import Final, NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from drivers.camera.pictures import Image, Picture, PlainPicture

_EDGE_SHARE: Final = 99.8
"""The steepest steps between neighbours, as a percentile, are the edges that are measured."""

_EDGE_LEVELS: Final = 12
"""A picture whose steepest step is lower, of 255, has no edge to measure."""

_EDGE_NOISE: Final = 6.0
"""An edge is so many times steeper than what most neighbours differ by (standard deviations of the noise).
Of 130,000 steps of noise alone one is steeper than 4.5."""

_USUAL_STEP: Final = 1.4826
"""The median of normal steps times this is their standard deviation."""

_EDGE_BEFORE, _EDGE_AFTER = 3, 4
"""Pixels on each side of a step between which an edge has gone from one level to the other."""

CELLS: Final = (4, 6)
"""Rows and columns of cells in which edges are looked for: writing that a camera lays over its picture stays
sharp in one or two of them, whatever the lens does."""

_CELL_EDGES: Final = 8
"""A cell with fewer edges says nothing."""


class Edges(NamedTuple):
    """The steepest upright edges of a picture: their width in pixels, and the cell in which each lies."""

    widths: NDArray[np.float32]
    cells: NDArray[np.intp]

    @property
    def width(self) -> float:
        """The median of their widths: about 1 in focus; 0.0 where there are none."""
        return float(np.median(self.widths)) if self.widths.size else 0.0

    def cells_within(self, width: float) -> int:
        """In how many cells they are no wider than this."""
        found = [self.widths[self.cells == cell] for cell in np.unique(self.cells)]
        return sum(one.size >= _CELL_EDGES and float(np.median(one)) <= width for one in found)


def edges_of(image: Image) -> Edges:
    """Measure the edges of a picture (height x width x 3, BGR).

    The levels on both sides of an edge differ by the step times its width, whatever is in the picture.
    """
    green = image[::4, :, 1].astype(np.float32)
    steps = np.abs(np.diff(green, axis=1))[:, _EDGE_BEFORE:-_EDGE_AFTER]
    noise = _USUAL_STEP * float(np.median(steps))
    least = max(float(np.percentile(steps, _EDGE_SHARE)), _EDGE_LEVELS, _EDGE_NOISE * noise)
    rows, columns = np.nonzero(steps >= least)
    before, after = green[rows, columns], green[rows, columns + _EDGE_BEFORE + _EDGE_AFTER]
    widths = np.abs(after - before) / steps[rows, columns]
    high, wide = CELLS
    cells = rows * high // green.shape[0] * wide + columns * wide // green.shape[1]
    return Edges(np.asarray(widths, np.float32), cells)


def _detail_of(image: Image) -> float:
    """Fine detail: the mean squared step between neighbours in a row (green)."""
    steps = np.diff(image[::8, :, 1].astype(np.float32), axis=1)
    return float(np.mean(steps * steps))


# None of these numbers comes from a real table: they are set by hand, and what they tell apart is in
# tests/drivers/camera/test_picture_monitor.py.

LOOK_MS: Final = 200
_SHARP_MS: Final = 1000
_MOVE_MS: Final = 500
"""How often a picture is looked at, its sharpness measured, and its shift: the dearer, the more seldom."""

_FROZEN_MS: Final = 2000
"""The same picture, bit by bit, for so long is an old one."""

_BLACK_LEVEL: Final = 40
_BLACK_SHARE: Final = 0.99
"""Black: more than this share of the pixels is darker than the level (green, 0 to 255)."""

_GLARE_LEVEL: Final = 250
_GLARE_SHARE: Final = 0.5
"""Burnt out: more than this share of the pixels is at least as bright as the level."""

_BLUR_SHARE: Final = 0.3
"""Fine detail below this share of the camera's own is blurred; detail: squared steps between neighbours."""

_EDGE_TIMES: Final = 1.5
_SHARP_CELLS: Final = 6
"""With little detail a picture is sharp all the same where edges are at most so many times as wide as in the
camera's own, in so many cells of `sharpness.CELLS`. Measured on the drawn table, first pictures with 4 and
with 24 cards on it, noise of 0 to 5 levels, JPEG quality from 60 on: an empty felt has 8 to 10 such cells,
any picture behind a blur of 1 pixel or more (standard deviation) 5 at most.
"""

_LEARN: Final = 10
"""Good pictures that make the measure of sharpness."""

SMALL: Final = (240, 136)
"""Width and height of the picture in which a shift is measured."""

_MOVED_PX: Final = 1.5
"""A longer shift of the small picture is a moved camera; about 12 pixels at 1920 x 1080."""

_MOVED_TIMES: Final = 3
"""Looks in a row that must show the shift: a hand over the table is no moved camera."""


class PictureMonitor:
    """Judges one camera's pictures; cheap enough for every one of them."""

    def __init__(self, reference: Image | None = None, *, still: bool = True, placed: bool = True) -> None:
        """`reference` is a picture taken when the camera was calibrated; the first good one without it.

        Of a camera whose picture is not `still`, such as one that cards fill, only size, frozen and black
        pictures are reported. MOVED comes only where pictures have to be `placed`.
        """
        self._placed = placed
        self._still = still
        self._verdict = ""
        self._looked_ms: int | None = None
        self._print = -1
        self._changed_ms = 0
        self._size: tuple[int, int] | None = None
        self._detail: list[float] = []
        self._edges: list[float] = []
        self._sharp_ms = 0
        self._blurred = False
        self._reference: NDArray[np.float32] | None = None
        self._window = cv2.createHanningWindow(SMALL, cv2.CV_32F)
        self._move_ms = 0
        self._shifted = 0
        if reference is not None:
            self._size = PlainPicture(reference).size
            self._detail = [_detail_of(reference)] * _LEARN
            self._edges = [edges_of(reference).width] * _LEARN
            self._reference = _outline(reference)

    def judge(self, picture: Picture, now_ms: int) -> str:
        """Give "" for a good picture, else FROZEN, BLACK, GLARE, BLURRED, MOVED or SIZE_CHANGED.

        Looks five times a second at most; in between the last verdict stands. Raises `PictureFault` BROKEN
        for a picture that it looks at and that cannot be decoded, and then looks at the very next one.
        """
        if self._size not in {None, picture.size}:
            return "SIZE_CHANGED"
        if self._looked_ms is None or now_ms - self._looked_ms >= LOOK_MS:
            self._verdict = self._look(picture, now_ms)
            self._looked_ms = now_ms
        if not self._verdict:
            self._size = picture.size
        return self._verdict

    def _look(self, picture: Picture, now_ms: int) -> str:
        green = picture.small()[:, :, 1]
        # A live sensor always has noise: equal pictures are old ones.
        fingerprint = picture.fingerprint()
        if fingerprint != self._print:
            self._print, self._changed_ms = fingerprint, now_ms
        if now_ms - self._changed_ms >= _FROZEN_MS:
            return "FROZEN"
        if float(np.mean(green < _BLACK_LEVEL)) > _BLACK_SHARE:
            return "BLACK"
        if not self._still:
            return ""
        if float(np.mean(green >= _GLARE_LEVEL)) > _GLARE_SHARE:
            return "GLARE"
        if self._is_blurred(picture, now_ms):
            return "BLURRED"
        return "MOVED" if self._placed and self._moved(picture, now_ms) else ""

    def _is_blurred(self, picture: Picture, now_ms: int) -> bool:
        """Compare with the median of the first good pictures, once a second: it takes every pixel."""
        if len(self._detail) < _LEARN:
            full = picture.full()
            self._detail.append(_detail_of(full))
            self._edges.append(edges_of(full).width)
        elif self._blurred or now_ms - self._sharp_ms >= _SHARP_MS:
            self._sharp_ms = now_ms
            full = picture.full()
            little = _detail_of(full) < _BLUR_SHARE * float(np.median(self._detail))
            # There may be little detail because little lies there: the print is as sharp as ever then.
            widest = _EDGE_TIMES * float(np.median(self._edges))
            self._blurred = little and edges_of(full).cells_within(widest) < _SHARP_CELLS
        return self._blurred

    def _moved(self, picture: Picture, now_ms: int) -> bool:
        """Measure the shift against the reference twice a second."""
        if self._reference is None:
            self._reference = _outline(picture.small())
        if now_ms - self._move_ms >= _MOVE_MS:
            self._move_ms = now_ms
            outline = _outline(picture.small())
            (right, down), _ = cv2.phaseCorrelate(self._reference, outline, self._window)
            self._shifted = self._shifted + 1 if np.hypot(right, down) > _MOVED_PX else 0
        return self._shifted >= _MOVED_TIMES


def _outline(image: Image) -> NDArray[np.float32]:
    """Shrink to a fixed small size, one channel."""
    small = cv2.resize(image, SMALL, interpolation=cv2.INTER_AREA)
    return cv2.cvtColor(small, cv2.COLOR_BGR2GRAY).astype(np.float32)
