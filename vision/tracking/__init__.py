"""A camera's pictures in, cards over time out. Imports geometry, looks and reading; readers are a protocol.

Detects change and rest, matches cards, and
decides when a card is certain.
"""

from vision.tracking.change_gate import Blocks, ChangeGate, within
from vision.tracking.felt import is_too_small
from vision.tracking.steady_camera import Registration, Standing, SteadyCamera
from vision.tracking.track import UNPROVEN, Contradiction, Locked, TrackedScene, TrackView, UnclearSpot
from vision.tracking.tracker import CardTracker, PictureReader

__all__ = [
    "UNPROVEN",
    "Blocks",
    "CardTracker",
    "ChangeGate",
    "Contradiction",
    "Locked",
    "PictureReader",
    "Registration",
    "Standing",
    "SteadyCamera",
    "TrackView",
    "TrackedScene",
    "UnclearSpot",
    "is_too_small",
    "within",
]
