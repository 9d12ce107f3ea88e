"""Poses of indices as columns of arrays: place, direction and size of each."""

from collections.abc import Iterable
from typing import Final, NamedTuple

import numpy as np

from vision.geometry.arrays import Image, Points, within_reach
from vision.geometry.outlines import CARD_ASPECT

_INDEX_HALF_WIDTH: Final = 0.55
"""Half the width of an index in units of its height, a ten's second digit included.

Source: no measurement on record.
"""

SAME_INDEX: Final = 0.5
"""Places nearer to each other than so many heights of an index are one index's.

Source: a three of the photographs, reported twice without; those of a tight fan stand 0.7 to 0.9 apart.
"""

SURELY_SAME: Final = 0.3
"""So near they surely are. One that is further away is another one's, where such a one is there: in a tight
fan it is the next card's.

Source: the middles of the heat's peaks lie 0.30 heights from theirs at most of nine in ten (`HotPlaceRule`);
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


class FanRule(NamedTuple):
    """When two indices stand side by side as in a fan.

    Source: drawn fans whose indices stand 0.35 to 0.8 heights apart; docs/measurements/reader.md, Tight fans
    and lone backs.
    """

    reach: float = 0.8
    """No further apart than so many heights. In a wider fan both are in full view."""

    level: float = 0.25
    """Their middles are off the line by less than so many heights."""

    size: float = 0.3
    """The natural logarithms of their heights differ by less."""


FAN: Final = FanRule()

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
    beside = (across > SURELY_SAME) & (across < FAN.reach) & (along < FAN.level * others.index_px)
    alike = np.abs(np.log(places.index_px[:, None] / others.index_px)) < FAN.size
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
        corner = poses.beside(right * _INDEX_HALF_WIDTH, below * 0.5)
        inside &= (corner >= 0).all(1) & (corner < (image.shape[1], image.shape[0])).all(1)
    return inside
