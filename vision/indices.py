"""Read proposals to indices: views are fused, one index stays at each place, certain or not.

A view that cannot change the result is not computed (docs/decisions/0014).
"""

import math
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

import numpy as np

from vision.geometry import (
    BESIDE_TIMES,
    CARD_REACH,
    LEAST,
    PARALLEL,
    SAME_INDEX,
    SURELY_SAME,
    Image,
    IndexPoses,
    Points,
    concatenated,
    first_claims,
    fully_inside,
    in_one_fan,
    mean_poses,
    pairs_within,
    rows_of_columns,
    to_one_side,
    within_reach,
)
from vision.networks import (
    LIKELIER,
    STATE_INDEX,
    STATE_OCCLUDED,
    DeckIndexNetwork,
    IndexNetwork,
    Networks,
    Scores,
)
from vision.proposal import keep_likely
from vision.reading import RANKS, SUITS


class Index(NamedTuple):
    """One index of the picture.

    `centre` (2) and `index_px`, the height from the rank's top to the pip's foot, are in pixels; `down` (2)
    is a unit vector from rank to pip. `rank` and `suit` are label numbers. `p_rank`, `p_suit`, `p_index`,
    `p_shown`, `agreed`, `rank_agreed` and `known` are those of a `Posterior`. `whole`: the index lies
    completely within the picture. `suit_open`: the suit is only the likeliest one (`acceptance` decides so).
    """

    centre: Points
    down: Points
    index_px: float
    rank: int
    suit: int
    p_rank: float
    p_suit: float
    p_index: float
    agreed: bool
    whole: bool
    p_shown: float = 0.0
    rank_agreed: bool = True
    suit_open: bool = False
    known: float = math.inf

    @property
    def p(self) -> float:
        """Probability that its name is right and that this is a readable index.

        The name is rank and suit, or the rank alone where the suit is open.
        """
        named = self.p_rank if self.suit_open else self.p_rank * self.p_suit
        return named * self.p_index

    def unnamed(self) -> "Index":
        """Return the same index without an agreed name; it is then unclear."""
        return self._replace(agreed=False, rank_agreed=False)

    @property
    def right(self) -> Points:
        """Return the unit vector to the reader's right of the upright index."""
        return np.array([self.down[1], -self.down[0]])


def poses_of(indices: Sequence[Index]) -> IndexPoses:
    """The poses of n indices as columns."""
    centres, downs = (
        np.array(column).reshape(-1, 2)
        for column in ([index.centre for index in indices], [index.down for index in indices])
    )
    return IndexPoses(centres, downs, np.array([index.index_px for index in indices]))


class Posterior(NamedTuple):
    """For n indices: preferred labels, and geometric means of their probabilities (0..1) over the views.

    `rank`, `suit`: label numbers. `p_index` is the probability of a readable index, `p_shown` of one that may
    be partly covered. `agreed`: every view prefers that rank and suit; `rank_agreed`: every view prefers that
    rank. `known`: the smallest log odds over the views that the letter is one of the thirteen (`Scores`).
    """

    rank: Points
    suit: Points
    p_rank: Points
    p_suit: Points
    p_index: Points
    p_shown: Points
    agreed: Points
    rank_agreed: Points
    known: Points

    def weakest(self) -> Points:
        """The smallest of the probabilities of rank, suit and index, n."""
        return np.asarray(np.minimum(np.minimum(self.p_rank, self.p_suit), self.p_index))

    def replace_rows(self, rows: Points, other: "Posterior") -> None:
        """Overwrites some rows, in place, by those of another posterior."""
        for column, new in zip(self, other, strict=True):
            column[rows] = new


def _product(heads: Sequence[Points]) -> Points:
    product = heads[0] + LEAST
    for head in heads[1:]:
        product *= head + LEAST
    return product


def fuse_labels(heads: Sequence[Points]) -> tuple[Points, Points, Points]:
    """Best label of each index (n), its geometric mean over the views, and whether all of them prefer it.

    `heads` are probabilities, n x labels for each view.
    """
    product = _product(heads)
    best = product.argmax(1)
    same = np.all([head.argmax(1) == best for head in heads], 0)
    return best, product[np.arange(len(best)), best] ** (1 / len(heads)), same


def fuse_views(views: Sequence[Scores]) -> Posterior:
    """Joins one or more views of the same n indices."""
    rank, p_rank, same_rank = fuse_labels([view.rank for view in views])
    suit, p_suit, same_suit = fuse_labels([view.suit for view in views])
    whole = [view.state[:, STATE_INDEX] for view in views]
    shown = [part + view.state[:, STATE_OCCLUDED] for part, view in zip(whole, views, strict=True)]
    p_index, p_shown = (_product(heads) ** (1 / len(views)) for heads in (whole, shown))
    known = np.min([view.known for view in views], 0)
    return Posterior(rank, suit, p_rank, p_suit, p_index, p_shown, same_rank & same_suit, same_rank, known)


