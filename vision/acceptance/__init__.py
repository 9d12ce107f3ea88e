"""Indices in, cards that may be told, and cards that may not, out. Imports assembly, classifier, geometry.

All limits that make a card unclear are in `certainty`, `contradiction`, `size_outliers` and
`whole_card_check`.
"""

from vision.acceptance.beside_layout import has_pips_beside
from vision.acceptance.card_acceptance import Acceptance, accept_cards
from vision.acceptance.certainty import (
    BLACK_SUITS,
    NAME,
    PROBABILITY_LIMITS,
    RANK_ALONE,
    SIZE_LIMITS,
    Demand,
    certain_indices,
    ink_colour_fits,
    is_certain,
    least_p_suit,
)
from vision.acceptance.whole_card_check import (
    WholeCardCrops,
    contradicted_by_whole_card,
    whole_cards_to_check,
    with_openness,
)

__all__ = [
    "BLACK_SUITS",
    "NAME",
    "PROBABILITY_LIMITS",
    "RANK_ALONE",
    "SIZE_LIMITS",
    "Acceptance",
    "Demand",
    "WholeCardCrops",
    "accept_cards",
    "certain_indices",
    "contradicted_by_whole_card",
    "has_pips_beside",
    "ink_colour_fits",
    "is_certain",
    "least_p_suit",
    "whole_cards_to_check",
    "with_openness",
]
