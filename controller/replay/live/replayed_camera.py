"""A recorded camera: its pictures through the live table's driver, tracker and follower once more."""

from contextlib import suppress
from typing import Final

from controller.config.cameras import ADDRESS, CameraSection
from controller.devices.cameras.deck import ENROL, STOP
from controller.devices.cameras.frame_follower import FrameFollower, FrameSink
from controller.devices.cameras.setup import camera_config, camera_plan, camera_presence, zones_of
from controller.devices.cameras.tracker import CameraTracker
from controller.domain import DeviceError
from controller.recording.recording_reader import Recorded
from controller.replay.live.differences import ReplayDifference
from controller.replay.live.replayed_device import ReplayedDevice, clock_of
from controller.runtime.api import NameCard
from drivers.camera import Camera
from drivers.replay import ReplayPictures
from vision.calibration import Layout


class ReplayedCamera(ReplayedDevice):
    """Every recorded picture is looked at; the live table looked at those that it had the time for."""

    def __init__(
        self,
        section: CameraSection,
        tracker: CameraTracker,
        start: Recorded,
        post: FrameSink,
    ) -> None:
        """Begin at the first thing that was recorded of it; `post` hears what the table would hear."""
        clock = clock_of(start)
        self.section: Final = section
        self._pictures = ReplayPictures(clock, watched=is_live(section.source))
        presence = camera_presence(section, clock, post)
        self._camera = Camera(
            camera_config(section), clock, connect=self._pictures.connect, changed=presence.changed
        )
        self.box_at: Final = zones_of(section) if tracker.layout is None else tracker.box_at
        self.tracker: Final = tracker
        self._post = post
        self._follower = FrameFollower(tracker, camera_plan(section, self.box_at))
        super().__init__(self._pictures, self._camera)

    def take(self, recorded: Recorded, t: float) -> list[ReplayDifference]:
        """See `ReplayedDevice.take`."""
        found = super().take(recorded, t)
        if recorded.kind != "mark":
            self._look(recorded.mono_ns)
        return found

    def name_card(self, action: NameCard, who: str) -> None:
        """Tell the tracker which card lies there."""
        self.tracker.name_card(action, self.box_at, who)

    def order(self, order: str) -> None:
        """Look away while a deck is enrolled: from the order to begin on until it has ended."""
        if order in {ENROL, STOP}:
            with suppress(DeviceError):
                self.tracker.order(order)

    def look_again(self, mono_ns: int) -> None:
        """A deck was enrolled, or could not be: go on from this moment."""
        self.order(STOP)
        for recorded in self._follower.put_back(mono_ns):
            self._post(recorded)

    def give_layout(self, layout: Layout, mono_ns: int) -> None:
        """Go on by the layout that the camera was given in its place at this moment."""
        self.tracker.give_layout(layout)
        for recorded in self._follower.put_back(mono_ns):
            self._post(recorded)

    def _look(self, mono_ns: int) -> None:
        """Look at the newest picture, as `follow_frames` does on a live table."""
        frame = self._camera.latest() if mono_ns >= self._follower.due_ns else None
        if frame is not None and frame.number != self._follower.number:
            for recorded in self._follower.take(frame, mono_ns):
                self._post(recorded)


def is_live(source: str) -> bool:
    """Whether pictures can be frozen, black or blurred: those of files are what they are."""
    return ADDRESS in source or source.isdigit() or source.startswith("/dev/")
