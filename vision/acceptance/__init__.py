"""Indices in, cards that may be reported and cards that may not out. Imports assembly, classifier and below.

All limits that make a card certain or unclear are in `limits`, each with its measurement.
"""

from vision.acceptance.added_cards import with_added_cards
from vision.acceptance.card_acceptance import Acceptance, accept_cards, has_pips_beside
from vision.acceptance.certainty import (
    BLACK_SUITS,
    is_certain,
    is_rank_certain,
    is_sound,
    least_p_suit,
    least_score,
    log_height,
    log_odds,
    rank_score,
    reported_indices,
)
from vision.acceptance.faces import (
    one_card_a_quad,
    outlined_by_place,
    placed_faces,
    with_corner_faces,
    with_named_faces,
    with_warm_faces,
)
from vision.acceptance.limits import (
    LEAST_SCORES,
    LIKELY_INDEX,
    OTHER_LETTERS_RULE,
    PROBABILITY_LIMITS,
    RANK_WEIGHTS,
    SIZE_LIMITS,
)
from vision.acceptance.whole_card_check import (
    WholeCardCrops,
    WholeCardDoubts,
    doubts_of_whole_cards,
    whole_cards_to_check,
    with_whole_cards,
)

__all__ = [
    "BLACK_SUITS",
    "LEAST_SCORES",
    "LIKELY_INDEX",
    "OTHER_LETTERS_RULE",
    "PROBABILITY_LIMITS",
    "RANK_WEIGHTS",
    "SIZE_LIMITS",
    "Acceptance",
    "WholeCardCrops",
    "WholeCardDoubts",
    "accept_cards",
    "doubts_of_whole_cards",
    "has_pips_beside",
    "is_certain",
    "is_rank_certain",
    "is_sound",
    "least_p_suit",
    "least_score",
    "log_height",
    "log_odds",
    "one_card_a_quad",
    "outlined_by_place",
    "placed_faces",
    "rank_score",
    "reported_indices",
    "whole_cards_to_check",
    "with_added_cards",
    "with_corner_faces",
    "with_named_faces",
    "with_warm_faces",
    "with_whole_cards",
]
