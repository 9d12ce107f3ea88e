"""Non-maximum suppression: of the poses that see one index, which is read first, and which one stays."""

from typing import Final, NamedTuple

import numpy as np

from vision.geometry import (
    IndexPoses,
    Points,
    first_claims,
    mean_poses,
    pairs_within,
    rows_of_columns,
    to_one_side,
)


class SuppressionRule(NamedTuple):
    """Limits for poses of one place. Source: no measurement on record."""

    overlap: float = 0.45
    """Indices nearer to each other than this share of their height cannot both be there."""

    same_way: float = 0.9
    """Poses of one index face the same way: least cosine between their directions."""


_SUPPRESSION_RULE: Final = SuppressionRule()


def _facing_alike(poses: IndexPoses) -> Points:
    return np.asarray(poses.downs @ poses.downs.T > _SUPPRESSION_RULE.same_way)


def place_leaders(poses: IndexPoses) -> Points:
    """Return for each pose (n) the number of the first pose at its place and direction, perhaps itself.

    A pose to one side of it has a place of its own: in a tight fan it is the next card's index.
    """
    same = pairs_within(poses, _SUPPRESSION_RULE.overlap) & _facing_alike(poses) & ~to_one_side(poses, poses)
    return first_claims(same | same.T, range(len(same)))


class Survivors(NamedTuple):
    """Numbers of the best poses (m), and the mean of the poses that agree with each."""

    best: Points
    poses: IndexPoses


def suppress_non_maxima(poses: IndexPoses, labels: Points, scores: Points) -> Survivors:
    """Return the best of overlapping poses, averaged with those of the same card there.

    `labels` (n) are numbers of cards, `scores` (n) the quality of each pose. Two poses side by side with
    different names both stay, as in a tight fan.
    """
    others = labels[:, None] != labels
    near = pairs_within(poses, _SUPPRESSION_RULE.overlap) & ~(others & to_one_side(poses, poses))
    here = rows_of_columns(near)
    same = (_facing_alike(poses) & (labels[:, None] == labels)).tolist()
    free, best, members, owners = [True] * len(scores), list[int](), list[int](), list[int]()
    for number in np.argsort(-scores).tolist():
        if not free[number]:
            continue
        for other in here[number]:
            if free[other] and same[other][number]:
                members.append(other)
                owners.append(len(best))
            free[other] = False
        best.append(number)
    weights = np.zeros((len(best), len(scores)))
    weights[owners, members] = scores[members]
    return Survivors(np.array(best, int), mean_poses(poses, weights))
