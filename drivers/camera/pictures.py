"""What a camera is asked for, what an open source of pictures can do, and pictures as they came.

Pictures are checked at once and decoded only for a reader: decoding a JPEG of 1080 lines costs 5 ms, and most
pictures are replaced before they are read. A damaged one is refused: libjpeg would fill what is missing with
grey, and half a card may read as another.
"""

import re
import zlib
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple, Protocol, runtime_checkable

import cv2
import numpy as np
import simplejpeg
from numpy.typing import NDArray

from controller.domain import ConfigError
from drivers.device_driver import LifePolicy

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


BYTES_MAX: Final = 16 << 20
"""A JPEG picture with more bytes is refused before anything of it is decoded."""

PIXELS_MAX: Final = 40_000_000
"""More than 8K; a header that claims more is damaged, and obeying it would take all memory."""

SMALL: Final = 4
"""How many times smaller `small` is, in both directions."""

_QUALITY: Final = 92
"""JPEG quality (1 to 100) of pictures that are encoded here."""

ENCODED: Final = f"stand17 encoded {_QUALITY}".encode()
"""Comment in each JPEG picture that was encoded here, to tell it from a camera's own."""

_START, _END, _COMMENT = b"\xff\xd8", b"\xff\xd9", b"\xff\xfe"
_PADDING: Final = b"\0\r\n"
"""What drivers and servers leave behind the end of a picture."""


class Picture(Protocol):
    """One picture; every method may be called from any thread and raises `PictureFault` BROKEN."""

    size: tuple[int, int]
    """Width and height in pixels."""

    def full(self) -> Image:
        """Give every pixel; the same array each time."""
        ...

    def small(self) -> Image:
        """Give the whole picture at a quarter of its width and height."""
        ...

    def fingerprint(self) -> int:
        """Give a number that a live sensor's noise changes with each picture."""
        ...


@runtime_checkable
class MakesPictures(Protocol):
    """A grabber that knows how its own pictures are decoded."""

    def picture(self, grabbed: Grabbed) -> Picture:
        """Take what `grab` gave last; raises `PictureFault` as `picture_of`."""
        ...


class PlainPicture:
    """Pixels that never were JPEG."""

    def __init__(self, image: Image) -> None:
        """Keep them; nobody writes to them."""
        self._image = image
        self.size = (image.shape[1], image.shape[0])

    def full(self) -> Image:
        """Give every pixel."""
        return self._image

    def small(self) -> Image:
        """Give the whole picture at a quarter of its width and height."""
        width, height = (max(1, length // SMALL) for length in self.size)
        return cv2.resize(self._image, (width, height), interpolation=cv2.INTER_AREA).astype(np.uint8)

    def fingerprint(self) -> int:
        """A hash of every pixel; shrinking would average the noise away."""
        return zlib.crc32(self._image[::SMALL, ::SMALL, 1].tobytes())


class JpegPicture:
    """One JPEG picture, untouched: `decode` makes pixels of that size (width, height), or the next above."""

    def __init__(self, size: tuple[int, int], decode: Callable[[tuple[int, int]], Image]) -> None:
        """Nothing is decoded before somebody looks."""
        self.size = size
        self._decode = decode
        self._full: Image | None = None
        self._small: Image | None = None

    def full(self) -> Image:
        """Give every pixel."""
        if self._full is None:
            self._full = self._decode(self.size)
        return self._full

    def small(self) -> Image:
        """Decode to a quarter of the size; a fault of any part of the picture shows here too."""
        if self._small is None:
            self._small = self._decode(_small_size(self.size))
        return self._small

    def fingerprint(self) -> int:
        """A hash of the pixels: a stuck camera may still write the time into the header."""
        return zlib.crc32(self.small().tobytes())


def picture_of(grabbed: Grabbed) -> Picture:
    """Take what a source gave; raises `PictureFault` BROKEN or TOO_LARGE."""
    if not isinstance(grabbed, bytes):
        return PlainPicture(grabbed)
    return JpegPicture(checked_size(grabbed), partial(decode_jpeg, grabbed))


def _small_size(size: tuple[int, int]) -> tuple[int, int]:
    """Width and height of the small picture of a JPEG: libjpeg rounds up."""
    return -(-size[0] // SMALL), -(-size[1] // SMALL)


def encode(image: Image) -> bytes:
    """Make a JPEG picture that says in a comment that it was encoded here."""
    made: bytes = simplejpeg.encode_jpeg(np.ascontiguousarray(image), _QUALITY, "BGR", "420")
    comment = _COMMENT + (len(ENCODED) + 2).to_bytes(2, "big") + ENCODED
    return made[:2] + comment + made[2:]


def checked_size(data: bytes) -> tuple[int, int]:
    """Width and height of a JPEG picture, without decoding; raises `PictureFault` BROKEN or TOO_LARGE."""
    if len(data) > BYTES_MAX:
        raise PictureFault("TOO_LARGE")
    if not data.startswith(_START) or not data.rstrip(_PADDING).endswith(_END):
        raise PictureFault("BROKEN")
    try:
        height, width, *_ = simplejpeg.decode_jpeg_header(data)
    except ValueError as error:
        raise PictureFault("BROKEN") from error
    if int(height) * int(width) > PIXELS_MAX:
        raise PictureFault("TOO_LARGE")
    return int(width), int(height)


def decode_jpeg(data: bytes, size: tuple[int, int], into: NDArray[np.uint8] | None = None) -> Image:
    """Decode at the least size that is not below `size` (width, height), into these bytes where they suffice.

    Raises `PictureFault` BROKEN at every complaint of libjpeg.
    """
    width, height = size
    try:
        image: Image = simplejpeg.decode_jpeg(data, "BGR", min_width=width, min_height=height, buffer=into)
    except ValueError as error:
        raise PictureFault("BROKEN") from error
    return image


class EncodedPictures:
    """Any grabber, its pictures as JPEG."""

    def __init__(self, inner: Grabber) -> None:
        """Take over an open source."""
        self._inner = inner
        self._is_own = False
        self.paced, self.finite, self.watched = inner.paced, inner.finite, inner.watched
        self.settings = inner.settings if isinstance(inner, HasSettings) else ()

    def grab(self) -> Grabbed | None:
        """Wait for the next picture."""
        grabbed = self._inner.grab()
        self._is_own = not isinstance(grabbed, bytes)
        return grabbed if grabbed is None or isinstance(grabbed, bytes) else encode(grabbed)

    def picture(self, grabbed: Grabbed) -> Picture:
        """Make a picture of the last one that was grabbed."""
        if isinstance(self._inner, MakesPictures) and not self._is_own:
            return self._inner.picture(grabbed)
        return picture_of(grabbed)

    def close(self) -> None:
        """Give the source back."""
        self._inner.close()


def open_reference(path: Path) -> Image:
    """Read a picture file; raises `ConfigError` REFERENCE_UNREADABLE."""
    image = cv2.imread(str(path), cv2.IMREAD_COLOR) if path.is_file() else None
    if image is None:
        raise ConfigError("REFERENCE_UNREADABLE", path=str(path))
    return image.astype(np.uint8, copy=False)
