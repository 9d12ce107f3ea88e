"""A deck's faces as witnesses: they confirm or contradict indices, and explain unclear spots as print.

Each index gives the outline of its card where deck and camera give a card's size: one quad is one card.
Networks and faces err differently: for 251 indices of drawn decks no face's corner confirmed a wrong rank.
Where a deck's lower index is not the upper one turned, the whole face names a card, and an index in its place
confirms it.
"""

from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations
from typing import Final, NamedTuple

import cv2
import numpy as np

from vision.acceptance import Acceptance
from vision.assembly import AssembledCard
from vision.certainty import LIKELY_INDEX, PROBABILITY_LIMITS, is_suit_certain
from vision.faces import (
    FACE_CROP,
    FACE_RULE,
    Faces,
    NamedFace,
    blank_corners,
    crop_whole_cards,
    face_planes,
    face_tones,
    in_sight_of,
)
from vision.geometry import (
    LEAST,
    OWN_CORNER,
    PARALLEL,
    SAME_INDEX,
    Image,
    IndexPlace,
    IndexPoses,
    Points,
    concatenated,
    inside,
    to_rectangle,
    within_reach,
)
from vision.heat_map import HeatMap
from vision.indices import Index, indices_of, poses_of
from vision.networks import LIKELIER, STATE_INDEX, Networks, Prototypes
from vision.reading import SUITS, Unclear, UnclearReason


class FaceLimits(NamedTuple):
    """Limits for a deck's face as a witness beside the index. Lengths are in long sides of a card."""

    same: float = 0.12
    """Card lengths between the middles of two outlines of one card, each around one index.

    Source: cards of the tightest fans are 0.2 apart; an index is short, so its card's middle may be off by
    0.05.
    """

    p: float = 0.99
    """Probability that a certain face is right by itself.

    Source: docs/measurements/reader.md, Faces: none of 985 was wrong, which bounds the share below 0.31 %.
    """

    lies_open: float = 0.5
    """From this probability on nothing lies on a whole card, by its network.

    Source: docs/measurements/reader.md, Faces: of 24 covered cards with a certain face none had more than
    0.006, of 120 open ones none less than 0.27.
    """

    hardly_covered: float = 0.1
    """Below this probability of lying open a card is surely covered. Source: the same cards."""

    foot: float = 0.4
    """So well its other half fits the same face at least: another witness that nothing lies on it.

    Source: open cards of ten decks have 0.59 and more but for a deck with one large pip, covered ones with
    a certain face up to 0.57; less where the outline is a guess.
    """

    turns_deg: tuple[float, ...] = (0.0, -1.5, 1.5, -3.0, 3.0)
    """A card around its index alone may lie so much further round: an index is short.

    Source: no measurement on record.
    """

    ahead: float = 0.02
    """A corner confirms its rank where that fits as well as a certain face, and so much better than any
    other.

    Source: docs/measurements/reader.md, Faces: a rank that is wrong fits by 0.35 at most, but for one that
    looks alike (a jack, B, and an eight), which is ahead by less than 0.01.
    """

    behind: float = 0.05
    """A rank that fits so much worse than another one is none. Source: the same indices."""

    alike: float = 0.35
    """Card lengths between the middles of two outlines that may be one card's where both have its rank.

    Source: an index with the pip beside it shows its card's direction to 15 degrees; without it four of 31
    drawn tables had a card reported twice.
    """

    named: float = 0.6
    """So sure the network is at least of the rank that a corner confirms.

    Source: the tables of docs/measurements/reader.md, Faces, were read with it.
    """

    warm: float = 0.35
    """Heat from which an index is looked for by the faces. Source: as for the peaks of `heat_map_audit`."""

    surely_named: float = 0.9
    """Where no index was found the face has to be certain, and the network so sure of the same rank.

    Source: docs/measurements/reader.md, Faces.
    """


_FACE_LIMITS: Final = FaceLimits()


def outlined_by_place(acceptance: Acceptance, place: IndexPlace, card_px: float) -> Acceptance:
    """Return the cards with outlines computed from the position of their indices.

    Outlines that are estimated from the picture alone are off by up to a sixth of a card.
    """
    accepted = _outlined(acceptance.accepted, place, card_px)
    unclear = _outlined([card for card, _ in acceptance.unclear], place, card_px)
    whys = [why for _, why in acceptance.unclear]
    return acceptance._replace(accepted=accepted, unclear=list(zip(unclear, whys, strict=True)))


