"""Draw what random tables show too rarely: unusual tens and pips, and surfaces that look like print.

A network trained on random tables alone takes a squeezed ten beside a large pip for a half hidden index,
and also the tufts of a carpet.
"""

from typing import Final

import cv2
import numpy as np

from models.crops.sample import IGNORE, Sample, without_index
from vision.geometry import Image
from vision.inference import cut_crops
from vision.networks import INDEX_CROP
from vision.proposal import propose_indices
from vision.reading import RANKS, STATES
from vision.synth import DeckArt, disturb, drawn_deck, random_style

MANY_TENS: Final = (*RANKS, *("10",) * 8)
"""Ranks of rare tables: two of five cards are tens."""

ROUGH_SHARE: Final = 0.2
"""Share of the pictures that show nothing but a rough surface."""

_ROUGH_PX: Final = 480
_ROUGH_CROPS: Final = 40
"""Most crops of one such picture."""

_SQUEEZE: Final = (0.40, 0.95)
_PIP: Final = (0.38, 0.75)
GAP: Final = (0.05, 0.60)
"""Width of a ten's digits against other ranks', height of the pip and its distance, both in rank heights."""

_BODY_PIP: Final = (0.14, 0.27)
_BODY_TOP: Final = (0.03, 0.20)
_CLEARANCE: Final = (0.0, 0.02)
"""Height of the body's pips, their distance from the card's edge and from the index, in card heights."""


def rare_deck(rng: np.random.Generator) -> DeckArt:
    """A drawn deck of unusual tens, with large pips close to its indices."""
    style = random_style(rng)
    return drawn_deck(
        style._replace(
            ten_squeeze=float(rng.uniform(*_SQUEEZE)),
            pip_height=float(style.rank_height * rng.uniform(*_PIP)),
            gap=float(style.rank_height * rng.uniform(*GAP)),
            body_pip=float(rng.uniform(*_BODY_PIP)),
            body_top=float(rng.uniform(*_BODY_TOP)),
            clearance=float(rng.uniform(*_CLEARANCE)),
        )
    )


def _rough(rng: np.random.Generator) -> Image:
    """A carpet, a plaster, crumpled cloth: light and dark at every scale."""
    field = np.zeros((_ROUGH_PX, _ROUGH_PX), np.float32)
    for octave in range(2, 8):
        side = min(_ROUGH_PX, 4 << octave)
        grain = rng.standard_normal((side, side), np.float32) * rng.uniform(0, 1)
        field += cv2.resize(grain, (_ROUGH_PX, _ROUGH_PX), interpolation=cv2.INTER_CUBIC)
    field /= max(float(field.std()), 1e-3)
    colour = np.array(rng.uniform(0.55, 1.0, 3), np.float32) * rng.uniform(90, 255)
    shade = np.clip(1 + rng.uniform(0.08, 0.4) * field, 0, 1.6)[..., None]
    return np.asarray(np.clip(colour * shade, 0, 255), np.uint8)


def rough_sample(rng: np.random.Generator) -> Sample:
    """Crops of a rough surface, where the search takes it for print: none of them is an index."""
    frame = disturb(_rough(rng), rng, 20.0)
    found = propose_indices(frame)
    chosen = found.take(rng.permutation(len(found.index_px))[:_ROUGH_CROPS])
    if not len(chosen.index_px):
        return without_index(np.empty((0, *INDEX_CROP, 3), np.uint8), np.empty((0, 3), np.int8))
    none = np.array([IGNORE, IGNORE, STATES.index("none")], np.int8)
    return without_index(cut_crops(frame, chosen, INDEX_CROP), np.tile(none, (len(chosen.index_px), 1)))
