"""A recorded camera at a shoe's mouth: every picture through the live table's driver and reader once more."""

from pathlib import Path

from controller.config.cameras import CameraSection
from controller.devices.shoes.joined_shoe import coded_mouth, naming_camera
from controller.devices.shoes.mouth_names import MouthNames
from controller.devices.shoes.shoe_mouth import shoe_mouth_camera, shoe_mouth_watcher
from controller.ports import ReportSink
from controller.recording.recording_reader import Recorded
from controller.replay.live.differences import ReplayDifference
from controller.replay.live.lifecycle_marks import apply_mark, mark_of
from controller.replay.live.replayed_camera import is_live
from drivers.replay import ReplayClock, ReplayPictures


class ReplayedShoeMouth:
    """Every recorded picture is read, as the live table has read each of them."""

    def __init__(
        self,
        section: CameraSection,
        models: Path | None,
        start: Recorded,
        session: str,
        post: ReportSink,
        *,
        names: MouthNames | None = None,
    ) -> None:
        """Begin at the first thing that was recorded of it; `session` as in `ShoeAdapter`.

        With `names` it names what a reader counts, and deals nothing by itself.
        """
        clock = ReplayClock(start.mono_ns, start.utc_ns // 1000)
        self._pictures = ReplayPictures(clock, watched=is_live(section.source))
        connect = self._pictures.connect
        if names is None:
            watcher = shoe_mouth_watcher(section, models)
            self._camera = shoe_mouth_camera(section, watcher, clock, session, post, connect=connect)
        else:
            reader = coded_mouth(section, models)
            self._camera = naming_camera(section, reader, names, clock, post, connect=connect)
        self._camera.open()

    def take(self, recorded: Recorded, t: float) -> list[ReplayDifference]:
        """See `ReplayedDevice.take`."""
        if recorded.kind == "mark":
            followed = apply_mark(self._pictures, recorded.mono_ns, mark_of(recorded))
        else:
            is_open = self._pictures.is_open or self._pictures.opens(recorded.mono_ns)
            followed = is_open and self._pictures.receives(recorded.mono_ns, recorded.data)
        return [] if followed else [ReplayDifference(t, "NOT_TAKEN", recorded.source)]

    def close(self) -> None:
        """See `ReplayedDevice.close`."""
        self._pictures.end()
        self._camera.close()
