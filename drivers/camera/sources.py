"""Sources of pictures: what a configuration names, opened as a `Grabber`. JPEG is taken untouched.

V4L2 devices, video files and network streams come through OpenCV, a stream over HTTP through `http_stream`,
pictures of a folder from their files. Both of OpenCV's backends hand a JPEG picture out undecoded when asked:
FFmpeg gives the packet of a stream or file (CAP_PROP_FORMAT -1), V4L2 the driver's buffer
(CAP_PROP_CONVERT_RGB 0). The fixed settings of a device are set once, read back, and checked again while it
runs.

FFmpeg may read one stream from the address that it was given. By itself it takes an answer for whatever it
looks like: a playlist (HLS, DASH, concat, SDP) or a redirection would have this machine fetch addresses of
the sender's choice from inside the house's network.
"""

import os
from collections.abc import Callable, Mapping, MutableMapping
from contextlib import suppress
from pathlib import Path
from typing import Final, Literal, Protocol, cast

import cv2
import numpy as np

from controller.domain import DeviceError
from controller.outputs import read_regular
from drivers.camera.http_stream import SCHEMES, HttpStream, open_http
from drivers.camera.pictures import (
    BYTES_MAX,
    PIXELS_MAX,
    CameraConfig,
    Grabbed,
    Grabber,
    PictureFault,
    without_password,
)

SourceKind = Literal["folder", "stream", "file", "device"]

_NETWORK: Final = ("http://", "https://", "rtsp://", "rtsps://")
"""How the address of a stream begins."""


def open_source(config: CameraConfig) -> Grabber:
    """Open what `config.source` names; raises `DeviceError` DEVICE_OPEN_FAILED with `port` and `reason`."""
    match kind_of(config.source):
        case "folder":
            return _open_folder(config)
        case "stream":
            return _open_stream(config)
        case "file":
            return FfmpegCapture(
                lambda: _opened(cv2.VideoCapture(config.source, cv2.CAP_FFMPEG), config),
                live=False,
                loop=config.loop,
            )
        case "device":
            return _open_device(config)


def kind_of(source: str) -> SourceKind:
    """Tell what `source` names; raises `DeviceError` with NOT_THERE for a path that does not exist."""
    if source.startswith(_NETWORK):
        return "stream"
    if source.isdigit():
        return "device"
    path = Path(source)
    if not path.exists():
        raise DeviceError("DEVICE_OPEN_FAILED", port=source, reason="NOT_THERE")
    if path.is_dir():
        return "folder"
    return "device" if path.is_char_device() else "file"


def _failed(config: CameraConfig, reason: str, **more: str) -> DeviceError:
    port = without_password(config.source)
    return DeviceError("DEVICE_OPEN_FAILED", port=port, reason=reason, **more)


SETTINGS: Final[dict[str, tuple[int, int | None, float]]] = {
    "exposure": (cv2.CAP_PROP_EXPOSURE, cv2.CAP_PROP_AUTO_EXPOSURE, 1),
    "gain": (cv2.CAP_PROP_GAIN, None, 0),
    "white_balance": (cv2.CAP_PROP_WB_TEMPERATURE, cv2.CAP_PROP_AUTO_WB, 0),
    "focus": (cv2.CAP_PROP_FOCUS, cv2.CAP_PROP_AUTOFOCUS, 0),
}
"""Each setting, the automatic that would change it again, and what switches that off in V4L2."""

_TOLERANCE: Final = 0.02
"""A value this share beside the one that was asked for is taken for it: devices round to their own steps."""


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

    Raises `DeviceError` DEVICE_OPEN_FAILED with reason SETTING_REFUSED and what was wanted and found:
    pictures of a camera that does as it likes cannot be compared from one hour to the next.
    """
    for name, value in config.settings:
        setting, automatic, off = SETTINGS[name]
        if automatic is not None:
            capture.set(automatic, off)
        capture.set(setting, value)
    wrong = differing(capture, config)
    if wrong:
        name, found, wanted = wrong
        raise _failed(config, "SETTING_REFUSED", setting=f"{name} {found:g}, {wanted:g}")


def differing(capture: Settable, config: CameraConfig) -> tuple[str, float, float] | None:
    """Find the first setting that is not as it was fixed: its name, what it is, what it should be."""
    for name, wanted in config.settings:
        setting, automatic, off = SETTINGS[name]
        found = capture.get(setting)
        if abs(found - wanted) > _TOLERANCE * max(1.0, abs(wanted)):
            return name, found, wanted
        if automatic is not None and capture.get(automatic) != off:
            return f"auto {name}", capture.get(automatic), off
    return None


def _read_back(capture: Settable, config: CameraConfig) -> tuple[tuple[str, str], ...]:
    """Read what the device is set to, in its own units: the picture's size and rate, the fixed settings."""
    width, height = (int(capture.get(side)) for side in (cv2.CAP_PROP_FRAME_WIDTH, cv2.CAP_PROP_FRAME_HEIGHT))
    rate = capture.get(cv2.CAP_PROP_FPS)
    fixed = ((name, f"{capture.get(SETTINGS[name][0]):g}") for name, _ in config.settings)
    return (("size", f"{width}x{height}"), ("fps", f"{rate:g}"), *fixed)


