"""Which blocks of a picture move, rest or have changed; poses of cards, and their blocks.

Works on a grey picture of about 480 pixels across, in blocks of 4 x 4 of its pixels: at 1920 x 1080 a block
stands for 16 x 16 pixels. Light that changes everywhere by a factor (exposure, a lamp) is no change. Each
block learns its own flicker (noise, a shaking camera, mains light). A card length is the long side of a card,
`card_px` in pixels.
"""

from typing import Final, NamedTuple

import cv2
import numpy as np
import numpy.typing as npt

from vision.geometry import Image, Points, Rect, clipped, grown, lies_within
from vision.reading import PointPx, Quad


class CardPose(NamedTuple):
    """The place of the index that was read (of the centre while face down), and the corners if known."""

    at: PointPx
    quad: Quad | None


def _centre_of(pose: CardPose) -> PointPx:
    """The card's centre where its corners are known, else the place that was read."""
    if pose.quad is None:
        return pose.at
    return sum(x for x, _ in pose.quad) / 4, sum(y for _, y in pose.quad) / 4


def index_places(pose: CardPose) -> tuple[PointPx, ...]:
    """Return the places of the card's indices: the read one and, with known corners, its opposite."""
    if pose.quad is None:
        return (pose.at,)
    x, y = _centre_of(pose)
    return pose.at, (2 * x - pose.at[0], 2 * y - pose.at[1])


def long_side_px(pose: CardPose) -> float | None:
    """Long side of the card, where its corners are known."""
    if pose.quad is None:
        return None
    (ax, ay), (bx, by), (cx, cy) = pose.quad[:3]
    return float(max(np.hypot(bx - ax, by - ay), np.hypot(cx - bx, cy - by)))


def distance_px(one: PointPx, other: PointPx) -> float:
    """Between two places."""
    return float(np.hypot(one[0] - other[0], one[1] - other[1]))


def distance_in_cards(one: CardPose, other: CardPose, card_px: float) -> float:
    """Return the distance of two poses in card lengths: of centres, or of indices without a centre."""
    if one.quad is not None and other.quad is not None:
        return distance_px(_centre_of(one), _centre_of(other)) / card_px
    return _between_indices(one, other, card_px)


def same_card_distance(one: CardPose, other: CardPose, card_px: float) -> float:
    """Return the smaller of both distances, for one card whose corners are estimated with each read."""
    return min(distance_in_cards(one, other, card_px), _between_indices(one, other, card_px))


def _between_indices(one: CardPose, other: CardPose, card_px: float) -> float:
    return min(distance_px(a, b) for a in index_places(one) for b in index_places(other)) / card_px


def crossed(one: CardPose, other: CardPose) -> bool:
    """Whether the angle between two cards is nearer to a quarter turn than to none."""
    if one.quad is None or other.quad is None:
        return False
    (ax, ay), (bx, by), *_ = one.quad
    (cx, cy), (dx, dy), *_ = other.quad
    along = abs((bx - ax) * (dx - cx) + (by - ay) * (dy - cy))
    across = abs((bx - ax) * (dy - cy) - (by - ay) * (dx - cx))
    return across > along


def facing(one: CardPose, other: CardPose) -> bool:
    """Whether one outline begins at the corner where the other ends; False without an outline."""
    if one.quad is None or other.quad is None:
        return False
    (ax, ay), _, _, (bx, by) = one.quad
    (cx, cy), _, _, (dx, dy) = other.quad
    return (bx - ax) * (dx - cx) + (by - ay) * (dy - cy) < 0


def outline_of(pose: CardPose, card_px: float) -> Points:
    """Corners of the card, 4 x 2; of a square around the index where the card's own are not known."""
    if pose.quad is not None:
        return np.array(pose.quad, np.float32)
    # 0.3: half side, in card lengths, of the square taken for a card of which only an index is known.
    # Source: no measurement on record.
    (x, y), half = pose.at, 0.3 * card_px
    return np.array([(x - half, y - half), (x + half, y - half), (x + half, y + half), (x - half, y + half)])


