"""Cards face down that the survey sees: certain only where the shape fits and another network agrees."""

from typing import Final

import numpy as np

from vision.classifier.networks import IndexNetwork
from vision.geometry.arrays import Image
from vision.geometry.outlines import overlap, scaled
from vision.labels import STATES
from vision.objects.card_sized import Sheet, card_crop
from vision.objects.unexplained import Part
from vision.proposal.heat_map import Survey
from vision.reading import ReadCard

BACK_SHARE: Final = 0.6
"""Mean probability of a back over a card-shaped thing, in the survey, that makes it one."""

BACK_LIKELY: Final = 0.5
"""Least probability of a back by the index network's word, where the survey alone found it."""

SHRUNK: Final = 0.1
"""Cards whose outlines, made smaller by this share, overlap lie in one hand: those of a survey are rough."""


def surveyed(sheet: Sheet, survey: Survey) -> Sheet:
    """A card-shaped thing of unknown kind is a back when the survey says so."""
    share = survey.share(sheet.corners, "back") if sheet.kind == "thing" else 0.0
    return sheet._replace(kind="back", p=share) if share > BACK_SHARE else sheet


def lone_back(image: Image, part: Part, network: IndexNetwork) -> Sheet | None:
    """The back that lies alone at a place where the survey sees one; None when that is not certain."""
    if not part.lone:
        return None
    crop = card_crop(image, part.corners)
    state = network.classify(np.stack([crop, crop[::-1, ::-1]])).state.mean(0)
    likely = float(state[STATES.index("back")])
    return Sheet(part.corners, "back", likely) if likely > BACK_LIKELY else None


def _overlaps(one: ReadCard, other: ReadCard) -> bool:
    if one.quad is None or other.quad is None:
        return False
    return overlap(*(scaled(np.array(card.quad), 1 - SHRUNK) for card in (one, other)))


def with_hands(cards: list[ReadCard], down: list[ReadCard]) -> list[ReadCard]:
    """All cards by hand; a card face down that overlaps one of a hand is its last, others are hands alone."""
    number = max((card.hand for card in cards), default=0)
    placed: list[ReadCard] = []
    for back in down:
        host = next((card.hand for card in cards if _overlaps(card, back)), None)
        number += host is None
        placed.append(back._replace(hand=number if host is None else host))
    return sorted([*cards, *placed], key=lambda card: card.hand)
