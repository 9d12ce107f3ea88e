"""Pictures of a shoe's mouth in, an event for each card out. Imports acceptance, tracking and those below.

`MouthTracker` follows a camera before the mouth alone; `CodedMouth` looks at the pictures of one beside a
reader that counts; `MouthReader` names the single grey pictures that some shoes send.
"""

from vision.shoe_mouth.camera import MouthCameraSetup, MouthTracker, MouthUpdate
from vision.shoe_mouth.coded_mouth import CODED_READ_PX, CodedMouth, CodedPicture
from vision.shoe_mouth.events import (
    CardLeft,
    CutCardLeft,
    IndexDetection,
    MouthEvent,
    PulledBack,
    Uncertain,
    UncertainAbout,
)
from vision.shoe_mouth.foreground import ExitSide, MouthState
from vision.shoe_mouth.index_reader import MouthReader
from vision.shoe_mouth.known_pose import NamedIndex
from vision.shoe_mouth.upright_reader import UprightReader

__all__ = [
    "CODED_READ_PX",
    "CardLeft",
    "CodedMouth",
    "CodedPicture",
    "CutCardLeft",
    "ExitSide",
    "IndexDetection",
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
    "UprightReader",
]