class Augmentation(NamedTuple):
    """One further view of an index: shift right and down (index heights), scale, turn in degrees."""

    right: float
    below: float
    scale: float
    turn_deg: float


def _augmented(poses: IndexPoses, by: Augmentation) -> IndexPoses:
    turn = np.deg2rad(by.turn_deg)
    downs = poses.downs * np.cos(turn) - poses.rights * np.sin(turn)
    return IndexPoses(poses.beside(by.right, by.below), downs, poses.index_px * by.scale)


def augmented_views(poses: IndexPoses, augmentations: Iterable[Augmentation]) -> IndexPoses:
    """All poses under the first augmentation, then all under the second, and so on."""
    return concatenated([_augmented(poses, one) for one in augmentations])


_SUPPRESSION_OVERLAP: Final = 0.45
"""Indices nearer to each other than this share of their height cannot both be there.

Source: no measurement on record.
"""


def _facing_alike(poses: IndexPoses) -> Points:
    # Limits for poses of one place. Source: no measurement on record.
    # 0.9: poses of one index face the same way: least cosine between their directions.
    return np.asarray(poses.downs @ poses.downs.T > 0.9)


def place_leaders(poses: IndexPoses) -> Points:
    """Return for each pose (n) the number of the first pose at its place and direction, perhaps itself.

    A pose to one side of it has a place of its own: in a tight fan it is the next card's index.
    """
    same = pairs_within(poses, _SUPPRESSION_OVERLAP) & _facing_alike(poses) & ~to_one_side(poses, poses)
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
    near = pairs_within(poses, _SUPPRESSION_OVERLAP) & ~(others & to_one_side(poses, poses))
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


_AUGMENTATIONS: Final = (Augmentation(0.05, 0.04, 1.06, 4.0), Augmentation(-0.05, -0.04, 0.95, -4.0))
"""The second and the third view of an index.

Source: no measurement of their strength on record; of their number, docs/decisions/0014.
"""

_CONCLUSIVE: Final = 0.995
"""From this probability of rank, suit and of being an index on, nothing more is read: no other pose of a
place where one says so, no third view where two agree.

Source: docs/decisions/0014: of 147,000 drawn crops the same 14 readable ones are wrong with the third view
and without; 0.95 makes four more wrong.
"""


INDEX_LIKELY: Final = 0.30
"""Below this probability of being an index, a place is none.

Source: docs/measurements/reader.md, What a limit is worth.
"""

COVERED_SURE: Final = 0.85
_COVERED_APART: Final = 0.8
"""From this probability on, an index that something partly covers is reported; two are further apart than so
many of their heights.

Source: docs/measurements/reader.md, What a limit is worth (the first).
"""


_COVERED_PAIR_NAMED: Final = 0.98
"""Least probability of the rank, and of the suit, of each.

Source: made for two tens of the overhead photographs (models/MODEL_CARD.md, Photographs); no figures on
record.
"""


def _conclusive(scores: Scores) -> Points:
    best = (scores.rank.max(1), scores.suit.max(1), scores.state[:, STATE_INDEX])
    return np.asarray(np.min(best, 0) > _CONCLUSIVE)


def _read_once(image: Image, poses: IndexPoses, network: IndexNetwork) -> tuple[IndexPoses, Scores]:
    """Read the likeliest pose of each place, and the others where that one is not conclusive."""
    leader = place_leaders(poses)
    leads = np.flatnonzero(leader == np.arange(len(leader)))
    first = network.classify_poses(image, poses.take(leads))
    done = np.zeros(len(leader), bool)
    done[leads] = _conclusive(first)
    rest = np.flatnonzero(~done[leader] & (leader != np.arange(len(leader))))
    if not len(rest):
        return poses.take(leads), first
    scores = network.classify_poses(image, poses.take(rest))
    read = concatenated((poses.take(leads), poses.take(rest)))
    return read, Scores(*map(np.concatenate, zip(first, scores, strict=True)))


def _card_labels(scores: Scores) -> Points:
    """A number for rank and suit of each place."""
    return np.asarray(scores.rank.argmax(1) * len(SUITS) + scores.suit.argmax(1))


def _covered_and_named(scores: Scores) -> Points:
    """Return which places look partly covered and have a clear name."""
    named = (scores.rank.max(1) > _COVERED_PAIR_NAMED) & (scores.suit.max(1) > _COVERED_PAIR_NAMED)
    return np.asarray(named & (scores.state[:, STATE_OCCLUDED] > LIKELIER))