def _outlined(cards: list[AssembledCard], place: IndexPlace, card_px: float) -> list[AssembledCard]:
    return [card._replace(corners=_outline(card, place, card_px)) for card in cards]


def _outline(card: AssembledCard, place: IndexPlace, card_px: float) -> Points:
    """Return the outline around the best index, averaged with that around a facing index if there is one."""
    around = place.around(poses_of(card.indices), card_px)
    facing = [
        number for number, index in enumerate(card.indices) if float(index.down @ card.best.down) < -PARALLEL
    ]
    outlines = [around[0], *(around[number][[2, 3, 0, 1]] for number in facing[:1])]
    return np.asarray(np.mean(outlines, 0))


def one_card_a_quad(acceptance: Acceptance, card_px: float) -> Acceptance:
    """Of two reported indices of one card the surer is reported, or neither where their ranks differ."""
    differ, again = set[int](), dict[int, int]()
    lone = [(number, card) for number, card in enumerate(acceptance.accepted) if len(card.indices) == 1]
    for (one, card), (other, second) in combinations(lone, 2):
        if not _lie_alike(card, second, card_px):
            continue
        if card.best.rank != second.best.rank:
            differ |= {one, other}
        else:
            less, more = sorted((one, other), key=lambda number: acceptance.accepted[number].best.p)
            again[less] = more
    reported = [*acceptance.accepted]
    for less, more in again.items():
        if reported[less].best.suit != reported[more].best.suit:
            best = reported[more].best._replace(suit_open=True)
            reported[more] = reported[more]._replace(indices=(best,))
    acceptance = acceptance._replace(accepted=reported).without(differ)
    gone = {id(reported[less].best.centre) for less in again.keys() - differ}
    kept = [card for card in acceptance.accepted if id(card.best.centre) not in gone]
    return acceptance._replace(accepted=kept)


def _lie_alike(one: AssembledCard, other: AssembledCard, card_px: float) -> bool:
    if one.corners is None or other.corners is None:
        return False
    middles: tuple[Points, Points] = one.corners.mean(0), other.corners.mean(0)
    facing = float(one.best.down @ other.best.down) < -PARALLEL
    return facing and float(np.hypot(*(middles[0] - middles[1]))) < _FACE_LIMITS.same * card_px


class PlacedFace(NamedTuple):
    """A whole card: its outline (4 x 2, from its upper left), and its certain face."""

    outline: Points
    face: NamedFace


def placed_faces(
    image: Image, papers: Points, acceptance: Acceptance, networks: Networks, card_px: float
) -> list[PlacedFace]:
    """The cards with certain faces: among `papers` (n x 4 x 2), and around cards of which one index is read.

    Around an index only where a deck's lower index is not the upper one turned: corner_faces does for others.
    For networks of a deck with faces and a place of its indices; `card_px` is a card's long side.
    """
    deck = networks.deck
    assert deck is not None
    assert deck.faces is not None
    assert deck.place is not None
    shown = [
        card.best
        for card in acceptance.shown
        if deck.foot_differs and len(card.indices) == 1 and _is_clear(card.best)
    ]
    whole = deck.place.around(poses_of(shown), card_px)
    lying = zip(shown, _lies_open(image, whole, networks), strict=True)
    shown = [index for index, lies in lying if lies >= _FACE_LIMITS.hardly_covered]
    lone = poses_of(shown)
    around = [deck.place.around(lone.turned(degrees), card_px) for degrees in _FACE_LIMITS.turns_deg]
    outlines = np.concatenate([papers, *around])
    groups = [
        *range(len(papers)),
        *(len(papers) + np.arange(len(shown) * len(_FACE_LIMITS.turns_deg)) % max(len(shown), 1)),
    ]
    best: dict[int, PlacedFace] = {}
    for group, outline, face in zip(groups, outlines, deck.faces.name(image, outlines), strict=True):
        if (
            face.certain
            and face.foot >= _FACE_LIMITS.foot
            and (group not in best or face.score > best[group].face.score)
        ):
            best[group] = PlacedFace(outline[[2, 3, 0, 1]] if face.turned else outline, face)
    found = _apart(sorted(best.values(), key=lambda one: -one.face.score), _FACE_LIMITS.same * card_px)
    lies_open = _lies_open(image, np.array([one.outline for one in found]), networks)
    return [one for one, lies in zip(found, lies_open, strict=True) if lies >= _FACE_LIMITS.lies_open]


