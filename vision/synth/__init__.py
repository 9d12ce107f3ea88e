"""Styles and scenes in, drawn cards, tables and pictures out, truth included. Imports geometry, reading.

For training, tests and the demo's camera: nothing here is needed at a real table.
"""

from vision.synth.camera_faults import disturb, glare, light, motion, shadows
from vision.synth.card import CardArt, IndexBox, draw_card, rounded_alpha
from vision.synth.demo_layout import DEALER, cards_by_hand, hand_at
from vision.synth.demo_table import (
    TableCard,
    TableHand,
    TableView,
    felt_with_print,
    render_frame,
    smeared_picture,
    table_scene,
)
from vision.synth.random_scenes import (
    ART_PX,
    CARD_HEIGHTS_PX,
    FELTS,
    DeckArt,
    cover_with_arm,
    drawn_deck,
    random_deck,
    random_felt,
    random_scene,
    random_tilt,
    shoot,
)
from vision.synth.scene import (
    Chip,
    IndexTruth,
    LaidCard,
    RenderedScene,
    Scene,
    card_quad,
    index_truths,
    take_picture,
)
from vision.synth.shoe_mouth import Passage, draw_mouth, with_noise
from vision.synth.special_cards import draw_back, draw_cut_card, draw_joker
from vision.synth.style import CASINO_STYLE, CardStyle, foreign_style, random_style

__all__ = [
    "ART_PX",
    "CARD_HEIGHTS_PX",
    "CASINO_STYLE",
    "DEALER",
    "FELTS",
    "CardArt",
    "CardStyle",
    "Chip",
    "DeckArt",
    "IndexBox",
    "IndexTruth",
    "LaidCard",
    "Passage",
    "RenderedScene",
    "Scene",
    "TableCard",
    "TableHand",
    "TableView",
    "card_quad",
    "cards_by_hand",
    "cover_with_arm",
    "disturb",
    "draw_back",
    "draw_card",
    "draw_cut_card",
    "draw_joker",
    "draw_mouth",
    "drawn_deck",
    "felt_with_print",
    "foreign_style",
    "glare",
    "hand_at",
    "index_truths",
    "light",
    "motion",
    "random_deck",
    "random_felt",
    "random_scene",
    "random_style",
    "random_tilt",
    "render_frame",
    "rounded_alpha",
    "shadows",
    "shoot",
    "smeared_picture",
    "table_scene",
    "take_picture",
    "with_noise",
]
