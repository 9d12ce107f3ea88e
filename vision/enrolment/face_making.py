"""A deck's faces from pictures of outlined cards that lie on each other."""

from collections.abc import Iterable, Sequence
from statistics import median
from typing import Final

import cv2
import numpy as np

from vision.classifier import CARDS, FACE_CROP, INDEX_CROP, Faces, face_tones
from vision.enrolment.known_cards import KnownCard
from vision.geometry import Image, IndexPlace, Points, inside_each
from vision.inference import cut_crops
from vision.labels import RANKS, SUITS

_LEAST_SHOWN: Final = 0.25
"""Share of a face that all cards have to show.

Source: two spreads with half of each card in sight show 0.41 to 0.52 (docs/measurements/reader.md, Faces).
"""

_RIM_PX: Final = 1
"""So far around a card that lies on another one its shadow and its blur are."""


OPEN: Final = 0.98
"""Share of a face in sight from which on a card lies open. Source: no measurement on record."""

_RANK_ROWS: Final = slice(6, 28)
_RANK_COLUMNS: Final = slice(5, 31)
"""Where the rank is on an index's crop, with room around it."""


class OutlinedCards:
    """The outlined cards of a picture, which lie on each other."""

    def __init__(self, image: Image, cards: Sequence[KnownCard], place: IndexPlace) -> None:
        """`place` is where their upper indices stand, which are in sight of every labelled card.

        A card of which the index lies within another one's outline therefore lies on that one.
        """
        self.image: Final = image
        self.cards: Final = [card for card in cards if card.quad is not None]
        self.outlines: Final = np.array([card.quad for card in self.cards]).reshape(-1, 4, 2)
        self.place: Final = place
        lies_on = inside_each(place.on(self.outlines).centres, self.outlines)
        reach = np.hypot(*(self.outlines[:, 2] - self.outlines[:, 0]).T)
        middles = self.outlines.mean(1)
        apart = np.hypot(*(middles[:, None] - middles).transpose(2, 0, 1))
        self.over: Final = (apart < reach) & ~lies_on & ~np.eye(len(self.cards), dtype=bool)
        """Which cards (columns) may lie on which (rows)."""

    def in_sight(self) -> Points:
        """Return which pixels of each face (n x height x width, bool) no other card covers."""
        pairs = zip(self.outlines, self.over, strict=True)
        return np.array([_uncovered(own, self.outlines[on]) for own, on in pairs]).reshape(-1, *FACE_CROP)


def make_faces(pictures: Iterable[OutlinedCards]) -> Faces | None:
    """Return the faces of all 52 cards; None where a card was not outlined, or hardly any of it shows."""
    total = np.zeros((CARDS, *FACE_CROP, 3), np.float64)
    count = np.zeros((CARDS, *FACE_CROP, 1), np.int64)
    for picture in pictures:
        tones, in_sight = face_tones(picture.image, picture.outlines), picture.in_sight()[..., None]
        for card, own, seen in zip(picture.cards, tones, in_sight, strict=True):
            number = RANKS.index(card.name.rank) * len(SUITS) + SUITS.index(card.name.suit)
            total[number] += own * seen
            count[number] += seen
    shown = np.asarray((count[..., 0] > 0).all(0))
    if shown.mean() < _LEAST_SHOWN:
        return None
    return Faces(np.round(total / np.maximum(count, 1)).astype(np.uint8), shown)


def has_other_feet(pictures: Iterable[OutlinedCards]) -> bool:
    """Whether the lower index of open cards differs from the upper one turned."""
    turned = [share for picture in pictures for share in _turned_feet(picture)]
    return bool(turned) and median(turned) < 0


def _turned_feet(picture: OutlinedCards) -> list[float]:
    """For each open card how much better the upper rank is found on the lower index turned than as it is."""
    opened = picture.outlines[picture.in_sight().mean((1, 2)) > OPEN]
    crops = cut_crops(picture.image, picture.place.at_both_ends(opened), INDEX_CROP).min(3)
    heads, feet = np.split(crops, 2)
    ranks = heads[:, _RANK_ROWS, _RANK_COLUMNS].copy()
    return [
        _fit(rank, foot) - _fit(rank, foot[::-1, ::-1].copy()) for rank, foot in zip(ranks, feet, strict=True)
    ]


def _fit(rank: Image, foot: Image) -> float:
    return float(cv2.matchTemplate(foot, rank, cv2.TM_CCOEFF_NORMED).max())


def _uncovered(outline: Points, over: Points) -> Points:
    height, width = FACE_CROP
    target = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    matrix = cv2.getPerspectiveTransform(outline.astype(np.float32), target)
    covered = np.zeros(FACE_CROP, np.uint8)
    for corners in over:
        places = cv2.perspectiveTransform(corners.reshape(-1, 1, 2).astype(np.float32), matrix)
        cv2.fillConvexPoly(covered, np.round(places).astype(np.int32), 1)
    rim = np.ones((2 * _RIM_PX + 1, 2 * _RIM_PX + 1), np.uint8)
    return np.asarray(cv2.dilate(covered, rim) == 0)
