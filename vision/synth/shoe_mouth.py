"""Draw a shoe's mouth as its camera sees it: one card after another slides in, rests and slides out.

Source of all sizes, times and colours: chosen by eye; no real shoe was measured.
"""

from functools import lru_cache
from typing import Final, NamedTuple

import cv2
import numpy as np

from vision.geometry import Image, Points
from vision.synth.card import CardArt

MOUTH_WIDTH, MOUTH_HEIGHT = 320, 240
_MOUTH_CARD_PX: Final = 380
"""Height of a whole card in pixels of the picture, which shows one of its corners."""

_TRAVEL: Final = {"bottom": (0, 1), "top": (0, -1), "right": (1, 0), "left": (-1, 0)}
"""The way out of the shoe, in the picture."""

_THROAT: Final = (58, 52, 50)
"""Colour of the empty mouth: plastic that is neither black nor near to paper."""

_SUB_PICTURES: Final = 4
"""Places of the card that are averaged where it moves while the shutter is open."""

_NOISE_ROOM: Final = 64

ROOM_PX: Final = 6.0
"""So far beyond the border a card counts as gone."""


class Passage(NamedTuple):
    """One card's path past the mouth; times in milliseconds, the first one on the picture's clock.

    `shift` (pixels) and `turn_deg` are its offset at rest from the pose that the camera expects. A card that
    is `back` returns into the shoe.
    """

    art: CardArt
    start_ms: float
    in_ms: float = 160.0
    rest_ms: float = 150.0
    out_ms: float = 130.0
    shift: tuple[float, float] = (0.0, 0.0)
    turn_deg: float = 0.0
    back: bool = False

    @property
    def end_ms(self) -> float:
        """Return the time at which all of it has gone."""
        return self.start_ms + self.in_ms + self.rest_ms + self.out_ms

    def progress(self, now_ms: float) -> float:
        """-1 before it shows, 0 at rest, 1 when it has gone."""
        since = now_ms - self.start_ms
        if since < self.in_ms:
            return _eased(since / self.in_ms) - 1
        gone = _eased((since - self.in_ms - self.rest_ms) / self.out_ms)
        return -gone if self.back else gone


def _eased(share: float) -> float:
    share = min(max(share, 0.0), 1.0)
    return share * share * (3 - 2 * share)


@lru_cache(maxsize=4)
def empty_mouth(width: int = MOUTH_WIDTH, height: int = MOUTH_HEIGHT) -> Image:
    """The mouth without a card. Cached: callers must not write into it."""
    down, across = np.mgrid[0:height, 0:width].astype(np.float32)
    light = 0.8 + 0.35 * down / height - 0.12 * np.abs(across / width - 0.5)
    return np.asarray(np.clip(light[..., None] * np.array(_THROAT, np.float32), 0, 255), np.uint8)


def draw_mouth(passage: Passage | None, now_ms: float, leaves: str = "bottom", open_ms: float = 4.0) -> Image:
    """The picture at a moment, BGR, without the camera's noise; the shutter is open for `open_ms`."""
    mouth = empty_mouth()
    if passage is None:
        return mouth.copy()
    moments = [now_ms + open_ms * part / _SUB_PICTURES for part in range(_SUB_PICTURES)]
    places = [passage.progress(moment) for moment in moments]
    if max(places) - min(places) < 1e-4:
        return np.asarray(_laid(mouth, passage, places[0], leaves), np.uint8)
    drawn = [_laid(mouth, passage, place, leaves) for place in places]
    return np.asarray(np.mean(drawn, axis=0), np.uint8)


def with_noise(picture: Image, rng: np.random.Generator, sigma: float = 2.5) -> Image:
    """The picture as a sensor gives it."""
    height, width = picture.shape[:2]
    down, across = (int(shift) for shift in rng.integers(0, _NOISE_ROOM, 2))
    noise = _noise(height, width)[down : down + height, across : across + width]
    return np.asarray(np.clip(picture + noise * np.float32(sigma), 0, 255), np.uint8)


@lru_cache(maxsize=2)
def _noise(height: int, width: int) -> Image:
    """A field of noise of which each picture takes another part: drawing it anew would cost more than all."""
    shape = (height + _NOISE_ROOM, width + _NOISE_ROOM, 3)
    return np.random.default_rng(11).standard_normal(shape, np.float32)


def _laid(mouth: Image, passage: Passage, place: float, leaves: str) -> Image:
    """The mouth with the card at a place of its way, float32."""
    matrix = _resting(passage)
    way = np.array(_TRAVEL[leaves], np.float64)
    matrix[:, 2] += way * place * _distance(passage.art, matrix, way, place)
    size = (mouth.shape[1], mouth.shape[0])
    card = cv2.warpAffine(passage.art.image, matrix, size, flags=cv2.INTER_AREA)
    alpha = cv2.warpAffine(passage.art.alpha, matrix, size, flags=cv2.INTER_LINEAR)
    share = alpha[..., None].astype(np.float32) / 255
    return np.asarray(mouth * (1 - share) + card * share)


def _resting(passage: Passage) -> Points:
    """2 x 3 matrix from the card's pixels to the picture's, its index in the middle."""
    art, turn = passage.art, np.deg2rad(passage.turn_deg)
    scale = _MOUTH_CARD_PX / art.image.shape[0]
    linear = scale * np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    centre = _index_middle(art)
    middle = np.array([MOUTH_WIDTH / 2 + passage.shift[0], MOUTH_HEIGHT / 2 + passage.shift[1]])
    return np.asarray(np.column_stack([linear, middle - linear @ centre]))


def _index_middle(art: CardArt) -> Points:
    """Return the centre of the index, or its usual place on a sheet without one."""
    if not art.indices:
        return np.asarray(np.array([0.13, 0.17]) * art.image.shape[0])
    box = art.indices[0]
    return np.asarray((np.array(box.top) + np.array(box.foot)) / 2)


def _distance(art: CardArt, matrix: Points, way: Points, place: float) -> float:
    """Pixels from rest to where the card has gone (`place` above 0) or has not come yet."""
    height, width = art.image.shape[:2]
    corners = np.array([[0, 0], [width, 0], [width, height], [0, height]]) @ matrix[:, :2].T + matrix[:, 2]
    along = corners @ way
    ends = sorted((0.0, float(np.array([MOUTH_WIDTH, MOUTH_HEIGHT]) @ way)))
    return ROOM_PX + float(ends[1] - along.min() if place > 0 else along.max() - ends[0])
