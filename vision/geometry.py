"""Places and outlines in one picture: distances, outlines, rectangles, poses of indices; valid pictures.

Everything is in pixels of one picture, x before y, y downwards.
"""

from collections.abc import Iterable
from typing import Any, Final, NamedTuple

import cv2
import numpy as np
import numpy.typing as npt

from controller.domain import TableError

Image = npt.NDArray[Any]
"""uint8, height x width x 3 (blue, green, red) or height x width (grey, or a mask)."""

Points = npt.NDArray[Any]
"""float, n x 2, x before y; other shapes are said where they occur."""

LEAST: Final = 1e-9
"""Keeps from dividing by nothing, and a product from being nothing. Source: no tuned number."""


def squared_distances(ones: Points, others: Points) -> Points:
    """Squared distances between n x 2 and m x 2 places, n x m.

    Squared, because the square roots would take longer than everything else here.
    """
    x, y = ones[:, :1] - others[:, 0], ones[:, 1:] - others[:, 1]
    return np.asarray(x * x + y * y)


def within_reach(ones: Points, others: Points, reach: Points | float) -> Points:
    """Return which of n x 2 and m x 2 places are closer than `reach`, n x m, bool.

    `reach` is 0 or more: one number for all, one for each of the m others, or one for each pair.
    """
    return np.asarray(squared_distances(ones, others) < np.square(reach))


NEXT_CORNER: Final = [1, 2, 3, 0]
"""Numbers of the corners that follow corners 0 to 3 of an outline."""

CARD_ASPECT: Final = 0.70
"""Width over height of a card.

Source: between the two formats in use, bridge (57 x 88 mm, 0.65) and poker (63 x 88 mm, 0.72).
"""


def scaled(outlines: Points, factor: float) -> Points:
    """Outlines (... x 4 x 2) made `factor` times as large about their middles."""
    middles = outlines.sum(-2, keepdims=True) / outlines.shape[-2]
    return np.asarray(middles + (outlines - middles) * factor)


def to_rectangle(outline: Points, high: float, wide: float) -> Points:
    """The perspective (3 x 3) that takes an outline (4 x 2) to an upright rectangle of this size at 0, 0."""
    target = np.array([[0, 0], [wide, 0], [wide, high], [0, high]], np.float32)
    return cv2.getPerspectiveTransform(outline.astype(np.float32), target)


def inside_each(points: Points, outlines: Points, slack: float = 0.0) -> Points:
    """Return which of n x 2 points lie in which of m x 4 x 2 convex outlines, n x m, bool.

    The outlines are first grown by `slack`, a share of their half size; a negative one shrinks them. A point
    is inside when it lies on the same side of all four edges, in either winding.
    """
    corners = scaled(outlines, 1 + slack).transpose(1, 0, 2)
    x, y = corners[..., 0], corners[..., 1]
    wide, high = x[NEXT_CORNER] - x, y[NEXT_CORNER] - y
    sides = wide[:, None] * points[:, 1:] - high[:, None] * points[:, :1]
    sides -= (wide * y - high * x)[:, None]
    return np.asarray((sides.min(0) >= 0) | (sides.max(0) <= 0))


def all_inside(points: Points, corners: Points, slack: float = 0.0) -> Points:
    """Return which of n x 2 points lie in one convex outline (4 x 2), n, bool; `slack` as `inside_each`."""
    return np.asarray(inside_each(points, corners[None], slack)[:, 0])


def inside(point: Points, corners: Points, slack: float = 0.0) -> bool:
    """Whether one point (2) lies in one convex outline (4 x 2); `slack` as for `inside_each`."""
    return bool(all_inside(point[None], corners, slack)[0])


def overlap(one: Points, other: Points) -> bool:
    """Whether two convex outlines share any area; touching outlines do not."""
    area, _ = cv2.intersectConvexConvex(one.astype(np.float32), other.astype(np.float32))
    return area > 0


Rect = tuple[int, int, int, int]
"""Left, top, right and foot; right and foot are the first pixels outside."""


