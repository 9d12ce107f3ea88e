"""Pictures through OpenCV: V4L2 devices, video files, network streams. JPEG is taken untouched.

Both of OpenCV's backends hand a JPEG picture out undecoded when asked: FFmpeg gives the packet of a stream
or file (CAP_PROP_FORMAT -1), V4L2 the driver's buffer (CAP_PROP_CONVERT_RGB 0).
"""

import os
from collections.abc import Callable
from contextlib import suppress
from typing import Final, cast

import cv2
import numpy as np

from controller.domain import DeviceError
from drivers.camera.camera_pictures import PIXELS_MAX
from drivers.camera.config import CameraConfig, Grabbed, PictureFault, without_password
from drivers.camera.sources.capture_settings import differing, lock, read_back
from drivers.camera.sources.ffmpeg_limits import is_widened, limit_ffmpeg
from drivers.camera.sources.http_stream import SCHEMES, HttpStream, open_http

NETWORK_MS_MAX: Final = 5000
"""A stream that does not answer for so long is given up; OpenCV itself would wait half a minute."""

BUFFERS: Final = 2
"""One is filled while the other is read; each more would be an older picture."""

CHECK_EVERY: Final = 60
"""Pictures between two looks at a device's settings: two seconds at 30 pictures a second."""

_JPEG: Final = {"MJPG", "jpeg", "JPEG"}
"""What OpenCV calls motion JPEG, as four characters."""

# FFmpeg and OpenCV write a line on standard error for each try and each damaged piece, past the log. What
# matters of it stands in `health`; who looks for more sets these variables.
os.environ.setdefault("OPENCV_FFMPEG_LOGLEVEL", "-8")
limit_ffmpeg(os.environ)
if "OPENCV_LOG_LEVEL" not in os.environ:
    cv2.utils.logging.setLogLevel(cv2.utils.logging.LOG_LEVEL_ERROR)


class FfmpegCapture:
    """A network stream, or a video file that is played from its beginning again where `loop` is set."""

    def __init__(self, connect: Callable[[], cv2.VideoCapture], *, live: bool, loop: bool = False) -> None:
        """`live` is a stream, which sets its own pace and can be lost."""
        self.paced = self.watched = live
        self.finite = not live and not loop
        self._connect = connect
        self._loop = loop
        self._capture = connect()
        self._jpeg = _ask_for_jpeg(self._capture, cv2.CAP_PROP_FORMAT, -1)
        self.settings = read_back(self._capture, CameraConfig("", ""))

    def grab(self) -> Grabbed | None:
        """See `Grabber.grab`."""
        good, image = self._capture.read()
        if not good and self._loop:
            self.close()
            self._capture = self._connect()
            _ask_for_jpeg(self._capture, cv2.CAP_PROP_FORMAT, -1)
            good, image = self._capture.read()
        return _given(image, jpeg=self._jpeg) if good else None

    def close(self) -> None:
        """See `Grabber.close`."""
        self._capture.release()


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
        self.settings = read_back(capture, config)

    def grab(self) -> Grabbed | None:
        """See `Grabber.grab`; SETTING_DRIFTED while something else has changed a fixed setting."""
        good, image = self._capture.read()
        if not good:
            return None
        if self._grabbed % CHECK_EVERY == 0:
            self._drifted = self._is_drifted()
        self._grabbed += 1
        if self._drifted:
            raise PictureFault("SETTING_DRIFTED")
        return _given(image, jpeg=self._jpeg)

    def close(self) -> None:
        """See `Grabber.close`."""
        self._capture.release()

    def _is_drifted(self) -> bool:
        """Compare the settings; what has drifted is set again, and has to hold until the next look."""
        if differing(self._capture, self._config) is None:
            return False
        with suppress(DeviceError):
            lock(self._capture, self._config)
        return True


def open_stream(config: CameraConfig) -> FfmpegCapture:
    """Connect to a network camera; RTSP is asked for over TCP first, which loses no piece of a picture.

    An answer that is no stream of pictures but names other addresses is refused (`ffmpeg_limits`). HTTP is
    Python's, unless the house has given FFmpeg options of its own: a format that it named may ask for more.
    """
    if is_fetched(config.source):
        return _over_http(config)
    limits = [cv2.CAP_PROP_OPEN_TIMEOUT_MSEC, NETWORK_MS_MAX, cv2.CAP_PROP_READ_TIMEOUT_MSEC, NETWORK_MS_MAX]
    return FfmpegCapture(
        lambda: _opened(cv2.VideoCapture(config.source, cv2.CAP_FFMPEG, limits), config, "NO_STREAM"),
        live=True,
    )


def is_fetched(source: str) -> bool:
    """Whether FFmpeg gets only the bytes of that stream, and needs no connection of its own."""
    return source.startswith("https://") or (source.startswith(SCHEMES) and not is_widened(os.environ))


class HttpCapture(FfmpegCapture):
    """A stream that Python fetches and FFmpeg reads."""

    def __init__(self, connect: Callable[[], cv2.VideoCapture], stream: HttpStream) -> None:
        """`connect` has FFmpeg read the stream."""
        super().__init__(connect, live=True)
        # OpenCV lets go of the stream without Python's lock: another reference has to outlive that.
        self._stream = stream

    def close(self) -> None:
        """See `Grabber.close`."""
        super().close()
        self._stream.close()


def _over_http(config: CameraConfig) -> HttpCapture:
    """Let FFmpeg read what Python fetches; raises `DeviceError` NO_STREAM."""
    try:
        stream = open_http(config.source, NETWORK_MS_MAX / 1000)
    except OSError as error:
        raise DeviceError(
            "DEVICE_OPEN_FAILED", port=without_password(config.source), reason="NO_STREAM"
        ) from error
    # OpenCV's types name a class of C++ here; it takes any stream of Python's.
    reader = cast(cv2.IStreamReader, stream)
    return HttpCapture(
        lambda: _opened(cv2.VideoCapture(reader, cv2.CAP_FFMPEG, []), config, "NO_STREAM"), stream
    )


def open_file(config: CameraConfig) -> FfmpegCapture:
    """Open a video file."""
    return FfmpegCapture(
        lambda: _opened(cv2.VideoCapture(config.source, cv2.CAP_FFMPEG), config), live=False, loop=config.loop
    )


def open_device(config: CameraConfig) -> DeviceCapture:
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
        raise DeviceError("DEVICE_OPEN_FAILED", port=without_password(config.source), reason=reason)
    width, height = (capture.get(side) for side in (cv2.CAP_PROP_FRAME_WIDTH, cv2.CAP_PROP_FRAME_HEIGHT))
    if width * height > PIXELS_MAX:
        capture.release()
        raise DeviceError("DEVICE_OPEN_FAILED", port=without_password(config.source), reason="TOO_LARGE")
    return capture


def _ask_for_jpeg(capture: cv2.VideoCapture, setting: int, value: float) -> bool:
    """Ask for undecoded pictures where they are JPEG; whether they will be."""
    coding = int(capture.get(cv2.CAP_PROP_FOURCC)).to_bytes(4, "little", signed=True)
    return coding.decode("latin-1") in _JPEG and bool(capture.set(setting, value))


def _given(image: cv2.typing.MatLike, *, jpeg: bool) -> Grabbed:
    if jpeg:
        return np.asarray(image, np.uint8).tobytes()
    return image.astype(np.uint8, copy=False)
