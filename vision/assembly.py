"""Join indices to physical cards, and doubt like cards that may be one."""

from typing import Final, NamedTuple

import cv2
import numpy as np

from vision.deck_geometry import (
    GEOMETRY_RULE,
    KNOWN_DECKS,
    LEFT,
    PAIRS_KNOWN,
    RIGHT,
    CornerOffset,
    DeckGeometry,
    corner_misfit,
    cosine,
    estimate_deck_geometry,
    may_have_one_name,
    mean_index_px,
    offset,
    outline_around,
    outline_of_pair,
    side_with_paper,
    top_margin,
)
from vision.geometry import Image, Points
from vision.indices import Index
from vision.networks import LIKELIER


class AssembledCard(NamedTuple):
    """The indices of one physical card, the surest first.

    `corners` (4 x 2, clockwise from the upper left) is None where the card's size is not known. `rivals` are
    the best indices of surer like cards; this card may be a corner of any of them. `certain` counts the
    certain indices. `odd_size`: the index's height differs from the expected one. `lies_open` (0..1) is the
    probability that the card is uncovered, from pips and court art; None where it was not computed. `joined`:
    only several pictures together make it certain. `contested`: the second index may belong to another like
    card; the first certainly belongs to this one.
    """

    indices: tuple[Index, ...]
    corners: Points | None
    rivals: tuple[Index, ...] = ()
    certain: int = 0
    odd_size: bool = False
    lies_open: float | None = None
    joined: bool = False
    contested: bool = False

    @property
    def best(self) -> Index:
        """The surest index."""
        return self.indices[0]

    @property
    def doubtful(self) -> bool:
        """Whether the card may be a corner of another, like card."""
        return bool(self.rivals)


_LIKE_CARD_ACROSS_TURN: Final = 0.75
"""Indices that face each other (least cosine) and are off by less than this share of the diagonal may be
one card's under strong tilt. Hands that lie the same way seldom show such a pair.

Source: the 0.50 was raised until none of nine cards was reported twice that drawn tables leaning 20 to
40 degrees had shown twice; no hand of 120 other tables was flagged (history of this file). the turn
was widened for small tens, whose direction may be off by 20 degrees. The others have no measurement on
record.
"""

_LIKE_CARD_SIDE_TURN: Final = 0.88
"""How far tilt may turn the indices of one edge against each other (least cosine), and out of their line,
as a share of their distance.

Source: as above.
"""


RIVAL_FIT: Final = 0.26
"""A like card's index may be a corner's partner as well when it is off by less than this share of the
diagonal: twice what joins corners, because tens are narrower than other ranks.

Source: two tens of an outside drawn table, 0.22 off.
"""

CORNERS: Final = 4
"""More indices than a card has corners are two cards', however near they lie."""


def _within_one_card(one: AssembledCard, other: AssembledCard, deck: DeckGeometry) -> bool:
    """Whether any two of their indices are no further apart than the corners of a card."""
    unit_px = max(one.best.index_px, other.best.index_px, deck.index_px)
    # Limits for taking two like cards as possibly one. Source: the 0.50 was raised until none of nine
    # cards was reported twice that drawn tables leaning 20 to 40 degrees had shown twice; no hand of 120
    # other tables was flagged (history of this file). the turn was widened for small tens, whose
    # direction may be off by 20 degrees. The others have no measurement on record.
    # 1.8: with four indices a card, like cards within so many diagonals of each other may be one.
    reach = 1.8 * deck.diagonal * unit_px
    return any(np.hypot(*(a.centre - b.centre)) < reach for a in one.indices for b in other.indices)


def _along_an_edge(one: Index, other: Index) -> bool:
    """Whether two like indices fit one edge of a four-index card of any size."""
    right, below = (abs(part) for part in offset(one, other, mean_index_px(one, other)))
    turn, slant = cosine(one, other), 0.25
    if turn > _LIKE_CARD_SIDE_TURN:
        return KNOWN_DECKS.holds_right(right) and below < slant * right
    return turn < -_LIKE_CARD_SIDE_TURN and KNOWN_DECKS.holds_below(below) and right < slant * below


def _across(one: Index, other: Index) -> bool:
    """Whether two like indices fit opposite corners of a card of any size."""
    right, below = offset(one, other, mean_index_px(one, other))
    # Of pips beside the ranks, an index is as wide as a card allows: the other one may stand right below it.
    fits = abs(right) < KNOWN_DECKS.right[1] and KNOWN_DECKS.holds_below(below)
    return cosine(one, other) < -_LIKE_CARD_SIDE_TURN and fits


def _under_tilt(one: AssembledCard, other: AssembledCard, deck: DeckGeometry) -> bool:
    """Whether two lone indices fit one card at more camera tilt than `fit` allows."""
    right, below = deck.right, deck.below
    across = CornerOffset(right, below, turned=True)
    aside = (CornerOffset(right, 0.0, turned=False), CornerOffset(0.0, below, turned=True))
    pairs = ((one.best, other.best), (other.best, one.best))
    facing = min(
        corner_misfit(first, second, across, deck, _LIKE_CARD_ACROSS_TURN) for first, second in pairs
    )
    beside = min(corner_misfit(first, second, corner, deck) for first, second in pairs for corner in aside)
    # 0.50, 0.75: indices that face each other (least cosine) and are off by less than this share of the
    # diagonal may be one card's under strong tilt. Hands that lie the same way seldom show such a pair.
    return facing < 0.50 or _as_far_as_corners(one.best, other.best, deck) or (beside < GEOMETRY_RULE.fit / 2)