def grown(rect: Rect, margin_px: float) -> Rect:
    """The rectangle with a margin at each side, a negative one shrinks it; cut to whole pixels."""
    left, top, right, foot = rect
    return int(left - margin_px), int(top - margin_px), int(right + margin_px), int(foot + margin_px)


def clipped(rect: Rect, shape: tuple[int, ...]) -> Rect:
    """The part of a rectangle that lies in a picture of `shape` (height, width and so on)."""
    left, top, right, foot = rect
    return max(left, 0), max(top, 0), min(right, shape[1]), min(foot, shape[0])


def meet(one: Rect, other: Rect) -> bool:
    """Whether two rectangles share a pixel."""
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def lies_within(inner: Rect, outer: Rect) -> bool:
    """Whether all of `inner` lies in `outer`."""
    return outer[0] <= inner[0] and outer[1] <= inner[1] and inner[2] <= outer[2] and inner[3] <= outer[3]


def union(one: Rect, other: Rect) -> Rect:
    """The smallest rectangle around both."""
    return min(one[0], other[0]), min(one[1], other[1]), max(one[2], other[2]), max(one[3], other[3])


PIXELS_MAX: Final = 80_000_000
"""More than any camera that is read gives.

Source: no measurement on record.
"""

SIDE_MAX_PX: Final = 2**20
"""Longest side. Sums of squares along such a side stay below 2**63 (`ink.c`)."""


def is_grey(picture: Image) -> bool:
    """Whether a BGR picture has no colours, as from an infrared camera."""
    # 4: A picture is grey where no pixel's channels differ by more grey levels: JPEG rounds each of them.
    # Source: the channels of 17 drawn tables, made grey and packed as JPEG of quality 60 to 95, differ by
    # none.
    return bool(picture.size) and int((picture.max(2) - picture.min(2)).max()) <= 4


def bgr_picture(image: Any, *, empty: bool = False) -> Image:
    """Return the picture contiguous in memory, as the C functions require.

    A view with another pixel order (turned, mirrored, every second pixel, swapped channels) is copied; a part
    of a larger picture is not. `empty` permits a picture without pixels.

    Raises TableError PICTURE_ARRAY_KIND (no array of uint8), PICTURE_ARRAY_CHANNELS (not height x width x 3),
    PICTURE_ARRAY_EMPTY or PICTURE_ARRAY_TOO_LARGE.
    """
    if not isinstance(image, np.ndarray) or image.dtype != np.uint8:
        raise TableError("PICTURE_ARRAY_KIND", kind=str(getattr(image, "dtype", type(image).__name__)))
    if image.ndim != 3 or image.shape[2] != 3:
        raise TableError("PICTURE_ARRAY_CHANNELS", shape=" x ".join(map(str, image.shape)) or "0")
    height, width, _ = image.shape
    if not (image.size or empty):
        raise TableError("PICTURE_ARRAY_EMPTY", width=width, height=height)
    if height * width > PIXELS_MAX or max(height, width) > SIDE_MAX_PX:
        raise TableError("PICTURE_ARRAY_TOO_LARGE", width=width, height=height)
    in_order = image.strides[1:] == (3, 1) and image.strides[0] >= 3 * width
    return image if in_order else np.ascontiguousarray(image)


SAME_INDEX: Final = 0.5
"""Places nearer to each other than so many heights of an index are one index's.

Source: a three of the photographs, reported twice without; those of a tight fan stand 0.7 to 0.9 apart.
"""

SURELY_SAME: Final = 0.3
"""So near they surely are. One that is further away is another one's, where such a one is there: in a tight
fan it is the next card's.

Source: the middles of the heat's peaks lie 0.30 heights from theirs at most of nine in ten (`propose_hot`);
two of a drawn fan of large indices stand 0.44 apart.
"""

