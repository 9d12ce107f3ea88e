"""Opens what a configuration names as a source of pictures."""

from pathlib import Path
from typing import Final, Literal

import cv2
import numpy as np

from controller.domain.errors import DeviceError
from drivers.camera.capture import open_device, open_file, open_stream
from drivers.camera.config import CameraConfig, Grabbed, Grabber
from drivers.camera.pictures import BYTES_MAX

JPEGS: Final = {".jpg", ".jpeg"}
PICTURES: Final = JPEGS | {".png"}
NETWORK: Final = ("http://", "https://", "rtsp://", "rtsps://")


class _Folder:
    """Pictures of a folder in the order of their names."""

    paced = False
    watched = False

    def __init__(self, paths: list[Path], *, loop: bool) -> None:
        self.finite = not loop
        self._paths = paths
        self._next = 0
        self._loop = loop

    def grab(self) -> Grabbed | None:
        if self._next >= len(self._paths) and self._loop:
            self._next = 0
        if self._next >= len(self._paths):
            return None
        self._next += 1
        return _read(self._paths[self._next - 1])

    def close(self) -> None:
        pass


def open_source(config: CameraConfig) -> Grabber:
    """Open what `config.source` names; raises `DeviceError` DEVICE_OPEN_FAILED with `port` and `reason`."""
    match _kind(config.source):
        case "folder":
            paths = sorted(p for p in Path(config.source).iterdir() if p.suffix.lower() in PICTURES)
            if not paths:
                raise DeviceError("DEVICE_OPEN_FAILED", port=config.source, reason="EMPTY_FOLDER")
            return _Folder(paths, loop=config.loop)
        case "stream":
            return open_stream(config)
        case "file":
            return open_file(config)
        case "device":
            return open_device(config)


def _kind(source: str) -> Literal["folder", "stream", "file", "device"]:
    """Tell what `source` names; raises `DeviceError` with NOT_THERE for a path that does not exist."""
    if source.startswith(NETWORK):
        return "stream"
    if source.isdigit():
        return "device"
    path = Path(source)
    if not path.exists():
        raise DeviceError("DEVICE_OPEN_FAILED", port=source, reason="NOT_THERE")
    if path.is_dir():
        return "folder"
    return "device" if path.is_char_device() else "file"


def _read(path: Path) -> Grabbed:
    """Read one picture; one that cannot be read is an empty one, which the camera counts as broken."""
    if path.suffix.lower() in JPEGS:
        try:
            with path.open("rb") as file:
                return file.read(BYTES_MAX + 1)
        except OSError:
            return b""
    image = cv2.imread(str(path), cv2.IMREAD_COLOR)
    return b"" if image is None else image.astype(np.uint8, copy=False)
