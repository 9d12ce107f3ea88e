"""Decks that print other letters than A, J, Q and K: what may be one of theirs is no rank.

One letter that the reader does not know says nothing of the deck: print is worn, light is bad. Two cards of
them do.
"""

import math
from typing import Final, NamedTuple

from vision.acceptance.rank_score import LIKELY_INDEX
from vision.assembly import AssembledCard
from vision.classifier import Index
from vision.labels import RANKS

EIGHT: Final = RANKS.index("8")


class OtherLettersRule(NamedTuple):
    """When a deck has other letters, and what is reported of it then.

    Source: `python -m tests.measures.letters`, 250 decks of fonts left out: of 3,810 crops of ranks that
    would be reported otherwise 86 % are `known`, of 1,017 of other letters 31 are. `unknown` is the limit
    that four in a thousand ranks miss, and nearly half of the other letters.
    """

    unknown: float = -2.4
    """Below these log odds a letter is none of the thirteen."""

    cards: int = 2
    """So many cards with such letters are of a deck that has them."""

    known: float = 2.0
    """Least log odds of a rank of such a deck."""

    eight: float = 1.0
    """Least log odds of an eight beside a single card with such a letter: a German jack (B) looks like one.

    Source: on 220 drawn tables of eleven decks left out (45,000,000, 1080p and 4K) eleven jacks of the German
    one would be certain eights, at -0.7 to 0.9; of 349 eights 103 are below 1, too many for every table.
    """


OTHER_LETTERS_RULE: Final = OtherLettersRule()


def _has_unknown_letter(card: AssembledCard) -> bool:
    rule = OTHER_LETTERS_RULE
    return all(
        index.known < rule.unknown and index.p_index >= LIKELY_INDEX and index.whole for index in card.indices
    )


def doubt_like_letters(cards: list[AssembledCard]) -> list[AssembledCard]:
    """The same cards; an index that may be another letter than the reader's has no certain name.

    Beside one card with such a letter that is an eight, beside two any.
    """
    rule = OTHER_LETTERS_RULE
    others = sum(map(_has_unknown_letter, cards))
    if not others:
        return cards

    def named(index: Index) -> Index:
        least = rule.known if others >= rule.cards else rule.eight if index.rank == EIGHT else -math.inf
        return index if index.known >= least else index.unnamed()

    return [card._replace(indices=tuple(map(named, card.indices))) for card in cards]
