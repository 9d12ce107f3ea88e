"""Pictures of the table from a camera, file, folder, network stream or drawing function.

What others call: `Camera(config, clock)` and `RenderedCamera(name, draw, fps, clock)`; both are
`controller.ports.FrameSource`: `open()`, `latest()`, `wait(after, timeout_s)`, `close()`, `health()`.
"""

from drivers.camera.config import CameraConfig, Grabber
from drivers.camera.grab import Camera, RenderedCamera
from drivers.camera.sources import open_source

__all__ = ["Camera", "CameraConfig", "Grabber", "RenderedCamera", "open_source"]
