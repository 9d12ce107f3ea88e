"""Pictures of the table from a camera, file, folder, network stream or drawing function.

What others call: `Camera(config, clock)` and `RenderedCamera(name, draw, fps, clock)`; both are
`controller.ports.FrameSource`: `open()`, `latest()`, `wait(after, timeout_s)`, `close()`, `health()`.
"""

from drivers.camera.config import CameraConfig, Grabbed, Grabber, PictureFault
from drivers.camera.encoded import encoded
from drivers.camera.grab import Camera
from drivers.camera.reference import open_reference
from drivers.camera.rendered import RenderedCamera
from drivers.camera.sources import open_source
from drivers.camera.tap import recorded_settings

__all__ = [
    "Camera",
    "CameraConfig",
    "Grabbed",
    "Grabber",
    "PictureFault",
    "RenderedCamera",
    "encoded",
    "open_reference",
    "open_source",
    "recorded_settings",
]
