"""The index of one card in a known pose: what a shoe's mouth shows, one card at a time.

The same network as for whole tables, but nothing has to be found: the picture holds one index, upright, and
paper around it. Several shaken views must all name the same rank; a grey picture has no ink colours to bear
witness, so the suit needs more than elsewhere and is left open where it has less.
"""

from pathlib import Path
from typing import Final, NamedTuple

import cv2
import numpy as np

from vision.acceptance.certainty import INDEX_SURE, LEAST_PX, RANK_SURE
from vision.classifier.networks import IndexNetwork, Scores, Workers, default_models_dir
from vision.classifier.non_maximum_suppression import shaken_views
from vision.classifier.view_fusion import named
from vision.geometry.arrays import Image, Points
from vision.labels import RANKS, STATES, SUITS
from vision.proposal.index_pairs import Candidates

SHAKES: Final = (
    (0.0, 0.0, 1.0, 0.0),
    (0.05, 0.03, 1.06, 4.0),
    (-0.05, -0.03, 0.95, -4.0),
    (0.03, -0.05, 1.03, -3.0),
    (-0.03, 0.05, 0.97, 3.0),
)
"""Views: shift right and down (of the index's height), scale, turn in degrees."""

SUIT_SURE: Final = 0.998
"""What a suit needs without its colour; below it only the rank is told."""

PAPER_PERCENTILE: Final = 88
CONTRAST_LEAST: Final = 48
"""Grey levels between paper and ink, at least: below it, light or focus has failed."""

EDGE_LEAST: Final = 0.18
"""The steepest edges, across and along, fall by this share of the contrast from pixel to pixel; a card that
moved while the picture was taken has none."""

INK_LEVEL: Final = 0.5
"""Ink is darker than this share of the way from ink to paper."""

SPAN_LEAST: Final = 0.6
"""The index, rank and suit together, is at least this share of the picture's height."""

SPECK: Final = 0.004
"""Spots of less than this share of the picture are dust."""


class Named(NamedTuple):
    """A card as read: `suit` None where only the rank is certain; `p` is the probability of what is told."""

    rank: str
    suit: str | None
    p: float


class MouthReader:
    """Reads pictures of one index. One instance may be used by one thread at a time."""

    def __init__(self, network: IndexNetwork) -> None:
        """Use `open`."""
        self._network = network

    @classmethod
    def open(cls, models_dir: Path | None = None, threads: int = 1) -> "MouthReader":
        """Load the model; ConfigError MODEL_MISSING or MODEL_CHANGED when it is not the trained one."""
        return cls(IndexNetwork.open((models_dir or default_models_dir()) / "index", Workers(threads)))

    def read(self, picture: Image) -> Named | None:
        """Name the card in a grey picture (height x width, uint8); None where that would be a guess."""
        frame = index_frame(picture)
        if frame is None:
            return None
        colour = cv2.cvtColor(picture, cv2.COLOR_GRAY2BGR)
        _, scores = self._network.classify_places(colour, shaken_views(frame, SHAKES))
        return judged(scores)


def index_frame(picture: Image) -> Candidates | None:
    """Find the index, which stands upright.

    What the border cuts is other print of the card. None without enough contrast, or where the rest does not
    fill `SPAN_LEAST` of the picture's height: then the index itself is cut, too small, or not there.
    """
    if min(picture.shape) < LEAST_PX:
        return None
    paper, ink = float(np.percentile(picture, PAPER_PERCENTILE)), float(np.percentile(picture, 1))
    if paper - ink < CONTRAST_LEAST or _steepest(picture) < EDGE_LEAST * (paper - ink):
        return None
    dark = (picture < ink + INK_LEVEL * (paper - ink)).astype(np.uint8)
    _, _, spots, _ = cv2.connectedComponentsWithStats(dark)
    height, width = picture.shape
    ends = spots[:, :2] + spots[:, 2:4]
    whole = (spots[:, :2] > 0).all(1) & (ends < (width, height)).all(1)
    whole &= spots[:, cv2.CC_STAT_AREA] > SPECK * picture.size
    whole[0] = False
    if not whole.any():
        return None
    (left, top), (right, foot) = spots[whole, :2].min(0), ends[whole].max(0)
    if foot - top < max(LEAST_PX, SPAN_LEAST * height):
        return None
    middle = np.array([[(left + right - 1) / 2, (top + foot - 1) / 2]])
    return Candidates(middle, np.array([[0.0, 1.0]]), np.array([float(foot - top)]))


def _steepest(picture: Image) -> float:
    """Grey levels from pixel to pixel at the steepest edges, in the direction in which they are flatter."""
    grey = picture.astype(np.float32)
    return float(min(np.percentile(np.abs(np.diff(grey, axis=axis)), 98) for axis in (0, 1)))


def judged(views: Scores) -> Named | None:
    """Join the views (geometric means); a rank that one of them names otherwise is none."""
    rank, p_rank, same_rank = _joined(views.rank)
    suit, p_suit, same_suit = _joined(views.suit)
    state, p_index, same_state = _joined(views.state)
    if not (same_rank and same_state) or STATES[state] != "index":
        return None
    if p_rank < RANK_SURE or p_index < INDEX_SURE:
        return None
    if same_suit and p_suit >= SUIT_SURE:
        return Named(RANKS[rank], SUITS[suit], p_rank * p_index * p_suit)
    return Named(RANKS[rank], None, p_rank * p_index)


def _joined(scores: Points) -> tuple[int, float, bool]:
    """Give the best label of one index, its joint probability, and whether every view prefers it."""
    best, p, agreed = (part.item() for part in named(list(scores[:, None])))
    return best, p, agreed
