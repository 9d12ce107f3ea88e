"""Accepted cards and a heat map in, all else that lies there out. Imports acceptance and what is below it.

Cards face down, the cut card, jokers, unread cards, and what only the heat map sees.
"""

from vision.objects.card_sized import CardSizedObject, foreground_mask, squeezed_card_crop
from vision.objects.face_down import assign_to_hands
from vision.objects.heat_map_audit import (
    cards_without_heat,
    faint_places,
    is_strange_deck,
    may_have_pips_beside,
)
from vision.objects.own_print import without_own_print
from vision.objects.remaining import (
    PictureEvidence,
    lone_papers,
    remaining_objects,
    unexplained_objects,
)

__all__ = [
    "CardSizedObject",
    "PictureEvidence",
    "assign_to_hands",
    "cards_without_heat",
    "faint_places",
    "foreground_mask",
    "is_strange_deck",
    "lone_papers",
    "may_have_pips_beside",
    "remaining_objects",
    "squeezed_card_crop",
    "unexplained_objects",
    "without_own_print",
]
