"""Make a deck's profile from pictures of known cards, and prove it on held-out ones."""

from collections import Counter
from collections.abc import Sequence
from typing import Final, NamedTuple

import cv2
import numpy as np

from controller.domain import TableError
from vision.acceptance import BLACK_SUITS, PROBABILITY_LIMITS, SIZE_LIMITS
from vision.classifier import (
    FEATURES,
    Index,
    Networks,
    Prototypes,
    Scores,
    fit_classes,
    named_by_deck,
    read_indices,
    read_likely,
)
from vision.enrolment.face_making import OutlinedCards, has_other_feet, make_faces
from vision.enrolment.known_cards import KnownCard
from vision.enrolment.named_indices import (
    KnownIndex,
    by_labels,
    by_order,
    place_on_cards,
    poses_of_known,
)
from vision.enrolment.profile_file import DeckProfile, EnrolFigures
from vision.geometry import Image, IndexPoses, Points
from vision.labels import RANKS, SUITS
from vision.proposal import heat_map_input, propose_beside, propose_indices
from vision.reading import CardName


class EnrolRule(NamedTuple):
    """Requirements on a profile and its proof. Source: no measurement on record."""

    scales: tuple[float, ...] = (1.0, 0.75, 0.55)
    index_px: float = 9.0
    """Pictures are made smaller by these factors, too, while an index is at least so high."""

    shakes: int = 4
    shift: float = 0.04
    turn_deg: float = 4.0
    size: float = 0.06
    """Times that each index is shown, and deviations of centre (heights), direction and size (logarithm)."""

    each: int = 2
    """Indices that every rank and every suit needs at least."""

    reported: float = 0.9
    """Least share of the indices left out that the profile says, none of them wrongly."""

    found: float = 0.6
    """Least share of the known cards whose index was found."""


_ENROL_RULE: Final = EnrolRule()

_LEAST_HEIGHTS_PX: Final = (15.0, 18.0, 22.0, 28.0)
"""Tried for a profile: heights of the smallest index that it names.

Source: from the least height that the reader says (`acceptance`) to twice that.
"""

_TEMPERATURES: Final = (1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 16.0)
"""Tried for a profile, from the lowest.

Source: no measurement on record; five of six outside drawn decks take one of the first two.
"""

SEED: Final = 7
_PAIRS_NAMED: Final = 6
"""Of what cannot be told apart so much is named, the commonest first."""


class EnrolPicture(NamedTuple):
    """A picture of a deck: its name, SHA-256 and pixels (BGR), and its known cards or their order.

    Pictures of one `fold` are left out together: those of one round show the same cards. Without folds each
    is one for itself.
    """

    file: str
    sha256: str
    image: Image
    cards: Sequence[KnownCard] = ()
    order: Sequence[CardName] = ()
    fold: int | None = None


class _Samples(NamedTuple):
    """Crops as the network sees them: its outputs (n rows each), ranks, suits, folds, heights in pixels.

    `plain` ones are as the picture shows them and large enough to be reported at all, the others are made of
    these.
    """

    heads: list[Points]
    rank: Points
    suit: Points
    fold: Points
    plain: Points
    index_px: Points

    def take(self, chosen: Points) -> "_Samples":
        """Return the samples that a boolean array selects."""
        rest = (column[chosen] for column in self[1:])
        return _Samples([head[chosen] for head in self.heads], *rest)


def enrol(pictures: Sequence[EnrolPicture], networks: Networks) -> DeckProfile:
    """Make the profile of the pictured deck; its hash is computed when it is written.

    Raises TableError ENROL_NOT_FOUND (too few of the known cards), ENROL_INCOMPLETE (missing ranks or suits)
    or ENROL_UNPROVEN (it does not name held-out cards, or names them wrongly).
    """
    found, beside = _found(pictures, networks)
    known = sum(len({card.name for card in picture.cards}) or len(picture.order) for picture in pictures)
    count = len({(number, named.rank, named.suit) for number, some in enumerate(found) for named in some})
    if count < _ENROL_RULE.found * known or not count:
        raise TableError("ENROL_NOT_FOUND", found=count, known=known)
    _check_complete(pictures, found)
    samples = _samples(pictures, found, networks)
    figures, deck = _proof(samples, networks)
    if figures.wrong or not figures.indices or figures.right < _ENROL_RULE.reported * figures.indices:
        counts = {"indices": figures.indices, "right": figures.right, "wrong": figures.wrong}
        raise TableError("ENROL_UNPROVEN", **counts, pairs=_not_apart(samples, networks))
    named = dict.fromkeys((picture.file, picture.sha256) for picture in pictures)
    place = place_on_cards(zip(found, (picture.cards for picture in pictures), strict=True))
    deck = deck._replace(beside=beside, place=place)
    if place is not None:
        outlined = [OutlinedCards(picture.image, picture.cards, place) for picture in pictures]
        deck = deck._replace(faces=make_faces(outlined), foot_differs=has_other_feet(outlined))
    return DeckProfile(deck, figures, tuple(named), networks.indices.sha256)


