"""A camera in front of a shoe's mouth: pictures in, and one event out for each card that has left."""

from pathlib import Path
from typing import Final, Literal, NamedTuple

import cv2
import numpy as np

from vision.acceptance.certainty import is_certain
from vision.classifier.index_reading import Index, read_indices
from vision.classifier.networks import Networks, default_models_dir
from vision.classifier.non_maximum_suppression import shaken_views
from vision.geometry.arrays import Image
from vision.labels import RANKS, SUITS
from vision.proposal.index_pairs import Candidates
from vision.shoe_mouth.card_passes import GAP_MS, MouthPasses
from vision.shoe_mouth.events import Event, Glimpse, Sight
from vision.shoe_mouth.foreground import MouthView, Sees, Side
from vision.shoe_mouth.index_reader import SHAKES, judged
from vision.shoe_mouth.upright_pairs import upright_candidates
from vision.tracking.events import CardName

READ_PX: Final = 320
"""Longer side of the pictures that are read; a card's corner is large in them."""

UPRIGHT: Final = 0.93
"""Least cosine between an index and the upright pose: 21 degrees."""

TURNS: Final = {90: cv2.ROTATE_90_CLOCKWISE, 180: cv2.ROTATE_180, 270: cv2.ROTATE_90_COUNTERCLOCKWISE}


class MouthPose(NamedTuple):
    """How a camera sees the mouth.

    `window` is left, top, width and height of the part where the index passes, in pixels, or in shares of the
    picture where none is above 1. It is turned clockwise by `turn_deg` (0, 90, 180, 270), so that indices
    stand upright; `leaves` is the side of the turned window where cards go out of sight.
    """

    window: tuple[float, float, float, float] = (0.0, 0.0, 1.0, 1.0)
    turn_deg: int = 0
    leaves: Side = "bottom"
    cut_bgr: tuple[int, int, int] | None = None
    gap_ms: int = GAP_MS


class Look(NamedTuple):
    """What a picture has brought about, and what it shows; `outside`: the window lies beyond its border."""

    events: tuple[Event, ...]
    sees: Sees | Literal["outside"]


class MouthWatcher:
    """Follows the pictures of one mouth, every one of them. May be used by one thread at a time."""

    def __init__(self, networks: Networks, pose: MouthPose) -> None:
        """Begin with an empty mouth, or with a card in it."""
        self._networks = networks
        self._pose = pose
        self._view = MouthView(pose.leaves, pose.cut_bgr)
        self._passes = MouthPasses(pose.gap_ms)

    @classmethod
    def open(cls, pose: MouthPose, models_dir: Path | None = None) -> "MouthWatcher":
        """Load the networks; ConfigError MODEL_MISSING or MODEL_CHANGED when they are not as trained."""
        cv2.setNumThreads(1)
        return cls(Networks.open(models_dir or default_models_dir(), 1), pose)

    def look(self, picture: Image, mono_ms: int) -> Look:
        """Take the next picture (height x width x 3, BGR); a few milliseconds while a card is there."""
        upright = self._upright(picture)
        if min(upright.shape) < 1:
            return Look((), "outside")
        view = self._view.look(upright, mono_ms)
        settled = self._passes.named is not None and not view.moving
        sights = self._sights(upright) if view.sees == "sheet" and not settled else ()
        return Look(tuple(self._passes.take(Glimpse(mono_ms, view, sights))), view.sees)

    def _upright(self, picture: Image) -> Image:
        """The window, turned; a window beyond the picture's border is cut to it."""
        height, width = picture.shape[:2]
        left, top, across, down = self._pose.window
        if max(self._pose.window) <= 1:
            left, across, top, down = left * width, across * width, top * height, down * height
        part = picture[round(top) : round(top + down), round(left) : round(left + across)]
        turn = TURNS.get(self._pose.turn_deg)
        return np.ascontiguousarray(part if turn is None else cv2.rotate(part, turn))

    def _sights(self, picture: Image) -> tuple[Sight, ...]:
        scale = min(1.0, READ_PX / max(picture.shape[:2]))
        image = cv2.resize(picture, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
        found, _ = read_indices(image, upright_candidates(image), self._networks)
        certain = [index for index in found if index.down[1] > UPRIGHT and is_certain(index)]
        return tuple(self._sight(index, image) for index in certain if self._confirmed(index, image))

    def _confirmed(self, index: Index, image: Image) -> bool:
        """Whether five more views, of a pose that is known, name the same card."""
        frame = Candidates(index.centre[None], index.down[None], np.array([index.height]))
        _, scores = self._networks.indices.classify_places(image, shaken_views(frame, SHAKES))
        named = judged(scores)
        return (
            named is not None and named.rank == RANKS[index.rank] and named.suit in {None, SUITS[index.suit]}
        )

    def _sight(self, index: Index, image: Image) -> Sight:
        place = index.centre / (image.shape[1], image.shape[0])
        along = {"bottom": place[1], "top": 1 - place[1], "right": place[0], "left": 1 - place[0]}
        name = CardName(RANKS[index.rank], SUITS[index.suit])
        return Sight(name, index.p, float(along[self._pose.leaves]))
