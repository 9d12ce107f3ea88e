"""A camera on its device thread: the newest picture in a mailbox, and what a recorder gets of it.

OpenCV's own buffer would hand out old pictures to a slow reader.
"""

import threading
from collections import Counter
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from functools import partial

from controller.domain import DeviceError
from controller.ports import Clock, DeviceState, Frame, Tap
from drivers.camera.decoder import open_confined
from drivers.camera.picture_monitor import PictureMonitor
from drivers.camera.pictures import (
    BYTES_MAX,
    ENCODED,
    CameraConfig,
    Grabbed,
    Grabber,
    HasSettings,
    Image,
    MakesPictures,
    Picture,
    PictureFault,
    encode,
    picture_of,
    without_password,
)
from drivers.device_driver import DeviceChanged, DeviceDriver, DeviceLost

_Posted = tuple[Picture, int, int]
"""A picture, when it was grabbed, and its number, counted from 1."""


def recorded_settings(config: CameraConfig) -> dict[str, str]:
    """Tell a recorder what a replay has to know of a camera.

    `encoded` is the comment in the JPEG pictures that are not the source's own bytes, `encoded_fps` how many
    of them there are in a second at most.
    """
    return {
        "device": "camera",
        "source": without_password(config.source),
        "width": str(config.width),
        "height": str(config.height),
        "fps": str(config.fps),
        "encoded": ENCODED.decode(),
        "encoded_fps": str(config.record_fps),
    }


class Camera(DeviceDriver):
    """Grabs from whatever `connect` opens and keeps the newest picture, as `FrameSource` asks."""

    def __init__(
        self,
        config: CameraConfig,
        clock: Clock,
        *,
        connect: Callable[[CameraConfig], Grabber] = open_confined,
        changed: Callable[[DeviceState, str], None] | None = None,
        reference: Image | None = None,
        tap: Tap | None = None,
        each: Callable[[Image, int], None] | None = None,
        turn: Callable[[], AbstractContextManager[None]] = nullcontext,
    ) -> None:
        """`changed(state, reason)` is called as `DeviceDriver._changed` each time the camera comes or goes.

        `reference` is a picture taken when the camera was calibrated: a moved camera is measured against it.
        `each` is called from the thread with every good picture and its moment (mono_ns); it may raise
        `PictureFault` for one that it cannot rely on. `turn` is entered before the moment of a picture is
        taken, and left after `each`.
        """
        super().__init__(config.name, "camera", without_password(config.source), config.life, clock, tap=tap)
        self._config = config
        self._open_grabber = connect
        self._listener = changed
        self._record_every_ns = round(1e9 / config.record_fps) if config.record_fps > 0 else 0
        self._record_due_ns = 0
        self._monitor = PictureMonitor(reference, still=config.still, placed=config.placed)
        self._each = each
        self._taking = turn
        self._grabber: Grabber | None = None
        self._newest: _Posted | None = None
        self._looked_at = 0
        """Number of the newest picture that a reader took."""
        self._changed_newest = threading.Condition()

    def latest(self) -> Frame | None:
        """Give the newest picture, None where there is none or it cannot be decoded.

        A JPEG picture is decoded in the caller's thread, and only then.
        """
        with self._changed_newest:
            posted = self._look()
        return None if posted is None else self._decoded(posted)

    def wait(self, after: int, timeout_s: float) -> Frame | None:
        """Wait for a picture with a number above `after` that can be decoded; None when none came in time."""
        end_ns = self._clock.mono_ns() + int(timeout_s * 1e9)
        while True:
            left_s = max(0, end_ns - self._clock.mono_ns()) / 1e9
            with self._changed_newest:
                newer = partial(self._is_newer, after)
                posted = self._look() if self._changed_newest.wait_for(newer, left_s) else None
            if posted is None:
                return None
            frame = self._decoded(posted)
            if frame is not None:
                return frame
            after = posted[2]

    def close(self) -> None:
        """Stop, and drop the newest picture."""
        super().close()
        self._drop_newest()

    def _counters(self) -> Counter[str]:
        """Count also frames posted, dropped (never looked at), and each fault of a picture by its code."""
        with self._changed_newest:
            return super()._counters()

    def _is_newer(self, after: int) -> bool:
        return self._newest is not None and self._newest[2] > after

    def _look(self) -> _Posted | None:
        """Hand out the newest picture; it stays for the next reader. Called under the lock."""
        if self._newest is not None:
            self._looked_at = self._newest[2]
        return self._newest

    def _decoded(self, posted: _Posted) -> Frame | None:
        picture, mono_ns, number = posted
        try:
            return Frame(picture.full(), mono_ns, number)
        except PictureFault as fault:
            self._count(fault.code)
            return None

    def _count(self, what: str) -> None:
        with self._changed_newest:
            self._counts[what] += 1

    def _drop_newest(self) -> None:
        with self._changed_newest:
            self._newest = None

    def _connect(self) -> None:
        """Open the source, and tell what it is set to, or which setting it refused."""
        try:
            grabber = self._open_grabber(self._config)
        except DeviceError as error:
            refused = str(error.params.get("setting", ""))
            self._settings = (("refused", refused),) if refused else ()
            raise
        self._settings = grabber.settings if isinstance(grabber, HasSettings) else ()
        self._grabber = grabber

    def _serve(self) -> None:
        """Grab one picture; one that is worth nothing is counted and is no sign of life."""
        grabber = self._grabber
        assert grabber is not None, "served without a source"
        try:
            grabbed = grabber.grab()
            with self._taking():
                now_ns = self._clock.mono_ns()
                if grabbed is None:
                    raise DeviceLost("ENDED" if grabber.finite else "NO_PICTURE", for_good=grabber.finite)
                if self._tap is not None:
                    self._record_picture(grabbed, now_ns)
                maker = grabber.picture if isinstance(grabber, MakesPictures) else picture_of
                self._take(maker(grabbed), now_ns, watched=grabber.watched)
        except PictureFault as fault:
            self._detail = fault.code
            self._count(fault.code)
        if not grabber.paced:
            self._pause(1 / (self._config.fps or 30))

    def _disconnect(self) -> None:
        """Give the source back; its last picture is no longer the newest."""
        self._drop_newest()
        if self._grabber is not None:
            self._grabber.close()
            self._grabber = None

    def _changed(self, change: DeviceChanged, _mono_ns: int) -> None:
        """Tell the listener."""
        if self._listener is not None:
            self._listener(change.state, change.reason)

    def _record_picture(self, grabbed: Grabbed, now_ns: int) -> None:
        """Record JPEG pictures as they came, damaged ones too; others are encoded, at most `record_fps`."""
        if isinstance(grabbed, bytes):
            if len(grabbed) <= BYTES_MAX:
                self._record("jpeg", now_ns, grabbed)
        elif self._record_every_ns and now_ns >= self._record_due_ns:
            self._record_due_ns = now_ns + self._record_every_ns
            self._record("jpeg", now_ns, encode(grabbed))

    def _take(self, picture: Picture, now_ns: int, *, watched: bool) -> None:
        """Pass a good picture on; raises `PictureFault` for a worthless one."""
        fault = self._monitor.judge(picture, now_ns // 1_000_000) if watched else ""
        if fault:
            raise PictureFault(fault)
        if self._silent:
            return
        if self._each is not None:
            self._each(picture.full(), now_ns)
        self._saw_life(now_ns)
        with self._changed_newest:
            self._counts["frames"] += 1
            if self._newest is not None and self._looked_at < self._newest[2]:
                self._counts["dropped"] += 1
            self._newest = picture, now_ns, self._counts["frames"]
            self._changed_newest.notify_all()
