"""Pictures of a folder, one file after the other."""

from pathlib import Path
from typing import Final

import cv2
import numpy as np

from controller.domain import DeviceError
from controller.outputs import read_regular
from drivers.camera.camera_pictures import BYTES_MAX
from drivers.camera.config import CameraConfig, Grabbed, Grabber

_JPEGS: Final = {".jpg", ".jpeg"}
PICTURES: Final = _JPEGS | {".png"}
"""Files of these endings are pictures; JPEG ones are handed on as they are."""


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


def open_folder(config: CameraConfig) -> Grabber:
    """Open a folder; raises `DeviceError` DEVICE_OPEN_FAILED EMPTY_FOLDER where it holds no picture."""
    paths = sorted(path for path in Path(config.source).iterdir() if path.suffix.lower() in PICTURES)
    if not paths:
        raise DeviceError("DEVICE_OPEN_FAILED", port=config.source, reason="EMPTY_FOLDER")
    return _Folder(paths, loop=config.loop)


def _read(path: Path) -> Grabbed:
    """Read one picture; one that cannot be read is an empty one, which the camera counts as broken."""
    if path.suffix.lower() in _JPEGS:
        try:
            return read_regular(path, BYTES_MAX + 1, links=True)
        except OSError:
            return b""
    image = cv2.imread(str(path), cv2.IMREAD_COLOR) if path.is_file() else None
    return b"" if image is None else image.astype(np.uint8, copy=False)
