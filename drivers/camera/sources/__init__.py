"""Sources of pictures: what a configuration names, opened as a `Grabber`.

`opencv` has devices, video files and network streams, `http_stream` fetches a stream over HTTP, `folder` has
pictures in files. May import the camera's configuration and its pictures.
"""

from pathlib import Path
from typing import Final, Literal

from controller.domain import DeviceError
from drivers.camera.config import CameraConfig, Grabber
from drivers.camera.sources.folder import open_folder
from drivers.camera.sources.opencv import open_device, open_file, open_stream

__all__ = ["SourceKind", "kind_of", "open_source"]

SourceKind = Literal["folder", "stream", "file", "device"]

NETWORK: Final = ("http://", "https://", "rtsp://", "rtsps://")
"""How the address of a stream begins."""


def open_source(config: CameraConfig) -> Grabber:
    """Open what `config.source` names; raises `DeviceError` DEVICE_OPEN_FAILED with `port` and `reason`."""
    match kind_of(config.source):
        case "folder":
            return open_folder(config)
        case "stream":
            return open_stream(config)
        case "file":
            return open_file(config)
        case "device":
            return open_device(config)


def kind_of(source: str) -> SourceKind:
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