def _as_far_as_corners(one: Index, other: Index, deck: DeckGeometry) -> bool:
    """Whether two indices face each other at the distance of opposite corners."""
    apart = float(np.hypot(*(one.centre - other.centre)))
    units = (mean_index_px(one, other), deck.index_px)
    off = min(abs(apart / (deck.diagonal * unit) - 1) for unit in units)
    # 0.2: so do indices that face each other as far apart as opposite corners, by this share of the
    # diagonal: how far they are apart does not depend on the direction of small tens.
    return cosine(one, other) < -_LIKE_CARD_ACROSS_TURN and off < 0.2


def _clearly(card: AssembledCard) -> AssembledCard:
    """The card with the corners alone that are likelier right than not.

    Beside the lower index of a four, its pips beside the ranks, a rank of 0.23 stood for its further corner,
    and the four was reported twice.
    """
    clear = tuple(index for index in card.indices if index.p_rank * index.p_shown >= LIKELIER)
    return card._replace(indices=clear or card.indices[:1])


def shared_outline(one: AssembledCard, other: AssembledCard) -> float:
    """Return the share of the smaller outline that lies within the other, for two facing lone indices.

    0 where an outline is unknown, a card shows two corners, or the indices do not face each other.
    """
    lone = len(one.indices) == 1 and len(other.indices) == 1
    if one.corners is None or other.corners is None or not lone:
        return 0.0
    if cosine(one.best, other.best) > -_LIKE_CARD_ACROSS_TURN:
        return 0.0
    mine, theirs = one.corners.astype(np.float32), other.corners.astype(np.float32)
    area, _ = cv2.intersectConvexConvex(mine, theirs)
    return float(area / max(min(cv2.contourArea(mine), cv2.contourArea(theirs)), 1.0))


def _may_be_one(one: AssembledCard, other: AssembledCard, deck: DeckGeometry) -> bool:
    """Whether two like cards may be one card."""
    # 0.5: two lone indices that face each other may be one card's where their outlines share so much of the
    # smaller one, whatever geometry the picture seems to show. Source: a four with its pips beside the
    # ranks, reported twice. Of the lone cards of 60 drawn tables of decks left out one pair of a rank that
    # face each other shares 0.45, and no other one a part.
    if shared_outline(one, other) > 0.5:
        return True
    if deck.four or deck.maybe_four:
        corners = len(one.indices) + len(other.indices)
        return corners <= CORNERS and _within_one_card(one, other, deck)
    both_whole = len(one.indices) > 1 and len(other.indices) > 1
    if deck.pairs < PAIRS_KNOWN and not both_whole:
        # The size of a card is unknown; one with opposite corners has no more.
        alone = len(one.indices) == 1 and len(other.indices) == 1
        pairs = [(a, b) for a in one.indices for b in other.indices]
        return any(_along_an_edge(a, b) for a, b in pairs) or (alone and _across(*pairs[0]))
    if len(one.indices) > 1 or len(other.indices) > 1:
        return False
    return _under_tilt(one, other, deck)


def _doubt_like_cards(cards: list[AssembledCard], deck: DeckGeometry) -> list[AssembledCard]:
    """The same cards, the surest first; of two like ones that might be one the weaker names its rival."""
    ranked = sorted(cards, key=lambda card: (card.best.suit_open, -len(card.indices), -card.best.p))
    flagged: list[AssembledCard] = []
    of_rank: dict[int, list[AssembledCard]] = {}
    for card in ranked:
        surer = of_rank.setdefault(card.best.rank, [])
        like = (other for other in surer if may_have_one_name(other.best, card.best))
        rivals = tuple(other.best for other in like if _may_be_one(_clearly(other), _clearly(card), deck))
        flagged.append(card._replace(rivals=rivals))
        surer.append(flagged[-1])
    return flagged


def _doubt_all_but_surest(cards: list[AssembledCard]) -> list[AssembledCard]:
    """Mark all but the surest of like cards as doubtful, where no geometry tells corners from cards."""
    ranked = sorted(cards, key=lambda card: (card.best.suit_open, -card.best.p))
    return [
        card._replace(
            rivals=tuple(one.best for one in ranked[:place] if may_have_one_name(card.best, one.best))
        )
        for place, card in enumerate(ranked)
    ]


def _with_contested_last(cards: list[AssembledCard], deck: DeckGeometry) -> list[AssembledCard]:
    """Return the cards; of a card's two corners the one that may belong to a like card comes last.

    Three indices may be read of two like cards side by side. Any two may be taken as one card's: there are
    two cards, represented by the two indices that claim the third.
    """
    if deck.four or deck.maybe_four:
        return cards
    lone = [card for card in cards if len(card.indices) == 1]
    return [_contested(card, lone, deck) if len(card.indices) == 2 else card for card in cards]