OWN_CORNER: Final = 0.4
"""What is so near to where a card's other index should be, in its heights, is that index.

Source: with it, heights of what was read and `SURELY_SAME` 25 instead of 40 of 6,485 hands were short in
silence, on 650 drawn tables of decks left out (a deal in one picture, 1920 x 1080); exact hands on 860 went
from 5,847 to 5,861. An index of its rank that is another card's is seldom there: on 600 drawn tables three of
seven wrong faces were, and no exact hand was lost. Of 20 places that look half covered on 8 drawn tables with
framed courts 8 were as near to one of a reported card; in two fans of drawn decks that were short in silence
the next one is 0.42 and 0.53 away, in one 0.36.
"""

CARD_REACH: Final = 12.0
"""Indices further apart than so many of their heights are no corners of one card; real decks' are up to nine
apart.

Source: of 1,081 drawn tables of decks left out ten cards were reported twice by a second reading, their
corners 3.5 to 6.4 heights apart; with it none, and 256 cards were added instead of 305.
"""

PARALLEL: Final = 0.94
"""Least cosine between the directions of one card's indices, either way: they share the camera's tilt.

Source: no measurement on record.
"""


BESIDE_TIMES: Final = 1.1
"""Where the pip stands beside the rank, both together are shown in crops as if they were so many times their
width high: then they fill their crop's width, with some room.

Source: the crop's proportions (48 x 36 pixels, of whose height an index fills 0.68).
"""


class IndexPoses(NamedTuple):
    """Poses of n indices or of places where one may be.

    `centres`: n x 2, pixels. `downs`: n x 2, unit vectors from the rank to the pip. `index_px`: n, height of
    the whole index in pixels, from the rank's top to the pip's foot.
    """

    centres: Points
    downs: Points
    index_px: Points

    @property
    def rights(self) -> Points:
        """Return unit vectors to the reader's right of each upright index, n x 2."""
        return np.stack([self.downs[:, 1], -self.downs[:, 0]], 1)

    def beside(self, right: float, below: float) -> Points:
        """Places beside the centres, n x 2; `right` and `below` are in heights of the index, as it faces."""
        return np.asarray(self.centres + (self.rights * right + self.downs * below) * self.index_px[:, None])

    def quarter_turned(self, lean_deg: float = 0.0) -> "IndexPoses":
        """Return poses whose two parts stand side by side for the reader, not one above the other.

        The line between the parts falls by `lean_deg` from left to right.
        """
        cos, sin = np.cos(np.deg2rad(90 - lean_deg)), np.sin(np.deg2rad(90 - lean_deg))
        x, y = self.downs.T
        turned = np.stack([x * cos - y * sin, x * sin + y * cos], 1)
        return IndexPoses(self.centres, turned, BESIDE_TIMES * self.index_px)

    def turned(self, degrees: float) -> "IndexPoses":
        """The same places, facing so much further round."""
        cos, sin = np.cos(np.deg2rad(degrees)), np.sin(np.deg2rad(degrees))
        return self._replace(downs=self.downs * cos - self.rights * sin)

    def take(self, chosen: Points) -> "IndexPoses":
        """Return the poses that an array of numbers or booleans selects."""
        return IndexPoses(self.centres[chosen], self.downs[chosen], self.index_px[chosen])


class IndexPlace(NamedTuple):
    """The position of a deck's index on its card.

    `across` and `along`: shares of the card's width and height from its corner to the index's centre; `tall`:
    the index's height as a share of the card's.
    """

    across: float
    along: float
    tall: float

    def on(self, outlines: Points) -> IndexPoses:
        """The upper indices of cards (n x 4 x 2, clockwise from the upper left)."""
        right, down = outlines[:, 1] - outlines[:, 0], outlines[:, 3] - outlines[:, 0]
        long_px = np.hypot(*down.T)
        centres = outlines[:, 0] + self.across * right + self.along * down
        return IndexPoses(centres, down / long_px[:, None], self.tall * long_px)

    def around(self, poses: IndexPoses, long_px: float) -> Points:
        """The cards of that length (n x 4 x 2) of which these are the upper indices."""
        across, down = poses.rights * CARD_ASPECT * long_px, poses.downs * long_px
        first = poses.centres - self.across * across - self.along * down
        return np.stack([first, first + across, first + across + down, first + down], 1)

    def at_both_ends(self, outlines: Points) -> IndexPoses:
        """The indices of cards that lie either way round."""
        return self.on(np.concatenate([outlines, outlines[:, [2, 3, 0, 1]]]))


