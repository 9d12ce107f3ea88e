"""From candidates to indices: the network's word on each, shaken views, one index a place."""

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

import numpy as np

from vision.arrays import Image, Points
from vision.labels import STATES, SUITS
from vision.locate import Candidates, joined
from vision.network import GlanceNetwork, IndexNetwork, Networks, Scores

SEEN: Final = 0.30
"""An index at least this probable is worth a second look; below it the candidate is nothing."""

SAME_PLACE: Final = 0.25
SAME_TURN: Final = 0.95
SAME_SIZE: Final = 0.3
"""Frames whose centres (in heights), directions (cosine), sizes (logarithm) agree so far are averaged."""

OVERLAP: Final = 0.45
"""Indices nearer to each other than this share of their height cannot both be."""

PAPER_LEAST: Final = 0.30
"""A crop with less paper than this holds no index."""

SHAKES: Final = ((0.05, 0.04, 1.06, 4.0), (-0.05, -0.04, 0.95, -4.0))
"""Further views of one index: shift right and down (of its height), scale, turn in degrees."""

SURE_TWICE: Final = 0.995
"""Where two views agree on rank, suit and on being an index with this probability, a third is not asked for.

Of 147,000 drawn crops the same 14 readable ones are wrong with and without; one of ten needs the third view.
"""

INDEX: Final = STATES.index("index")
OCCLUDED: Final = STATES.index("occluded")

HIDDEN_SURE: Final = 0.85
"""From this probability on a half hidden index is told."""

HALF_LIKELY: Final = 0.5
HALF_NAMED: Final = 0.98
HALF_FACING: Final = -0.94
HALF_REACH: Final = 12.0
"""Two places that look half hidden are read all the same where each is so by the first of these, named by the
second in rank and suit, and both say the same, face each other (cosine) and are no further apart (heights):
opposite corners of one card that a deck with large pips close to its indices made look so."""


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


def _shaken(found: Candidates, shake: tuple[float, float, float, float]) -> Candidates:
    right, down, scale, turn_deg = shake
    turn = np.deg2rad(turn_deg)
    across = np.stack([found.downs[:, 1], -found.downs[:, 0]], 1)
    centres = found.centres + (across * right + found.downs * down) * found.heights[:, None]
    swung = found.downs * np.cos(turn) - across * np.sin(turn)
    return Candidates(centres, swung, found.heights * scale)


def shaken_views(found: Candidates, shakes: Iterable[tuple[float, float, float, float]]) -> Candidates:
    """All candidates under the first shake (as in SHAKES), then all under the second, and so on."""
    return joined([_shaken(found, shake) for shake in shakes])


def _apart(found: Candidates) -> Points:
    """Distance between all centres, n x n."""
    return np.asarray(np.hypot(*(found.centres[:, None] - found.centres[None]).transpose(2, 0, 1)))


def _columns(pairs: Points) -> list[list[int]]:
    """Numbers of the rows that are true, for each column."""
    rows: list[list[int]] = [[] for _ in range(pairs.shape[1])]
    for column, row in np.argwhere(pairs.T).tolist():
        rows[column].append(row)
    return rows


def _places(found: Candidates, worth: Points) -> Candidates:
    """One frame a place: the mean of those that see about the same there, by their worth.

    The frames of a ten differ by which of its digits was taken for the rank; their mean stands straight.
    """
    near = _apart(found) < SAME_PLACE * found.heights
    turned = found.downs @ found.downs.T > SAME_TURN
    size = np.abs(np.subtract.outer(np.log(found.heights), np.log(found.heights))) < SAME_SIZE
    alike = _columns(near & turned & size)
    place_of, count = [-1] * len(worth), 0
    for best in np.argsort(-worth).tolist():
        if place_of[best] < 0:
            for member in alike[best]:
                if place_of[member] < 0:
                    place_of[member] = count
            count += 1
    weight = np.zeros((count, len(worth)))
    weight[place_of, np.arange(len(worth))] = worth**2
    return _mean_frames(found, weight)


def _mean_frames(found: Candidates, weight: Points) -> Candidates:
    """Means of candidates; a row of `weight` for each mean."""
    weight = weight / np.maximum(weight.sum(1, keepdims=True), 1e-12)
    downs = weight @ found.downs
    downs /= np.maximum(np.hypot(*downs.T), 1e-9)[:, None]
    return Candidates(weight @ found.centres, downs, weight @ found.heights)


def _whole(found: Candidates, image: Image) -> Points:
    """Which frames lie in the picture with all that may belong to rank and pip, a ten's other digit too."""
    across = np.stack([found.downs[:, 1], -found.downs[:, 0]], 1)
    inside = np.ones(len(found.heights), bool)
    for right, down in ((-0.55, -0.5), (0.55, -0.5), (0.55, 0.5), (-0.55, 0.5)):
        corner = found.centres + (across * right + found.downs * down) * found.heights[:, None]
        inside &= (corner >= 0).all(1) & (corner < (image.shape[1], image.shape[0])).all(1)
    return inside


def _together(heads: Sequence[Points]) -> Points:
    """The geometric mean of probabilities over the views."""
    return np.asarray(np.exp(np.mean(np.log(np.stack(heads) + 1e-9), 0)))


