"""Crops of indices with letters of this and of other languages, for the head that knows the thirteen ranks.

A network with thirteen ranks gives every letter one of them. The head detects crops that show none of them.
Only the corner of a card is drawn, in a hundredth of the time of a table.
"""

from collections.abc import Iterator
from typing import Final

import cv2
import numpy as np

from models.crops.data import SHEAR
from models.crops.layouts import pip_beside
from models.crops.sample import IGNORE, Sample, rank_of_index
from vision.geometry import Image
from vision.inference import INDEX_SHARE
from vision.networks import INDEX_CROP
from vision.reading import RANKS, SUITS
from vision.synth import CardArt, CardStyle, disturb, draw_card, foreign_style, random_felt, random_style

FOREIGN: Final = len(RANKS)
"""Label of what is none of the ranks."""

_FOREIGN_SHARE: Final = 0.6
"""Share of the decks that have letters of another language."""

_LETTER_SHARE: Final = 0.7
"""Share of such a deck's cards that are aces and court cards."""

_BESIDE_SHARE: Final = 0.3
"""Share of the decks whose pips stand beside their ranks."""

ART_PX: Final = 264
"""Height of the drawn card."""

INDEX_PX: Final = (8.0, 60.0)
"""Height of an index in its picture, evenly spread in its logarithm."""

SHIFT: Final = 0.05
_TURN_DEG: Final = 5.0
SIZE: Final = 0.07
"""Deviations of a pose: centre in heights of the index, direction, logarithm of the height; as the tables'
crops have them (`models.crops.data.jittered`)."""

_SECOND_SIGN: Final = 0.3
"""Share of the crops of an index with several signs (AS) that show the last sign over the pip: so the search
for pairs frames it."""


def _corner(art: CardArt, felt: Image, rng: np.random.Generator, aside: float) -> tuple[Image, float]:
    """A crop of a card's first index, upright, as a camera sees it; height of the index in its picture."""
    box = art.indices[0]
    index_px = float(np.exp(rng.uniform(*np.log(INDEX_PX))))
    scale = index_px / (box.foot[1] - box.top[1])
    side = int(3.2 * index_px) + 8
    turn, shear = rng.uniform(0, 2 * np.pi), np.eye(2) + rng.normal(0, SHEAR, (2, 2))
    cos, sin = np.cos(turn) * scale, np.sin(turn) * scale
    linear = np.array([[cos, -sin], [sin, cos]]) @ shear
    middle = np.array([box.top[0] + aside, (box.top[1] + box.foot[1]) / 2])
    matrix = np.column_stack([linear, side / 2 - linear @ middle])
    small = min(1.0, 1.3 * scale)
    size = tuple(max(2, round(part * small)) for part in art.image.shape[1::-1])
    face, alpha = (cv2.resize(part, size, interpolation=cv2.INTER_AREA) for part in (art.image, art.alpha))
    matrix[:, :2] = matrix[:, :2] @ np.diag(np.array(art.image.shape[1::-1]) / size)
    ground = felt[:side, :side].copy()
    cover = cv2.warpAffine(alpha, matrix, (side, side))[..., None].astype(np.float32) / 255
    card = cv2.warpAffine(face, matrix, (side, side), borderMode=cv2.BORDER_REPLICATE)
    frame = (ground * (1 - cover) + card * cover).astype(np.uint8)
    return _upright(disturb(frame, rng, index_px * 0.5), turn, index_px, rng), index_px


def _upright(frame: Image, turn: float, index_px: float, rng: np.random.Generator) -> Image:
    """Return the index crop at the centre of a picture, turned by `turn`."""
    turn += rng.normal(0, np.deg2rad(_TURN_DEG))
    scale = index_px * np.exp(rng.normal(0, SIZE)) / (INDEX_SHARE * INDEX_CROP.height_px)
    linear = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]]) * scale
    centre = np.array(frame.shape[:2]) / 2 + rng.normal(0, SHIFT, 2) * index_px
    middle = np.array([(INDEX_CROP.width_px - 1) / 2, (INDEX_CROP.height_px - 1) / 2])
    matrix = np.column_stack([linear, centre - linear @ middle])
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    size = (INDEX_CROP.width_px, INDEX_CROP.height_px)
    return np.asarray(cv2.warpAffine(frame, matrix, size, flags=flags, borderMode=cv2.BORDER_REPLICATE))


def _deck(rng: np.random.Generator, held_out: bool) -> CardStyle:
    foreign = rng.random() < _FOREIGN_SHARE
    style = foreign_style(rng, held_out) if foreign else random_style(rng, held_out)
    if rng.random() < _BESIDE_SHARE:
        style = pip_beside(rng, style)
    return style._replace(court_frame=False)


def _crops_of_deck(
    rng: np.random.Generator, held_out: bool, count: int
) -> Iterator[tuple[Image, int, float]]:
    style, felt = _deck(rng, held_out), random_felt(rng, 256)
    letters = _LETTER_SHARE if style.letters != ("A", "J", "Q", "K") else 0.25
    for _ in range(count):
        rank = str(rng.choice(list("AJQK") if rng.random() < letters else RANKS))
        printed = style.printed(rank)
        art = draw_card(style, rank, SUITS[rng.integers(4)], ART_PX)
        aside = 0.0
        if len(printed) > 1 and printed != "10" and rng.random() < _SECOND_SIGN:
            aside = art.indices[0].half_width * rng.uniform(0.3, 0.7)
        crop, index_px = _corner(art, felt, rng, aside)
        yield crop, RANKS.index(rank) if printed == rank else FOREIGN, index_px * rank_of_index(art)


def glyph_sample(count: int, seed: int, *, held_out: bool = False, a_deck: int = 40) -> Sample:
    """So many crops of indices, `a_deck` of each deck; the first label is the rank or FOREIGN."""
    crops, labels = np.empty((count, *INDEX_CROP, 3), np.uint8), np.full((count, 3), IGNORE, np.int8)
    rank_px = np.zeros(count, np.float32)
    for start in range(0, count, a_deck):
        rng = np.random.default_rng((seed, start))
        found = _crops_of_deck(rng, held_out, min(a_deck, count - start))
        for slot, (crop, label, height_px) in enumerate(found, start=start):
            crops[slot], labels[slot, 0], rank_px[slot] = crop, label, height_px
    return Sample(crops, labels, rank_px)
