"""What a camera is asked for, and what an open source of pictures can do."""

import re
from typing import Final, NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from drivers.lifecycle import LifePolicy

Image = NDArray[np.uint8]
"""Height x width x 3, BGR."""

Grabbed = Image | bytes
"""A picture as its source gave it: one JPEG picture, not a byte changed, or pixels that never were JPEG."""


class PictureFault(Exception):
    """A picture came and is worth nothing. `code` says why, as `health().detail` will."""

    def __init__(self, code: str) -> None:
        """`code` is one of docs/devices.md, or of whoever looks at the pictures."""
        super().__init__(code)
        self.code = code


class Grabber(Protocol):
    """An open source of pictures."""

    paced: bool
    """True where the source itself waits for its next picture, as a camera does."""

    finite: bool
    """True where the end of the pictures is the end of the source, as of a file that is not looped."""

    watched: bool
    """True where a picture can be worthless although it came: a live camera, not a file or a drawing."""

    def grab(self) -> Grabbed | None:
        """Wait for the next picture; None when there is none any more.

        Raises `PictureFault` for a picture that cannot be relied on, where the source itself can tell.
        """
        ...

    def close(self) -> None:
        """Give the source back."""
        ...


@runtime_checkable
class HasSettings(Protocol):
    """A grabber that knows what its source is set to."""

    settings: tuple[tuple[str, str], ...]
    """Name and value as people read them: size, fps, and what was fixed."""


class CameraConfig(NamedTuple):
    """One camera. `name` is its own in configuration and journal.

    `source`: a V4L2 device (`/dev/...` or a number), a video file, a folder of pictures or a stream URL.

    `width`, `height` and `fps` are asked of devices (0 = as they come); files and folders are played at
    `fps`, 30 when 0. `loop` plays files and folders again and again. `settings` are fixed values of a device
    (`exposure`, `gain`, `white_balance`, `focus`, in its own units), set once and read back. `record_fps` is
    how many pictures a second are encoded for a recorder, at most, where the source gives no JPEG. `still`:
    what the camera sees stays in its place, so that one that was moved, or is blurred, shows. `placed`: a
    picture out of its place is worth nothing; not where whoever follows the pictures finds that out.
    """

    name: str
    source: str
    width: int = 0
    height: int = 0
    fps: float = 0
    loop: bool = False
    settings: tuple[tuple[str, float], ...] = ()
    life: LifePolicy = LifePolicy(silence_ms=1000)
    record_fps: float = 5
    still: bool = True
    placed: bool = True


_CREDENTIALS: Final = re.compile(r"(?<=://)[^/@]*@")


def without_password(source: str) -> str:
    """Write a source as it may stand on a screen or in a log: without the name and password of a URL."""
    return _CREDENTIALS.sub("", source)
