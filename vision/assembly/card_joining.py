"""Join indices to physical cards: all corners of a card make one card."""

from typing import NamedTuple

from vision.assembly.assembled_card import AssembledCard
from vision.assembly.card_outline import LEFT, RIGHT, outline_around, outline_of_pair, side_with_paper
from vision.assembly.deck_geometry import (
    CornerOffset,
    DeckGeometry,
    corner_misfit,
    estimate_deck_geometry,
    may_have_one_name,
)
from vision.assembly.like_cards import doubt_all_but_surest, doubt_like_cards, with_contested_last
from vision.assembly.paper_edges import top_margin
from vision.classifier import LIKELIER, Index
from vision.geometry import Image


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
        return doubt_all_but_surest([AssembledCard((index,), None) for index in indices]), None
    deck = _with_margin(deck, indices, image)
    used: set[int] = set()
    cards: list[AssembledCard] = []
    for proposal in _proposals(indices, deck):
        if used.isdisjoint(proposal.members):
            used |= set(proposal.members)
            cards.append(_assembled(indices, proposal, deck, image))
    for number in set(range(len(indices))) - used:
        cards.append(AssembledCard((indices[number],), outline_around(indices[number], deck, LEFT)))
    return doubt_like_cards(with_contested_last(cards, deck), deck), deck
