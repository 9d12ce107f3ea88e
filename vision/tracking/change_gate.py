"""The change gate: which blocks of the picture move, are still, or differ from what was last read there.

Works on a grey picture of about 480 pixels across, in blocks of 4 x 4 of its pixels: at 1920 x 1080 a block
stands for 16 x 16 pixels. Light that rises or falls everywhere by a factor (exposure, a lamp) is no change;
each block learns how much it flickers by itself (noise, a shaking camera, mains light).
"""

from typing import Final, NamedTuple

import cv2
import numpy as np
import numpy.typing as npt

from vision.geometry.arrays import Image

Blocks = npt.NDArray[np.bool_]
"""rows x columns; True where something holds for a block."""

SMALL_ACROSS: Final = 480
BLOCK: Final = 4
"""Pixels of the small picture along a block's side."""

STILL_PICTURES: Final = 3
STILL_MS: Final = 90
"""A block is still after so many pictures alike, and so long without motion."""

GAIN: Final = 8.0
"""Differences are stretched before they are averaged as bytes: an eighth of a grey level counts, more than
32 grey levels in one pixel do not count further."""

LEAST: Final = 1.6
MOST: Final = 14.0
"""Bounds, in grey levels, of the mean difference of a block from which it has changed."""

NOISE_TIMES: Final = 4.0
"""A block has changed when it differs by so many times its own flicker."""

LEARN: Final = 0.06
"""How fast a block's flicker is learnt from still pictures."""

RISE: Final = 1.004
RISE_EVERYWHERE: Final = 1.06
"""By which factor a block's flicker rises a picture while it seems to move, and while most of the table does:
hands that pass teach next to nothing, noise that begins everywhere is learnt in a second."""

FLICKER_MOST: Final = 3.5
"""The first two pictures tell how much a table flickers, up to this much in grey levels."""

PATIENCE_MS: Final = 700
"""What hangs together with something that moves is waited for, unless it has been still for this long."""

COMPARE_MS: Final = 200
"""While nothing moves, the picture is compared this often with what was read: only light drifts then."""

LIGHT: Final = 0.004
"""Less change of light than this is left alone."""

DRIFT_MS: Final = 1000
DRIFT: Final = 0.25
"""How often unchanged blocks take on the present light, and how much of it."""


class Change(NamedTuple):
    """What a picture shows of change; `changed` blocks are unlike what was last read there.

    `due` ones are to be read now: changed, still, and not held by anything that moves.
    """

    moving: Blocks
    still: Blocks
    changed: Blocks
    due: Blocks


