"""A camera: grabs, judges and keeps the newest picture on the device thread."""

from collections import Counter
from collections.abc import Callable

from controller.domain import DeviceError
from controller.ports import Clock, DeviceState, Frame, Tap
from drivers.camera.camera_pictures import MakesPictures, Picture, picture_of
from drivers.camera.config import (
    CameraConfig,
    Grabbed,
    Grabber,
    HasSettings,
    Image,
    PictureFault,
    without_password,
)
from drivers.camera.decoder import open_confined
from drivers.camera.mailbox import Mailbox
from drivers.camera.picture_monitor import PictureMonitor
from drivers.camera.tap import PictureTap
from drivers.device_driver import DeviceConfig, DeviceDriver, DeviceLost
from drivers.lifecycle import DeviceChanged


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
    ) -> None:
        """`changed(state, reason)` is called as `DeviceDriver._changed` each time the camera comes or goes.

        `reference` is a picture taken when the camera was calibrated: a moved camera is measured against it.
        `each` is called from the thread with every good picture and its moment (mono_ns); it may raise
        `PictureFault` for one that it cannot rely on.
        """
        super().__init__(
            DeviceConfig(config.name, "camera", without_password(config.source), config.life), clock, tap
        )
        self._config = config
        self._open_grabber = connect
        self._listener = changed
        self._picture_tap = None if tap is None else PictureTap(self._record, config.record_fps)
        self._monitor = PictureMonitor(reference, still=config.still, placed=config.placed)
        self._each = each
        self._mailbox = Mailbox(clock)
        self._grabber: Grabber | None = None

    def latest(self) -> Frame | None:
        """See `FrameSource.latest`; a JPEG picture is decoded in the caller's thread."""
        return self._mailbox.latest()

    def wait(self, after: int, timeout_s: float) -> Frame | None:
        """See `FrameSource.wait`; a JPEG picture is decoded in the caller's thread."""
        return self._mailbox.wait(after, timeout_s)

    def close(self) -> None:
        """See `DeviceDriver.close`; what was the newest picture is none any more."""
        super().close()
        self._mailbox.clear()

    def _counters(self) -> Counter[str]:
        """Count also frames posted, dropped (never looked at), and each fault of a picture by its code."""
        return self._counts + self._mailbox.counts()

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
            now_ns = self._clock.mono_ns()
            if grabbed is None:
                raise DeviceLost("ENDED" if grabber.finite else "NO_PICTURE", for_good=grabber.finite)
            if self._picture_tap is not None:
                self._picture_tap(grabbed, now_ns)
            self._take(_picture(grabber, grabbed), now_ns, watched=grabber.watched)
        except PictureFault as fault:
            self._detail = fault.code
            self._counts[fault.code] += 1
        if not grabber.paced:
            self._pause(1 / (self._config.fps or 30))

    def _disconnect(self) -> None:
        """Give the source back; its last picture is no longer the newest."""
        self._mailbox.clear()
        if self._grabber is not None:
            self._grabber.close()
            self._grabber = None

    def _changed(self, change: DeviceChanged, _mono_ns: int) -> None:
        """Tell the listener."""
        if self._listener is not None:
            self._listener(change.state, change.reason)

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
        self._mailbox.post(picture, now_ns)


def _picture(grabber: Grabber, grabbed: Grabbed) -> Picture:
    """See a picture the way its source decodes it; raises `PictureFault`."""
    return grabber.picture(grabbed) if isinstance(grabber, MakesPictures) else picture_of(grabbed)
