"""A camera over the layout that deals, from a seed: the real driver and follower, and an eye that errs.

Its pictures say nothing, so that none has to be drawn: what a reader would make of them the eye says. They
are JPEG all the same, taken apart as a camera's; what comes of them goes to the table as from a real one.
"""

from random import Random
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from controller.acts.catalogue import CardSeen
from controller.config.cameras import CameraSection
from controller.devices.cameras.frame_follower import FrameFollower, FrameResult
from controller.devices.cameras.setup import camera_config, camera_plan, camera_presence
from controller.domain.errors import DeviceError
from controller.engine.state import Seen, TableState
from controller.ports import Clock, ReportSink, Tap
from controller.runtime.door.items import DeviceItem
from controller.simulation.erring_eye import TOLD, ErringEye, errors_at
from controller.simulation.laid_cards import LaidCard
from drivers.camera import Camera
from drivers.camera.camera_pictures import encode
from drivers.device_driver import DeviceLost

CameraFault = Literal[
    "look lost", "look late", "look doubled", "picture broken", "hand over", "misread", "camera out"
]
"""A look that never comes · comes late, with those behind it · twice · a picture that is cut short · a hand
over boxes · the next card told as another one · the cable is pulled."""

SIDE_PX: Final = 16
LATE: Final = 4
"""So many looks on average wait behind a late one."""
HAND_MS: Final = (300, 4000)


class SeededCamera:
    """The camera of one table. `open` gives the driver of a program that has come up."""

    def __init__(self, chance: Random, seed: int) -> None:
        """Begin plugged in; the height of its cards follows from the seed."""
        self._chance = chance
        own = Random(f"camera {seed}")
        self.eye = ErringEye(own, errors_at(own.choice([*TOLD])))
        self.plugged = True
        self._ids: dict[str, int] = {}
        self._before: dict[int, int] = {}
        self._next: CameraFault | None = None
        self._late: list[DeviceItem] = []
        self._away_ms = 0
        self._lying: dict[int, LaidCard] = {}
        self._pixels = own.randbytes(SIDE_PX * SIDE_PX * 3)

    def open(self, section: CameraSection, clock: Clock, post: ReportSink, tap: Tap | None) -> Camera:
        """The driver, not open yet; what follows its pictures begins anew."""
        self._clock = clock
        self._before = {**self._before, **self.eye.tracks}
        self.eye.forget()
        self._late.clear()
        plan = camera_plan(section, lambda _at: None)
        self._follower = FrameFollower(self._track, plan)
        changed = camera_presence(section, clock, post).changed
        return Camera(
            camera_config(section), clock, connect=lambda _: _Pictures(self), changed=changed, tap=tap
        )

    def fault(self, what: CameraFault) -> None:
        """Let it happen to the next look, or from now on."""
        match what:
            case "hand over":
                self.eye.covered = frozenset(self._chance.sample(range(8), self._chance.randint(1, 4)))
                self._away_ms = self._clock.mono_ns() // 1_000_000 + self._chance.randint(*HAND_MS)
            case "misread":
                self.eye.misreads_next = True
            case "camera out":
                self.plugged = False
            case _:
                self._next = what

    def looks(self, driver: Camera, lying: dict[int, LaidCard]) -> list[DeviceItem]:
        """What the newest picture says to the table of the cards that lie there; nothing where it is old."""
        self._lying = lying
        frame = driver.latest()
        if frame is None or frame.number <= self._follower.number:
            return []
        found = list(self._follower.take(frame, self._clock.mono_ns()))
        match self._taken_fault():
            case "look lost":
                return []
            case "look doubled":
                return found + found
            case "look late":
                self._late += found
                return []
        if self._late and self._chance.random() > 1 / LATE:
            # A camera's looks keep their order.
            self._late += found
            return []
        found, self._late = self._late + found, []
        return found

    def note(self, state: TableState) -> None:
        """The program has come up: what it knows it was told before tracks were counted anew."""
        for fact in state.log:
            if isinstance(fact.obs, CardSeen):
                self._number(fact.obs.id or "", self._before)
        self._before = {}

    def number_of(self, seen: Seen) -> int:
        """See `CardNumber`."""
        return self._number(seen.obs.id or "", self.eye.tracks)

    def _number(self, name: str, tracks: dict[int, int]) -> int:
        """By the name that the table was told; a name stays with its card."""
        if name.startswith("camera:"):
            return self._ids.setdefault(name, tracks.get(int(name.split(".")[2]), 0))
        return 0

    def grab(self) -> bytes:
        """The next picture. Raises `DeviceLost` where the cable is out."""
        if not self.plugged:
            raise DeviceLost("NO_PICTURE")
        picture = encode(np.frombuffer(self._pixels, np.uint8).reshape(SIDE_PX, SIDE_PX, 3))
        return picture[: len(picture) // 2] if self._taken_fault("picture broken") else picture

    def _taken_fault(self, only: CameraFault | None = None) -> CameraFault | None:
        """The fault that is due now: `only` this one, or any of a look."""
        found = self._next
        if found is None or (found == "picture broken") != (only is not None):
            return None
        self._next = None
        return found

    def _track(self, _image: NDArray[np.uint8], mono_ns: int) -> FrameResult:
        if self._clock.mono_ns() // 1_000_000 >= self._away_ms:
            self.eye.covered = frozenset()
        return FrameResult((), felt=self.eye.look(mono_ns // 1_000_000, self._lying))


class _Pictures:
    """The camera as its driver has it; see `Grabber`."""

    paced = True
    finite = False
    watched = False

    def __init__(self, camera: SeededCamera) -> None:
        if not camera.plugged:
            raise DeviceError("DEVICE_OPEN_FAILED", port="seeded", reason="NOT_THERE")
        self._camera = camera

    def grab(self) -> bytes:
        return self._camera.grab()

    def close(self) -> None:
        """A drawn picture holds nothing open."""
