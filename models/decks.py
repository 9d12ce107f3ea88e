"""Decks for training: card art from a folder, and drawn decks with rare index layouts.

A network trained on the usual layout names no card with the pip beside the rank, and refuses many small
indices. Half of the pictures of rare layouts show ranks of 8 to 24 pixels.
"""

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Final

import cv2
import numpy as np

from vision.geometry import Image
from vision.proposal import propose_indices
from vision.synth import (
    ART_PX,
    CARD_HEIGHTS_PX,
    CardArt,
    CardStyle,
    DeckArt,
    IndexBox,
    draw_back,
    draw_joker,
    drawn_deck,
    random_style,
    rounded_alpha,
)

_UNUSABLE: Final = ("kde-oxygen-white",)
"""Its rank stands in the upper right corner, its pip in the upper left one."""

_HELD_OUT: Final = ("gnome-anglo_poker", "gnome-simplistic", "heruka-2color-bf")
"""Whole decks that training never sees, for our own test."""

WIDE: Final = 0.30
_WIDE_TEN: Final = 0.42
"""Half the width of rank and pip, in half heights of the index; court art beside it is not its own."""


def _load(path: Path) -> Image:
    image = cv2.imread(str(path), cv2.IMREAD_UNCHANGED)
    if image is None:
        raise FileNotFoundError(path)
    if image.ndim == 3 and image.shape[2] == 4:
        alpha = image[..., 3:].astype(np.float32) / 255
        image = (image[..., :3] * alpha + 255 * (1 - alpha)).astype(np.uint8)
    width = round(image.shape[1] * ART_PX / image.shape[0])
    return cv2.resize(image, (width, ART_PX), interpolation=cv2.INTER_AREA)


def _corner_index(image: Image, rank: str) -> IndexBox | None:
    """The index of the upper left corner, found by the reader's own search for pairs."""
    found = propose_indices(image)
    upright = found.downs[:, 1] > 0.97
    near = (found.centres[:, 0] < image.shape[1] * 0.24) & (found.centres[:, 1] < ART_PX * 0.3)
    picks = np.flatnonzero(upright & near & (found.index_px > ART_PX * 0.1))
    if not len(picks):
        return None
    best = picks[np.argmin(found.centres[picks].sum(1) + found.index_px[picks])]
    x, y = (float(value) for value in found.centres[best])
    half = float(found.index_px[best]) / 2
    return IndexBox(
        (x, y - half), (x, y + half), (x, y + half * 0.15), half * (_WIDE_TEN if rank == "10" else WIDE)
    )


def _with_indices(image: Image, alpha: Image, rank: str) -> CardArt | None:
    box = _corner_index(image, rank)
    if box is None:
        return None
    width, height = image.shape[1], image.shape[0]
    points = [(width - x, height - y) for x, y in box[:3]]
    return CardArt(image, alpha, (box, IndexBox(points[0], points[1], points[2], box.half_width)))


@cache
def _face(folder: Path, rank: str, suit: str) -> CardArt | None:
    image = _load(folder / f"{'T' if rank == '10' else rank}{suit}.webp")
    return _with_indices(image, rounded_alpha(image.shape[1], image.shape[0]), rank)


def art_deck(folder: Path, rng: np.random.Generator) -> DeckArt:
    """Return a deck of the folder's pictures, without cards whose index the search did not find."""
    style = random_style(rng)
    return DeckArt(
        lambda rank, suit: _face(folder, rank, suit),
        lambda: art_back(folder, rng) or draw_back(style, ART_PX),
        lambda: _sheet(folder, "*[jJ]oker.webp", rng) or draw_joker(style, ART_PX),
        0.12,
    )


def art_back(folder: Path, rng: np.random.Generator) -> CardArt | None:
    """Return one of a folder's backs; None where it has none."""
    return _sheet(folder, "*[bB]ack.webp", rng)


