"""Measure a card's paper edge beyond its indices."""

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from vision.classifier import Index, poses_of
from vision.geometry import Image, Points

STEPS: Final = np.linspace(0.03, 0.70, 16)
"""Distances above the rank, in heights of the index, at which the card's edge is looked for.

Source: no measurement on record.
"""


class EdgeSearch(NamedTuple):
    """Parameters of the search for the edge above a rank. Source: no measurement on record."""

    aside: tuple[float, float, float] = (-0.12, 0.0, 0.12)
    """Lines beside each other, in heights of the index; the middle brightness of the three counts."""

    on_paper: int = 3
    """So many of the first steps surely show paper, or nothing does."""

    darker: float = 0.72
    """What is darker than this share of the paper is no longer paper."""

    quantile: float = 0.4
    """Of the margins that were seen this one counts: a card on another one shows its edge late or not at
    all."""

    edges_min: int = 3
    indices_max: int = 16
    """Fewer edges say nothing; more indices say nothing new."""


_EDGE_SEARCH: Final = EdgeSearch()

_BRIGHTNESS_GRID: Final = (9, 12)
"""Points across and along an outline at which its brightness is taken, away from its rim.

Source: no measurement on record.
"""


def _darkest(image: Image, places: Points) -> Points:
    """The darkest channel at places (... x 2), 0..255; beyond the border the picture's last pixels."""
    columns = np.rint(places[..., 0]).astype(np.intp).clip(0, image.shape[1] - 1)
    rows = np.rint(places[..., 1]).astype(np.intp).clip(0, image.shape[0] - 1)
    return np.asarray(image[rows, columns].min(-1), np.float64)


def top_margin(image: Image, indices: Sequence[Index]) -> float | None:
    """Return the margin from a rank's top to the card's edge, in index heights; None with too few edges."""
    search = _EDGE_SEARCH
    if len(indices) < search.edges_min:
        return None
    indices = sorted(indices, key=lambda index: -index.p)[: search.indices_max]
    poses = poses_of(indices)
    aside = np.array(search.aside)[None, :, None, None] * poses.rights[:, None, None]
    above = -(0.5 + STEPS)[None, None, :, None] * poses.downs[:, None, None]
    places = poses.centres[:, None, None] + (aside + above) * poses.index_px[:, None, None, None]
    profiles = np.sort(_darkest(image, places), axis=1)[:, 1]
    dark = profiles < search.darker * profiles[:, : search.on_paper].max(1, keepdims=True)
    edges = sorted(STEPS[dark.argmax(1)][dark.any(1)].tolist())
    return edges[int(search.quantile * (len(edges) - 1))] if len(edges) >= search.edges_min else None


def mean_brightness(image: Image, corners: Points) -> float:
    """Mean of the darkest channel inside an outline (4 x 2), 0..255: paper is bright in all three."""
    across, along = (np.linspace(0.08, 0.92, count) for count in _BRIGHTNESS_GRID)
    upper = corners[0] + (corners[1] - corners[0]) * across[:, None]
    lower = corners[3] + (corners[2] - corners[3]) * across[:, None]
    points = upper[None] + (lower - upper)[None] * along[:, None, None]
    return float(_darkest(image, points).mean())