def _found(pictures: Sequence[EnrolPicture], networks: Networks) -> tuple[list[list[KnownIndex]], bool]:
    """The indices of each picture, and whether they were found as a deck's with pips beside the ranks."""
    usual = [
        _named_of(picture, read_indices(picture.image, propose_indices(picture.image), networks)[0])
        for picture in pictures
    ]
    known = sum(len(picture.order) or len(picture.cards) for picture in pictures)
    if sum(map(len, usual)) >= _ENROL_RULE.found * known:
        return usual, False
    beside = [_named_of(picture, _indices_beside(picture.image, networks)) for picture in pictures]
    more = sum(map(len, beside)) > sum(map(len, usual))
    return (beside if more else usual), more


def _indices_beside(image: Image, networks: Networks) -> list[Index]:
    heat_map = networks.heat_map.look_at_input(*heat_map_input(image))
    return read_likely(image, propose_beside(image, heat_map), networks)[0]


def _named_of(picture: EnrolPicture, indices: Sequence[Index]) -> list[KnownIndex]:
    return by_order(indices, picture.order) if picture.order else by_labels(indices, picture.cards)


def _check_complete(pictures: Sequence[EnrolPicture], found: Sequence[Sequence[KnownIndex]]) -> None:
    """Raise ENROL_INCOMPLETE with the ranks and suits that have too few indices.

    Where pictures have folds, each has to occur in enough folds: one round alone proves nothing.
    """
    shown = [
        (one, number if picture.fold is None else picture.fold)
        for number, (picture, some) in enumerate(zip(pictures, found, strict=True))
        for one in some
    ]
    if any(picture.fold is not None for picture in pictures):
        ranks = Counter(rank for rank, _ in {(one.rank, fold) for one, fold in shown})
        suits = Counter(suit for suit, _ in {(one.suit, fold) for one, fold in shown})
    else:
        ranks, suits = Counter(one.rank for one, _ in shown), Counter(one.suit for one, _ in shown)
    few = [name for slot, name in enumerate(RANKS) if ranks[slot] < _ENROL_RULE.each]
    few += [name for slot, name in enumerate(SUITS) if suits[slot] < _ENROL_RULE.each]
    if few:
        raise TableError("ENROL_INCOMPLETE", names=" ".join(few))


def _samples(
    pictures: Sequence[EnrolPicture], found: Sequence[Sequence[KnownIndex]], networks: Networks
) -> _Samples:
    """All crops. A fold is a picture; of a single picture half of the cards: each rank and suit in both."""
    rng = np.random.default_rng(SEED)
    parts = []
    for number, (picture, some) in enumerate(zip(pictures, found, strict=True)):
        rank, suit = (
            np.array(column, int) for column in ([one.rank for one in some], [one.suit for one in some])
        )
        own = number if picture.fold is None else picture.fold
        fold = np.full(len(some), own) if len(pictures) > 1 else (rank + suit) % 2
        poses = poses_of_known(some)
        for scale in _ENROL_RULE.scales:
            image = picture.image
            if scale < 1:
                image = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
            for shake in range(_ENROL_RULE.shakes):
                plain = scale == 1 and not shake
                seen = _scaled(poses, scale) if plain else _shaken(_scaled(poses, scale), rng)
                large = seen.index_px >= _ENROL_RULE.index_px
                if large.any():
                    heads = networks.indices.run_poses(image, seen.take(large)).heads
                    flags = plain & _large_enough(seen.index_px, suit)[large]
                    parts.append(
                        _Samples(heads, rank[large], suit[large], fold[large], flags, seen.index_px[large])
                    )
    heads = [np.concatenate(column) for column in zip(*(part.heads for part in parts), strict=True)]
    return _Samples(heads, *(np.concatenate(column) for column in zip(*(p[1:] for p in parts), strict=True)))


def _large_enough(index_px: Points, suit: Points) -> Points:
    """Return which indices have the height that the reader requires for their suit."""
    black = np.isin(suit, [slot for slot, name in enumerate(SUITS) if name in BLACK_SUITS])
    return np.asarray(index_px >= np.where(black, SIZE_LIMITS.black_px, SIZE_LIMITS.index_px))


