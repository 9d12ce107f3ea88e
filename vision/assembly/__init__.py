"""Indices in, physical cards with outlines, overlaps and hands out. Imports classifier, geometry, reading."""

from vision.assembly.assembled_card import AssembledCard
from vision.assembly.card_joining import assemble_cards
from vision.assembly.card_outline import LEFT, outline_around
from vision.assembly.deck_geometry import (
    GEOMETRY_RULE,
    KNOWN_DECKS,
    PAIRS_KNOWN,
    CornerOffset,
    DeckGeometry,
    corner_misfit,
    cosine,
    may_have_one_name,
    mean_index_px,
    offset,
    same_rank_and_suit,
)
from vision.assembly.like_cards import RIVAL_FIT, shared_outline
from vision.assembly.overlaps import Overlaps, covered_cards, find_overlaps
from vision.assembly.read_cards import as_point, as_quad, face_up_cards

__all__ = [
    "GEOMETRY_RULE",
    "KNOWN_DECKS",
    "LEFT",
    "PAIRS_KNOWN",
    "RIVAL_FIT",
    "AssembledCard",
    "CornerOffset",
    "DeckGeometry",
    "Overlaps",
    "as_point",
    "as_quad",
    "assemble_cards",
    "corner_misfit",
    "cosine",
    "covered_cards",
    "face_up_cards",
    "find_overlaps",
    "may_have_one_name",
    "mean_index_px",
    "offset",
    "outline_around",
    "same_rank_and_suit",
    "shared_outline",
]
