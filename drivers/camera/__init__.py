"""Pictures of the table from a camera, a file, a folder or a network stream.

In: what a configuration names, or a `Grabber` of one's own. Out: the newest picture, on the device thread, as
`controller.ports.FrameSource` asks. May import the device thread and its life; besides the reader it alone
touches pictures.
"""

from drivers.camera.camera import Camera, recorded_settings
from drivers.camera.decoder import open_confined
from drivers.camera.picture_monitor import edges_of
from drivers.camera.pictures import (
    CameraConfig,
    EncodedPictures,
    Grabbed,
    Grabber,
    Image,
    PictureFault,
    open_reference,
    without_password,
)
from drivers.camera.sources import open_source

__all__ = [
    "Camera",
    "CameraConfig",
    "EncodedPictures",
    "Grabbed",
    "Grabber",
    "Image",
    "PictureFault",
    "edges_of",
    "open_confined",
    "open_reference",
    "open_source",
    "recorded_settings",
    "without_password",
]
