"""Cards of which only a corner is in sight: the deck's face there is a second witness beside the index.

An index shows where its whole card lies, since the deck says where it stands and the camera how large a card
is. There the picture is compared with the corners of all 52 faces. Networks and faces err differently: of
251 indices of drawn decks no face's corner confirmed a wrong rank.
"""

from typing import Final

import numpy as np

from vision.acceptance.card_acceptance import Acceptance
from vision.acceptance.certainty import is_suit_certain
from vision.acceptance.named_faces import FACE_P
from vision.acceptance.one_quad import SAME
from vision.acceptance.rank_score import LIKELY_INDEX
from vision.assembly import AssembledCard
from vision.classifier import FACE_RULE, Index, Networks, Prototypes, in_sight_of, indices_of, poses_of
from vision.geometry import OWN_CORNER, SAME_INDEX, Image, IndexPoses, Points, concatenated, within_reach
from vision.proposal import HeatMap
from vision.reading import UnclearReason

AHEAD: Final = 0.02
"""A corner confirms its rank where that fits as well as a certain face, and so much better than any other.

Source: docs/measurements/reader.md, Faces: a rank that is wrong fits by 0.35 at most, but for one that looks
alike (a jack, B, and an eight), which is ahead by less than 0.01.
"""

BEHIND: Final = 0.05
"""A rank that fits so much worse than another one is none. Source: the same indices."""

ALIKE: Final = 0.35
"""Card lengths between the middles of two outlines that may be one card's where both have its rank.

Source: an index with the pip beside it shows its card's direction to 15 degrees; without it four of 31 drawn
tables had a card reported twice.
"""

NAMED: Final = 0.6
"""So sure the network is at least of the rank that a corner confirms.

Source: the tables of docs/measurements/reader.md, Faces, were read with it.
"""

WARM: Final = 0.35
"""Heat from which an index is looked for by the faces. Source: as for `HeatLimits.peak`."""

SURELY_NAMED: Final = 0.9
"""Where no index was found the face has to be certain, and the network so sure of the same rank.

Source: docs/measurements/reader.md, Faces.
"""


def with_warm_faces(
    image: Image, acceptance: Acceptance, networks: Networks, card_px: float, heat_map: HeatMap
) -> Acceptance:
    """The cards of an acceptance and those that the heat map sees and nobody has named.

    They lie as the nearest card does, or turned against it. Their face says where exactly, and there the
    network reads.
    """
    deck, cards = networks.deck, acceptance.accepted
    assert deck is not None
    assert deck.faces is not None
    assert deck.place is not None
    peaks = heat_map.peaks(WARM)
    known = poses_of([index for card in cards for index in card.indices])
    own = deck.place.at_both_ends(np.array([card.corners for card in cards]).reshape(-1, 4, 2))
    taken = concatenated([known, own])
    open_ones = ~within_reach(peaks.centres, taken.centres, OWN_CORNER * taken.index_px).any(1)
    if deck.foot_differs or not len(cards) or not open_ones.any():
        return acceptance
    centres = peaks.centres[open_ones]
    near = np.hypot(*(centres[:, None] - known.centres).transpose(2, 0, 1)).argmin(1)
    lying = IndexPoses(centres, known.downs[near], np.full(len(centres), deck.place.tall * card_px))
    ways = concatenated([lying, lying._replace(downs=-lying.downs)])
    corners = in_sight_of(deck.faces, deck.place)
    fits, outlines = corners.place(image, deck.place.around(ways, card_px))
    ranks = fits.max(2).argmax(1)
    sure = [
        number
        for number, (fit, rank) in enumerate(zip(fits, ranks.tolist(), strict=True))
        if float(fit.max()) >= FACE_RULE.score and _ahead(fit, rank) >= FACE_RULE.ahead
    ]
    poses = deck.place.on(outlines[sure])
    tints, scores = networks.indices.classify_poses(image, poses)
    named = zip(sure, indices_of(poses, tints, scores, image), strict=True)
    for number, index in sorted(named, key=lambda one: -float(fits[one[0]].max())):
        if index.rank == ranks[number] and index.p_rank >= SURELY_NAMED and index.whole:
            acceptance = _with_card(acceptance, index, fits[number], outlines[number], card_px)
    return acceptance