def bounds_of(pose: CardPose, card_px: float) -> Rect:
    """The upright rectangle around a card."""
    points = outline_of(pose, card_px)
    (left, top), (right, foot) = points.min(0), points.max(0)
    return int(left), int(top), int(right) + 1, int(foot) + 1


def covers(pose: CardPose, place: PointPx, card_px: float, slack: float = 0.0) -> bool:
    """Whether a place lies on the card, its outline grown by `slack` card lengths."""
    corners = outline_of(pose, card_px).astype(np.float32)
    return cv2.pointPolygonTest(corners, place, True) >= -slack * card_px


def within(quad: Quad, place: PointPx, slack_px: float = 0.0) -> bool:
    """Whether a place lies within these corners, or at most `slack_px` away."""
    return cv2.pointPolygonTest(np.array(quad, np.float32), place, True) >= -slack_px


def carried(pose: CardPose, at: PointPx, quad: Quad | None) -> CardPose:
    """The pose after a new read. Without corners, the ones known before go along with the nearest index."""
    if quad is not None or pose.quad is None:
        return CardPose(at, quad)
    near = min(index_places(pose), key=lambda place: distance_px(place, at))
    right, down = at[0] - near[0], at[1] - near[1]
    first, second, third, fourth = ((x + right, y + down) for x, y in pose.quad)
    return CardPose(at, (first, second, third, fourth))


Blocks = npt.NDArray[np.bool_]
"""rows x columns of bool; True where something holds for a block."""


BLOCK_PX: Final = 4
"""Pixels of the small picture along a block's side.

Source: no measurement on record.
"""


_CHANGE_STRETCH: Final = 8.0
"""Differences are stretched before they are averaged as bytes: an eighth of a level counts, more than 32
levels in one pixel do not count further.

Source: no measurement on record.
"""

_CHANGE_COMPARE_MS: Final = 200
"""While nothing moves, the picture is compared this often with what was read: only light drifts then.

Source: no measurement on record.
"""


