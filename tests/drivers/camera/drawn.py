"""A camera whose pictures a test draws."""

from collections.abc import Callable

from controller.ports import SystemClock, Tap
from drivers.camera import Camera, CameraConfig, Image


class _Drawn:
    """Pictures from a function, at the pace of the camera's configuration."""

    paced = False
    finite = False
    watched = False

    def __init__(self, draw: Callable[[], Image]) -> None:
        self._draw = draw

    def grab(self) -> Image | None:
        return self._draw()

    def close(self) -> None:
        pass


def drawn_camera(draw: Callable[[], Image], fps: float, tap: Tap | None = None) -> Camera:
    """A camera that shows what `draw` returns, `fps` times a second."""
    config = CameraConfig("drawn", "drawn", fps=fps)
    return Camera(config, SystemClock(), connect=lambda _: _Drawn(draw), tap=tap)