def _sheet(folder: Path, named: str, rng: np.random.Generator) -> CardArt | None:
    paths = sorted(folder.glob(named))
    if not paths:
        return None
    image = _load(paths[int(rng.integers(len(paths)))])
    return CardArt(image, rounded_alpha(image.shape[1], image.shape[0]), ())


def deck_folders(art: Path, held_out: bool) -> list[Path]:
    """The usable decks below a folder: those for training or those kept for the test."""
    folders = [folder for folder in sorted(art.iterdir()) if folder.is_dir() and folder.name not in _UNUSABLE]
    return [folder for folder in folders if (folder.name in _HELD_OUT) == held_out]


_SMALL_SHARE: Final = 0.5
_SMALL_RANK_PX: Final = (8.0, 24.0)
"""Share of the pictures with ranks of such a height, evenly spread in its logarithm."""

_CARD_LEAST_PX: Final = 45.0
"""Least long side of a card in its picture: on a smaller one an index has no pixels to speak of."""

_StyleChange = Callable[[np.random.Generator, CardStyle], CardStyle]


def pip_beside(rng: np.random.Generator, style: CardStyle) -> CardStyle:
    """The pip to the right of the rank, at any level between tops and feet."""
    rank = float(rng.uniform(0.11, 0.19))
    return style._replace(
        rank_height=rank,
        rank_stretch=float(rng.uniform(0.6, 1.0)),
        pip_height=rank * float(rng.uniform(0.5, 1.0)),
        gap=rank * float(rng.uniform(0.05, 0.3)),
        pip_level=float(rng.choice([0.0, 0.5, 1.0, rng.uniform()])),
    )


def _larger(rng: np.random.Generator, style: CardStyle) -> CardStyle:
    return style._replace(
        pip_height=style.rank_height * float(rng.uniform(1.0, 1.5)),
        gap=style.rank_height * float(rng.uniform(0.03, 0.25)),
    )


def _far_smaller(rng: np.random.Generator, style: CardStyle) -> CardStyle:
    return style._replace(
        pip_height=style.rank_height * float(rng.uniform(0.3, 0.5)),
        gap=style.rank_height * float(rng.uniform(0.04, 0.4)),
    )


def _close_or_far(rng: np.random.Generator, style: CardStyle) -> CardStyle:
    share = rng.uniform(0.0, 0.05) if rng.random() < 0.5 else rng.uniform(0.4, 0.8)
    return style._replace(gap=style.rank_height * float(share))


def _peek(rng: np.random.Generator, style: CardStyle) -> CardStyle:
    """A small index in the very corner."""
    rank = float(rng.uniform(0.055, 0.085))
    return style._replace(
        rank_height=rank,
        pip_height=rank * float(rng.uniform(0.6, 1.0)),
        gap=rank * float(rng.uniform(0.05, 0.3)),
        margin_x=float(rng.uniform(0.008, 0.022)),
        margin_y=float(rng.uniform(0.010, 0.025)),
    )


LAYOUTS: Final[tuple[tuple[float, _StyleChange], ...]] = (
    (0.40, pip_beside),
    (0.12, _larger),
    (0.16, _far_smaller),
    (0.10, _close_or_far),
    (0.10, _peek),
    (0.12, lambda _, style: style),
)
"""Share of the decks that have each layout; the last is the usual one."""


def layout_deck(rng: np.random.Generator, held_out: bool = False) -> DeckArt:
    """A drawn deck of one of the LAYOUTS; `held_out` takes only fonts that training never sees."""
    change = LAYOUTS[int(rng.choice(len(LAYOUTS), p=[share for share, _ in LAYOUTS]))][1]
    return drawn_deck(change(rng, random_style(rng, held_out)))


def card_heights_px(rng: np.random.Generator, deck: DeckArt) -> tuple[float, float]:
    """Least and greatest long side of a deck's cards in a picture: of small ranks, or as everywhere."""
    if rng.random() >= _SMALL_SHARE:
        return CARD_HEIGHTS_PX
    least, most = (rank_px / deck.rank_share for rank_px in _SMALL_RANK_PX)
    return max(least, _CARD_LEAST_PX), most
