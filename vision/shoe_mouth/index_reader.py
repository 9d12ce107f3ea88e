"""Name the small grey picture of one upright index that some shoes send for each card.

Uses the network of whole tables without a search: the picture contains one index and paper around it. A
grey picture has no ink colours as evidence, so an uncertain suit stays open.
"""

from pathlib import Path
from typing import Final, NamedTuple

import cv2
import numpy as np

from vision.acceptance import SIZE_LIMITS
from vision.classifier import IndexNetwork
from vision.geometry import Image, IndexPoses
from vision.inference import Workers, default_models_dir
from vision.shoe_mouth.known_pose import NamedIndex, read_known_pose


class GreyRule(NamedTuple):
    """Requirements on a picture of one index. Source: no measurement on record."""

    paper_percentile: float = 88
    ink_percentile: float = 1
    """Shares of the pixels, in percent, that are darker than the paper and than the ink."""

    contrast: float = 48
    """Grey levels between paper and ink, at least: below it, light or focus has failed."""

    edge_percentile: float = 98
    edge: float = 0.18
    """The steepest edges, across and along, fall by this share of the contrast from pixel to pixel; a card
    that moved while the picture was taken has none."""

    ink_level: float = 0.5
    """Ink is darker than this share of the way from ink to paper."""

    span: float = 0.6
    """The whole index is at least this share of the picture's height."""

    dust: float = 0.004
    """Components of less than this share of the picture are dust."""


_GREY_RULE: Final = GreyRule()


class MouthReader:
    """Reads pictures of one index. One instance may be used by one thread at a time."""

    def __init__(self, network: IndexNetwork) -> None:
        """Use `open`."""
        self._network = network

    @classmethod
    def open(cls, models_dir: Path | None = None, threads: int = 1) -> "MouthReader":
        """Load the network; ConfigError MODEL_MISSING or MODEL_CHANGED when it is not the trained one."""
        return cls(IndexNetwork.open((models_dir or default_models_dir()) / "index", Workers(threads)))

    def read(self, picture: Image) -> NamedIndex | None:
        """Name the card in a grey picture (height x width, uint8); None where that would be a guess."""
        pose = _locate_index(picture)
        if pose is None:
            return None
        return read_known_pose(cv2.cvtColor(picture, cv2.COLOR_GRAY2BGR), pose, self._network)


def _locate_index(picture: Image) -> IndexPoses | None:
    """Return the pose of the upright index in a grey picture.

    Print cut by the border belongs to the rest of the card. None without enough contrast, or where the
    remaining print does not fill `GreyRule.span` of the height: the index is then cut, too small, or missing.
    """
    rule = _GREY_RULE
    if min(picture.shape) < SIZE_LIMITS.index_px:
        return None
    paper, ink = (
        float(np.percentile(picture, share)) for share in (rule.paper_percentile, rule.ink_percentile)
    )
    contrast = paper - ink
    if contrast < rule.contrast or _steepest(picture) < rule.edge * contrast:
        return None
    dark = (picture < ink + rule.ink_level * contrast).astype(np.uint8)
    _, _, stats, _ = cv2.connectedComponentsWithStats(dark)
    height, width = picture.shape
    starts, ends = stats[:, :2], stats[:, :2] + stats[:, 2:4]
    whole = (starts > 0).all(1) & (ends < (width, height)).all(1)
    whole &= stats[:, cv2.CC_STAT_AREA] > rule.dust * picture.size
    whole[0] = False
    if not whole.any():
        return None
    (left, top), (right, foot) = starts[whole].min(0), ends[whole].max(0)
    if foot - top < max(SIZE_LIMITS.index_px, rule.span * height):
        return None
    middle = np.array([[(left + right - 1) / 2, (top + foot - 1) / 2]])
    return IndexPoses(middle, np.array([[0.0, 1.0]]), np.array([float(foot - top)]))


def _steepest(picture: Image) -> float:
    """Grey levels from pixel to pixel at the steepest edges, in the direction in which they are flatter."""
    grey = picture.astype(np.float32)
    share = _GREY_RULE.edge_percentile
    return float(min(np.percentile(np.abs(np.diff(grey, axis=axis)), share) for axis in (0, 1)))