def _apart(placed: Sequence[PlacedFace], reach_px: float) -> list[PlacedFace]:
    """Return the faces without later duplicates: each index of a card finds it again."""
    kept: list[PlacedFace] = []
    for one in placed:
        middles = (np.hypot(*(other.outline.mean(0) - one.outline.mean(0))) for other in kept)
        if all(apart > reach_px for apart in middles):
            kept.append(one)
    return kept


def with_named_faces(
    acceptance: Acceptance, placed: Sequence[PlacedFace], read: Sequence[Index], deck: Prototypes
) -> Acceptance:
    """Return the cards and those whose certain face is confirmed by an index.

    A card becomes unclear where its certain face or another index contradicts the reported rank. `read` are
    all indices of the picture; `deck` gives their place on a card.
    """
    for outline, face in placed:
        acceptance = _with_face(acceptance, outline, face, read, deck)
    return acceptance


def _lies_open(image: Image, outlines: Points, networks: Networks) -> list[float]:
    """Return the probability (0..1) that each whole card (n x 4 x 2) is uncovered."""
    deck = networks.deck
    if not len(outlines) or deck is None or deck.place is None:
        return []
    crops = blank_corners(crop_whole_cards(image, outlines), np.full(len(outlines), deck.place.tall))
    opened: list[float] = networks.whole_cards.classify(crops).state[:, STATE_INDEX].tolist()
    return opened


def _is_clear(index: Index) -> bool:
    return index.p_rank * index.p_shown >= LIKELIER


def _with_face(
    acceptance: Acceptance, outline: Points, face: NamedFace, read: Sequence[Index], deck: Prototypes
) -> Acceptance:
    assert deck.place is not None
    head, foot = deck.place.on(outline[None]), deck.place.on(outline[None, [2, 3, 0, 1]])
    inner = [one for one in read if inside(one.centre, outline)]
    if deck.foot_differs:
        inner = [one for one in inner if not _stands_at(one, foot)]
    within = {number for number, card in enumerate(acceptance.accepted) if inside(card.best.centre, outline)}
    own = {
        number
        for number in within
        if not (deck.foot_differs and _stands_at(acceptance.accepted[number].best, foot))
    }
    if any(acceptance.accepted[number].best.rank != face.rank for number in own):
        return acceptance.without(within)
    index = _witness(inner, face, head)
    if index is None or len(own) > 1:
        return acceptance.without(within - own)
    known = [acceptance.accepted[number] for number in own]
    reported = known[0] if known else AssembledCard((_by_face(index, face),), outline, certain=1)
    kept = [card for number, card in enumerate(acceptance.accepted) if number not in within]
    unclear = [(card, why) for card, why in acceptance.unclear if not inside(card.best.centre, outline)]
    return acceptance._replace(accepted=[*kept, reported._replace(corners=outline)], unclear=unclear)


def _stands_at(index: Index, pose: IndexPoses) -> bool:
    return bool(np.hypot(*(index.centre - pose.centres[0])) < SAME_INDEX * pose.index_px[0])


def _witness(indices: Sequence[Index], face: NamedFace, head: IndexPoses) -> Index | None:
    """Return the index of the face's rank at the deck's position; None where another index contradicts."""
    clear = [one for one in indices if _is_clear(one)]
    if any(one.rank != face.rank for one in clear):
        return None
    at = [one for one in clear if _stands_at(one, head) and float(one.down @ head.downs[0]) > PARALLEL]
    return max(at, key=lambda one: one.p, default=None)


def _by_face(index: Index, face: NamedFace) -> Index:
    """The index as both witnesses name it; its suit is reported where both agree on it, within its limit."""
    odds = index.p_rank / max(1 - index.p_rank, 1e-9) * _FACE_LIMITS.p / (1 - _FACE_LIMITS.p)
    both = index._replace(
        p_rank=odds / (1 + odds), p_index=max(index.p_index, _FACE_LIMITS.p), agreed=True, rank_agreed=True
    )
    return both._replace(suit_open=index.suit != face.suit or not is_suit_certain(both))


def with_warm_faces(
    image: Image, acceptance: Acceptance, networks: Networks, card_px: float, heat_map: HeatMap
) -> Acceptance:
    """Return the cards and those that the heat map shows and no index named.

    Each is assumed to lie as the nearest card does, or turned half round. The deck's faces give the exact
    place, and the network reads there.
    """
    deck, cards = networks.deck, acceptance.accepted
    assert deck is not None
    assert deck.faces is not None
    assert deck.place is not None
    peaks = heat_map.peaks(_FACE_LIMITS.warm)
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
    scores = networks.indices.classify_poses(image, poses)
    named = zip(sure, indices_of(poses, scores, image), strict=True)
    for number, index in sorted(named, key=lambda one: -float(fits[one[0]].max())):
        if index.rank == ranks[number] and index.p_rank >= _FACE_LIMITS.surely_named and index.whole:
            acceptance = _with_card(acceptance, index, fits[number], outlines[number], card_px)
    return acceptance