VARIABLE: Final = "OPENCV_FFMPEG_CAPTURE_OPTIONS"
"""Where OpenCV takes FFmpeg's options from: `name;value` pairs with `|` between them."""

FORMATS: Final = (
    "asf",
    "avi",
    "flv",
    "h264",
    "hevc",
    "ivf",
    "jpeg_pipe",
    "m4v",
    "matroska",
    "mjpeg",
    "mov",
    "mpeg",
    "mpegts",
    "mpegvideo",
    "mpjpeg",
    "ogg",
    "rtsp",
)
"""Streams and files that hold their pictures themselves; none of them names another address."""

_PROTOCOLS: Final = ("crypto", "file", "http", "rtp", "srtp", "tcp", "udp")
"""What those are carried by. `rtsp` is a format, not a protocol: as one it would be a redirection.

Without `tls` and `https` nothing reaches the OpenSSL inside OpenCV's wheel; `http_stream` does without it.
"""

OPTIONS: Final = {
    "format_whitelist": ",".join(FORMATS),
    "max_redirects": "0",
    "protocol_whitelist": ",".join(_PROTOCOLS),
    # OpenCV's own default, which it drops as soon as there is any option.
    "rtsp_flags": "prefer_tcp",
}


def is_widened(environment: Mapping[str, str]) -> bool:
    """Whether the house has set an option of its own."""
    own = {f"{name};{value}" for name, value in OPTIONS.items()}
    return any(pair not in own for pair in environment.get(VARIABLE, "").split("|") if pair)


def limit_ffmpeg(environment: MutableMapping[str, str]) -> None:
    """Add the options to the environment, before the first source is opened.

    An option that is set already stays: the house may name a format or a protocol that it needs.
    """
    given = [pair for pair in environment.get(VARIABLE, "").split("|") if pair]
    named = {pair.partition(";")[0] for pair in given}
    own = [f"{name};{value}" for name, value in OPTIONS.items() if name not in named]
    environment[VARIABLE] = "|".join((*given, *own))


NETWORK_MS_MAX: Final = 5000
"""A stream that does not answer for so long is given up; OpenCV itself would wait half a minute."""

BUFFERS: Final = 2
"""One is filled while the other is read; each more would be an older picture."""

_CHECK_EVERY: Final = 60
"""Pictures between two looks at a device's settings: two seconds at 30 pictures a second."""

_JPEG_CODES: Final = {"MJPG", "jpeg", "JPEG"}
"""What OpenCV calls motion JPEG, as four characters."""

# FFmpeg and OpenCV write a line on standard error for each try and each damaged piece, past the log. What
# matters of it stands in `health`; who looks for more sets these variables.
os.environ.setdefault("OPENCV_FFMPEG_LOGLEVEL", "-8")
limit_ffmpeg(os.environ)
if "OPENCV_LOG_LEVEL" not in os.environ:
    cv2.utils.logging.setLogLevel(cv2.utils.logging.LOG_LEVEL_ERROR)


class FfmpegCapture:
    """A network stream, or a video file that is played from its beginning again where `loop` is set."""

    def __init__(
        self,
        connect: Callable[[], cv2.VideoCapture],
        *,
        live: bool,
        loop: bool = False,
        stream: HttpStream | None = None,
    ) -> None:
        """`live` is a stream, which sets its own pace and can be lost; `stream`: Python fetches it."""
        self.paced = self.watched = live
        self.finite = not live and not loop
        self._connect = connect
        self._loop = loop
        # OpenCV lets go of the stream without Python's lock: another reference has to outlive that.
        self._stream = stream
        self._capture = connect()
        self._jpeg = _ask_for_jpeg(self._capture, cv2.CAP_PROP_FORMAT, -1)
        self.settings = _read_back(self._capture, CameraConfig("", ""))

    def grab(self) -> Grabbed | None:
        """Wait for the next picture."""
        good, image = self._capture.read()
        if not good and self._loop:
            self._capture.release()
            self._capture = self._connect()
            _ask_for_jpeg(self._capture, cv2.CAP_PROP_FORMAT, -1)
            good, image = self._capture.read()
        return _given(image, jpeg=self._jpeg) if good else None

    def close(self) -> None:
        """Give the source back."""
        self._capture.release()
        if self._stream is not None:
            self._stream.close()


class DeviceCapture:
    """A V4L2 device whose settings stay as the configuration fixed them."""

    paced = True
    finite = False
    watched = True

    def __init__(self, capture: cv2.VideoCapture, config: CameraConfig) -> None:
        """Take an open device; raises as `lock`."""
        lock(capture, config)
        self._capture = capture
        self._config = config
        self._jpeg = _ask_for_jpeg(capture, cv2.CAP_PROP_CONVERT_RGB, 0)
        self._grabbed = 0
        self._drifted = False
        self.settings = _read_back(capture, config)

    def grab(self) -> Grabbed | None:
        """Wait for the next picture; SETTING_DRIFTED while a fixed setting has been changed."""
        good, image = self._capture.read()
        if not good:
            return None
        if self._grabbed % _CHECK_EVERY == 0:
            self._drifted = self._is_drifted()
        self._grabbed += 1
        if self._drifted:
            raise PictureFault("SETTING_DRIFTED")
        return _given(image, jpeg=self._jpeg)

    def close(self) -> None:
        """Give the source back."""
        self._capture.release()

    def _is_drifted(self) -> bool:
        """Compare the settings; what has drifted is set again, and has to hold until the next look."""
        if differing(self._capture, self._config) is None:
            return False
        with suppress(DeviceError):
            lock(self._capture, self._config)
        return True


