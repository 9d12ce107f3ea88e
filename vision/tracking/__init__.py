"""A camera's pictures in, cards over time out. Imports geometry, looks and reading; readers are a protocol.

Detects change and rest, matches cards, and
decides when a card is certain.
"""

from vision.tracking.card_pose import within
from vision.tracking.change_gate import Blocks, ChangeGate
from vision.tracking.events import UNPROVEN, Contradiction, Locked, TrackedScene, TrackView, UnclearSpot
from vision.tracking.regions import PictureReader
from vision.tracking.registration import Registration
from vision.tracking.small_things import is_too_small
from vision.tracking.steady_camera import Standing, SteadyCamera
from vision.tracking.tracker import CardTracker

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
