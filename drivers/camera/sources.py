"""Sources of pictures that OpenCV opens: V4L2 devices, video files, folders, network streams."""

from pathlib import Path
from typing import Final, Literal, Protocol

import cv2
import numpy as np

from controller.domain.errors import DeviceError
from drivers.camera.config import CameraConfig, Grabber, Image

PICTURES: Final = {".jpg", ".jpeg", ".png"}
NETWORK: Final = ("http://", "https://", "rtsp://")
NETWORK_MS_MAX: Final = 5000

SETTINGS: Final[dict[str, tuple[int, int | None, float]]] = {
    "exposure": (cv2.CAP_PROP_EXPOSURE, cv2.CAP_PROP_AUTO_EXPOSURE, 1),
    "gain": (cv2.CAP_PROP_GAIN, None, 0),
    "white_balance": (cv2.CAP_PROP_WB_TEMPERATURE, cv2.CAP_PROP_AUTO_WB, 0),
    "focus": (cv2.CAP_PROP_FOCUS, cv2.CAP_PROP_AUTOFOCUS, 0),
}
"""Each setting, the automatic that would change it again, and what switches that off in V4L2."""

SETTING_TOLERANCE: Final = 0.02
"""Devices round to their own steps."""


class _Folder:
    """Pictures of a folder in the order of their names."""

    paced = False
    watched = False

    def __init__(self, paths: list[Path], *, loop: bool) -> None:
        self.finite = not loop
        self._paths = paths
        self._next = 0
        self._loop = loop

    def grab(self) -> Image | None:
        if self._next >= len(self._paths) and self._loop:
            self._next = 0
        if self._next >= len(self._paths):
            return None
        image = cv2.imread(str(self._paths[self._next]), cv2.IMREAD_COLOR)
        self._next += 1
        return None if image is None else image.astype(np.uint8, copy=False)

    def close(self) -> None:
        pass


class _Capture:
    """Anything that `cv2.VideoCapture` opens."""

    def __init__(self, capture: cv2.VideoCapture, *, paced: bool, loop: bool) -> None:
        self._capture = capture
        self.paced = self.watched = paced
        self.finite = not paced and not loop
        self._loop = loop

    def grab(self) -> Image | None:
        good, image = self._capture.read()
        if not good and self._loop:
            self._capture.set(cv2.CAP_PROP_POS_FRAMES, 0)
            good, image = self._capture.read()
        return image.astype(np.uint8, copy=False) if good else None

    def close(self) -> None:
        self._capture.release()


def open_source(config: CameraConfig) -> Grabber:
    """Open what `config.source` names; raises `DeviceError` DEVICE_OPEN_FAILED with `port` and `reason`."""
    match _kind(config.source):
        case "folder":
            paths = sorted(p for p in Path(config.source).iterdir() if p.suffix.lower() in PICTURES)
            if not paths:
                raise DeviceError("DEVICE_OPEN_FAILED", port=config.source, reason="EMPTY_FOLDER")
            return _Folder(paths, loop=config.loop)
        case "stream":
            # Without these OpenCV waits half a minute for a server that has gone.
            limits = [
                cv2.CAP_PROP_OPEN_TIMEOUT_MSEC, NETWORK_MS_MAX, cv2.CAP_PROP_READ_TIMEOUT_MSEC, NETWORK_MS_MAX
            ]  # fmt: skip
            capture = cv2.VideoCapture(config.source, cv2.CAP_FFMPEG, limits)
            return _opened(capture, config, paced=True, loop=False)
        case "file":
            capture = cv2.VideoCapture(config.source, cv2.CAP_FFMPEG)
            return _opened(capture, config, paced=False, loop=config.loop)
        case "device":
            return _opened(_device(config), config, paced=True, loop=False)


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


def _device(config: CameraConfig) -> cv2.VideoCapture:
    """Open a V4L2 device with MJPG, one buffer and the size asked for."""
    capture = cv2.VideoCapture(int(config.source) if config.source.isdigit() else config.source, cv2.CAP_V4L2)
    capture.set(cv2.CAP_PROP_FOURCC, cv2.VideoWriter.fourcc(*"MJPG"))
    capture.set(cv2.CAP_PROP_BUFFERSIZE, 1)
    wanted = {
        cv2.CAP_PROP_FRAME_WIDTH: config.width,
        cv2.CAP_PROP_FRAME_HEIGHT: config.height,
        cv2.CAP_PROP_FPS: config.fps,
    }
    for setting, value in wanted.items():
        if value:
            capture.set(setting, value)
    if capture.isOpened():
        lock(capture, config)
    return capture


class Settable(Protocol):
    """The part of `cv2.VideoCapture` that fixed settings need."""

    def set(self, setting: int, value: float, /) -> bool:
        """Ask for a value; True when the driver says that it took it."""
        ...

    def get(self, setting: int, /) -> float:
        """Read a value back."""
        ...


def lock(capture: Settable, config: CameraConfig) -> None:
    """Switch the automatics off, set what the configuration fixes and read it back.

    Raises `DeviceError` DEVICE_OPEN_FAILED with reason SETTING_REFUSED: pictures of a camera that does as it
    likes cannot be compared from one hour to the next.
    """
    for name, value in config.settings:
        setting, automatic, off = SETTINGS[name]
        if automatic is not None:
            capture.set(automatic, off)
        capture.set(setting, value)
        if abs(capture.get(setting) - value) > SETTING_TOLERANCE * max(1.0, abs(value)):
            raise DeviceError("DEVICE_OPEN_FAILED", port=config.source, reason="SETTING_REFUSED")


def _opened(capture: cv2.VideoCapture, config: CameraConfig, *, paced: bool, loop: bool) -> Grabber:
    if not capture.isOpened():
        capture.release()
        raise DeviceError("DEVICE_OPEN_FAILED", port=config.source, reason="NOT_OPENED")
    return _Capture(capture, paced=paced, loop=loop)
