"""A camera over the layout that deals, from a seed: real driver, decoder and follower, and an eye that errs.

Its pictures say nothing, so that none has to be drawn: what a reader would make of them the eye says. They
are JPEG all the same, taken apart as a camera's; what comes of them goes to the table as from a real one.
"""

from random import Random
from typing import Final, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from controller.acts.catalogue import CardSeen
from controller.config import CameraSection
from controller.devices.cameras.follower import FrameFollower, FrameResult
from controller.devices.cameras.setup import camera_config, camera_plan, camera_presence
from controller.domain import DeviceError
from controller.engine.state import Seen, TableState
from controller.ports import ReportSink, Tap
from controller.runtime.inbox import DeviceItem
from controller.simulation.cameras import READ_SHARE, ErringEye, errors_at
from controller.simulation.felt import LaidCard
from drivers.camera import Camera, CameraConfig, Grabber, open_confined
from drivers.camera.pictures import encode
from tests.whole.devices.seeded_decoder import DecoderFault, SeededDecoder
from tests.whole.seeded_loop import SeededClock

CameraFault = Literal[
    "look lost",
    "look late",
    "look doubled",
    "picture broken",
    "hand over",
    "misread",
    "camera out",
    DecoderFault,
]
"""A look that never comes · comes late, with those behind it · twice · a picture that is cut short · a hand
over boxes · the next card read as another one · the cable is pulled · what can befall its decoder."""

DECODER: Final[tuple[DecoderFault, ...]] = get_args(DecoderFault)

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
        self.eye = ErringEye(own, errors_at(own.choice([*READ_SHARE])))
        self.plugged = True
        self._ids: dict[str, int] = {}
        self._before: dict[int, int] = {}
        self._next: CameraFault | None = None
        self._late: list[DeviceItem] = []
        self._away_ms = 0
        self._lying: dict[int, LaidCard] = {}
        self._pixels = own.randbytes(SIDE_PX * SIDE_PX * 3)

    def open(self, section: CameraSection, clock: SeededClock, post: ReportSink, tap: Tap | None) -> Camera:
        """The driver, not open yet; what follows its pictures begins anew."""
        self._clock = clock
        self._before = {**self._before, **self.eye.tracks}
        self.eye.forget()
        self._late.clear()
        plan = camera_plan(section, lambda _at: None)
        self._follower = FrameFollower(self._track, plan)
        changed = camera_presence(section, clock, post).changed
        return Camera(camera_config(section), clock, connect=self._connect, changed=changed, tap=tap)

    def _connect(self, config: CameraConfig) -> Grabber:
        """As live, but for the process of the decoder."""

        def start() -> SeededDecoder:
            return SeededDecoder(lambda: _Pictures(self), self._decoder_fault, self._clock.move, self._chance)

        return open_confined(config, start)

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
        match self._taken_fault("look lost", "look late", "look doubled"):
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
        """The program has come up: what it knows was reported before tracks were counted anew."""
        for fact in state.log:
            if isinstance(fact.obs, CardSeen):
                self._number(fact.obs.id or "", self._before)
        self._before = {}

    def number_of(self, seen: Seen) -> int:
        """The true number of a card that was reported."""
        return self._number(seen.obs.id or "", self.eye.tracks)

    def _number(self, name: str, tracks: dict[int, int]) -> int:
        """By the name in the report; a name stays with its card."""
        if name.startswith("camera:"):
            return self._ids.setdefault(name, tracks.get(int(name.split(".")[2]), 0))
        return 0

    def grab(self) -> bytes | None:
        """The next picture, none where the cable is out."""
        if not self.plugged:
            return None
        picture = encode(np.frombuffer(self._pixels, np.uint8).reshape(SIDE_PX, SIDE_PX, 3))
        return picture[: len(picture) // 2] if self._taken_fault("picture broken") else picture

    def _taken_fault(self, *kinds: CameraFault) -> CameraFault | None:
        """The fault that is due now, where it is one of these."""
        if self._next not in kinds:
            return None
        found, self._next = self._next, None
        return found

    def _decoder_fault(self) -> DecoderFault | None:
        found = next((kind for kind in DECODER if kind == self._next), None)
        self._next = None if found else self._next
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

    def grab(self) -> bytes | None:
        return self._camera.grab()

    def close(self) -> None:
        """A drawn picture holds nothing open."""
