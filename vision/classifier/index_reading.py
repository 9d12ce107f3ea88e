"""From candidates to indices: the network's word on each, shaken views, one index a place."""

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from vision.classifier.networks import GlanceNetwork, IndexNetwork, Networks, Scores
from vision.classifier.non_maximum_suppression import (
    leaders,
    near,
    one_a_place,
    places,
    shaken_views,
    whole_in,
)
from vision.classifier.view_fusion import INDEX, OCCLUDED, Said, said_by
from vision.geometry.arrays import Image, Points
from vision.labels import SUITS
from vision.proposal.index_pairs import Candidates, joined

SEEN: Final = 0.30
"""An index at least this probable is worth a second look; below it the candidate is nothing."""

PAPER_LEAST: Final = 0.30
"""A crop with less paper than this holds no index."""

SHAKES: Final = ((0.05, 0.04, 1.06, 4.0), (-0.05, -0.04, 0.95, -4.0))
"""Further views of one index: shift right and down (of its height), scale, turn in degrees."""

CONCLUSIVE: Final = 0.995
"""From this probability of rank, suit and of being an index on, nothing more is read: no other frame of a
place where one says so, no third view where two agree. Of 147,000 drawn crops the same 14 readable ones are
wrong with the third view and without; one of ten needs it.
"""

HIDDEN_SURE: Final = 0.85
"""From this probability on a half hidden index is told."""

HALF_LIKELY: Final = 0.5
HALF_NAMED: Final = 0.98
"""Two places that look half hidden are read all the same where each is so by the first of these, named by the
second in rank and suit, and they are alike and face each other: opposite corners of one card that a deck with
large pips close to its indices made look so."""

FACING: Final = -0.94
FACING_REACH: Final = 12.0
"""Opposite corners of a card face each other (cosine) and are no further apart (heights)."""

TWICE_PX: Final = 25.0
"""From this height on, two corners that face each other and are alike beyond doubt are two views of a card.

Of 70,000 drawn crops two more were wrong without the limit, of 16 and 23 px, under faults that hit both
corners alike.
"""


class Index(NamedTuple):
    """One index in the picture: `down` points from rank to pip, `height` spans both (pixels).

    `p_rank`, `p_suit`, `p_index` are geometric means over the shaken views; `agreed`
    tells that all views named the same rank and suit. `tints` as in `rectify.Prepared`,
    `whole` when none of it lies beyond the picture's border. `p_shown` is like `p_index` that of an index,
    whole or partly hidden.
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
    tints: Sequence[Sequence[float]]
    whole: bool
    p_shown: float = 0.0

    @property
    def p(self) -> float:
        """Probability that all of it is right."""
        return self.p_rank * self.p_suit * self.p_index

    @property
    def right(self) -> Points:
        """Unit vector to the index's right."""
        return np.array([self.down[1], -self.down[0]])


def frames_of(indices: Sequence[Index]) -> Candidates:
    """Places, directions and heights of indices."""
    centres, downs = (
        np.array(column).reshape(-1, 2)
        for column in ([index.centre for index in indices], [index.down for index in indices])
    )
    return Candidates(centres, downs, np.array([index.height for index in indices]))


def _indices(said: Said, found: Candidates, tints: Points, whole: Points) -> list[Index]:
    numbers = (found.heights, said.rank, said.suit, said.p_rank, said.p_suit, said.p_index, said.agreed)
    columns = (
        found.centres,
        found.downs,
        *(column.tolist() for column in numbers),
        tints.tolist(),
        whole.tolist(),
        said.p_shown.tolist(),
    )
    return [Index(*row) for row in zip(*columns, strict=True)]


def _worth_reading(image: Image, found: Candidates, glance: GlanceNetwork) -> Candidates:
    """The places in which a glance sees an index, whole or half hidden; the likeliest first."""
    paper, worth = glance.worth(image, found)
    good = (paper > PAPER_LEAST) & (worth >= glance.threshold)
    return places(found.take(np.flatnonzero(good)), worth[good])


def _hidden(found: Candidates, scores: Scores, taken: Candidates) -> Points:
    """Centres of the places where an index is partly covered, apart from those that were read; n x 2."""
    centres = [*taken.centres]
    kept = []
    share = scores.state[:, OCCLUDED]
    for number in np.argsort(-share):
        if share[number] < HIDDEN_SURE:
            break
        centre, reach = found.centres[number], 0.8 * found.heights[number]
        if all(np.hypot(*(centre - other)) > reach for other in centres):
            centres.append(centre)
            kept.append(centre)
    return np.array(kept).reshape(-1, 2)


