"""A deck's 52 faces: whole cards are cropped, and compared with each face.

A face is the rectified card between its corners, with the light removed. A card is compared by the
correlation of darkness and redness, in both directions and slightly shifted; places where faces differ weigh
more. It knows no letters: any print that differs between cards can be told apart.
"""

from collections.abc import Sequence
from functools import cached_property, lru_cache
from typing import Final, NamedTuple

import cv2
import numpy as np

from vision.geometry import LEAST, Image, IndexPlace, Points
from vision.inference import PAPER_TONE, CropSize, crops_by_matrix, normalise_illumination, white_levels
from vision.reading import RANKS, SUITS

WHOLE_CARD_CROP: Final = CropSize(80, 56)
"""Fixed by the shipped network (models/body/manifest.toml)."""

_TWICE_FROM: Final = 2.5
"""Cards so many times as long as their crop are cut at twice its size and halved: no pixel of them is left
out.

Source: bilinear sampling looks at two pixels a side; no measurement on record.
"""


def _matrices(outlines: Points, size: CropSize) -> Points:
    """N x 3 x 3 from pixels of crops to pixels of the picture."""
    high, wide = size
    corners = np.array([[0, 0], [wide, 0], [wide, high], [0, high]], np.float32) - np.float32(0.5)
    return np.array(
        [cv2.getPerspectiveTransform(corners, outline) for outline in outlines.astype(np.float32)]
    )


def crop_whole_cards(
    image: Image, outlines: Points, size: CropSize = WHOLE_CARD_CROP, twice_from: float = _TWICE_FROM
) -> Image:
    """Cards of a BGR picture, n x height x width x 3, uint8, of that size.

    `outlines` (n x 4 x 2) are their corners, clockwise from the upper left of an upright index. From
    `twice_from` times as long as the crop on no pixel of a card is left out.
    """
    crops = np.empty((len(outlines), *size, 3), np.uint8)
    large = np.hypot(*(outlines[:, 3] - outlines[:, 0]).T) >= twice_from * size.height_px
    if not large.all():
        crops[~large] = crops_by_matrix(image, _matrices(outlines[~large], size), size)
    if large.any():
        double = CropSize(2 * size.height_px, 2 * size.width_px)
        twice = crops_by_matrix(image, _matrices(outlines[large], double), double)
        usual = (size.width_px, size.height_px)
        crops[large] = [cv2.resize(card, usual, interpolation=cv2.INTER_AREA) for card in twice]
    return crops


def blank_corners(cards: Image, index_shares: Points) -> Image:
    """Crops of whole cards with paper over their four corners; the crops that are given stay as they are.

    `index_shares` (n) is the height of the whole index as a share of the card's long side.
    """
    height, width = cards.shape[1:3]
    white = white_levels(cards).astype(np.uint8)
    blanked = cards.copy()
    for card, paper, share in zip(blanked, white, index_shares, strict=True):
        # The blanked area at each corner: a margin in card heights, and a number of index heights. Source:
        # the shipped network was trained on crops that were blanked in this way.
        wide = round(height * (0.045 + 0.42 * float(share)))
        tall = round(height * (0.05 + 1.05 * float(share)))
        for rows in (slice(0, tall), slice(height - tall, height)):
            card[rows, :wide] = paper
            card[rows, width - wide :] = paper
    return blanked


FACE_CROP: Final = CropSize(88, 64)
"""About a millimetre a pixel.

Source: 646 of 648 readable cards of six decks at 96 x 132 pixels, 644 at this size.
"""

CARDS: Final = len(RANKS) * len(SUITS)


class FaceRule(NamedTuple):
    """Limits for a certain face.

    Source: docs/measurements/reader.md, Faces: of 1,123 lone cards of eleven decks 985 are certain, none of
    them wrongly.
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


_UNSHIFTED: Final = ((0, 0),)
_SHIFTED: Final = [(down, right) for down in (0, -1, 1) for right in (0, -1, 1)]
"""Pixels to each side: the outline of what was not read is off by as much."""

ROOM_PX: Final = CropSize(8, 8)
"""So far, to each side, the outline around an index alone may be off.

