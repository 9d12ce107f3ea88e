"""The grab thread and its mailbox, which holds only the newest picture.

OpenCV's own buffer would hand out old pictures to a slow reader.
"""

import threading
from collections import Counter
from collections.abc import Callable
from typing import Final

from controller.domain.errors import DeviceError
from controller.ports.clock import Clock
from controller.ports.frames import Frame
from controller.ports.sources import DeviceState, Health
from drivers.camera.config import CameraConfig, Grabber, Image
from drivers.camera.sources import open_source
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
    ) -> None:
        """`changed(state, reason)` is called from the thread each time the camera comes or goes.

        `reference` is a picture taken when the camera was calibrated: a moved camera is measured against it.
        """
        self._config = config
        self._clock = clock
        self._connect = connect
        self._changed = changed
        self._life = Lifecycle(config.life)
        self._watch = PictureWatch(reference)
        self._grabber: Grabber | None = None
        self._frame: Frame | None = None
        self._taken = 0
        self._ended = False
        self._counts: Counter[str] = Counter()
        self._detail = ""
        self._told: DeviceState | None = None
        self._mail = threading.Condition()
        self._talk = threading.RLock()
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    def open(self) -> None:
        """See `FrameSource.open`."""
        if self._thread is None:
            self._stop.clear()
            self._thread = threading.Thread(target=self._run, name=f"camera {self._config.name}", daemon=True)
            self._thread.start()

    def latest(self) -> Frame | None:
        """See `FrameSource.latest`."""
        with self._mail:
            return self._take()

    def wait(self, after: int, timeout_s: float) -> Frame | None:
        """See `FrameSource.wait`."""
        with self._mail:
            self._mail.wait_for(lambda: self._frame is not None and self._frame.number > after, timeout_s)
            newer = self._frame is not None and self._frame.number > after
            return self._take() if newer else None

    def close(self) -> None:
        """See `FrameSource.close`."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join(CLOSE_S_MAX)
            self._thread = None
        self._forget()

    def health(self) -> Health:
        """See `FrameSource.health`; counters: frames grabbed, dropped (never looked at), opened.

        A camera whose driver blocks cannot say itself that it is stale: whoever asks finds out, and tells.
        """
        self._pass_time()
        config, counters = self._config, tuple(sorted(self._counts.copy().items()))
        age_ms = self._life.age_ms(self._now_ms())
        return Health(config.name, "camera", self._life.state, config.source, age_ms, self._detail, counters)

    def acknowledge(self) -> None:
        """Let a camera that was given up be tried again."""
        self._life.step("acknowledge", self._now_ms())

    def _take(self) -> Frame | None:
        """Hand out the picture in the mailbox; it stays there for the next reader."""
        if self._frame is not None:
            self._taken = self._frame.number
        return self._frame

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
            self._life.step("missing" if self._detail == "NOT_THERE" else "failed", self._now_ms())
            return
        self._detail = "OPENED"
        self._counts["opened"] += 1
        self._life.step("opened", self._now_ms())

    def _grab(self, grabber: Grabber) -> None:
        image = grabber.grab()
        now_ns = self._clock.mono_ns()
        if image is None:
            self._ended = grabber.finite
            self._detail = "ENDED" if self._ended else "NO_PICTURE"
            self._drop()
            self._forget()
            self._life.step("lost", now_ns // 1_000_000)
            return
        self._judge(image, grabber, now_ns)
        if not grabber.paced:
            self._stop.wait(1 / (self._config.fps or 30))

    def _judge(self, image: Image, grabber: Grabber, now_ns: int) -> None:
        """Pass a good picture on; a worthless one is no sign of life, and the camera becomes stale."""
        now_ms = now_ns // 1_000_000
        fault = self._watch.judge(image, now_ms) if grabber.watched else ""
        if fault:
            self._detail = fault
            self._counts[fault] += 1
            return
        self._detail = "OPENED"
        self._life.step("heard", now_ms)
        self._post(image, now_ns)

    def _post(self, image: Image, now_ns: int) -> None:
        """Put the picture in the mailbox; the one it replaces is dropped if nobody looked at it."""
        with self._mail:
            self._counts["frames"] += 1
            number = self._counts["frames"]
            if self._frame is not None and self._taken < self._frame.number:
                self._counts["dropped"] += 1
            self._frame = Frame(image, now_ns, number)
            self._mail.notify_all()

    def _tell(self) -> None:
        """Report the state once each time it changes; opening and waiting after a loss are no news."""
        with self._talk:
            state = self._life.state
            if state == "backoff":
                state = "lost" if self._told in {None, "live", "stale"} else state
            if state in {self._told, "opening", "backoff"}:
                return
            self._told = state
            if self._changed:
                self._changed(state, self._detail)

    def _forget(self) -> None:
        with self._mail:
            self._frame = None

    def _drop(self) -> None:
        if self._grabber is not None:
            self._grabber.close()
            self._grabber = None

    def _now_ms(self) -> int:
        return self._clock.mono_ns() // 1_000_000


class RenderedCamera(Camera):
    """A camera that looks at drawn pictures, behind the same thread and mailbox as a real one.

    `draw` returns one picture (height x width x 3, BGR, uint8) and is called from the camera's thread.
    """

    def __init__(
        self,
        name: str,
        draw: Callable[[], Image],
        fps: float,
        clock: Clock,
        *,
        changed: Callable[[DeviceState, str], None] | None = None,
    ) -> None:
        config = CameraConfig(name, "rendered", fps=fps)
        super().__init__(config, clock, connect=lambda _: _Drawn(draw), changed=changed)


class _Drawn:
    """Pictures from a function."""

    paced = False
    finite = False
    watched = False

    def __init__(self, draw: Callable[[], Image]) -> None:
        self._draw = draw

    def grab(self) -> Image | None:
        return self._draw()

    def close(self) -> None:
        pass
