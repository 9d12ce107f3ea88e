"""Card art from a folder of decks, as an optional further source of training cards."""

from functools import cache
from pathlib import Path
from typing import Final

import cv2
import numpy as np

from vision.geometry import Image
from vision.proposal import propose_indices
from vision.synth import (
    ART_PX,
    CardArt,
    DeckArt,
    IndexBox,
    draw_back,
    draw_joker,
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
