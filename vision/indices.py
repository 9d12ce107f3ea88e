"""From candidates to indices: the network's word on each, shaken views, one index a place."""

from typing import Final, NamedTuple

import numpy as np

from vision.arrays import Image, Points
from vision.labels import STATES, SUITS
from vision.locate import Candidates
from vision.network import IndexNetwork, Scores
from vision.rectify import cut_crops, ink_tints, paper_share, white_levels

SEEN: Final = 0.30
"""An index at least this probable is worth a second look; below it the candidate is nothing."""

PAPER_LEAST: Final = 0.40
"""A crop with less paper than this holds no index."""

SHAKES: Final = ((0.0, 0.0, 1.0, 0.0), (0.05, 0.04, 1.06, 4.0), (-0.05, -0.04, 0.95, -4.0))
"""Views of one index: shift right and down (of its height), scale, turn in degrees."""

INDEX: Final = STATES.index("index")


class Index(NamedTuple):
    """One index in the picture: `down` points from rank to pip, `height` spans both (pixels).

    `p_rank`, `p_suit`, `p_index` are geometric means over the shaken views; `agreed`
    tells that all views named the same rank and suit. `tints` as in `rectify.ink_tints`,
    `whole` when none of it lies beyond the picture's border.
    """

    centre: Points
    down: Points
    height: float
    rank: int
    suit: int
    p_rank: float
    p_suit: float
    p_index: float
    agreed: bool
    tints: Points
    whole: bool

    @property
    def p(self) -> float:
        """Probability that all of it is right."""
        return self.p_rank * self.p_suit * self.p_index

    @property
    def right(self) -> Points:
        """Unit vector to the index's right."""
        return np.array([self.down[1], -self.down[0]])


def _shaken(found: Candidates, shake: tuple[float, float, float, float]) -> Candidates:
    right, down, scale, turn_deg = shake
    turn = np.deg2rad(turn_deg)
    across = np.stack([found.downs[:, 1], -found.downs[:, 0]], 1)
    centres = found.centres + (across * right + found.downs * down) * found.heights[:, None]
    swung = found.downs * np.cos(turn) - across * np.sin(turn)
    return Candidates(centres, swung, found.heights * scale)


def _places(found: Candidates, labels: Points, worth: Points) -> Candidates:
    """One candidate a place: the best one, its frame averaged with those that see the same card there.

    The frames of a ten differ by which of its digits was taken for the rank; their mean stands straight.
    """
    frames: list[tuple[Points, Points, float]] = []
    free = np.ones(len(worth), bool)
    for best in np.argsort(-worth):
        if not free[best]:
            continue
        here = np.hypot(*(found.centres - found.centres[best]).T) < 0.45 * found.heights[best]
        same = here & free & (labels == labels[best]) & (found.downs @ found.downs[best] > 0.9)
        free &= ~here
        weight = (worth[same] / worth[same].sum())[:, None]
        down = (found.downs[same] * weight).sum(0)
        centre = (found.centres[same] * weight).sum(0)
        frames.append((centre, down / np.hypot(*down), float((found.heights[same] * weight[:, 0]).sum())))
    centres, downs, heights = zip(*frames, strict=True)
    return Candidates(np.array(centres), np.array(downs), np.array(heights))


def _whole(found: Candidates, image: Image) -> Points:
    """Which frames lie in the picture with all that may belong to rank and pip, a ten's other digit too."""
    across = np.stack([found.downs[:, 1], -found.downs[:, 0]], 1)
    inside = np.ones(len(found.heights), bool)
    for right, down in ((-0.55, -0.5), (0.55, -0.5), (0.55, 0.5), (-0.55, 0.5)):
        corner = found.centres + (across * right + found.downs * down) * found.heights[:, None]
        inside &= (corner >= 0).all(1) & (corner < (image.shape[1], image.shape[0])).all(1)
    return inside


def _joined(views: list[Scores], found: Candidates, tints: Points, whole: Points) -> list[Index]:
    rank = np.mean([np.log(view.rank + 1e-9) for view in views], 0)
    suit = np.mean([np.log(view.suit + 1e-9) for view in views], 0)
    indices = []
    for one in range(len(found.heights)):
        best_rank, best_suit = int(rank[one].argmax()), int(suit[one].argmax())
        agreed = all(
            view.rank[one].argmax() == best_rank and view.suit[one].argmax() == best_suit for view in views
        )
        indices.append(
            Index(
                found.centres[one],
                found.downs[one],
                float(found.heights[one]),
                best_rank,
                best_suit,
                float(np.exp(rank[one, best_rank])),
                float(np.exp(suit[one, best_suit])),
                float(np.exp(np.mean([np.log(view.state[one, INDEX] + 1e-9) for view in views]))),
                agreed,
                tints[one],
                bool(whole[one]),
            )
        )
    return indices


def read_indices(image: Image, found: Candidates, network: IndexNetwork) -> list[Index]:
    """Every index of the picture, sure or not, each place once."""
    crops = cut_crops(image, found)
    if not len(crops):
        return []
    on_paper = paper_share(crops, white_levels(crops)) > PAPER_LEAST
    found, crops = found.take(on_paper), crops[on_paper]
    first = network.classify(crops)
    index = first.state[:, INDEX]
    likely = np.flatnonzero(index > SEEN)
    if not len(likely):
        return []
    worth = (index * first.rank.max(1) * first.suit.max(1))[likely]
    labels = (first.rank.argmax(1) * len(SUITS) + first.suit.argmax(1))[likely]
    chosen = _places(found.take(likely), labels, worth)
    views = [cut_crops(image, _shaken(chosen, shake)) for shake in SHAKES]
    tints = ink_tints(views[0], white_levels(views[0]))
    return _joined([network.classify(view) for view in views], chosen, tints, _whole(chosen, image))