def _have_opposite(poses: IndexPoses, labels: Points, chosen: Points) -> Points:
    """Return which chosen places have a like chosen place at a possible opposite corner."""
    numbers = np.flatnonzero(chosen)
    some = poses.take(numbers)
    facing = some.downs @ some.downs.T < -PARALLEL
    facing &= labels[numbers, None] == labels[numbers]
    facing &= pairs_within(some, CARD_REACH)
    found = np.zeros(len(labels), bool)
    found[numbers] = facing.any(1)
    return found


def _posterior(image: Image, poses: IndexPoses, plain: Scores, network: IndexNetwork) -> Posterior:
    """Combine all views; `plain` are the scores of the poses in which the indices were found.

    Two large corners that confirm each other are not read again.
    """
    posterior = fuse_views([plain])
    # 25.0: from this height on, two corners that face each other and are alike beyond doubt are two views
    # of a card. Source: docs/decisions/0014: of 70,000 drawn crops two more were wrong without the limit,
    # of 16 and 23 px.
    clear = _conclusive(plain) & (poses.index_px >= 25.0)
    rest = np.flatnonzero(~_have_opposite(poses, _card_labels(plain), clear))
    if len(rest):
        posterior.replace_rows(rest, _more_views(image, poses.take(rest), plain.take(rest), network))
    return posterior


def _more_views(image: Image, poses: IndexPoses, plain: Scores, network: IndexNetwork) -> Posterior:
    """A second view of each, and a third where two agree on the rank but leave something open."""
    second = network.classify_poses(image, augmented_views(poses, _AUGMENTATIONS[:1]))
    posterior = fuse_views([plain, second])
    open_ones = np.flatnonzero(posterior.rank_agreed & (posterior.weakest() < _CONCLUSIVE))
    if len(open_ones):
        third = network.classify_poses(image, augmented_views(poses.take(open_ones), _AUGMENTATIONS[1:]))
        three = fuse_views([plain.take(open_ones), second.take(open_ones), third])
        posterior.replace_rows(open_ones, three)
    return posterior


def _indices(posterior: Posterior, poses: IndexPoses, whole: Points) -> list[Index]:
    """Rows from columns; plain numbers, because they are looked at one by one from here on."""
    of_posterior = (posterior.rank, posterior.suit, posterior.p_rank, posterior.p_suit, posterior.p_index)
    columns = (
        poses.centres,
        poses.downs,
        *(column.tolist() for column in (poses.index_px, *of_posterior, posterior.agreed)),
        whole.tolist(),
        posterior.p_shown.tolist(),
        posterior.rank_agreed.tolist(),
    )
    rows = zip(zip(*columns, strict=True), posterior.known.tolist(), strict=True)
    return [Index(*row)._replace(known=known) for row, known in rows]


def indices_of(poses: IndexPoses, scores: Scores, image: Image) -> list[Index]:
    """Return an index for each pose of a picture from one view, whatever its state."""
    return _indices(fuse_views([scores]), poses, fully_inside(poses, image)) if len(poses.index_px) else []


def read_indices(image: Image, proposals: IndexPoses, networks: Networks) -> tuple[list[Index], list[Index]]:
    """Return every index of a BGR picture, one a place, certain or not; and the partly covered ones."""
    return read_likely(image, keep_likely(image, proposals, networks.proposal_filter), networks)


def read_further(
    image: Image, indices: list[Index], likely: IndexPoses, networks: Networks
) -> tuple[list[Index], list[Index]]:
    """Read further places without the filter; return all indices and the partly covered ones."""
    if not len(likely.index_px):
        return [], []
    more, covered = read_likely(image, likely, networks, covered_apart=SURELY_SAME)
    known, found = poses_of(indices), poses_of(more)
    # Moved a little to each side, a place may have come upon an index that was read.
    again = within_reach(found.centres, known.centres, SAME_INDEX * known.index_px)
    # A different rank there may be the next card's index in a tight fan, and is not used.
    others = np.not_equal.outer([index.rank for index in more], [index.rank for index in indices])
    covered += [more[number] for number in np.flatnonzero((again & others).any(1)).tolist()]
    read = within_reach(poses_of(covered).centres, known.centres, SURELY_SAME * known.index_px)
    covered = [index for index, same in zip(covered, read, strict=True) if not same.any()]
    return [index for index, near in zip(more, again, strict=True) if not near.any()], covered


