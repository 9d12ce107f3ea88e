"""The change gate: which blocks of the picture move, are still, or differ from the last read.

Works on a grey picture of about 480 pixels across, in blocks of 4 x 4 of its pixels: at 1920 x 1080 a block
stands for 16 x 16 pixels. Light that changes everywhere by a factor (exposure, a lamp) is no change. Each
block learns its own flicker (noise, a shaking camera, mains light).
"""

from typing import Final, NamedTuple

import cv2
import numpy as np
import numpy.typing as npt

from vision.geometry import Image

Blocks = npt.NDArray[np.bool_]
"""rows x columns of bool; True where something holds for a block."""

_SMALL_WIDTH_PX: Final = 480
"""Width of the grey picture on which the gate works, at most.

Source: no measurement on record.
"""

BLOCK_PX: Final = 4
"""Pixels of the small picture along a block's side.

Source: no measurement on record.
"""


class StillnessRule(NamedTuple):
    """Limits for a still block. Source: no measurement on record."""

    pictures: int = 3
    ms: int = 90
    """A block is still after so many pictures alike, and so long without motion."""

    patience_ms: int = 700
    """What hangs together with something that moves is waited for, unless it has been still for this long."""


_STILLNESS_RULE: Final = StillnessRule()


class ChangeRule(NamedTuple):
    """Limits for a changed block. Levels are grey levels. Source: no measurement on record."""

    stretch: float = 8.0
    """Differences are stretched before they are averaged as bytes: an eighth of a level counts, more than 32
    levels in one pixel do not count further."""

    least: float = 1.6
    most: float = 14.0
    """Bounds of the mean difference of a block from which it has changed."""

    noise_times: float = 4.0
    """A block has changed when it differs by so many times its own flicker."""

    compare_ms: int = 200
    """While nothing moves, the picture is compared this often with what was read: only light drifts then."""


_CHANGE_RULE: Final = ChangeRule()


class FlickerRule(NamedTuple):
    """How each block learns its flicker. Source: no measurement on record."""

    learn: float = 0.06
    """Share by which a block's flicker follows still pictures."""

    rise: float = 1.004
    rise_everywhere: float = 1.06
    """By which factor a block's flicker rises a picture while it seems to move, and while most of the table
    does: hands that pass teach next to nothing, noise that begins everywhere is learnt in a second."""

    first_max: float = 3.5
    """The first two pictures say how much a table flickers, up to this much in grey levels."""


_FLICKER_RULE: Final = FlickerRule()


class GateLightRule(NamedTuple):
    """How slow changes of light are followed. Source: no measurement on record."""

    least: float = 0.004
    """Less change of light than this share is left alone."""

    drift_ms: int = 1000
    drift: float = 0.25
    """How often unchanged blocks take on the present light, and how much of it."""


LIGHT_RULE: Final = GateLightRule()


class Change(NamedTuple):
    """A picture's changes; `changed` blocks differ from the last read.

    `due` blocks are to be read now: changed, still, and not connected to anything that moves.
    """

    moving: Blocks
    still: Blocks
    changed: Blocks
    due: Blocks