Source: the index of a ten (two digits), or with its pip beside it, is centred up to 7 pixels further right
than others of its deck; a peak of the heat map is off by 0.3 heights of an index (`heat_map.propose_hot`).
"""


_CORNER_ROOM: Final = 0.03
"""So much paper below and beside an index belongs to its corner, in shares of the card.

Source: no measurement on record.
"""


class NamedFace(NamedTuple):
    """The likeliest face of a card: numbers of its rank and suit labels.

    `score` is its correlation (-1..1), `ahead` its lead over other ranks. `turned`: the card lies half turned
    against the outline. `foot`: its correlation in the other direction, where a card shows its other half.
    """

    rank: int
    suit: int
    score: float
    ahead: float
    turned: bool
    foot: float

    @property
    def certain(self) -> bool:
        """Whether the rank is certain."""
        return self.score >= FACE_RULE.score and self.ahead >= FACE_RULE.ahead


class Faces:
    """The faces of one deck, by rank and suit.

    `tones` are 52 x height x width x 3 (uint8, `PAPER_TONE` is paper). Of all of them at least the pixels of
    `shown` (height x width, bool) were seen.
    """

    def __init__(self, tones: Image, shown: Image) -> None:
        """Take all 52 faces: a card whose face is missing would be taken for another."""
        self.tones: Final = tones
        self.shown: Final = shown

    @cached_property
    def _weights(self) -> Points:
        """Return the weight of each pixel seen on all faces, 2 x pixels: how much the faces differ there."""
        spread = face_planes(self.tones).std(0)
        return np.stack([_soft(plane, 2 * FACE_RULE.soft_px)[self.shown] for plane in spread])

    @cached_property
    def _axes(self) -> Points:
        """The faces as rows of unit length, 52 x 2 pixels."""
        return self._standardised(face_planes(self.tones)[:, :, self.shown])

    def name(self, image: Image, outlines: Points) -> list[NamedFace]:
        """Return the likeliest face of each whole card of a BGR picture (n x 4 x 2, from a short side on)."""
        return (
            [self._named(card) for card in face_planes(face_tones(image, outlines))] if len(outlines) else []
        )

    def place(self, image: Image, outlines: Points) -> tuple[Points, Points]:
        """Return fits of ranks and suits (n x 13 x 4, -1..1) near outlines, and the likeliest outlines."""
        if not len(outlines):
            return np.empty((0, len(RANKS), len(SUITS))), outlines
        _, moved = self._fits(image, outlines, ROOM_PX, 2)
        # (0.0, -2.0, 2.0): A card around its index alone may lie so much further round. Source: no
        # measurement on record.
        placed = [
            self._fits(image, turned(moved, degrees), CropSize(1, 1), 1) for degrees in (0.0, -2.0, 2.0)
        ]
        fits, where = (np.stack(parts) for parts in zip(*placed, strict=True))
        best = fits.max((2, 3)).argmax(0)
        return fits.max(0), where[best, np.arange(len(outlines))]

    def _fits(self, image: Image, outlines: Points, room: CropSize, step: int) -> tuple[Points, Points]:
        """The same at the best shift within `room`, in steps of so many pixels."""
        high, wide = FACE_CROP
        grown = CropSize(high + 2 * room.height_px, wide + 2 * room.width_px)
        cards = face_planes(face_tones(image, _moved(outlines, *room, grow=True), grown))
        shifts = (
            np.mgrid[0 : 2 * room.height_px + 1 : step, 0 : 2 * room.width_px + 1 : step].reshape(2, -1).T
        )
        seen, row = np.argwhere(self.shown), np.array([grown.width_px, 1])
        looks = (shifts @ row)[:, None] + seen @ row
        fits, best = np.empty((len(cards), CARDS)), np.empty((len(cards), 2))
        planes = cards.reshape(len(cards), 2, -1)
        for number, card in enumerate(planes - planes.mean(2, keepdims=True)):
            scores = self._correlations(card.take(looks, axis=1))
            fits[number], best[number] = scores.max(0), shifts[scores.max(1).argmax()]
        down, right = (best - room)[:, :, None].transpose(1, 0, 2)
        return fits.reshape(-1, len(RANKS), len(SUITS)), _moved(outlines, down, right)

    @cached_property
    def _filters(self) -> Points:
        """The axes, weighted for planes as they are, 2 x 52 x pixels."""
        weighted = self._axes.reshape(CARDS, 2, -1) * np.sqrt(self._weights)
        return np.ascontiguousarray(weighted.transpose(1, 0, 2))

    def _correlations(self, planes: Points) -> Points:
        """Return how well each face fits each look, n x 52; `planes`: 2 x n x pixels, balanced around 0.

        The axes have zero mean, so only the length of the looks needs their mean removed: one product for
        all.
        """
        products = (planes @ self._filters.transpose(0, 2, 1)).sum(0)
        weights = self._weights[:, :, None]
        squares = ((planes * planes) @ weights)[..., 0]
        sums = (planes @ weights)[..., 0] ** 2 / np.maximum(weights.sum(1), LEAST)
        # A look that is flat except for rounding fits no face.
        rounding = np.finfo(planes.dtype).eps * squares.sum(0)
        lengths = np.sqrt(np.maximum((squares - sums).sum(0), rounding))
        return np.asarray(products / np.maximum(lengths, LEAST)[:, None])

    def _named(self, card: Points) -> NamedFace:
        """Name a card as it lies; try shifted outlines where that is not certain."""
        named = self._likeliest(card, _UNSHIFTED)
        return named if named.certain else self._likeliest(card, _SHIFTED)

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
        """Return rows whose products are weighted correlations, n x 2 pixels, each plane's mean removed."""
        means = (planes * self._weights).sum(2) / np.maximum(self._weights.sum(1), LEAST)
        rows = ((planes - means[..., None]) * np.sqrt(self._weights)).reshape(len(planes), -1)
        return np.asarray(rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), LEAST))


