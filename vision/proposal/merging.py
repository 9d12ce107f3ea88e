"""Merges proposals that see about the same at one place into one."""

from typing import Final, NamedTuple

import numpy as np

from vision.geometry import IndexPoses, Points, first_claims, mean_poses, pairs_within


class MergeRule(NamedTuple):
    """Limits for merging two proposals.

    Source: docs/measurements/reader.md, What a limit is worth.
    """

    place: float = 0.25
    """Distance of their centres, in index heights."""

    turn: float = 0.95
    """Least cosine between their directions."""

    size: float = 0.3
    """Difference of the natural logarithms of their heights."""


_MERGE_RULE: Final = MergeRule()


def merge_proposals(poses: IndexPoses, scores: Points) -> IndexPoses:
    """Return one pose for each place, the likeliest first: the mean of similar proposals there.

    Weights are squared `scores` (n, 0..1). The proposals of a ten differ by the digit taken for the rank;
    their mean stands straight.
    """
    close = pairs_within(poses, _MERGE_RULE.place)
    turned = poses.downs @ poses.downs.T > _MERGE_RULE.turn
    logs = np.log(poses.index_px)
    order = np.argsort(-scores)
    alike = close & turned & (np.abs(logs[:, None] - logs) < _MERGE_RULE.size)
    owner = first_claims(alike, order.tolist())
    firsts = order[owner[order] == order]
    return mean_poses(poses, (owner == firsts[:, None]) * (scores**2).astype(np.float64))