def _with_card(
    acceptance: Acceptance, index: Index, fit: Points, outline: Points, card_px: float
) -> Acceptance:
    """The cards and one more, where none lies there; what was unclear about its index is clear."""
    card = AssembledCard((_joined(index, fit),), outline, certain=1)
    if any(_are_one(card, other, card_px) for other in acceptance.accepted):
        return acceptance
    reach = SAME_INDEX * index.index_px
    unclear = [
        (other, why)
        for other, why in acceptance.unclear
        if np.hypot(*(other.best.centre - index.centre)) > reach
    ]
    return acceptance._replace(accepted=[*acceptance.accepted, card], unclear=unclear)


def with_corner_faces(image: Image, acceptance: Acceptance, deck: Prototypes, card_px: float) -> Acceptance:
    """The cards of an acceptance and those whose rank the face around their index confirms.

    A reported card that is an index with less than `LIKELY_INDEX` is unclear where its face is another one.
    The outlines of all are those around their indices; `card_px` is a card's long side. Where a deck's lower
    index stands upright, turned it looks like another rank's upper one: the body below it has to fit as well.
    """
    doubted = [
        number
        for number, card in enumerate(acceptance.accepted)
        if len(card.indices) == 1 and card.best.p_index < LIKELY_INDEX
    ]
    fits = _fits(image, [acceptance.accepted[number].best for number in doubted], deck, card_px)
    pairs = zip(doubted, fits, strict=True)
    gone = {number for number, fit in pairs if _ahead(fit, acceptance.accepted[number].best.rank) < -BEHIND}
    more, left = _confirmed(image, acceptance, deck, card_px)
    return Acceptance([*acceptance.accepted, *more], left, acceptance.deck).without(gone)


def _confirmed(
    image: Image, acceptance: Acceptance, deck: Prototypes, card_px: float
) -> tuple[list[AssembledCard], list[tuple[AssembledCard, UnclearReason]]]:
    """Unclear cards that are certain by both witnesses, and those that stay unclear."""
    unclear = [card.best for card, _ in acceptance.unclear]
    fits = _fits(image, unclear, deck, card_px)
    below = _fits(image, unclear, deck, card_px, strip=True) if deck.foot_differs else fits
    more: list[AssembledCard] = []
    left: list[tuple[AssembledCard, UnclearReason]] = []
    for (card, why), fit, strip in zip(acceptance.unclear, fits, below, strict=True):
        taken = any(_are_one(card, other, card_px) for other in (*acceptance.accepted, *more))
        if taken or not (_confirms(fit, card.best) and _confirms(strip, card.best)):
            left.append((card, why))
        else:
            more.append(card._replace(indices=(_joined(card.best, fit),), certain=1))
    return more, left


def _fits(
    image: Image, indices: list[Index], deck: Prototypes, card_px: float, *, strip: bool = False
) -> Points:
    """How well each rank and suit fits around each index, n x 13 x 4; `strip` as for `in_sight_of`."""
    assert deck.faces is not None
    assert deck.place is not None
    faces = in_sight_of(deck.faces, deck.place, strip=strip)
    return faces.place(image, deck.place.around(poses_of(indices), card_px)).fits


def _confirms(fit: Points, index: Index) -> bool:
    likely = index.p_rank >= NAMED and index.whole
    fits = float(fit[index.rank].max()) >= FACE_RULE.score
    return likely and fits and _ahead(fit, index.rank) >= AHEAD


def _ahead(fit: Points, rank: int) -> float:
    """By how much a rank fits better than every other one."""
    by_rank = fit.max(1)
    return float(by_rank[rank] - np.delete(by_rank, rank).max())


def _are_one(one: AssembledCard, other: AssembledCard, card_px: float) -> bool:
    """Whether two cards may be one: their outlines lie on each other, or nearly and they have one rank."""
    if one.corners is None or other.corners is None:
        return False
    middles: tuple[Points, Points] = one.corners.mean(0), other.corners.mean(0)
    reach = ALIKE if one.best.rank == other.best.rank else SAME
    return float(np.hypot(*(middles[0] - middles[1]))) < reach * card_px


def _joined(index: Index, fit: Points) -> Index:
    """The index as both witnesses name it; its suit where both agree and the index alone is certain of it.

    A face confirms the rank. Where another card covers the pip, its corner shows no suit either, or the suit
    of a pip of that other card.
    """
    suit = int(fit[index.rank].argmax())
    shows_suit = index.p_index >= LIKELY_INDEX and is_suit_certain(index)
    return index._replace(
        p_rank=max(index.p_rank, FACE_P),
        p_index=max(index.p_index, FACE_P),
        agreed=True,
        rank_agreed=True,
        suit_open=index.suit != suit or not shows_suit,
    )