def _faced(found: Candidates, labels: Points, chosen: Points) -> Points:
    """Which of the chosen places have a like chosen one at what may be the opposite corner of their card."""
    numbers = np.flatnonzero(chosen)
    some = found.take(numbers)
    facing = (some.downs @ some.downs.T < FACING) & (labels[numbers, None] == labels[numbers])
    facing &= near(some, FACING_REACH)
    faced = np.zeros(len(labels), bool)
    faced[numbers] = facing.any(1)
    return faced


def _half(scores: Scores) -> Points:
    """Which places look half hidden and have a clear name."""
    clear = (scores.rank.max(1) > HALF_NAMED) & (scores.suit.max(1) > HALF_NAMED)
    return np.asarray(clear & (scores.state[:, OCCLUDED] > HALF_LIKELY))


def _labels(scores: Scores) -> Points:
    """A number for rank and suit of each place."""
    return np.asarray(scores.rank.argmax(1) * len(SUITS) + scores.suit.argmax(1))


def _said(image: Image, frames: Candidates, plain: Scores, network: IndexNetwork) -> Said:
    """What all views say; `plain` are the scores of the frames in which the indices were found.

    Two large corners that vouch for each other are not looked at again. Each of the others is, and a third
    time where the two views agree but leave something open.
    """
    said = said_by([plain])
    clear = _conclusive(plain) & (frames.heights >= TWICE_PX)
    rest = np.flatnonzero(~_faced(frames, _labels(plain), clear))
    if len(rest):
        said.replaced(rest, _shaken(image, frames.take(rest), plain.take(rest), network))
    return said


def _shaken(image: Image, frames: Candidates, plain: Scores, network: IndexNetwork) -> Said:
    _, second = network.classify_places(image, shaken_views(frames, SHAKES[:1]))
    said = said_by([plain, second])
    doubted = np.flatnonzero(said.agreed & (said.least() < CONCLUSIVE))
    if len(doubted):
        _, third = network.classify_places(image, shaken_views(frames.take(doubted), SHAKES[1:]))
        said.replaced(doubted, said_by([plain.take(doubted), second.take(doubted), third]))
    return said


def _conclusive(scores: Scores) -> Points:
    best = (scores.rank.max(1), scores.suit.max(1), scores.state[:, INDEX])
    return np.asarray(np.min(best, 0) > CONCLUSIVE)


class _Read(NamedTuple):
    """Frames that were read, the tints of their ink, and what the network says of them."""

    frames: Candidates
    tints: Points
    scores: Scores


def _read(image: Image, found: Candidates, network: IndexNetwork) -> _Read:
    """Reads the likeliest frame of each place, and the others where that one is not conclusive."""
    leader = leaders(found)
    leads = np.flatnonzero(leader == np.arange(len(leader)))
    first = _Read(found.take(leads), *network.classify_places(image, found.take(leads)))
    done = np.zeros(len(leader), bool)
    done[leads] = _conclusive(first.scores)
    rest = np.flatnonzero(~done[leader] & (leader != np.arange(len(leader))))
    if not len(rest):
        return first
    tints, scores = network.classify_places(image, found.take(rest))
    frames, tints = joined((first.frames, found.take(rest))), np.concatenate([first.tints, tints])
    return _Read(frames, tints, Scores(*map(np.concatenate, zip(first.scores, scores, strict=True))))


def read_indices(image: Image, found: Candidates, networks: Networks) -> tuple[list[Index], Points]:
    """Every index of the picture, sure or not, each place once; and centres of half hidden ones, n x 2."""
    found, tints, first = _read(image, _worth_reading(image, found, networks.glances), networks.indices)
    index = first.state[:, INDEX]
    labels = _labels(first)
    likely = np.flatnonzero((index > SEEN) | _faced(found, labels, _half(first)))
    worth = (index * first.rank.max(1) * first.suit.max(1))[likely]
    chosen = one_a_place(found.take(likely), labels[likely], worth)
    frames, best = chosen.frames, likely[chosen.best]
    hidden = _hidden(found, first, frames)
    if not len(best):
        return [], hidden
    said = _said(image, frames, first.take(best), networks.indices)
    return _indices(said, frames, tints[best], whole_in(frames, image)), hidden
