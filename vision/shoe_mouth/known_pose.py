"""Read an index of known pose in several views: a name where they agree, else none."""

from typing import Final, NamedTuple

from vision.acceptance import LIKELY_INDEX, PROBABILITY_LIMITS
from vision.classifier import Augmentation, IndexNetwork, Scores, augmented_views, fuse_labels
from vision.geometry import Image, IndexPoses, Points
from vision.labels import RANKS, STATES, SUITS

VIEWS: Final = (
    Augmentation(0.0, 0.0, 1.0, 0.0),
    Augmentation(0.05, 0.03, 1.06, 4.0),
    Augmentation(-0.05, -0.03, 0.95, -4.0),
    Augmentation(0.03, -0.05, 1.03, -3.0),
    Augmentation(-0.03, 0.05, 0.97, 3.0),
)
"""The index as it stands, and four times a little off.

Source: no measurement on record.
"""

_P_SUIT_WITHOUT_COLOUR: Final = 0.998
"""Least probability of a suit where no ink colour bears witness; below it only the rank is reported.

Source: no measurement on record.
"""


class NamedIndex(NamedTuple):
    """A read card.

    `suit` is None where only the rank is certain; `p` (0..1) is the probability of what is reported.
    """

    rank: str
    suit: str | None
    p: float


def read_known_pose(image: Image, pose: IndexPoses, network: IndexNetwork) -> NamedIndex | None:
    """Name the index of one pose in a BGR picture; None where that would be a guess."""
    scores = network.classify_poses(image, augmented_views(pose, VIEWS))
    return _fuse_and_accept(scores)


def _fuse_and_accept(views: Scores) -> NamedIndex | None:
    """Join the views of one index (rows of `views`); a rank that one of them names otherwise is none."""
    rank, p_rank, same_rank = _fused(views.rank)
    suit, p_suit, same_suit = _fused(views.suit)
    state, p_index, same_state = _fused(views.state)
    if not (same_rank and same_state) or STATES[state] != "index":
        return None
    if p_rank < PROBABILITY_LIMITS.p_rank or p_index < LIKELY_INDEX:
        return None
    if same_suit and p_suit >= _P_SUIT_WITHOUT_COLOUR:
        return NamedIndex(RANKS[rank], SUITS[suit], p_rank * p_index * p_suit)
    return NamedIndex(RANKS[rank], None, p_rank * p_index)


def _fused(scores: Points) -> tuple[int, float, bool]:
    """Best label of one index (views x labels), its joint probability, and whether all views prefer it."""
    best, p, agreed = (part.item() for part in fuse_labels(list(scores[:, None])))
    return best, p, agreed
