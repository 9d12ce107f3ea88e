"""The thread that grabs, judges and keeps the newest picture, and opens again what was lost."""

import threading
from collections import Counter
from collections.abc import Callable
from typing import Final

from controller.domain.errors import DeviceError
from controller.ports.clock import Clock
from controller.ports.frames import Frame
from controller.ports.sources import DeviceState, Health
from controller.ports.taps import Tap
from drivers.camera.config import CameraConfig, Described, Grabbed, Grabber, Image, PictureFault, shown
from drivers.camera.mailbox import Mailbox
from drivers.camera.pictures import picture_of
from drivers.camera.sources import open_source
from drivers.camera.tap import CameraTap
from drivers.camera.watch import PictureWatch
from drivers.lifecycle import Lifecycle

WAIT_S: Final = 0.02
CLOSE_S_MAX: Final = 5.0


class Camera:
    """Grabs from whatever `connect` opens and keeps the newest picture; reopens what was lost."""

    def __init__(
        self,
        config: CameraConfig,
        clock: Clock,
        *,
        connect: Callable[[CameraConfig], Grabber] = open_source,
        changed: Callable[[DeviceState, str], None] | None = None,
        reference: Image | None = None,
        tap: Tap | None = None,
        each: Callable[[Image, int], None] | None = None,
    ) -> None:
        """`changed(state, reason)` is called from the thread each time the camera comes or goes.

        `reference` is a picture taken when the camera was calibrated: a moved camera is measured against it.
        `each` is called from the thread with every good picture and its moment (mono_ns); it may raise
        `PictureFault` for one that it cannot rely on.
        """
        self._config = config
        self._clock = clock
        self._connect = connect
        self._changed = changed
        self._tap = CameraTap(tap, config)
        self._life = Lifecycle(config.life)
        self._watch = PictureWatch(reference, still=config.still)
        self._each = each
        self._mailbox = Mailbox(clock)
        self._grabber: Grabber | None = None
        self._settings: tuple[tuple[str, str], ...] = ()
        self._ended = False
        self._counts: Counter[str] = Counter()
        self._detail = ""
        self._told: DeviceState | None = None
        self._talk = threading.RLock()
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    def open(self) -> None:
        """See `FrameSource.open`."""
        if self._thread is None or not self._thread.is_alive():
            self._stop.clear()
            self._thread = threading.Thread(target=self._run, name=f"camera {self._config.name}", daemon=True)
            self._thread.start()

    def latest(self) -> Frame | None:
        """See `FrameSource.latest`; a JPEG picture is decoded in the caller's thread."""
        return self._mailbox.latest()

    def wait(self, after: int, timeout_s: float) -> Frame | None:
        """See `FrameSource.wait`; a JPEG picture is decoded in the caller's thread."""
        return self._mailbox.wait(after, timeout_s)

    def close(self) -> None:
        """See `FrameSource.close`."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join(CLOSE_S_MAX)
            self._thread = None
        self._mailbox.clear()

    def health(self) -> Health:
        """See `FrameSource.health`.

        Counters: frames posted, dropped (never looked at), opened, and each fault of a picture by its code.
        A camera whose driver blocks cannot say itself that it is stale: whoever asks finds out, and tells.
        """
        self._pass_time()
        counters = tuple(sorted((self._counts + self._mailbox.counts()).items()))
        return Health(
            self._config.name,
            "camera",
            self._life.state,
            shown(self._config.source),
            self._life.age_ms(self._now_ms()),
            self._detail,
            counters,
            self._settings,
        )

    def acknowledge(self) -> None:
        """Let a camera that was given up be tried again, also where the driver itself had failed."""
        if self._detail == "CRASHED" and self._thread is not None:
            self._thread.join(CLOSE_S_MAX)
        with self._talk:
            self._life.step("acknowledge", self._now_ms())
        if self._thread is not None:
            self.open()

    def _run(self) -> None:
        """Body of the thread. A fault of our own ends it, said aloud: a dead thread must not look alive."""
        try:
            while not self._stop.is_set():
                self._turn()
        except Exception:
            self._life.state, self._detail = "fault", "CRASHED"
            self._tell()
            raise
        finally:
            self._drop()
            self._life.step("closed", self._now_ms())

    def _turn(self) -> None:
        if self._grabber is not None:
            self._grab(self._grabber)
        elif not self._ended and self._life.due(self._now_ms()):
            self._try_open()
        else:
            self._stop.wait(WAIT_S)
        self._tell()
        self._pass_time()

    def _pass_time(self) -> None:
        with self._talk:
            self._life.tick(self._now_ms())
        self._tell()

    def _try_open(self) -> None:
        self._life.step("try", self._now_ms())
        try:
            self._grabber = self._connect(self._config)
        except DeviceError as error:
            self._detail = str(error.params.get("reason", error.code))
            refused = str(error.params.get("setting", ""))
            self._settings = (("refused", refused),) if refused else ()
            self._life.step("missing" if self._detail == "NOT_THERE" else "failed", self._now_ms())
            return
        self._settings = self._grabber.settings if isinstance(self._grabber, Described) else ()
        self._detail = "OPENED"
        self._counts["opened"] += 1
        self._life.step("opened", self._now_ms())

    def _grab(self, grabber: Grabber) -> None:
        try:
            grabbed = grabber.grab()
            now_ns = self._clock.mono_ns()
            if grabbed is None:
                self._lose(grabber.finite, now_ns // 1_000_000)
                return
            self._tap.picture(grabbed, now_ns)
            self._take(grabbed, now_ns, watched=grabber.watched)
        except PictureFault as fault:
            self._refuse(fault.code)
        if not grabber.paced:
            self._stop.wait(1 / (self._config.fps or 30))

    def _take(self, grabbed: Grabbed, now_ns: int, *, watched: bool) -> None:
        """Pass a good picture on; raises `PictureFault` for a worthless one."""
        picture, now_ms = picture_of(grabbed), now_ns // 1_000_000
        fault = self._watch.judge(picture, now_ms) if watched else ""
        if fault:
            raise PictureFault(fault)
        if self._each is not None:
            self._each(picture.full(), now_ns)
        self._detail = "OPENED"
        self._life.step("heard", now_ms)
        self._mailbox.post(picture, now_ns)

    def _refuse(self, fault: str) -> None:
        """Count a worthless picture. It is no sign of life: when no good one follows, the camera is stale."""
        self._detail = fault
        self._counts[fault] += 1

    def _lose(self, ended: bool, now_ms: int) -> None:
        self._ended = ended
        self._detail = "ENDED" if ended else "NO_PICTURE"
        self._drop()
        self._mailbox.clear()
        self._life.step("lost", now_ms)

    def _tell(self) -> None:
        """Report the state once each time it changes; opening and waiting after a loss are no news."""
        with self._talk:
            state = self._life.state
            if state == "backoff":
                state = "lost" if self._told in {None, "live", "stale"} else state
            if state in {self._told, "opening", "backoff"}:
                return
            self._told = state
            self._tap.life(state, self._detail, self._clock.mono_ns())
            if self._changed:
                self._changed(state, self._detail)

    def _drop(self) -> None:
        if self._grabber is not None:
            self._grabber.close()
            self._grabber = None

    def _now_ms(self) -> int:
        return self._clock.mono_ns() // 1_000_000
