"""Decide which cards are accepted, from their indices and from whatever contradicts them."""

from collections.abc import Sequence
from itertools import combinations
from typing import Final, NamedTuple

import numpy as np

from vision.acceptance.certainty import is_certain, is_suit_certain, reported_indices
from vision.acceptance.contradiction import (
    doubt_like_letters,
    find_contradictions,
    find_maybe_turned,
    size_outliers,
)
from vision.acceptance.limits import BESIDE_RULE, PROBABILITY_LIMITS
from vision.assembly import AssembledCard, DeckGeometry, assemble_cards
from vision.classifier import Index
from vision.geometry import Image
from vision.reading import UnclearReason

_NEIGHBOUR: Final = 1.0
"""Heights of an index within which another card's pip may stand beside its rank.

Source: indices of drawn fans of decks left out stand 0.35 to 0.8 heights apart.
"""


class Acceptance(NamedTuple):
    """Cards split by certainty, why the rest is not certain, and the geometry of their deck."""

    accepted: list[AssembledCard]
    unclear: list[tuple[AssembledCard, UnclearReason]]
    deck: DeckGeometry | None

    @property
    def shown(self) -> list[AssembledCard]:
        """All of them, certain or not."""
        return [*self.accepted, *(card for card, _ in self.unclear)]

    def without(self, numbers: set[int]) -> "Acceptance":
        """The same, but these of the accepted cards are unclear: another witness disagrees."""
        kept = [card for number, card in enumerate(self.accepted) if number not in numbers]
        more: list[tuple[AssembledCard, UnclearReason]] = [
            (self.accepted[number], "disagreement") for number in sorted(numbers)
        ]
        return self._replace(accepted=kept, unclear=[*self.unclear, *more])

    def without_rivals(self) -> "Acceptance":
        """Return the acceptance with possible corners of an unreported, surer like card marked unclear.

        For sequences: the next picture may report the surer card, and the same card would count twice.
        """
        kept = [card for card in self.accepted if not card.rivals]
        more: list[tuple[AssembledCard, UnclearReason]] = [
            (card, "like_card") for card in self.accepted if card.rivals
        ]
        return self._replace(accepted=kept, unclear=[*self.unclear, *more]) if more else self


def _as_certain(card: AssembledCard, cards: Sequence[AssembledCard]) -> AssembledCard | None:
    """Return the card as it may be reported; None when not even its rank may be.

    Corners that are likeliest to have two suits leave the suit open, however sure one of them is. So does a
    lone corner beside another of the picture's `cards`: the pip beside its rank may be that card's.
    """
    one_suit = len({index.suit for index in card.indices}) == 1
    covered = len(card.indices) == 1 and card.best.p_index < PROBABILITY_LIMITS.p_index_suit
    certain = reported_indices(card.indices)
    if not one_suit or (covered and _is_beside_another(card, cards)):
        certain = [index._replace(suit_open=True) for index in certain]
    return _with_first(card, certain) if certain else None


def _is_beside_another(card: AssembledCard, cards: Sequence[AssembledCard]) -> bool:
    """Whether another card has an index within _NEIGHBOUR heights of this card's."""
    best = card.best
    return any(
        float(np.hypot(*(index.centre - best.centre))) < _NEIGHBOUR * best.index_px
        for other in cards
        if other is not card
        for index in other.indices
    )


def _with_first(card: AssembledCard, certain: list[Index]) -> AssembledCard:
    """Return the card with the surest `certain` index first; an index with a certain suit ranks higher."""
    first = card.indices[0].centre
    own = [index for index in certain if card.contested and index.centre is first]
    best = max(own or certain, key=lambda index: (not index.suit_open, index.p))
    surest = {id(index.centre): index for index in certain}
    rest = [surest.get(id(index.centre), index) for index in card.indices if index.centre is not best.centre]
    return card._replace(indices=(best, *rest), certain=len(certain))


def accept_cards(
    indices: list[Index], image: Image | None = None, *, same_size: bool = True, grey: bool = False
) -> Acceptance:
    """Assemble cards from indices and decide which are certain; `image` as for `assemble_cards`.

    `same_size`: all indices of the deck have the same height, rank and pip together. `grey`: the picture has
    no colours, and no suit is certain. Of like cards that may be one card, only the surest reportable one is
    reported: no card is reported twice.
    """
    indices = [index._replace(agreed=False) for index in indices] if grey else indices
    judged = [index._replace(suit_open=not is_suit_certain(index)) for index in indices]
    cards, deck = assemble_cards(judged, image)
    cards = doubt_like_letters(cards)
    contradicted = find_contradictions(cards, deck) | find_maybe_turned(cards)
    odd = size_outliers(cards, deck) if same_size else set()
    accepted: list[AssembledCard] = []
    unclear: list[tuple[AssembledCard, UnclearReason]] = []
    reported: set[int] = set()
    for number, card in enumerate(cards):
        certain = None if number in odd else _as_certain(card, cards)
        if number in contradicted:
            unclear.append((card, "disagreement"))
        elif certain is None or any(id(rival.centre) in reported for rival in card.rivals):
            reason: UnclearReason = "like_card" if card.rivals else "uncertain"
            unclear.append((card._replace(odd_size=number in odd), reason))
        else:
            accepted.append(certain)
            reported |= {id(index.centre) for index in card.indices}
    return Acceptance(accepted, unclear, deck)


def _shows_both_ends(card: AssembledCard) -> bool:
    """Whether two of its indices are certain, each by itself, and face each other."""
    certain = [index for index in card.indices if is_certain(index)]
    return any(float(one.down @ other.down) < 0 for one, other in combinations(certain, 2))


def has_pips_beside(read: Acceptance) -> bool:
    """Whether these cards, read as having their pips beside the ranks, show that they have.

    A rank with another card's pip beside it looks like such an index, so one read proves nothing.
    """
    cards = [card for card in read.accepted if not card.best.suit_open]
    return len(cards) >= BESIDE_RULE.alone or sum(map(_shows_both_ends, cards)) >= BESIDE_RULE.facing