def _with_card(
    acceptance: Acceptance, index: Index, fit: Points, outline: Points, card_px: float
) -> Acceptance:
    """Return the cards and one more, unless its place is taken; its index is no longer unclear."""
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
    """Return the cards and those whose rank is confirmed by the deck's face around their index.

    A reported card below `LIKELY_INDEX` becomes unclear where another face fits. Every outline is placed
    around the index; `card_px` is a card's long side. Where the deck's lower index stands upright, the body
    below the index has to fit too: turned, the index looks like another rank.
    """
    doubted = [
        number
        for number, card in enumerate(acceptance.accepted)
        if len(card.indices) == 1 and card.best.p_index < LIKELY_INDEX
    ]
    fits = _fits(image, [acceptance.accepted[number].best for number in doubted], deck, card_px)
    pairs = zip(doubted, fits, strict=True)
    gone = {
        number
        for number, fit in pairs
        if _ahead(fit, acceptance.accepted[number].best.rank) < -_FACE_LIMITS.behind
    }
    more, left = _confirmed(image, acceptance, deck, card_px)
    return Acceptance([*acceptance.accepted, *more], left, acceptance.deck).without(gone)


def _confirmed(
    image: Image, acceptance: Acceptance, deck: Prototypes, card_px: float
) -> tuple[list[AssembledCard], list[tuple[AssembledCard, UnclearReason]]]:
    """Return unclear cards that index and face confirm, and those that stay unclear."""
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
    """Return how well each rank and suit fits around each index, n x 13 x 4; `strip` as for `in_sight_of`."""
    assert deck.faces is not None
    assert deck.place is not None
    faces = in_sight_of(deck.faces, deck.place, strip=strip)
    return faces.place(image, deck.place.around(poses_of(indices), card_px))[0]


def _confirms(fit: Points, index: Index) -> bool:
    likely = index.p_rank >= _FACE_LIMITS.named and index.whole
    fits = float(fit[index.rank].max()) >= FACE_RULE.score
    return likely and fits and _ahead(fit, index.rank) >= _FACE_LIMITS.ahead


def _ahead(fit: Points, rank: int) -> float:
    """By how much a rank fits better than every other one."""
    by_rank = fit.max(1)
    return float(by_rank[rank] - np.delete(by_rank, rank).max())


def _are_one(one: AssembledCard, other: AssembledCard, card_px: float) -> bool:
    """Whether two cards may be one: their outlines lie on each other, or nearly and they have one rank."""
    if one.corners is None or other.corners is None:
        return False
    middles: tuple[Points, Points] = one.corners.mean(0), other.corners.mean(0)
    reach = _FACE_LIMITS.alike if one.best.rank == other.best.rank else _FACE_LIMITS.same
    return float(np.hypot(*(middles[0] - middles[1]))) < reach * card_px


def _joined(index: Index, fit: Points) -> Index:
    """The index as both witnesses name it; its suit where both agree and the index alone is certain of it.

    A face confirms the rank. Where another card covers the pip, its corner shows no suit either, or the suit
    of a pip of that other card.
    """
    suit = int(fit[index.rank].argmax())
    shows_suit = index.p_index >= PROBABILITY_LIMITS.p_index_suit and is_suit_certain(index)
    return index._replace(
        p_rank=max(index.p_rank, _FACE_LIMITS.p),
        p_index=max(index.p_index, _FACE_LIMITS.p),
        agreed=True,
        rank_agreed=True,
        suit_open=index.suit != suit or not shows_suit,
    )


_MAY_BE_PRINT: Final[frozenset[UnclearReason]] = frozenset({"missed", "occluded", "like_card", "uncertain"})
"""Why something is unclear that may be a pip, court art or the other index of a card."""

_AROUND_PX: Final = 8
"""So much to each side of a spot is compared, in pixels of a face: about an index.

Source: no measurement on record.
"""

_EDGE_PX: Final = 7
"""Nearer to the card's long sides a spot may be what is in sight of the card below.

Source: a seven left of a king's index, its pip half covered, was passed over in silence (one of 869 hands on
81 drawn tables); with this none is but one that was before, and 27 more spots are asked needlessly.
"""