def with_corners(indices: list[Index], corners: list[Index]) -> list[Index]:
    """Return the indices with those that were read in the corners of outlined cards.

    A corner replaces indices of the same rank at its place, whose pose is less exact. An index of another
    rank there stays.
    """
    known, found = poses_of(indices), poses_of(corners)
    near = within_reach(found.centres, known.centres, SAME_INDEX * known.index_px)
    alike = np.equal.outer([index.rank for index in corners], [index.rank for index in indices])
    kept = np.flatnonzero(~(near & alike).any(0)).tolist()
    new = np.flatnonzero(~(near & ~alike).any(1)).tolist()
    return [*(indices[number] for number in kept), *(corners[number] for number in new)]


def read_likely(
    image: Image,
    likely: IndexPoses,
    networks: Networks,
    *,
    in_corners: bool = False,
    covered_apart: float = _COVERED_APART,
) -> tuple[list[Index], list[Index]]:
    """The same of places that need no filter; `in_corners`: of whole cards, as their deck has them.

    Covered ones are reported that are further from others than `covered_apart` heights.
    """
    poses, scores = _read_once(image, likely, networks.indices)
    p_index, labels = scores.state[:, STATE_INDEX], _card_labels(scores)
    seen = p_index > INDEX_LIKELY
    if in_corners or networks.deck is None or not networks.deck.beside:
        seen |= _have_opposite(poses, labels, _covered_and_named(scores))
    chosen = np.flatnonzero(seen)
    worth = (p_index * scores.rank.max(1) * scores.suit.max(1))[chosen]
    survivors = suppress_non_maxima(poses.take(chosen), labels[chosen], worth)
    best = chosen[survivors.best]
    # Numbers of places with a partly covered index, at a distance from those `read` (numbers).
    taken, kept = [*best.tolist()], list[int]()
    share = scores.state[:, STATE_OCCLUDED] + scores.state[:, STATE_INDEX]
    for number in np.argsort(-share).tolist():
        if share[number] < COVERED_SURE:
            break
        place, others = poses.take(np.array([number])), poses.take(np.array(taken, int))
        near = within_reach(place.centres, others.centres, covered_apart * place.index_px[:, None])
        if not (near & ~in_one_fan(place, others)).any():
            taken.append(number)
            kept.append(number)
    hidden = np.array(kept, int)
    covered = indices_of(poses.take(hidden), scores.take(hidden), image)
    if not len(best):
        return [], covered
    posterior = _posterior(image, survivors.poses, scores.take(best), networks.indices)
    whole = fully_inside(survivors.poses, image)
    return _indices(posterior, survivors.poses, whole), covered


_BESIDE_WIDER: Final = 1.2
"""A crop of so many times the width of rank and pip, from the right on, is likelier an index than not.

Source: 20 drawn tables of decks left out, pips beside the ranks: of 38 tens, jacks and queens that were
reported four were wrong, none with this, and one right one is lost.
"""


SEVEN: Final = RANKS.index("7")
_SURELY_SEVEN: Final = 0.99
_LIKE_ANY: Final = 0.9
_FULLY: Final = 0.98
"""A seven that the wider crop names this surely, and that is an index as probably as any rank has to be, is
none less than the third: where the pip beside it is in sight, no 0 of a ten is covered.

Source: docs/measurements/reader.md, Sealed decks: of 28 sevens of four drawn decks, 12 tables, the wider crop
named 27 at 0.99 and more; of the one place that was none it said ten.
"""


def with_beside_checked(image: Image, indices: list[Index], network: IndexNetwork) -> list[Index]:
    """The same indices; without a certain rank where a wider crop says something else."""
    if not indices:
        return []
    poses = poses_of(indices)
    wider = poses._replace(
        centres=poses.beside(-(_BESIDE_WIDER - 1) / 2 / BESIDE_TIMES, 0.0),
        index_px=_BESIDE_WIDER * poses.index_px,
    )
    scores = network.generic_scores(network.run_poses(image, wider))
    same = scores.rank.argmax(1) == [index.rank for index in indices]
    same &= scores.state[:, STATE_INDEX] >= LIKELIER
    if isinstance(network, DeckIndexNetwork):
        # 0.8: with a profile the crop itself is an index, too, this probably: its classes name whatever
        # they are shown. Source: with neither limit 4 of 642 cards that were reported of six drawn decks,
        # tables not enrolled, were wrong (nought and pip of a ten, a rank beside the next card's), with the
        # wider crop alone 1 of 561.
        same &= np.array([index.p_index for index in indices]) >= 0.8
    sure = scores.rank.max(1) >= _SURELY_SEVEN
    checked = zip(indices, same.tolist(), sure.tolist(), strict=True)
    return [_no_ten(index, surely) if alike else index.unnamed() for index, alike, surely in checked]


def _no_ten(index: Index, surely: bool) -> Index:
    seven = surely and index.rank == SEVEN and index.p_index >= _LIKE_ANY
    return index._replace(p_index=max(index.p_index, _FULLY)) if seven else index
