"""Where the cards of a followed picture lie and how long they are, in its pixels."""

from typing import Final

import numpy as np

from controller.devices.cameras.tracker import TrackedFrame, card_centre
from controller.runtime.witness.tracked_cards import Pixel
from vision.tracking import TrackView

CARD_SHARE: Final = 1 / 21
"""A card's long side as a share of the picture's width, until a card with known corners is seen."""


def distance(one: Pixel, other: Pixel) -> float:
    """How far two places of a picture lie apart."""
    return float(np.hypot(one[0] - other[0], one[1] - other[1]))


def face_down_centres(last: TrackedFrame) -> list[Pixel]:
    """Give the middles of the cards that lie face down: nothing near them may be shown."""
    return [card_centre(track) for track in last.scene.tracks if track.face == "down"]


def long_side(track: TrackView) -> float:
    """Give the longest side of a card's outline; the track must have one."""
    corners = np.array(track.quad)
    return float(np.hypot(*(corners - np.roll(corners, 1, 0)).T).max())


def card_length(last: TrackedFrame) -> float:
    """Give the median long side of the cards whose corners are known."""
    longs = [long_side(track) for track in last.scene.tracks if track.quad is not None]
    return float(np.median(longs)) if longs else last.image.shape[1] * CARD_SHARE