_LIGHT_DRIFT: Final = 0.25
"""How often unchanged blocks take on the present light, and how much of it.

Source: no measurement on record.
"""


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
        # 480: width of the grey picture on which the gate works, at most. Source: no measurement on record.
        self.columns = max(1, min(480, width) // BLOCK_PX)
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
        self._compared_ms = self._drifted_ms = -_CHANGE_COMPARE_MS

    def look(self, image: Image, mono_ms: int) -> Change:
        """Take the next picture (BGR), seen at `mono_ms`."""
        self.small = cv2.resize(image, self.small.shape[1::-1], interpolation=cv2.INTER_LINEAR)
        grey = cv2.cvtColor(self.small, cv2.COLOR_BGR2GRAY)
        means = self._block_means(grey)
        # Find differences from the previous picture, and learn each block's flicker.
        if self._grey is None:
            moving = np.ones(means.shape, bool)
        else:
            apart = self._apart(grey, self._grey, _light(means, self._means))
            if self._noise is None:
                # How each block learns its flicker. Source: no measurement on record.
                # 3.5: the first two pictures say how much a table flickers, up to this much in grey levels.
                first = min(float(np.median(apart)), 3.5)
                self._noise = np.full(apart.shape, first, np.float32)
            moving = self._exceeds(apart)
            everywhere = 2 * moving.sum() > moving.size
            # 1.004, 1.06: by which factor a block's flicker rises a picture while it seems to move, and
            # while most of the table does: hands that pass teach next to nothing, noise that begins
            # everywhere is learnt in a second.
            risen = self._noise * (1.06 if everywhere else 1.004)
            # 0.06: share by which a block's flicker follows still pictures.
            learnt = self._noise + 0.06 * (apart - self._noise)
            self._noise = np.where(moving, np.minimum(risen, apart), learnt)
        self._alike = np.where(moving, 1, self._alike + 1)
        self._moved_ms[moving] = mono_ms
        self._grey, self._means = grey, means
        # Limits for a still block. Source: no measurement on record.
        # 3, 90: A block is still after so many pictures alike, and so long without motion.
        still = (self._alike >= 3) & (mono_ms - self._moved_ms >= 90)
        if not still.all() or mono_ms - self._compared_ms >= _CHANGE_COMPARE_MS:
            # Find differences from the picture that was read.
            self._compared_ms = mono_ms
            light = _light(self._means, self._block_means(self._read))
            self._changed = ~self._was_read | self._exceeds(self._apart(grey, self._read, light))
        # How slow changes of light are followed. Source: no measurement on record.
        # 1000, 0.25: how often unchanged blocks take on the present light, and how much of it.
        if mono_ms - self._drifted_ms >= 1000:
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

    def _waiting(self, moving: Blocks, mono_ms: int) -> Blocks:
        """Return changed blocks connected to something that moves: a hand, or what it carries."""
        if not moving.any():
            return moving
        _, parts = cv2.connectedComponents((moving | self._changed).astype(np.uint8), connectivity=8)
        busy = np.zeros(int(np.max(parts)) + 1, np.bool_)
        busy[parts[moving]] = True
        # 700: what hangs together with something that moves is waited for, unless it has been still for
        # this long.
        return np.asarray(busy[parts] & (mono_ms - self._moved_ms < 700))

    def _block_means(self, picture: Image) -> Image:
        """Mean of each block of a grey small picture, rows x columns, float32."""
        means = cv2.resize(picture, (self.columns, self.rows), interpolation=cv2.INTER_AREA)
        return means.astype(np.float32)

    def _apart(self, grey: Image, before: Image, light: float) -> Image:
        """Mean difference of each block in grey levels, were the picture before in the light of now."""
        # 0.004: less change of light than this share is left alone.
        if abs(light - 1) > 0.004:
            before = cv2.convertScaleAbs(before, alpha=light)
        stretched = cv2.convertScaleAbs(cv2.absdiff(grey, before), alpha=_CHANGE_STRETCH)
        return self._block_means(stretched) / _CHANGE_STRETCH

    def _exceeds(self, apart: Image) -> Blocks:
        """Return which blocks differ by more (mean grey levels) than their flicker explains."""
        noise = 0.0 if self._noise is None else self._noise
        # Limits for a changed block. Levels are grey levels. Source: no measurement on record.
        # 1.6, 14.0: bounds of the mean difference of a block from which it has changed.
        # 4.0: A block has changed when it differs by so many times its own flicker.
        return np.asarray(apart > np.clip(4.0 * noise, 1.6, 14.0))

    def _drift(self, grey: Image, blocks: Blocks, mono_ms: int) -> None:
        """Adapt the read picture to the light of unchanged blocks."""
        self._drifted_ms = mono_ms
        nearer = cv2.addWeighted(self._read, 1 - _LIGHT_DRIFT, grey, _LIGHT_DRIFT, 0)
        self._read = np.where(self._pixels(blocks), nearer, self._read)

    def _pixels(self, blocks: Blocks) -> Blocks:
        """The same for each small pixel."""
        return blocks.repeat(BLOCK_PX, 0).repeat(BLOCK_PX, 1)


def _light(now: Image, then: Image) -> float:
    """Return the picture's relative brightness; a change in less than half of it does not count."""
    return float(np.median((now + 1) / (then + 1)))


Slices = tuple[slice, slice]
"""Rows and columns of a part of the grid."""


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
        # 0.08: estimates of a card's length that differ by less than this share are one. Source: no
        # measurement on record.
        if abs(card_px / self.card_px - 1) > 0.08:
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
            # 1000: places whose blocks are remembered: more than ever lie on a table, and a bound of memory.
            if len(self._inner) >= 1000:
                self._inner.clear()
            # 0.1: motion this near to a card's edge, in card lengths, is its neighbour's. Source: no
            # measurement on record.
            found = self._inner[pose] = self.blocks(self.card(pose, -0.1))
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
