"""Decks that print other letters than A, J, Q and K: what may be one of theirs is no rank.

One letter that the reader does not know says nothing of the deck: print is worn, light is bad. Two cards of
them do.
"""

from typing import Final, NamedTuple

from vision.assembly import AssembledCard


class OtherLettersRule(NamedTuple):
    """When a deck has other letters, and what is reported of it then.

    Source: `python -m tests.measures.letters`, 250 decks of fonts left out: of 3,810 crops of ranks that
    would be reported otherwise 86 % are `known`, of 1,017 of other letters 31 are. `unknown` is the limit
    that four in a thousand ranks miss, and nearly half of the other letters.
    """

    unknown: float = -2.4
    """Below these log odds a letter is none of the thirteen."""

    p_index: float = 0.9
    """Least probability of being an index, in full view, of a letter that counts."""

    cards: int = 2
    """So many cards with such letters are of a deck that has them."""

    known: float = 2.0
    """Least log odds of a rank of such a deck."""


OTHER_LETTERS_RULE: Final = OtherLettersRule()


def _has_unknown_letter(card: AssembledCard) -> bool:
    rule = OTHER_LETTERS_RULE
    return all(
        index.known < rule.unknown and index.p_index >= rule.p_index and index.whole for index in card.indices
    )


def doubt_like_letters(cards: list[AssembledCard]) -> list[AssembledCard]:
    """The same cards; where their deck has other letters, an index that may be one has no certain name."""
    if sum(map(_has_unknown_letter, cards)) < OTHER_LETTERS_RULE.cards:
        return cards
    return [
        card._replace(
            indices=tuple(
                index if index.known >= OTHER_LETTERS_RULE.known else index.unnamed()
                for index in card.indices
            )
        )
        for card in cards
    ]
