"""Two like cards side by side, of which three indices are read: it may be open which two are one card's.

Whichever way they are paired, there are two cards, and the two indices that want the third are of different
ones: these two stand for the cards.
"""

from typing import Final

from vision.assembly.assembled_card import AssembledCard
from vision.assembly.deck_geometry import CornerOffset, DeckGeometry, corner_misfit, may_have_one_name

RIVAL_FIT: Final = 0.26
"""A like card's index may be a corner's partner as well when it is off by less than this share of the
diagonal: twice what joins corners, because tens are narrower than other ranks.

Source: two tens of an outside drawn table, 0.22 off.
"""


def with_contested_last(cards: list[AssembledCard], deck: DeckGeometry) -> list[AssembledCard]:
    """The same cards; of two corners of a card the one that a like card may have as well comes last."""
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