class ChangeGate:
    """Compares each picture with the one before and with what was read. For pictures of one size."""

    def __init__(self, shape: tuple[int, ...]) -> None:
        """`shape` of the pictures: height, width and so on, in pixels."""
        height, width = shape[:2]
        self.columns = max(1, min(SMALL_ACROSS, width) // BLOCK)
        self.rows = max(1, round(self.columns * height / width))
        self.small: Image = np.zeros((self.rows * BLOCK, self.columns * BLOCK, 3), np.uint8)
        grid = (self.rows, self.columns)
        self._grey: Image | None = None
        self._means: Image = np.zeros(grid, np.float32)
        self._read: Image = np.zeros(self.small.shape[:2], np.uint8)
        self._changed = np.ones(grid, bool)
        self._was_read = np.zeros(grid, bool)
        self._noise: Image | None = None
        self._alike = np.zeros(grid, np.int32)
        self._moved_ms = np.zeros(grid, np.int64)
        self._compared_ms = self._drifted_ms = -COMPARE_MS

    def look(self, image: Image, mono_ms: int) -> Change:
        """Take the next picture (BGR), seen at `mono_ms`."""
        self.small = cv2.resize(image, self.small.shape[1::-1], interpolation=cv2.INTER_LINEAR)
        grey = cv2.cvtColor(self.small, cv2.COLOR_BGR2GRAY)
        means = self._block_means(grey)
        moving = self._move(grey, means, mono_ms)
        self._grey, self._means = grey, means
        still = (self._alike >= STILL_PICTURES) & (mono_ms - self._moved_ms >= STILL_MS)
        if not still.all() or mono_ms - self._compared_ms >= COMPARE_MS:
            self._compare(grey, mono_ms)
        if mono_ms - self._drifted_ms >= DRIFT_MS:
            self._drift(grey, still & ~self._changed, mono_ms)
        due = still & self._changed & ~self._waiting(moving, mono_ms)
        return Change(moving, still, self._changed, due)

    def seen(self, blocks: Blocks) -> None:
        """Note that these blocks were read in the latest picture."""
        assert self._grey is not None
        self._read = np.where(self._pixels(blocks), self._grey, self._read)
        self._was_read |= blocks
        self._changed &= ~blocks

    def moved_within(self, mono_ms: int, span_ms: int) -> Blocks:
        """Blocks that moved in the last `span_ms`."""
        return np.asarray(mono_ms - self._moved_ms < span_ms)

    def _move(self, grey: Image, means: Image, mono_ms: int) -> Blocks:
        """Find what differs from the picture before, and learn how much each block flickers."""
        if self._grey is None:
            moving = np.ones(means.shape, bool)
        else:
            apart = self._apart(grey, self._grey, _light(means, self._means))
            if self._noise is None:
                self._noise = np.full(apart.shape, min(float(np.median(apart)), FLICKER_MOST), np.float32)
            moving = self._exceeds(apart)
            risen = self._noise * (RISE_EVERYWHERE if 2 * moving.sum() > moving.size else RISE)
            learnt = self._noise + LEARN * (apart - self._noise)
            self._noise = np.where(moving, np.minimum(risen, apart), learnt)
        self._alike = np.where(moving, 1, self._alike + 1)
        self._moved_ms[moving] = mono_ms
        return moving

    def _compare(self, grey: Image, mono_ms: int) -> None:
        """Find what differs from the picture that was read."""
        self._compared_ms = mono_ms
        light = _light(self._means, self._block_means(self._read))
        self._changed = ~self._was_read | self._exceeds(self._apart(grey, self._read, light))

    def _waiting(self, moving: Blocks, mono_ms: int) -> Blocks:
        """Changed blocks that hang together with something that moves: a hand, or what it holds."""
        if not moving.any():
            return moving
        _, parts = cv2.connectedComponents((moving | self._changed).astype(np.uint8), connectivity=8)
        busy = np.zeros(int(parts.max()) + 1, bool)
        busy[parts[moving]] = True
        return np.asarray(busy[parts] & (mono_ms - self._moved_ms < PATIENCE_MS))

    def _block_means(self, picture: Image) -> Image:
        means = cv2.resize(picture, (self.columns, self.rows), interpolation=cv2.INTER_AREA)
        return means.astype(np.float32)

    def _apart(self, grey: Image, before: Image, light: float) -> Image:
        """Mean difference of each block in grey levels, were the picture before in the light of now."""
        if abs(light - 1) > LIGHT:
            before = cv2.convertScaleAbs(before, alpha=light)
        return self._block_means(cv2.convertScaleAbs(cv2.absdiff(grey, before), alpha=GAIN)) / GAIN

    def _exceeds(self, apart: Image) -> Blocks:
        noise = 0.0 if self._noise is None else self._noise
        return np.asarray(apart > np.clip(NOISE_TIMES * noise, LEAST, MOST))

    def _drift(self, grey: Image, blocks: Blocks, mono_ms: int) -> None:
        """Let what was read take on the light of blocks that have not changed."""
        self._drifted_ms = mono_ms
        nearer = cv2.addWeighted(self._read, 1 - DRIFT, grey, DRIFT, 0)
        self._read = np.where(self._pixels(blocks), nearer, self._read)

    def _pixels(self, blocks: Blocks) -> Blocks:
        return blocks.repeat(BLOCK, 0).repeat(BLOCK, 1)


def _light(now: Image, then: Image) -> float:
    """How much brighter the whole picture is; a change in less than half of it does not count."""
    return float(np.median((now + 1) / (then + 1)))
