"""Unclear spots that are print of a card that is reported: the deck's face shows the same there."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

import cv2
import numpy as np

from vision.assembly import AssembledCard
from vision.classifier import FACE_CROP, Faces, Prototypes, face_planes, face_tones
from vision.geometry import LEAST, Image, Points, inside
from vision.labels import SUITS
from vision.reading import Unclear, UnclearReason

_MAY_BE_PRINT: Final[frozenset[UnclearReason]] = frozenset({"missed", "occluded", "like_card", "uncertain"})
"""Why something is unclear that may be a pip, court art or the other index of a card."""

_AROUND_PX: Final = 8
"""So much to each side of a spot is compared, in pixels of a face: about an index.

Source: no measurement on record.
"""

_EDGE_PX: Final = 7
"""Nearer to the card's long sides a spot may be what is in sight of the card below.

Source: a seven left of a king's index, its pip half covered, was passed over in silence (one of 869 hands on
81 drawn tables); with this none is but one that was before, and 27 more spots are asked needlessly.
"""

_OFF_PX: Final = 8
"""So far the outline around an index alone may be off there. Source: no measurement on record."""

LIKE: Final = 0.8
"""So well what is seen there fits the face. Source: docs/measurements/reader.md, Faces."""

INK: Final = 0.05
"""So much its darkness varies at least, 0..1: paper alone fits everywhere.

Source: no measurement on record.
"""


def without_own_print(
    image: Image, spots: Sequence[Unclear], cards: Sequence[AssembledCard], deck: Prototypes | None
) -> list[Unclear]:
    """Return the spots that are not the print of a reported card, for a deck with faces.

    In a fan the next card's index lies within the outline of the card below. There the picture differs from
    the lower card's face.
    """
    if deck is None or deck.faces is None:
        return [*spots]
    faces = _whole_faces(deck.faces, foot_differs=deck.foot_differs)
    asked = [np.array(spot.at) if spot.reason in _MAY_BE_PRINT else None for spot in spots]
    own = {
        number
        for card in cards
        if card.corners is not None
        for number in _own_print(image, card, card.corners, asked, faces)
    }
    return [spot for number, spot in enumerate(spots) if number not in own]


@lru_cache(maxsize=4)
def _whole_faces(faces: Faces, *, foot_differs: bool) -> Points:
    """Return darkness and redness of a deck's faces, 52 x 2 x height x width.

    Unseen pixels come from the other half, turned; they are NaN where that half differs.
    """
    planes = face_planes(faces.tones)
    known, turned = faces.shown, faces.shown[::-1, ::-1] & ~faces.shown
    filled = np.where(turned & (not foot_differs), planes[:, :, ::-1, ::-1], np.nan)
    return np.where(known, planes, filled)


def _own_print(
    image: Image, card: AssembledCard, outline: Points, places: Sequence[Points | None], faces: Points
) -> list[int]:
    """Numbers of the places within a card's outline around which it looks as its face does there."""
    within = [(number, at) for number, at in enumerate(places) if at is not None and inside(at, outline)]
    if not within:
        return []
    look = face_planes(face_tones(image, outline[None]))[0]
    suits = range(len(SUITS)) if card.best.suit_open else [card.best.suit]
    upright = faces[[card.best.rank * len(SUITS) + suit for suit in suits]]
    both = np.concatenate([upright, upright[:, :, ::-1, ::-1]])
    return [number for number, at in within if _is_own(look, _on_face(at, outline), both)]


def _on_face(place: Points, outline: Points) -> tuple[int, int]:
    """Row and column of a place on a card of this outline, in pixels of a face."""
    high, wide = FACE_CROP
    target = np.array([[0, 0], [wide, 0], [wide, high], [0, high]], np.float32)
    matrix = cv2.getPerspectiveTransform(outline.astype(np.float32), target)
    x, y = np.round(cv2.perspectiveTransform(place.reshape(1, 1, 2), matrix)[0, 0]).astype(int).tolist()
    return y, x


def _is_own(look: Points, at: tuple[int, int], faces: Points) -> bool:
    """Whether the card (2 x height x width) matches one of these faces around a place."""
    (high, wide), (y, x) = FACE_CROP, at
    if not _EDGE_PX <= x < wide - _EDGE_PX:
        return False
    rows = slice(max(y - _AROUND_PX, 0), min(y + _AROUND_PX + 1, high))
    columns = slice(max(x - _AROUND_PX, 0), min(x + _AROUND_PX + 1, wide))
    seen = look[:, rows, columns]
    if seen[0].std() < INK:
        return False
    room = (_OFF_PX, _OFF_PX)
    own = np.pad(faces, ((0, 0), (0, 0), room, room), constant_values=np.nan)
    windows = np.lib.stride_tricks.sliding_window_view(own, seen.shape[1:], (2, 3))
    down, right = (slice(part.start, part.start + 2 * _OFF_PX + 1) for part in (rows, columns))
    near = windows[:, :, down, right].transpose(0, 2, 3, 1, 4, 5)
    return float(_correlations(near.reshape(-1, *seen.shape), seen).max()) >= LIKE


def _correlations(looks: Points, seen: Points) -> Points:
    """Return correlations of looks (n x 2 x height x width) with `seen`; 0 for an incomplete look."""
    rows, one = (part - part.mean((-2, -1), keepdims=True) for part in (looks, seen))
    sizes = np.sqrt((rows**2).sum((1, 2, 3)) * (one**2).sum())
    return np.asarray(np.nan_to_num((rows * one).sum((1, 2, 3)) / np.maximum(sizes, LEAST)))
