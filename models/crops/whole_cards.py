"""Training crops of card bodies: whole cards with blanked corners, read by their pips and court art."""

from typing import Final

import cv2
import numpy as np

from models.crops.sample import IGNORE, Sample, rank_of_card, without_index
from vision.faces import WHOLE_CARD_CROP, blank_corners, crop_whole_cards
from vision.geometry import Points
from vision.reading import RANKS, STATES, SUITS
from vision.synth import DrawnCard, RenderedScene, Scene, card_quad

_BODY_SHOWN: Final = 0.95
_BODY_HIDDEN: Final = 0.88
"""Shares of a card that shows: readable from the first on, unreadable below the second."""

_JITTER: Final = 0.03
_ASTRAY: Final = 0.12
"""Share of crops that are set beside their card on purpose, as examples of none."""

NO_BODIES: Final = without_index(np.empty((0, *WHOLE_CARD_CROP, 3), np.uint8), np.empty((0, 3), np.int8))
NOTHING: Final = (IGNORE, IGNORE, STATES.index("none"))


def _index_share(card: DrawnCard) -> float:
    heights = [abs(box.foot[1] - box.top[1]) for box in card.art.indices]
    return max(heights, default=0.2 * card.art.image.shape[0]) / card.art.image.shape[0]


def share_visible(picture: RenderedScene, number: int, quad: Points) -> float:
    """Share of a card's outline, beyond the picture's border too, that shows this card."""
    area = abs(cv2.contourArea(quad.astype(np.float32)))
    return float((picture.owner == number).sum() / max(area, 1.0))


def _label(card: DrawnCard, shown: float) -> tuple[int, int, int] | None:
    if card.face == "up" and shown >= _BODY_SHOWN:
        return RANKS.index(str(card.rank)), SUITS.index(str(card.suit)), STATES.index("index")
    if card.face == "up" and shown >= _BODY_HIDDEN:
        return None
    return NOTHING


def body_sample(scene: Scene, picture: RenderedScene, rng: np.random.Generator) -> Sample:
    """Every card of a scene, both ways round, some set astray."""
    crops, labels, shares, rank_px = [], [], [], []
    for number, card in enumerate(scene.cards):
        quad = card_quad(card, scene.tilt)
        label = _label(card, share_visible(picture, number, quad))
        if label is None or (label[2] == STATES.index("none") and rng.random() < 0.6):
            continue
        for turn in (0, 2):
            shaken = np.roll(quad, turn, 0) + rng.normal(0, _JITTER, (4, 2)) * card.height
            astray = rng.random() < _ASTRAY
            if astray:
                shaken = shaken + rng.choice([-1, 1], 2) * rng.uniform(0.2, 0.5, 2) * card.height
            crops.append(crop_whole_cards(picture.frame, shaken[None])[0])
            labels.append(NOTHING if astray else label)
            shares.append(_index_share(card) * rng.uniform(0.9, 1.15))
            rank_px.append(rank_of_card(card.art) * card.height)
    if not crops:
        return NO_BODIES
    blanked = blank_corners(np.array(crops), np.array(shares))
    return Sample(blanked, np.array(labels, np.int8), np.array(rank_px, np.float32))
