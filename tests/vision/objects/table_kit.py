"""A few cards on the demo's felt, for tests of what lies there besides."""

import numpy as np

from vision.reading import PointPx, Reading
from vision.synth import CASINO_STYLE, DrawnCard, Scene, draw_back, draw_card, felt_with_print


def placed(x: float, y: float, angle: float, name: str | None) -> DrawnCard:
    """A card of the demo's deck, its back where it has no name; 130 pixels high."""
    if name is None:
        return DrawnCard(draw_back(CASINO_STYLE, 276), x, y, angle, 130, face="down")
    return DrawnCard(draw_card(CASINO_STYLE, name[:-1], name[-1], 276), x, y, angle, 130, name[:-1], name[-1])


def table(*cards: DrawnCard) -> Scene:
    """Cards beside a few others that show how large a card is."""
    known = [placed(250 + 200 * slot, 850, 3.0 * slot, name) for slot, name in enumerate(("7h", "9s", "Kd"))]
    return Scene(1920, 1080, felt_with_print(), (*known, *cards))


def near(reading: Reading, at: PointPx, reach: float) -> set[str]:
    """Why something is unclear about a place."""
    return {spot.reason for spot in reading.unclear if np.hypot(*np.subtract(spot.at, at)) < reach}
