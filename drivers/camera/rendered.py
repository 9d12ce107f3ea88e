"""A camera that looks at drawn pictures, behind the same thread and mailbox as a real one."""

from collections.abc import Callable

from controller.ports.clock import Clock
from controller.ports.sources import DeviceState
from controller.ports.taps import Tap
from drivers.camera.config import CameraConfig, Image
from drivers.camera.grab import Camera


class RenderedCamera(Camera):
    """`draw` returns one picture and is called from the camera's thread."""

    def __init__(
        self,
        name: str,
        draw: Callable[[], Image],
        fps: float,
        clock: Clock,
        *,
        changed: Callable[[DeviceState, str], None] | None = None,
        tap: Tap | None = None,
    ) -> None:
        """See `Camera`; `fps` pictures a second are drawn."""
        config = CameraConfig(name, "rendered", fps=fps)
        super().__init__(config, clock, connect=lambda _: _Drawn(draw), changed=changed, tap=tap)


class _Drawn:
    """Pictures from a function."""

    paced = False
    finite = False
    watched = False

    def __init__(self, draw: Callable[[], Image]) -> None:
        self._draw = draw

    def grab(self) -> Image | None:
        return self._draw()

    def close(self) -> None:
        pass
