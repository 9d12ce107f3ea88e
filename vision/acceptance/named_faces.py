"""Cards that two witnesses name: the deck's face, by the whole card, and the index where it should stand."""

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from vision.acceptance.card_acceptance import Acceptance
from vision.acceptance.certainty import is_suit_certain
from vision.acceptance.one_quad import SAME
from vision.assembly import AssembledCard
from vision.classifier import (
    LIKELIER,
    STATE_INDEX,
    Index,
    NamedFace,
    Networks,
    Prototypes,
    blank_corners,
    crop_whole_cards,
    poses_of,
)
from vision.geometry import PARALLEL, SAME_INDEX, Image, IndexPoses, Points, inside

FACE_P: Final = 0.99
"""Probability that a certain face is right by itself.

Source: docs/measurements/reader.md, Faces: none of 985 was wrong, which bounds the share below 0.31 %.
"""

LIES_OPEN: Final = 0.5
"""From this probability on nothing lies on a whole card, by its network.

Source: docs/measurements/reader.md, Faces: of 24 covered cards with a certain face none had more than 0.006,
of 120 open ones none less than 0.27.
"""

HARDLY_COVERED: Final = 0.1
"""Below this probability of lying open a card is surely covered. Source: the same cards."""

FOOT: Final = 0.4
"""So well its other half fits the same face at least: another witness that nothing lies on it.

Source: open cards of ten decks have 0.59 and more but for a deck with one large pip, covered ones with a
certain face up to 0.57; less where the outline is a guess.
"""

TURNS_DEG: Final = (0.0, -1.5, 1.5, -3.0, 3.0)
"""A card around its index alone may lie so much further round: an index is short.

Source: no measurement on record.
"""


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
    shown = [index for index, lies in lying if lies >= HARDLY_COVERED]
    lone = poses_of(shown)
    around = [deck.place.around(lone.turned(degrees), card_px) for degrees in TURNS_DEG]
    outlines = np.concatenate([papers, *around])
    groups = [
        *range(len(papers)),
        *(len(papers) + np.arange(len(shown) * len(TURNS_DEG)) % max(len(shown), 1)),
    ]
    best: dict[int, PlacedFace] = {}
    for group, outline, face in zip(groups, outlines, deck.faces.name(image, outlines), strict=True):
        if face.certain and face.foot >= FOOT and (group not in best or face.score > best[group].face.score):
            best[group] = PlacedFace(outline[[2, 3, 0, 1]] if face.turned else outline, face)
    found = _apart(sorted(best.values(), key=lambda one: -one.face.score), SAME * card_px)
    lies_open = _lies_open(image, np.array([one.outline for one in found]), networks)
    return [one for one, lies in zip(found, lies_open, strict=True) if lies >= LIES_OPEN]


def _apart(placed: Sequence[PlacedFace], reach_px: float) -> list[PlacedFace]:
    """Without those that lie on an earlier one: a card is found by each of its indices."""
    kept: list[PlacedFace] = []
    for one in placed:
        middles = (np.hypot(*(other.outline.mean(0) - one.outline.mean(0))) for other in kept)
        if all(apart > reach_px for apart in middles):
            kept.append(one)
    return kept


def with_named_faces(
    acceptance: Acceptance, placed: Sequence[PlacedFace], read: Sequence[Index], deck: Prototypes
) -> Acceptance:
    """The cards of an acceptance and those whose certain face an index confirms.

    A card that is reported by another rank than its certain face, or whose index says something else, is
    unclear. `read` are all indices of the picture, the `deck` says where they stand.
    """
    for outline, face in placed:
        acceptance = _with_face(acceptance, outline, face, read, deck)
    return acceptance


def _lies_open(image: Image, outlines: Points, networks: Networks) -> list[float]:
    """How likely nothing lies on whole cards (n x 4 x 2), 0..1."""
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
    reported = known[0] if known else AssembledCard((_joined(index, face),), outline, certain=1)
    kept = [card for number, card in enumerate(acceptance.accepted) if number not in within]
    unclear = [(card, why) for card, why in acceptance.unclear if not inside(card.best.centre, outline)]
    return acceptance._replace(accepted=[*kept, reported._replace(corners=outline)], unclear=unclear)


def _stands_at(index: Index, pose: IndexPoses) -> bool:
    return bool(np.hypot(*(index.centre - pose.centres[0])) < SAME_INDEX * pose.index_px[0])


def _witness(indices: Sequence[Index], face: NamedFace, head: IndexPoses) -> Index | None:
    """The index of a face's rank that stands where the deck has it; None where any other index differs."""
    clear = [one for one in indices if _is_clear(one)]
    if any(one.rank != face.rank for one in clear):
        return None
    at = [one for one in clear if _stands_at(one, head) and float(one.down @ head.downs[0]) > PARALLEL]
    return max(at, key=lambda one: one.p, default=None)


def _joined(index: Index, face: NamedFace) -> Index:
    """The index as both witnesses name it; its suit is reported where both agree on it, within its limit."""
    odds = index.p_rank / max(1 - index.p_rank, 1e-9) * FACE_P / (1 - FACE_P)
    both = index._replace(
        p_rank=odds / (1 + odds), p_index=max(index.p_index, FACE_P), agreed=True, rank_agreed=True
    )
    return both._replace(suit_open=index.suit != face.suit or not is_suit_certain(both))
