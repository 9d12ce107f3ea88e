"""Pictures of a shoe's mouth in, an event for each card out. Imports acceptance, tracking and those below.

`MouthTracker` follows a camera before the mouth, `MouthReader` names the single grey pictures that some shoes
send.
"""

from vision.shoe_mouth.camera import MouthCameraSetup, MouthTracker, MouthUpdate
from vision.shoe_mouth.events import (
    CardLeft,
    CutCardLeft,
    MouthEvent,
    PulledBack,
    Uncertain,
    UncertainAbout,
)
from vision.shoe_mouth.foreground import ExitSide, MouthState
from vision.shoe_mouth.index_reader import MouthReader
from vision.shoe_mouth.known_pose import NamedIndex

__all__ = [
    "CardLeft",
    "CutCardLeft",
    "ExitSide",
    "MouthCameraSetup",
    "MouthEvent",
    "MouthReader",
    "MouthState",
    "MouthTracker",
    "MouthUpdate",
    "NamedIndex",
    "PulledBack",
    "Uncertain",
    "UncertainAbout",
]
