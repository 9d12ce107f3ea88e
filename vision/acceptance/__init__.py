"""Indices in, cards that may be reported and cards that may not out. Imports assembly, classifier and below.

All limits that make a card unclear are in `certainty`, `contradiction`, `size_outliers` and
`whole_card_check`.
"""

from vision.acceptance.added_cards import with_added_cards
from vision.acceptance.beside_layout import has_pips_beside
from vision.acceptance.card_acceptance import Acceptance, accept_cards
from vision.acceptance.certainty import (
    BLACK_SUITS,
    PROBABILITY_LIMITS,
    SIZE_LIMITS,
    is_certain,
    is_rank_certain,
    is_sound,
    least_p_suit,
    reported_indices,
)
from vision.acceptance.corner_faces import with_corner_faces, with_warm_faces
from vision.acceptance.named_faces import placed_faces, with_named_faces
from vision.acceptance.one_quad import one_card_a_quad, outlined_by_place
from vision.acceptance.other_letters import OTHER_LETTERS_RULE
from vision.acceptance.rank_score import (
    LEAST_SCORES,
    LIKELY_INDEX,
    RANK_WEIGHTS,
    least_score,
    log_height,
    log_odds,
    rank_score,
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
