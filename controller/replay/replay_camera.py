"""A recorded camera: its pictures through the live table's driver, watcher and reader."""

from collections.abc import Callable
from typing import Final

from controller.config.cameras import ADDRESS, CameraSection
from controller.main.cameras import camera_news, driver_config, zones_of
from controller.main.sight import Sight
from controller.ports import Report
from controller.recording.reader import Recorded
from controller.replay.differences import ReplayDifference
from controller.replay.lifecycle_marks import apply_mark, mark_of
from controller.runtime.api import NameCard
from controller.runtime.fusion import Look
from controller.runtime.watch import PICTURE_MS, WatchPlan, alarms, place
from drivers.camera import Camera
from drivers.replay import ReplayClock, ReplayPictures

PICTURE_NS: Final = PICTURE_MS * 1_000_000


class ReplayedCamera:
    """Every recorded picture is looked at; the live table looked at those that it had the time for."""

    def __init__(
        self,
        section: CameraSection,
        sight: Sight,
        start: Recorded,
        post: Callable[[Report], None],
        look: Callable[[Look], None],
    ) -> None:
        """Begin at the first thing that was recorded of it."""
        clock = ReplayClock(start.mono_ns, start.utc_ns // 1000)
        self._pictures = ReplayPictures(clock, watched=is_live(section.source))
        config, news = driver_config(section), camera_news(section, clock, post)
        self._camera = Camera(config, clock, connect=self._pictures.connect, changed=news)
        self._plan = WatchPlan(section.name, zones_of(section), section.read_every_ms, section.certain)
        self._sight, self._post, self._look = sight, post, look
        self._seen = self._next_ns = self._look_ns = 0
        self._camera.open()

    def take(self, recorded: Recorded, t: float) -> list[ReplayDifference]:
        """See `Device.take`."""
        mono_ns = recorded.mono_ns
        if recorded.kind == "mark":
            followed = apply_mark(self._pictures, mono_ns, mark_of(recorded))
        else:
            is_open = self._pictures.is_open or self._pictures.opens(mono_ns)
            followed = is_open and self._pictures.hears(mono_ns, recorded.data)
            self._see(mono_ns)
        return [] if followed else [ReplayDifference(t, "NOT_TAKEN", recorded.source)]

    def name_card(self, action: NameCard, who: str) -> None:
        """Tell the watcher which card lies there."""
        self._sight.name_card(action, self._plan.box_at, who)

    def close(self) -> None:
        """See `Device.close`."""
        self._pictures.end()
        self._camera.close()

    def _see(self, mono_ns: int) -> None:
        """Follow the newest picture as `controller.runtime.watch.watch` does."""
        frame = self._camera.latest() if mono_ns >= self._next_ns else None
        if frame is None or frame.number == self._seen:
            return
        self._seen, self._next_ns = frame.number, mono_ns + PICTURE_NS
        view = self._sight(frame.image, frame.mono_ns)
        troubles = alarms(view, self._plan)
        if troubles:
            self._post(Report(self._plan.name, frame.mono_ns, (), troubles))
        if mono_ns >= self._look_ns:
            self._look_ns = mono_ns + self._plan.read_every_ms * 1_000_000
            self._look(Look(self._plan.name, frame.mono_ns, place(view.cards, self._plan)))


def is_live(source: str) -> bool:
    """Whether pictures can be frozen, black or blurred: those of files are what they are."""
    return ADDRESS in source or source.isdigit() or source.startswith("/dev/")
