"""What a camera is asked for, and what an open source of pictures can do."""

from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from drivers.lifecycle import LifePolicy

Image = NDArray[np.uint8]
"""Height x width x 3, BGR."""


class Grabber(Protocol):
    """An open source of pictures."""

    paced: bool
    """True where the source itself waits for its next picture, as a camera does."""

    finite: bool
    """True where the end of the pictures is the end of the source, as of a file that is not looped."""

    watched: bool
    """True where a picture can be worthless although it came: a live camera, not a file or a drawing."""

    def grab(self) -> Image | None:
        """Wait for the next picture; None when there is none any more."""
        ...

    def close(self) -> None:
        """Give the source back."""
        ...


class CameraConfig(NamedTuple):
    """`source`: a V4L2 device (`/dev/...` or a number), a video file, a folder of pictures or a stream URL.

    `width`, `height` and `fps` are asked of devices (0 = as they come); files and folders are played at
    `fps`, 30 when 0. `loop` plays files and folders again and again. `settings` are fixed values of a device
    (`exposure`, `gain`, `white_balance`, `focus`, in its own units), set once and read back.
    """

    name: str
    source: str
    width: int = 0
    height: int = 0
    fps: float = 0
    loop: bool = False
    settings: tuple[tuple[str, float], ...] = ()
    life: LifePolicy = LifePolicy(silence_ms=1000)
