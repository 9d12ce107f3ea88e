"""Frames of indices: those of one place, their means, and the same places a little shaken."""

from collections.abc import Iterable
from typing import Final, NamedTuple

import numpy as np

from vision.geometry.arrays import Image, Points, within
from vision.proposal.index_pairs import Candidates, joined

SAME_PLACE: Final = 0.25
SAME_TURN: Final = 0.95
SAME_SIZE: Final = 0.3
"""Frames whose centres (in heights), directions (cosine), sizes (logarithm) agree so far are averaged."""

OVERLAP: Final = 0.45
"""Indices nearer to each other than this share of their height cannot both be."""

SAME_WAY: Final = 0.9
"""Frames of one index look the same way (cosine)."""


def _shaken(found: Candidates, shake: tuple[float, float, float, float]) -> Candidates:
    right, down, scale, turn_deg = shake
    turn = np.deg2rad(turn_deg)
    swung = found.downs * np.cos(turn) - found.rights * np.sin(turn)
    return Candidates(found.beside(right, down), swung, found.heights * scale)


def shaken_views(found: Candidates, shakes: Iterable[tuple[float, float, float, float]]) -> Candidates:
    """All candidates under the first shake (as in SHAKES), then all under the second, and so on."""
    return joined([_shaken(found, shake) for shake in shakes])


def near(found: Candidates, reach: float) -> Points:
    """Which centres (rows) are within so many heights of which frames (columns), n x n."""
    return within(found.centres, found.centres, reach * found.heights)


def _columns(pairs: Points) -> list[list[int]]:
    """Numbers of the rows that are true, for each column."""
    rows: list[list[int]] = [[] for _ in range(pairs.shape[1])]
    for column, row in np.argwhere(pairs.T).tolist():
        rows[column].append(row)
    return rows


def _mean_frames(found: Candidates, weight: Points) -> Candidates:
    """Means of candidates; a row of `weight` for each mean."""
    weight = weight / np.maximum(weight.sum(1, keepdims=True), 1e-12)
    downs = weight @ found.downs
    downs /= np.maximum(np.hypot(*downs.T), 1e-9)[:, None]
    return Candidates(weight @ found.centres, downs, weight @ found.heights)


def _claimed(pairs: Points, order: Iterable[int]) -> Points:
    """For each row the first column, in order, that it is paired with; each column is paired with itself."""
    columns, owner = _columns(pairs), [-1] * len(pairs)
    for first in order:
        if owner[first] < 0:
            for member in columns[first]:
                if owner[member] < 0:
                    owner[member] = first
    return np.array(owner, int)


def places(found: Candidates, worth: Points) -> Candidates:
    """One frame a place: the mean of those that see about the same there, by their worth.

    The frames of a ten differ by which of its digits was taken for the rank; their mean stands straight.
    """
    close = near(found, SAME_PLACE)
    turned = found.downs @ found.downs.T > SAME_TURN
    logs = np.log(found.heights)
    order = np.argsort(-worth)
    owner = _claimed(close & turned & (np.abs(logs[:, None] - logs) < SAME_SIZE), order.tolist())
    firsts = order[owner[order] == order]
    return _mean_frames(found, (owner == firsts[:, None]) * (worth**2).astype(np.float64))


def leaders(found: Candidates) -> Points:
    """For each frame the first that looks the same way at the same place, itself where there is none."""
    same = near(found, OVERLAP) & (found.downs @ found.downs.T > SAME_WAY)
    return _claimed(same | same.T, range(len(same)))


class Chosen(NamedTuple):
    """One frame a place: numbers of the best candidates, and frames, the means of those that agree."""

    best: Points
    frames: Candidates


def one_a_place(found: Candidates, labels: Points, worth: Points) -> Chosen:
    """The best of the frames that overlap, averaged with those that see the same card there."""
    here = _columns(near(found, OVERLAP))
    same = ((found.downs @ found.downs.T > SAME_WAY) & (labels[:, None] == labels)).tolist()
    free, best, members, owners = [True] * len(worth), list[int](), list[int](), list[int]()
    for number in np.argsort(-worth).tolist():
        if not free[number]:
            continue
        for other in here[number]:
            if free[other] and same[other][number]:
                members.append(other)
                owners.append(len(best))
            free[other] = False
        best.append(number)
    weight = np.zeros((len(best), len(worth)))
    weight[owners, members] = worth[members]
    return Chosen(np.array(best, int), _mean_frames(found, weight))


def whole_in(found: Candidates, image: Image) -> Points:
    """Which frames lie in the picture with all that may belong to rank and pip, a ten's other digit too."""
    inside = np.ones(len(found.heights), bool)
    for right, down in ((-0.55, -0.5), (0.55, -0.5), (0.55, 0.5), (-0.55, 0.5)):
        corner = found.beside(right, down)
        inside &= (corner >= 0).all(1) & (corner < (image.shape[1], image.shape[0])).all(1)
    return inside