def named(heads: Sequence[Points]) -> tuple[Points, Points, Points]:
    """Best label of each crop, its geometric mean over the views (n x labels), and whether all prefer it."""
    mean = _together(heads)
    best = mean.argmax(1)
    return best, mean.max(1), np.all([head.argmax(1) == best for head in heads], 0)


def _joined(views: list[Scores], found: Candidates, tints: Points, whole: Points) -> list[Index]:
    rank, p_rank, same_rank = named([view.rank for view in views])
    suit, p_suit, same_suit = named([view.suit for view in views])
    p_index, p_shown = (
        _together([view.state[:, states].sum(1) for view in views]) for states in ([INDEX], [INDEX, OCCLUDED])
    )
    numbers = (found.heights, rank, suit, p_rank, p_suit, p_index, same_rank & same_suit)
    columns = (
        found.centres,
        found.downs,
        *(column.tolist() for column in numbers),
        tints.tolist(),
        whole.tolist(),
        p_shown.tolist(),
    )
    return [Index(*row) for row in zip(*columns, strict=True)]


def _worth_reading(image: Image, found: Candidates, glance: GlanceNetwork) -> Candidates:
    """The places in which a glance sees an index, whole or half hidden."""
    paper, worth = glance.worth(image, found)
    good = (paper > PAPER_LEAST) & (worth >= glance.threshold)
    return _places(found.take(np.flatnonzero(good)), worth[good])


class _Chosen(NamedTuple):
    """One frame a place: numbers of the best candidates, and frames, the means of those that agree."""

    best: Points
    frames: Candidates


def _one_a_place(found: Candidates, labels: Points, worth: Points) -> _Chosen:
    """The best of the frames that overlap, averaged with those that see the same card there."""
    here = _columns(_apart(found) < OVERLAP * found.heights)
    same = ((found.downs @ found.downs.T > 0.9) & (labels[:, None] == labels)).tolist()
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
    return _Chosen(np.array(best, int), _mean_frames(found, weight))


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


def _facing_halves(found: Candidates, scores: Scores, labels: Points) -> Points:
    """Which places look half hidden and have a like one at what may be the opposite corner of their card."""
    named = (scores.rank.max(1) > HALF_NAMED) & (scores.suit.max(1) > HALF_NAMED)
    half = np.flatnonzero(named & (scores.state[:, OCCLUDED] > HALF_LIKELY))
    some = found.take(half)
    facing = (some.downs @ some.downs.T < HALF_FACING) & (labels[half, None] == labels[half])
    facing &= _apart(some) < HALF_REACH * some.heights
    chosen = np.zeros(len(labels), bool)
    chosen[half] = facing.any(1)
    return chosen


def _open_to_doubt(views: Sequence[Scores]) -> Points:
    """Numbers of the indices that the views name alike, but not with such certainty that one more is idle."""
    names = [named(heads) for heads in zip(*((view.rank, view.suit) for view in views), strict=True)]
    p_index = _together([view.state[:, INDEX] for view in views])
    alike = np.all([same for _, _, same in names], 0)
    least = np.min([p_index, *(p for _, p, _ in names)], 0)
    return np.flatnonzero(alike & (least < SURE_TWICE))


def _third(image: Image, frames: Candidates, views: Sequence[Scores], network: IndexNetwork) -> Scores:
    """One more view of what two leave open; of all else what the two say, so that it changes nothing."""
    doubted = _open_to_doubt(views)
    third = Scores(*(_together(heads) for heads in zip(*views, strict=True)))
    if len(doubted):
        _, read = network.classify_places(image, shaken_views(frames.take(doubted), SHAKES[1:]))
        for head, new in zip(third, read, strict=True):
            head[doubted] = new
    return third


def _views(image: Image, frames: Candidates, plain: Scores, network: IndexNetwork) -> list[Scores]:
    """Scores of the same places in three views; `plain` are those of the frames in which they were found."""
    _, shaken = network.classify_places(image, shaken_views(frames, SHAKES[:1]))
    return [plain, shaken, _third(image, frames, [plain, shaken], network)]


def read_indices(image: Image, found: Candidates, networks: Networks) -> tuple[list[Index], Points]:
    """Every index of the picture, sure or not, each place once; and centres of half hidden ones, n x 2."""
    found = _worth_reading(image, found, networks.glances)
    tints, first = networks.indices.classify_places(image, found)
    index = first.state[:, INDEX]
    labels = first.rank.argmax(1) * len(SUITS) + first.suit.argmax(1)
    likely = np.flatnonzero((index > SEEN) | _facing_halves(found, first, labels))
    worth = (index * first.rank.max(1) * first.suit.max(1))[likely]
    chosen = _one_a_place(found.take(likely), labels[likely], worth)
    frames, best = chosen.frames, likely[chosen.best]
    hidden = _hidden(found, first, frames)
    if not len(best):
        return [], hidden
    views = _views(image, frames, Scores(*(head[best] for head in first)), networks.indices)
    return _joined(views, frames, tints[best], _whole(frames, image)), hidden