@lru_cache(maxsize=4)
def in_sight_of(faces: Faces, place: IndexPlace, *, strip: bool = False) -> Faces:
    """Return faces of which only the upper index and the paper around it is compared.

    A card in a fan shows little more than its index. `strip`: also the strip below the index down to the
    lower edge.
    """
    high, wide = faces.shown.shape
    part = np.zeros_like(faces.shown)
    down = 1.0 if strip else place.along + place.tall / 2 + _CORNER_ROOM
    part[: round(down * high), : round((2 * place.across + _CORNER_ROOM) * wide)] = True
    return Faces(faces.tones, faces.shown & part)


def _moved(outlines: Points, down: Points | float, right: Points | float, *, grow: bool = False) -> Points:
    """Outlines (n x 4 x 2) so many pixels of a face further down and right, or with so much room around."""
    across = (outlines[:, 1] - outlines[:, 0]) * right / FACE_CROP.width_px
    below = (outlines[:, 3] - outlines[:, 0]) * down / FACE_CROP.height_px
    if not grow:
        return np.asarray(outlines + (across + below)[:, None])
    return outlines + np.stack([-across - below, across - below, across + below, below - across], 1)


def turned(outlines: Points, degrees: float) -> Points:
    """Outlines (n x 4 x 2), each about its first corner so much further round."""
    cos, sin = np.cos(np.deg2rad(degrees)), np.sin(np.deg2rad(degrees))
    return np.asarray(outlines[:, :1] + (outlines - outlines[:, :1]) @ np.array([[cos, sin], [-sin, cos]]))


def face_tones(image: Image, outlines: Points, size: CropSize = FACE_CROP) -> Image:
    """Whole cards of a BGR picture, n x height x width x 3 of that size, with paper at `PAPER_TONE`."""
    crops = crop_whole_cards(image, outlines, size, FACE_RULE.twice_from)
    return normalise_illumination(crops, white_levels(crops))


def face_planes(tones: Image) -> Points:
    """Return darkness and redness of each pixel, n x 2 x height x width, slightly blurred."""
    blue, green, red = np.moveaxis(tones, 3, 0).astype(np.float32) / PAPER_TONE
    dark = 1 - np.minimum(np.minimum(np.minimum(blue, green), red), 1)
    red = np.clip(red - (blue + green) / 2, -1, 1)
    planes = np.stack([dark, red], 1)
    return np.stack([[_soft(plane, FACE_RULE.soft_px) for plane in card] for card in planes])


def _soft(plane: Points, px: float) -> Points:
    return np.asarray(cv2.GaussianBlur(plane, (0, 0), px))