def concatenated(parts: Iterable[IndexPoses]) -> IndexPoses:
    """All poses of several, one after the other."""
    return IndexPoses(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


def pairs_within(poses: IndexPoses, reach: float) -> Points:
    """Return which centres (rows) lie within `reach` index heights of which poses (columns), n x n, bool."""
    return within_reach(poses.centres, poses.centres, reach * poses.index_px)


def _across(places: IndexPoses, others: IndexPoses) -> Points:
    """Return the sideways distance of n places from m others, in heights of these, n x m."""
    return np.asarray(
        np.abs(((places.centres[:, None] - others.centres) * others.rights).sum(2)) / others.index_px
    )


def to_one_side(places: IndexPoses, others: IndexPoses) -> Points:
    """Return which of n places are another index's place to one side of which m others, n x m."""
    return np.asarray(_across(places, others) > SURELY_SAME)


def in_one_fan(places: IndexPoses, others: IndexPoses) -> Points:
    """Return which of n places may be the neighbouring index in a fan of which m others, n x m.

    They stand side by side at one level, with one height and direction.
    """
    across = _across(places, others)
    along = np.abs(((places.centres[:, None] - others.centres) * others.downs).sum(2))
    # When two indices stand side by side as in a fan. Source: drawn fans whose indices stand 0.35 to 0.8
    # heights apart; docs/measurements/reader.md, Tight fans and lone backs.
    # 0.8: no further apart than so many heights. In a wider fan both are in full view.
    # 0.25: their middles are off the line by less than so many heights.
    beside = (across > SURELY_SAME) & (across < 0.8) & (along < 0.25 * others.index_px)
    # 0.3: the natural logarithms of their heights differ by less.
    alike = np.abs(np.log(places.index_px[:, None] / others.index_px)) < 0.3
    facing = places.downs @ others.downs.T > PARALLEL
    return np.asarray(beside & alike & facing)


def rows_of_columns(pairs: Points) -> list[list[int]]:
    """For each column of a table of truth values the numbers of the rows where it is true."""
    rows: list[list[int]] = [[] for _ in range(pairs.shape[1])]
    for column, row in np.argwhere(pairs.T).tolist():
        rows[column].append(row)
    return rows


def first_claims(pairs: Points, order: Iterable[int]) -> Points:
    """For each row (n) the first column, in `order`, that claims it; `pairs`: n x n, true on its diagonal."""
    columns, owner = rows_of_columns(pairs), [-1] * len(pairs)
    for first in order:
        if owner[first] < 0:
            for member in columns[first]:
                if owner[member] < 0:
                    owner[member] = first
    return np.array(owner, int)


def mean_poses(poses: IndexPoses, weights: Points) -> IndexPoses:
    """Weighted means of poses: m of them for weights of m x n, each row 0 or more and not 0 throughout."""
    shares = weights / np.maximum(weights.sum(1, keepdims=True), 1e-12)
    downs = shares @ poses.downs
    downs /= np.maximum(np.hypot(*downs.T), 1e-9)[:, None]
    return IndexPoses(shares @ poses.centres, downs, shares @ poses.index_px)


def fully_inside(poses: IndexPoses, image: Image) -> Points:
    """Return which poses (n, bool) lie in the picture with all of rank and pip."""
    inside = np.ones(len(poses.index_px), bool)
    for right, below in ((-1, -1), (1, -1), (1, 1), (-1, 1)):
        # 0.55: half the width of an index in units of its height, a ten's second digit included. Source: no
        # measurement on record.
        corner = poses.beside(right * 0.55, below * 0.5)
        inside &= (corner >= 0).all(1) & (corner < (image.shape[1], image.shape[0])).all(1)
    return inside