class ChangeGate:
    """Compare each picture with the previous one and with the last read. For pictures of one size."""

    def __init__(self, shape: tuple[int, ...]) -> None:
        """`shape` of the pictures: height, width and so on, in pixels."""
        height, width = shape[:2]
        self.columns = max(1, min(_SMALL_WIDTH_PX, width) // BLOCK_PX)
        self.rows = max(1, round(self.columns * height / width))
        self.small: Image = np.zeros((self.rows * BLOCK_PX, self.columns * BLOCK_PX, 3), np.uint8)
        grid = (self.rows, self.columns)
        self._grey: Image | None = None
        self._means: Image = np.zeros(grid, np.float32)
        self._read: Image = np.zeros(self.small.shape[:2], np.uint8)
        self._changed = np.ones(grid, bool)
        self._was_read = np.zeros(grid, bool)
        self._noise: Image | None = None
        self._alike = np.zeros(grid, np.int32)
        self._moved_ms = np.zeros(grid, np.int64)
        self._compared_ms = self._drifted_ms = -_CHANGE_RULE.compare_ms

    def look(self, image: Image, mono_ms: int) -> Change:
        """Take the next picture (BGR), seen at `mono_ms`."""
        self.small = cv2.resize(image, self.small.shape[1::-1], interpolation=cv2.INTER_LINEAR)
        grey = cv2.cvtColor(self.small, cv2.COLOR_BGR2GRAY)
        means = self._block_means(grey)
        moving = self._move(grey, means, mono_ms)
        self._grey, self._means = grey, means
        still = (self._alike >= _STILLNESS_RULE.pictures) & (mono_ms - self._moved_ms >= _STILLNESS_RULE.ms)
        if not still.all() or mono_ms - self._compared_ms >= _CHANGE_RULE.compare_ms:
            self._compare(grey, mono_ms)
        if mono_ms - self._drifted_ms >= LIGHT_RULE.drift_ms:
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
        """Find differences from the previous picture, and learn each block's flicker."""
        if self._grey is None:
            moving = np.ones(means.shape, bool)
        else:
            apart = self._apart(grey, self._grey, _light(means, self._means))
            if self._noise is None:
                first = min(float(np.median(apart)), _FLICKER_RULE.first_max)
                self._noise = np.full(apart.shape, first, np.float32)
            moving = self._exceeds(apart)
            everywhere = 2 * moving.sum() > moving.size
            risen = self._noise * (_FLICKER_RULE.rise_everywhere if everywhere else _FLICKER_RULE.rise)
            learnt = self._noise + _FLICKER_RULE.learn * (apart - self._noise)
            self._noise = np.where(moving, np.minimum(risen, apart), learnt)
        self._alike = np.where(moving, 1, self._alike + 1)
        self._moved_ms[moving] = mono_ms
        return moving

    def _compare(self, grey: Image, mono_ms: int) -> None:
        """Find differences from the picture that was read."""
        self._compared_ms = mono_ms
        light = _light(self._means, self._block_means(self._read))
        self._changed = ~self._was_read | self._exceeds(self._apart(grey, self._read, light))

    def _waiting(self, moving: Blocks, mono_ms: int) -> Blocks:
        """Return changed blocks connected to something that moves: a hand, or what it carries."""
        if not moving.any():
            return moving
        _, parts = cv2.connectedComponents((moving | self._changed).astype(np.uint8), connectivity=8)
        busy = np.zeros(int(np.max(parts)) + 1, np.bool_)
        busy[parts[moving]] = True
        return np.asarray(busy[parts] & (mono_ms - self._moved_ms < _STILLNESS_RULE.patience_ms))

    def _block_means(self, picture: Image) -> Image:
        """Mean of each block of a grey small picture, rows x columns, float32."""
        means = cv2.resize(picture, (self.columns, self.rows), interpolation=cv2.INTER_AREA)
        return means.astype(np.float32)

    def _apart(self, grey: Image, before: Image, light: float) -> Image:
        """Mean difference of each block in grey levels, were the picture before in the light of now."""
        if abs(light - 1) > LIGHT_RULE.least:
            before = cv2.convertScaleAbs(before, alpha=light)
        stretched = cv2.convertScaleAbs(cv2.absdiff(grey, before), alpha=_CHANGE_RULE.stretch)
        return self._block_means(stretched) / _CHANGE_RULE.stretch

    def _exceeds(self, apart: Image) -> Blocks:
        """Return which blocks differ by more (mean grey levels) than their flicker explains."""
        rule, noise = _CHANGE_RULE, 0.0 if self._noise is None else self._noise
        return np.asarray(apart > np.clip(rule.noise_times * noise, rule.least, rule.most))

    def _drift(self, grey: Image, blocks: Blocks, mono_ms: int) -> None:
        """Adapt the read picture to the light of unchanged blocks."""
        self._drifted_ms = mono_ms
        nearer = cv2.addWeighted(self._read, 1 - LIGHT_RULE.drift, grey, LIGHT_RULE.drift, 0)
        self._read = np.where(self._pixels(blocks), nearer, self._read)

    def _pixels(self, blocks: Blocks) -> Blocks:
        """The same for each small pixel."""
        return blocks.repeat(BLOCK_PX, 0).repeat(BLOCK_PX, 1)


def _light(now: Image, then: Image) -> float:
    """Return the picture's relative brightness; a change in less than half of it does not count."""
    return float(np.median((now + 1) / (then + 1)))
