"""What a recorder hears of a camera's pictures."""

from collections.abc import Callable

from controller.ports import TapKind
from drivers.camera.camera_pictures import BYTES_MAX, ENCODED, encode
from drivers.camera.config import CameraConfig, Grabbed, without_password


class PictureTap:
    """Hands JPEG pictures on as they came; other pictures are encoded, no more often than asked for."""

    def __init__(self, record: Callable[[TapKind, int, bytes], None], fps: float) -> None:
        """`record(kind, mono_ns, data)` takes them; at most `fps` a second are encoded (0: none)."""
        self._record = record
        self._pause_ns = round(1e9 / fps) if fps > 0 else 0
        self._due_ns: int | None = None

    def __call__(self, grabbed: Grabbed, mono_ns: int) -> None:
        """Hand a picture on, damaged ones too: what came is what is kept."""
        if isinstance(grabbed, bytes):
            if len(grabbed) <= BYTES_MAX:
                self._record("jpeg", mono_ns, grabbed)
        elif self._pause_ns and (self._due_ns is None or mono_ns >= self._due_ns):
            self._due_ns = mono_ns + self._pause_ns
            self._record("jpeg", mono_ns, encode(grabbed))


def recorded_settings(config: CameraConfig) -> dict[str, str]:
    """Tell a recorder what a replay has to know of a camera.

    `encoded` is the comment in the JPEG pictures that are not the source's own bytes, `encoded_fps` how many
    of them there are in a second at most.
    """
    return {
        "device": "camera",
        "source": without_password(config.source),
        "width": str(config.width),
        "height": str(config.height),
        "fps": str(config.fps),
        "encoded": ENCODED.decode(),
        "encoded_fps": str(config.record_fps),
    }
