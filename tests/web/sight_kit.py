"""A camera over a small drawn felt whose reader can be made to err; all that follows is real."""

import time
from collections.abc import Callable

from controller.devices.cameras.setup import CameraPlan, CircleZone, circle_zones
from controller.devices.cameras.snapshots import CameraSnapshots, TrackedCamera
from controller.devices.cameras.tracker import CameraTracker
from controller.ports import Clock, Frame, Health
from tests.vision.tracking.stage_kit import CARD, Lay, Stage
from vision.geometry import Image
from vision.reading import PointPx, Reading

PERIOD_S = 0.03
BOX_1 = circle_zones((CircleZone(0, 300, 40, 50), CircleZone(1, 90, 140, 70), CircleZone(2, 250, 150, 60)))


def at(box: int, name: str, place: int = 0) -> Lay:
    """A card in its box, or at the dealer's (0), beside those that lie there."""
    x, y = {0: (270, 20), 1: (50, 110), 2: (210, 120)}[box]
    return Lay(name, x + place * (CARD[0] + 4), y)


class Hinting:
    """Reads patches, and takes every unreadable index for `rank` with probability `p`."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self.rank: str | None = None
        self.p = 0.0

    def read(self, image: Image, *_: float | None) -> Reading:
        reading = self._stage.reader.read(image)
        spots = tuple(spot._replace(rank=self.rank, p=self.p) for spot in reading.unclear)
        return reading._replace(unclear=spots)

    def forget(self, moved: Callable[[PointPx], bool]) -> None:
        """Remember nothing."""


class StageCamera:
    """A `FrameSource` that shows what lies on the stage now."""

    def __init__(self) -> None:
        self.stage = Stage()
        self.reader = Hinting(self.stage)
        self.plan = CameraPlan("camera", BOX_1, 60, 0.98)
        self.dark = False
        self._number = 0

    def lay(self, *lays: Lay) -> None:
        self.stage.lays = [*self.stage.lays, *lays]

    def misread(self, was: str, seen: str) -> None:
        """From now on this card is read as another one; a card laid beside it has it read anew."""
        self.stage.reader.err = lambda card, _: (
            card._replace(rank=seen[:-1], suit=seen[-1]) if f"{card.rank}{card.suit}" == was else card
        )

    def sights(self, clock: Clock) -> tuple[CameraSnapshots, CameraTracker]:
        """The screens' eye, with a watcher that has seen nothing yet."""
        self._clock = clock
        sight = CameraTracker(self.reader)
        return CameraSnapshots(clock, (TrackedCamera("camera", BOX_1, sight),)), sight

    def wait(self, after: int, timeout_s: float) -> Frame | None:
        time.sleep(timeout_s if self.dark else PERIOD_S)
        if self.dark:
            return None
        self._number = max(self._number, after) + 1
        return Frame(self.stage.picture(), self._clock.mono_ns(), self._number)

    def open(self) -> None: ...

    def latest(self) -> Frame | None:
        return self.wait(0, 0.1)

    def close(self) -> None: ...

    def health(self) -> Health:
        return Health("camera", "camera", "live", "none", 40, "")

    def acknowledge(self) -> None: ...
