"""A camera in front of a shoe's mouth: pictures in, and one event out for each card that has left."""

from pathlib import Path
from typing import Final, Literal, NamedTuple

import cv2
import numpy as np

from vision.classifier import Networks
from vision.geometry import Image
from vision.inference import default_models_dir
from vision.shoe_mouth.card_passes import GAP_MS, CardPasses
from vision.shoe_mouth.events import MouthEvent, MouthObservation
from vision.shoe_mouth.foreground import ExitSide, ForegroundDetector, MouthState
from vision.shoe_mouth.upright_reader import UprightReader

READ_PX: Final = 320
"""Longer side of the pictures that are read: a card's corner is large in them.

Source: no measurement on record; the drawn pictures of docs/measurements/reader.md, A camera at the shoe's
mouth, have this size.
"""

TURNS: Final = {90: cv2.ROTATE_90_CLOCKWISE, 180: cv2.ROTATE_180, 270: cv2.ROTATE_90_COUNTERCLOCKWISE}


class MouthCameraSetup(NamedTuple):
    """Setup of a camera at the shoe's mouth.

    `window` is left, top, width and height of the part where the index passes, in pixels, or in shares of the
    picture where none is above 1. It is turned clockwise by `turn_deg` (0, 90, 180, 270) so that indices
    stand upright, then `mirrored` left to right for a camera with a mirror. `leaves` is the side of that
    window where cards disappear. `cut_bgr` is the cut card's colour.
    """

    window: tuple[float, float, float, float] = (0.0, 0.0, 1.0, 1.0)
    turn_deg: int = 0
    leaves: ExitSide = "bottom"
    cut_bgr: tuple[int, int, int] | None = None
    gap_ms: int = GAP_MS
    mirrored: bool = False

    def upright(self, picture: Image) -> Image:
        """The window, turned; a window beyond the picture's border is cut to it."""
        height, width = picture.shape[:2]
        left, top, across, down = self.window
        if max(self.window) <= 1:
            left, across, top, down = left * width, across * width, top * height, down * height
        part = picture[round(top) : round(top + down), round(left) : round(left + across)]
        turn = TURNS.get(self.turn_deg)
        turned = part if turn is None or not part.size else cv2.rotate(part, turn)
        return np.ascontiguousarray(turned[:, ::-1] if self.mirrored else turned)


class MouthUpdate(NamedTuple):
    """A picture's events and content; `outside`: the window lies beyond the picture's border."""

    events: tuple[MouthEvent, ...]
    state: MouthState | Literal["outside"]


class MouthTracker:
    """Follows the pictures of one mouth, every one of them. May be used by one thread at a time."""

    def __init__(self, networks: Networks, setup: MouthCameraSetup) -> None:
        """Begin with an empty mouth, or with a card in it."""
        self._reader = UprightReader(networks, setup.leaves, READ_PX)
        self._setup = setup
        self._detector = ForegroundDetector(setup.leaves, setup.cut_bgr)
        self._passes = CardPasses(setup.gap_ms)

    @classmethod
    def open(cls, setup: MouthCameraSetup, models_dir: Path | None = None) -> "MouthTracker":
        """Load the networks; ConfigError MODEL_MISSING or MODEL_CHANGED when they are not as trained."""
        cv2.setNumThreads(1)
        return cls(Networks.open(models_dir or default_models_dir(), 1), setup)

    def update(self, picture: Image, mono_ms: int) -> MouthUpdate:
        """Take the next picture (height x width x 3, BGR), taken at `mono_ms`, which never goes back."""
        upright = self._setup.upright(picture)
        if min(upright.shape) < 1:
            return MouthUpdate((), "outside")
        foreground = self._detector.look(upright, mono_ms)
        settled = self._passes.named is not None and not foreground.moving
        detections = self._reader.detect(upright) if foreground.state == "sheet" and not settled else ()
        events = self._passes.take(MouthObservation(mono_ms, foreground, detections))
        return MouthUpdate(tuple(events), foreground.state)