def _contested(card: AssembledCard, lone: list[AssembledCard], deck: DeckGeometry) -> AssembledCard:
    foot = CornerOffset(deck.right, deck.below, turned=True)
    rivals = [other.best for other in lone if may_have_one_name(other.best, card.best)]
    for own, shared in (card.indices, card.indices[::-1]):
        if any(corner_misfit(rival, shared, foot, deck) < RIVAL_FIT for rival in rivals):
            return card._replace(indices=(own, shared), contested=True)
    return card


def _corners_seen_from(deck: DeckGeometry, side: int) -> tuple[CornerOffset, ...]:
    """The other corners with an index, seen from an upper LEFT or RIGHT one; the opposite corner first."""
    right, below = deck.right * side, deck.below
    if side == LEFT and not deck.four:
        return (CornerOffset(right, below, turned=True),)
    return (
        CornerOffset(right, below, turned=True),
        CornerOffset(right, 0.0, turned=False),
        CornerOffset(0.0, below, turned=True),
    )


class _Proposal(NamedTuple):
    """Numbers of indices that would make one card, seen from the first, and how badly they fit.

    `suits` counts the suits that they are likeliest to have.
    """

    members: tuple[int, ...]
    side: int
    badness: float
    suits: int


def _proposal(indices: list[Index], like: list[int], first: int, side: int, deck: DeckGeometry) -> _Proposal:
    """The card seen from one index, among those of its rank (`like`)."""
    members, badness = [first], 0.0
    for corner in _corners_seen_from(deck, side):
        errors = {
            other: corner_misfit(indices[first], indices[other], corner, deck)
            for other in like
            if other not in members
            and all(may_have_one_name(indices[other], indices[member]) for member in members)
        }
        best = min(errors, key=lambda other: errors[other], default=None)
        if best is not None and errors[best] < deck.fit:
            members.append(best)
            badness += errors[best]
    return _Proposal(tuple(members), side, badness, len({indices[member].suit for member in members}))


def _assembled(
    indices: list[Index], proposal: _Proposal, deck: DeckGeometry, image: Image | None
) -> AssembledCard:
    members = [indices[number] for number in proposal.members]
    first = members[0]
    foot = CornerOffset(deck.right, deck.below, turned=True)
    opposite = [other for other in members[1:] if corner_misfit(first, other, foot, deck) < deck.fit]
    if proposal.side == LEFT and opposite:
        corners = outline_of_pair(first, opposite[0], deck)
    elif deck.four and not opposite and not any(_at_one_end(first, other, deck) for other in members[1:]):
        corners = outline_around(first, deck, side_with_paper(image, first, deck, proposal.side))
    else:
        corners = outline_around(first, deck, proposal.side)
    return AssembledCard(tuple(sorted(members, key=lambda index: (index.suit_open, -index.p))), corners)


def _at_one_end(one: Index, other: Index, deck: DeckGeometry) -> bool:
    """Whether two indices stand at the same end of their card."""
    corners = (CornerOffset(right, 0.0, turned=False) for right in (deck.right, -deck.right))
    return any(corner_misfit(one, other, corner, deck) < deck.fit for corner in corners)


def _with_margin(deck: DeckGeometry, indices: list[Index], image: Image | None) -> DeckGeometry:
    """The deck with the margin above its ranks as the picture shows it."""
    if image is None:
        return deck
    margin = top_margin(image, [index for index in indices if index.p > LIKELIER])
    return deck if margin is None else deck._replace(margin=margin)


def _proposals(indices: list[Index], deck: DeckGeometry) -> list[_Proposal]:
    """A card for each index and side; those of most indices first, of these those of one suit.

    Of the rest the best fitting comes first.
    """
    kinds: dict[int, list[int]] = {}
    for number, index in enumerate(indices):
        kinds.setdefault(index.rank, []).append(number)
    proposals = [
        _proposal(indices, like, first, side, deck)
        for like in kinds.values()
        for first in like
        for side in ((LEFT, RIGHT) if deck.four else (LEFT,))
    ]
    return sorted(proposals, key=lambda one: (-len(one.members), one.suits, one.badness))


def assemble_cards(
    indices: list[Index], image: Image | None = None
) -> tuple[list[AssembledCard], DeckGeometry | None]:
    """Cards from indices, and the deck's geometry where the picture showed it.

    `image` (BGR) says where the cards' paper ends; without it margins are usual ones.
    """
    deck = estimate_deck_geometry(indices)
    if deck is None:
        return _doubt_all_but_surest([AssembledCard((index,), None) for index in indices]), None
    deck = _with_margin(deck, indices, image)
    used: set[int] = set()
    cards: list[AssembledCard] = []
    for proposal in _proposals(indices, deck):
        if used.isdisjoint(proposal.members):
            used |= set(proposal.members)
            cards.append(_assembled(indices, proposal, deck, image))
    for number in set(range(len(indices))) - used:
        cards.append(AssembledCard((indices[number],), outline_around(indices[number], deck, LEFT)))
    return _doubt_like_cards(_with_contested_last(cards, deck), deck), deck
