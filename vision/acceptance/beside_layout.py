"""Whether a picture's deck has its pips beside the ranks, by what is read when that is assumed.

A rank with another card's pip beside it looks like such an index, so one read proves nothing.
"""

from itertools import combinations
from typing import Final, NamedTuple

from vision.acceptance.card_acceptance import Acceptance
from vision.acceptance.certainty import is_certain
from vision.assembly import AssembledCard


class BesideRule(NamedTuple):
    """What shows that the deck is such a one. Source: chosen by reason; see docs/measurements/reader.md."""

    facing: int = 1
    """So many accepted cards show the same at two opposite corners, or"""

    alone: int = 4
    """so many are accepted at all."""


BESIDE_RULE: Final = BesideRule()


def _shows_both_ends(card: AssembledCard) -> bool:
    """Whether two of its indices are certain, each by itself, and face each other."""
    certain = [index for index in card.indices if is_certain(index)]
    return any(float(one.down @ other.down) < 0 for one, other in combinations(certain, 2))


def has_pips_beside(read: Acceptance) -> bool:
    """Whether these cards, read as having their pips beside the ranks, show that they have."""
    cards = [card for card in read.accepted if not card.best.suit_open]
    return len(cards) >= BESIDE_RULE.alone or sum(map(_shows_both_ends, cards)) >= BESIDE_RULE.facing