def _scaled(poses: IndexPoses, scale: float) -> IndexPoses:
    return IndexPoses((poses.centres + 0.5) * scale - 0.5, poses.downs, poses.index_px * scale)


def _shaken(poses: IndexPoses, rng: np.random.Generator) -> IndexPoses:
    rule, count = _ENROL_RULE, len(poses.index_px)
    turn = rng.normal(0, np.deg2rad(rule.turn_deg), count)[:, None]
    downs = poses.downs * np.cos(turn) - poses.rights * np.sin(turn)
    centres = poses.centres + rng.normal(0, rule.shift, (count, 2)) * poses.index_px[:, None]
    return IndexPoses(centres, downs, poses.index_px * np.exp(rng.normal(0, rule.size, count)))


def _fit(samples: _Samples) -> Prototypes:
    features = samples.heads[FEATURES].astype(np.float64)
    ranks, suits = (
        fit_classes(features, samples.rank, len(RANKS)),
        fit_classes(features, samples.suit, len(SUITS)),
    )
    return Prototypes(ranks, suits, _TEMPERATURES[0])


def _folds(samples: _Samples) -> list[tuple[_Samples, _Samples]]:
    """Return for each fold the samples to make a profile from, and the held-out plain crops."""
    folds = np.unique(samples.fold)
    return [
        (samples.take(samples.fold != fold), samples.take((samples.fold == fold) & samples.plain))
        for fold in folds
    ]


def _proof(samples: _Samples, networks: Networks) -> tuple[EnrolFigures, Prototypes]:
    """Return the results of profiles of all folds but one on that one, and the final prototypes.

    For each least height the lowest temperature without a wrong report counts, and of these the one that
    names most; so the figures are slightly too good. The final classes are made from all samples.
    """
    folds = [(_fit(made), left_out) for made, left_out in _folds(samples)]
    cards = len(set(zip(samples.rank.tolist(), samples.suit.tolist(), strict=True)))
    deck, best = _fit(samples), EnrolFigures(0, 0, 0, 1.0, cards)
    for least_px in _LEAST_HEIGHTS_PX:
        for temperature in _TEMPERATURES:
            counts = _counts(folds, networks, temperature, least_px)
            if counts.wrong:
                best = best if best.right else counts._replace(cards=cards)
                continue
            if counts.right > best.right or best.wrong:
                best = counts._replace(cards=cards)
                deck = deck._replace(temperature=temperature, index_px=least_px)
            break
    return best, deck


def _counts(
    folds: list[tuple[Prototypes, _Samples]], networks: Networks, temperature: float, least_px: float
) -> EnrolFigures:
    """Count the results of profiles on held-out indices of at least this height."""
    indices = right = wrong = 0
    for deck, left_out in folds:
        own = deck._replace(temperature=temperature)
        scores = named_by_deck(left_out.heads, networks.indices.temperature, own)
        large = left_out.index_px >= least_px
        reported, fits = _certain(scores) & large, _is_right(scores, left_out)
        indices += int(large.sum())
        right += int((reported & fits).sum())
        wrong += int((reported & ~fits).sum())
    bound = 1 - 0.05 ** (1 / right) if right and not wrong else 1.0
    return EnrolFigures(indices, right, wrong, bound, 0)


def _not_apart(samples: _Samples, networks: Networks) -> str:
    """Return the pairs of ranks and suits that were confused on held-out samples; "-" for none."""
    pairs: Counter[tuple[str, ...]] = Counter()
    for made, left_out in _folds(samples):
        scores = named_by_deck(left_out.heads, networks.indices.temperature, _fit(made))
        slots = (RANKS, left_out.rank, scores.rank), (SUITS, left_out.suit, scores.suit)
        for names, truth, odds in slots:
            read = odds.argmax(1)
            both = zip(truth[truth != read], read[truth != read], strict=True)
            pairs.update(tuple(sorted((names[one], names[other]))) for one, other in both)
    return ", ".join("/".join(pair) for pair, _ in pairs.most_common(_PAIRS_NAMED)) or "-"


def _certain(scores: Scores) -> Points:
    limits = PROBABILITY_LIMITS
    return np.asarray((scores.rank.max(1) >= limits.p_rank) & (scores.suit.max(1) >= limits.p_suit))


def _is_right(scores: Scores, truth: _Samples) -> Points:
    return np.asarray((scores.rank.argmax(1) == truth.rank) & (scores.suit.argmax(1) == truth.suit))