_OFF_PX: Final = 8
"""So far the outline around an index alone may be off there. Source: no measurement on record."""


def without_own_print(
    image: Image, spots: Sequence[Unclear], cards: Sequence[AssembledCard], deck: Prototypes | None
) -> list[Unclear]:
    """Return the spots that are not the print of a reported card, for a deck with faces.

    In a fan the next card's index lies within the outline of the card below. There the picture differs from
    the lower card's face.
    """
    if deck is None or deck.faces is None:
        return [*spots]
    faces = _whole_faces(deck.faces, foot_differs=deck.foot_differs)
    asked = [np.array(spot.at) if spot.reason in _MAY_BE_PRINT else None for spot in spots]
    own = {
        number
        for card in cards
        if card.corners is not None
        for number in _own_print(image, card, card.corners, asked, faces)
    }
    return [spot for number, spot in enumerate(spots) if number not in own]


@lru_cache(maxsize=4)
def _whole_faces(faces: Faces, *, foot_differs: bool) -> Points:
    """Return darkness and redness of a deck's faces, 52 x 2 x height x width.

    Unseen pixels come from the other half, turned; they are NaN where that half differs.
    """
    planes = face_planes(faces.tones)
    known, turned = faces.shown, faces.shown[::-1, ::-1] & ~faces.shown
    filled = np.where(turned & (not foot_differs), planes[:, :, ::-1, ::-1], np.nan)
    return np.where(known, planes, filled)


def _own_print(
    image: Image, card: AssembledCard, outline: Points, places: Sequence[Points | None], faces: Points
) -> list[int]:
    """Numbers of the places within a card's outline around which it looks as its face does there."""
    within = [(number, at) for number, at in enumerate(places) if at is not None and inside(at, outline)]
    if not within:
        return []
    look = face_planes(face_tones(image, outline[None]))[0]
    suits = range(len(SUITS)) if card.best.suit_open else [card.best.suit]
    upright = faces[[card.best.rank * len(SUITS) + suit for suit in suits]]
    both = np.concatenate([upright, upright[:, :, ::-1, ::-1]])
    return [number for number, at in within if _is_own(look, _on_face(at, outline), both)]


def _on_face(place: Points, outline: Points) -> tuple[int, int]:
    """Row and column of a place on a card of this outline, in pixels of a face."""
    matrix = to_rectangle(outline, *FACE_CROP)
    x, y = np.round(cv2.perspectiveTransform(place.reshape(1, 1, 2), matrix)[0, 0]).astype(int).tolist()
    return y, x


def _is_own(look: Points, at: tuple[int, int], faces: Points) -> bool:
    """Whether the card (2 x height x width) matches one of these faces around a place."""
    (high, wide), (y, x) = FACE_CROP, at
    if not _EDGE_PX <= x < wide - _EDGE_PX:
        return False
    rows = slice(max(y - _AROUND_PX, 0), min(y + _AROUND_PX + 1, high))
    columns = slice(max(x - _AROUND_PX, 0), min(x + _AROUND_PX + 1, wide))
    seen = look[:, rows, columns]
    # 0.05: so much its darkness varies at least, 0..1: paper alone fits everywhere. Source: no measurement
    # on record.
    if seen[0].std() < 0.05:
        return False
    room = (_OFF_PX, _OFF_PX)
    own = np.pad(faces, ((0, 0), (0, 0), room, room), constant_values=np.nan)
    windows = np.lib.stride_tricks.sliding_window_view(own, seen.shape[1:], (2, 3))
    down, right = (slice(part.start, part.start + 2 * _OFF_PX + 1) for part in (rows, columns))
    near = windows[:, :, down, right].transpose(0, 2, 3, 1, 4, 5)
    # 0.8: so well what is seen there fits the face. Source: docs/measurements/reader.md, Faces.
    return float(_correlations(near.reshape(-1, *seen.shape), seen).max()) >= 0.8


def _correlations(looks: Points, seen: Points) -> Points:
    """Return correlations of looks (n x 2 x height x width) with `seen`; 0 for an incomplete look."""
    rows, one = (part - part.mean((-2, -1), keepdims=True) for part in (looks, seen))
    sizes = np.sqrt((rows**2).sum((1, 2, 3)) * (one**2).sum())
    return np.asarray(np.nan_to_num((rows * one).sum((1, 2, 3)) / np.maximum(sizes, LEAST)))
