"""Certain indices of a picture in which they stand upright, named as on a table and in further views."""

from pathlib import Path
from typing import Final

import cv2

from vision.acceptance import is_certain
from vision.classifier import Index, Networks, poses_of, read_indices
from vision.geometry import Image
from vision.inference import default_models_dir
from vision.labels import RANKS, SUITS
from vision.reading import CardName
from vision.shoe_mouth.events import IndexDetection
from vision.shoe_mouth.foreground import ExitSide
from vision.shoe_mouth.known_pose import read_known_pose
from vision.shoe_mouth.upright_pairs import propose_upright_indices

_UPRIGHT: Final = 0.93
"""Least cosine between an index and the upright pose: 21 degrees.

Source: no measurement on record.
"""


class UprightReader:
    """Reads pictures of a card's corner. May be used by one thread at a time."""

    def __init__(self, networks: Networks, leaves: ExitSide, longest_px: int) -> None:
        """`leaves` is the side where cards go out of sight; pictures are made `longest_px` long at most."""
        self._networks = networks
        self._leaves = leaves
        self._longest_px = longest_px

    @classmethod
    def open(cls, leaves: ExitSide, longest_px: int, models_dir: Path | None = None) -> "UprightReader":
        """Load the networks; ConfigError MODEL_MISSING or MODEL_CHANGED when they are not as trained."""
        cv2.setNumThreads(1)
        return cls(Networks.open(models_dir or default_models_dir(), 1), leaves, longest_px)

    def detect(self, picture: Image) -> tuple[IndexDetection, ...]:
        """The upright indices of a BGR picture that are certain, and that further views confirm."""
        scale = min(1.0, self._longest_px / max(picture.shape[:2]))
        image = cv2.resize(picture, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
        found, _ = read_indices(image, propose_upright_indices(image), self._networks)
        certain = [index for index in found if index.down[1] > _UPRIGHT and is_certain(index)]
        return tuple(self._detection(index, image) for index in certain if self._confirmed(index, image))

    def _confirmed(self, index: Index, image: Image) -> bool:
        """Whether the views of a known pose give the same name."""
        named = read_known_pose(image, poses_of([index]), self._networks.indices)
        if named is None or named.rank != RANKS[index.rank]:
            return False
        return named.suit in {None, SUITS[index.suit]}

    def _detection(self, index: Index, image: Image) -> IndexDetection:
        x, y = index.centre / (image.shape[1], image.shape[0])
        along = {"bottom": y, "top": 1 - y, "right": x, "left": 1 - x}
        name = CardName(RANKS[index.rank], SUITS[index.suit])
        return IndexDetection(name, index.p, float(along[self._leaves]))
