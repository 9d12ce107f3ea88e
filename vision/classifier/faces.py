"""A deck's 52 faces, rectified: a second witness on whole cards, which errs differently than the networks.

A face is what a card looks like between its corners, its light taken out. A card is compared with all of them
by the correlation of darkness and redness, both ways round, a little shifted to each side; places where the
faces differ count more. It knows nothing of letters: any print that differs between cards can be told apart.
"""

from collections.abc import Sequence
from functools import cached_property
from typing import Final, NamedTuple

import cv2
import numpy as np

from vision.classifier.whole_card import crop_whole_cards
from vision.geometry import LEAST, Image, Points
from vision.inference import PAPER_TONE, CropSize, normalise_illumination, white_levels
from vision.labels import RANKS, SUITS

FACE_CROP: Final = CropSize(88, 64)
"""About a millimetre a pixel.

Source: 646 of 648 readable cards of six decks at 96 x 132 pixels, 644 at this size.
"""

CARDS: Final = len(RANKS) * len(SUITS)


class FaceRule(NamedTuple):
    """When a face is certain.

    Source: docs/reader.md, Faces: of 1,123 lone cards of eleven decks 985 are certain, none of them wrongly.
    """

    score: float = 0.8
    """Least correlation with the likeliest face."""

    ahead: float = 0.05
    """By so much it is ahead of every face of another rank."""

    soft_px: float = 0.8
    """Faces and cards are blurred by so much: outlines are off by half a millimetre."""

    twice_from: float = 1.5
    """Cards so many times as long as a face are cut with all their pixels."""


FACE_RULE: Final = FaceRule()


UNSHIFTED: Final = ((0, 0),)
SHIFTED: Final = [(down, right) for down in (0, -1, 1) for right in (0, -1, 1)]
"""Pixels to each side: the outline of what was not read is off by as much."""


class NamedFace(NamedTuple):
    """The likeliest face of a card: rank and suit are numbers of labels.

    `score` is its correlation (-1..1), `ahead` by how much it is ahead of other ranks. `turned`: the card
    lies the other way round than its outline begins. `foot`: its correlation the other way round, where a
    card shows its other half.
    """

    rank: int
    suit: int
    score: float
    ahead: float
    turned: bool
    foot: float

    @property
    def certain(self) -> bool:
        """Whether it is surely this rank."""
        return self.score >= FACE_RULE.score and self.ahead >= FACE_RULE.ahead


class Faces:
    """The faces of one deck, by rank and suit.

    `tones` are 52 x height x width x 3 (uint8, `PAPER_TONE` is paper). Of all of them at least the pixels of
    `shown` (height x width, bool) were seen.
    """

    def __init__(self, tones: Image, shown: Image) -> None:
        """All 52 are there: a face that nobody has seen would be taken for another one."""
        self.tones: Final = tones
        self.shown: Final = shown

    @cached_property
    def _weights(self) -> Points:
        """How much each pixel counts that was seen of all, 2 x pixels: as much as the faces differ there."""
        spread = _planes(self.tones).std(0)
        return np.stack([_soft(plane, 2 * FACE_RULE.soft_px)[self.shown] for plane in spread])

    @cached_property
    def _axes(self) -> Points:
        """The faces as rows of unit length, 52 x 2 pixels."""
        return self._standardised(_planes(self.tones)[:, :, self.shown])

    def name(self, image: Image, outlines: Points) -> list[NamedFace]:
        """The likeliest face of each whole card of a BGR picture (n x 4 x 2, from a short side on)."""
        return [self._named(card) for card in _planes(face_tones(image, outlines))] if len(outlines) else []

    def _named(self, card: Points) -> NamedFace:
        """As the card lies, and shifted where that is not certain."""
        named = self._likeliest(card, UNSHIFTED)
        return named if named.certain else self._likeliest(card, SHIFTED)

    def _likeliest(self, card: Points, shifts: Sequence[tuple[int, int]]) -> NamedFace:
        ways = (card, card[:, ::-1, ::-1])
        looks = [np.roll(way, shift, (1, 2))[:, self.shown] for way in ways for shift in shifts]
        scores = self._axes @ self._standardised(np.stack(looks)).T
        by_way = scores.reshape(CARDS, 2, len(shifts)).max(2)
        best = by_way.max(1).reshape(len(RANKS), len(SUITS))
        rank, suit = divmod(int(best.argmax()), len(SUITS))
        score, other = float(best[rank, suit]), float(np.delete(best, rank, 0).max())
        upright, turned = by_way[rank * len(SUITS) + suit]
        foot = float(min(upright, turned))
        return NamedFace(rank, suit, score, score - other, bool(turned > upright), foot)

    def _standardised(self, planes: Points) -> Points:
        """Rows whose products are weighted correlations, n x 2 pixels: each plane's mean is taken off."""
        means = (planes * self._weights).sum(2) / np.maximum(self._weights.sum(1), LEAST)
        rows = ((planes - means[..., None]) * np.sqrt(self._weights)).reshape(len(planes), -1)
        return np.asarray(rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), LEAST))


def face_tones(image: Image, outlines: Points) -> Image:
    """Whole cards of a BGR picture, n x height x width x 3 of FACE_CROP, with paper at `PAPER_TONE`."""
    crops = crop_whole_cards(image, outlines, FACE_CROP, FACE_RULE.twice_from)
    return normalise_illumination(crops, white_levels(crops))


def _planes(tones: Image) -> Points:
    """How dark and how red each pixel is, n x 2 x height x width, a little blurred."""
    light = tones.astype(np.float32) / PAPER_TONE
    dark = 1 - np.minimum(light.min(3), 1)
    red = np.clip(light[..., 2] - (light[..., 0] + light[..., 1]) / 2, -1, 1)
    planes = np.stack([dark, red], 1)
    return np.stack([[_soft(plane, FACE_RULE.soft_px) for plane in card] for card in planes])


def _soft(plane: Points, px: float) -> Points:
    return np.asarray(cv2.GaussianBlur(plane, (0, 0), px))