def _open_stream(config: CameraConfig) -> FfmpegCapture:
    """Connect to a network camera; RTSP is asked for over TCP first, which loses no piece of a picture.

    An answer that is no stream of pictures but names other addresses is refused (`limit_ffmpeg`). HTTP is
    Python's, unless the house has given FFmpeg options of its own: a format that it named may ask for more.
    """
    if not is_fetched(config.source):
        opening, reading = cv2.CAP_PROP_OPEN_TIMEOUT_MSEC, cv2.CAP_PROP_READ_TIMEOUT_MSEC
        limits = [opening, NETWORK_MS_MAX, reading, NETWORK_MS_MAX]
        return FfmpegCapture(
            lambda: _opened(cv2.VideoCapture(config.source, cv2.CAP_FFMPEG, limits), config, "NO_STREAM"),
            live=True,
        )
    try:
        stream = open_http(config.source, NETWORK_MS_MAX / 1000)
    except OSError as error:
        raise _failed(config, "NO_STREAM") from error
    # OpenCV's types name a class of C++ here; it takes any stream of Python's.
    reader = cast(cv2.IStreamReader, stream)
    return FfmpegCapture(
        lambda: _opened(cv2.VideoCapture(reader, cv2.CAP_FFMPEG, []), config, "NO_STREAM"),
        live=True,
        stream=stream,
    )


def is_fetched(source: str) -> bool:
    """Whether FFmpeg gets only the bytes of that stream, and needs no connection of its own."""
    return source.startswith("https://") or (source.startswith(SCHEMES) and not is_widened(os.environ))


def _open_device(config: CameraConfig) -> DeviceCapture:
    """Open a V4L2 device with motion JPEG and the size asked for, and fix its settings."""
    capture = cv2.VideoCapture(int(config.source) if config.source.isdigit() else config.source, cv2.CAP_V4L2)
    wanted = {
        cv2.CAP_PROP_FOURCC: cv2.VideoWriter.fourcc(*"MJPG"),
        cv2.CAP_PROP_BUFFERSIZE: BUFFERS,
        cv2.CAP_PROP_FRAME_WIDTH: config.width,
        cv2.CAP_PROP_FRAME_HEIGHT: config.height,
        cv2.CAP_PROP_FPS: config.fps,
    }
    for setting, value in wanted.items():
        if value:
            capture.set(setting, value)
    try:
        return DeviceCapture(_opened(capture, config), config)
    except DeviceError:
        capture.release()
        raise


def _opened(capture: cv2.VideoCapture, config: CameraConfig, reason: str = "NOT_OPENED") -> cv2.VideoCapture:
    if not capture.isOpened():
        capture.release()
        raise _failed(config, reason)
    width, height = (capture.get(side) for side in (cv2.CAP_PROP_FRAME_WIDTH, cv2.CAP_PROP_FRAME_HEIGHT))
    if width * height > PIXELS_MAX:
        capture.release()
        raise _failed(config, "TOO_LARGE")
    return capture


def _ask_for_jpeg(capture: cv2.VideoCapture, setting: int, value: float) -> bool:
    """Ask for undecoded pictures where they are JPEG; whether they will be."""
    coding = int(capture.get(cv2.CAP_PROP_FOURCC)).to_bytes(4, "little", signed=True)
    return coding.decode("latin-1") in _JPEG_CODES and bool(capture.set(setting, value))


def _given(image: cv2.typing.MatLike, *, jpeg: bool) -> Grabbed:
    if jpeg:
        return np.asarray(image, np.uint8).tobytes()
    return image.astype(np.uint8, copy=False)


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
        return _read_file(self._paths[self._next - 1])

    def close(self) -> None:
        pass


def _open_folder(config: CameraConfig) -> Grabber:
    """Open a folder; raises `DeviceError` DEVICE_OPEN_FAILED EMPTY_FOLDER where it holds no picture."""
    paths = sorted(path for path in Path(config.source).iterdir() if path.suffix.lower() in PICTURES)
    if not paths:
        raise _failed(config, "EMPTY_FOLDER")
    return _Folder(paths, loop=config.loop)


def _read_file(path: Path) -> Grabbed:
    """Read one picture; one that cannot be read is an empty one, which the camera counts as broken."""
    if path.suffix.lower() in _JPEGS:
        try:
            return read_regular(path, BYTES_MAX + 1, links=True)
        except OSError:
            return b""
    image = cv2.imread(str(path), cv2.IMREAD_COLOR) if path.is_file() else None
    return b"" if image is None else image.astype(np.uint8, copy=False)
