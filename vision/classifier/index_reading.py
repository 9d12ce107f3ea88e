"""Read proposals to indices with the index network and further views, one index for each place.

A view that cannot change the result is not computed (docs/decisions/0014).
"""

from typing import Final, NamedTuple

import numpy as np

from vision.classifier.index import Index, poses_of
from vision.classifier.index_network import IndexNetwork
from vision.classifier.networks import Networks
from vision.classifier.non_maximum_suppression import place_leaders, suppress_non_maxima
from vision.classifier.scores import LIKELIER, STATE_INDEX, STATE_OCCLUDED, Scores
from vision.classifier.test_time_augmentation import Augmentation, augmented_views
from vision.classifier.view_fusion import Posterior, fuse_views
from vision.geometry import (
    CARD_REACH,
    PARALLEL,
    SAME_INDEX,
    SURELY_SAME,
    Image,
    IndexPoses,
    Points,
    concatenated,
    fully_inside,
    in_one_fan,
    pairs_within,
    within_reach,
)
from vision.labels import SUITS
from vision.proposal import keep_likely

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

_TWICE_FROM_INDEX_PX: Final = 25.0
"""From this height on, two corners that face each other and are alike beyond doubt are two views of a card.

Source: docs/decisions/0014: of 70,000 drawn crops two more were wrong without the limit, of 16 and 23 px.
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


class CoveredPairRule(NamedTuple):
    """When two partly covered places are read anyway: as opposite corners of one card.

    Large pips close to the index make a deck's indices look covered; nothing covers two corners in the same
    way. Source: made for two tens of the overhead photographs (models/MODEL_CARD.md, Photographs); no figures
    on record.
    """

    named: float = 0.98
    """Least probability of the rank, and of the suit, of each."""


_COVERED_PAIR_RULE: Final = CoveredPairRule()


class _Read(NamedTuple):
    """Poses that were read, and their scores."""

    poses: IndexPoses
    scores: Scores


def _conclusive(scores: Scores) -> Points:
    best = (scores.rank.max(1), scores.suit.max(1), scores.state[:, STATE_INDEX])
    return np.asarray(np.min(best, 0) > _CONCLUSIVE)


def _read_once(image: Image, poses: IndexPoses, network: IndexNetwork) -> _Read:
    """Read the likeliest pose of each place, and the others where that one is not conclusive."""
    leader = place_leaders(poses)
    leads = np.flatnonzero(leader == np.arange(len(leader)))
    first = _Read(poses.take(leads), network.classify_poses(image, poses.take(leads)))
    done = np.zeros(len(leader), bool)
    done[leads] = _conclusive(first.scores)
    rest = np.flatnonzero(~done[leader] & (leader != np.arange(len(leader))))
    if not len(rest):
        return first
    scores = network.classify_poses(image, poses.take(rest))
    read = concatenated((first.poses, poses.take(rest)))
    return _Read(read, Scores(*map(np.concatenate, zip(first.scores, scores, strict=True))))


def _card_labels(scores: Scores) -> Points:
    """A number for rank and suit of each place."""
    return np.asarray(scores.rank.argmax(1) * len(SUITS) + scores.suit.argmax(1))


def _covered_and_named(scores: Scores) -> Points:
    """Return which places look partly covered and have a clear name."""
    named = (scores.rank.max(1) > _COVERED_PAIR_RULE.named) & (scores.suit.max(1) > _COVERED_PAIR_RULE.named)
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
    clear = _conclusive(plain) & (poses.index_px >= _TWICE_FROM_INDEX_PX)
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


def _covered_places(poses: IndexPoses, scores: Scores, read: Points, apart: float) -> Points:
    """Return numbers of places with a partly covered index, at a distance from those `read` (numbers)."""
    taken, kept = [*read.tolist()], list[int]()
    share = scores.state[:, STATE_OCCLUDED] + scores.state[:, STATE_INDEX]
    for number in np.argsort(-share).tolist():
        if share[number] < COVERED_SURE:
            break
        place, others = poses.take(np.array([number])), poses.take(np.array(taken, int))
        near = within_reach(place.centres, others.centres, apart * place.index_px[:, None])
        if not (near & ~in_one_fan(place, others)).any():
            taken.append(number)
            kept.append(number)
    return np.array(kept, int)


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
    hidden = _covered_places(poses, scores, best, covered_apart)
    covered = indices_of(poses.take(hidden), scores.take(hidden), image)
    if not len(best):
        return [], covered
    posterior = _posterior(image, survivors.poses, scores.take(best), networks.indices)
    whole = fully_inside(survivors.poses, image)
    return _indices(posterior, survivors.poses, whole), covered
