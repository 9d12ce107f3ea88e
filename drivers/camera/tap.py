"""What a recorder hears of a camera: its pictures and its life."""

import json

from controller.ports.sources import DeviceState
from controller.ports.taps import Tap
from drivers.camera.config import CameraConfig, Grabbed, shown
from drivers.camera.pictures import BYTES_MAX, ENCODED, encode


class CameraTap:
    """Hands JPEG pictures on as they came; other pictures are encoded, no more often than asked for."""

    def __init__(self, tap: Tap | None, config: CameraConfig) -> None:
        """Without a tap nothing is done."""
        self._tap = tap
        self._name = config.name
        self._pause_ns = round(1e9 / config.record_fps) if config.record_fps > 0 else 0
        self._due_ns: int | None = None

    def picture(self, grabbed: Grabbed, mono_ns: int) -> None:
        """Hand a picture on, damaged ones too: what came is what is kept."""
        if self._tap is None:
            return
        if isinstance(grabbed, bytes):
            if len(grabbed) <= BYTES_MAX:
                self._tap(self._name, "jpeg", mono_ns, grabbed)
        elif self._pause_ns and (self._due_ns is None or mono_ns >= self._due_ns):
            self._due_ns = mono_ns + self._pause_ns
            self._tap(self._name, "jpeg", mono_ns, encode(grabbed))

    def life(self, state: DeviceState, reason: str, mono_ns: int) -> None:
        """Hand a change of the camera's life on."""
        if self._tap is not None:
            body = json.dumps({"state": state, "reason": reason})
            self._tap(self._name, "mark", mono_ns, body.encode())


def recorded_settings(config: CameraConfig) -> dict[str, str]:
    """Tell a recorder what a replay has to know of a camera.

    `encoded` is the comment in the JPEG pictures that are not the source's own bytes, `encoded_fps` how many
    of them there are in a second at most.
    """
    return {
        "device": "camera",
        "source": shown(config.source),
        "width": str(config.width),
        "height": str(config.height),
        "fps": str(config.fps),
        "encoded": ENCODED.decode(),
        "encoded_fps": str(config.record_fps),
    }
