"""What the picture tells about a card's outline beyond its indices: where the paper ends."""

from collections.abc import Sequence
from typing import Final

import numpy as np

from vision.classifier.index_reading import Index, frames_of
from vision.geometry.arrays import Image, Points

STEPS: Final = np.linspace(0.03, 0.70, 16)
"""Distances above the rank, in index heights, at which the card's edge is looked for."""

ASIDE: Final = (-0.12, 0.0, 0.12)
"""Lines beside each other, in index heights; the middle brightness of the three counts."""

NEAREST: Final = 3
"""So many of the first steps surely show paper or nothing does."""

EDGE: Final = 0.72
"""What is darker than this share of the paper is no longer paper."""

USUAL: Final = 0.4
"""Quantile of the margins that were seen: a card on another one shows its edge late or not at all."""

SEEN_LEAST: Final = 3
ASKED_MOST: Final = 16
"""Fewer edges say nothing; more of them say nothing new."""

GRID: Final = (9, 12)
"""Points across and along an outline at which its brightness is taken."""


def _darkest(image: Image, places: Points) -> Points:
    """The darkest channel at n x 2 places; beyond the border the picture's last pixels."""
    columns = np.rint(places[..., 0]).astype(np.intp).clip(0, image.shape[1] - 1)
    rows = np.rint(places[..., 1]).astype(np.intp).clip(0, image.shape[0] - 1)
    return np.asarray(image[rows, columns].min(-1), np.float64)


def top_margin(image: Image, indices: Sequence[Index]) -> float | None:
    """Paper between a rank's top and the card's edge, in index heights; None where too few edges show."""
    if len(indices) < SEEN_LEAST:
        return None
    indices = sorted(indices, key=lambda index: -index.p)[:ASKED_MOST]
    frames = frames_of(indices)
    aside = np.array(ASIDE)[None, :, None, None] * frames.rights[:, None, None]
    above = -(0.5 + STEPS)[None, None, :, None] * frames.downs[:, None, None]
    places = frames.centres[:, None, None] + (aside + above) * frames.heights[:, None, None, None]
    profiles = np.sort(_darkest(image, places), axis=1)[:, 1]
    dark = profiles < EDGE * profiles[:, :NEAREST].max(1, keepdims=True)
    edges = sorted(STEPS[dark.argmax(1)][dark.any(1)].tolist())
    return edges[int(USUAL * (len(edges) - 1))] if len(edges) >= SEEN_LEAST else None


def brightness(image: Image, corners: Points) -> float:
    """Mean of the darkest channel inside an outline (4 x 2): paper is bright in all three."""
    across, along = (np.linspace(0.08, 0.92, count) for count in GRID)
    upper = corners[0] + (corners[1] - corners[0]) * across[:, None]
    lower = corners[3] + (corners[2] - corners[3]) * across[:, None]
    points = upper[None] + (lower - upper)[None] * along[:, None, None]
    return float(_darkest(image, points).mean())
