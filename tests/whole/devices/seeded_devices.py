"""The devices of a seeded table: the live table's own drivers, on its loop, in front of seeded far ends."""

from collections import deque
from random import Random

from controller.config import ShoeSection, TableConfig
from controller.devices.shoes import shoe_reader
from controller.ports import Health, StartWork, Tap, Turns, Work
from controller.runtime.inbox import DeviceItem
from controller.simulation.felt import World
from drivers.camera import Camera
from drivers.device_driver import DeviceDriver
from drivers.shoe.reader import SerialShoe
from tests.whole.devices.seeded_camera import SeededCamera
from tests.whole.devices.seeded_inputs import SeededInputs
from tests.whole.devices.seeded_wire import SeededWire
from tests.whole.seeded_loop import SeededClock


class SeededDevices:
    """Far ends that outlive the program, and the drivers of the one that runs; `reports` is to be taken."""

    def __init__(
        self,
        wire: SeededWire | None,
        camera: SeededCamera | None,
        small: SeededInputs | None,
        chance: Random,
    ) -> None:
        """Nothing is open yet; `wire` is the shoe's."""
        self.wire, self.camera, self.small, self._chance = wire, camera, small, chance
        self.reports = deque[DeviceItem]()
        self.felt: World | None = None
        """What a camera looks at."""
        self._drivers: list[DeviceDriver] = []
        self._works: list[Work] = []

    def make(self, config: TableConfig, clock: SeededClock, session: str, tap: Tap | None) -> None:
        """Make the drivers of a program that comes up; none is open yet."""
        self._drivers, self._works = [], []
        self._shoe: SerialShoe | None = None
        self._eye: Camera | None = None
        post = self.reports.append
        if self.wire is not None:
            section = config.shoe or ShoeSection(port=self.wire.port)
            self._shoe = shoe_reader(section, clock, session, post, tap, connect=self.wire.open)
            self._drivers.append(self._shoe)
        if self.camera is not None:
            self._eye = self.camera.open(config.table_cameras[0], clock, post, tap)
            self._drivers.append(self._eye)
        if self.small is not None:
            self._drivers += self.small.make(config, clock, tap)

    def open(self, start: StartWork) -> None:
        """Open them."""

        def started(name: str, turns: Turns) -> Work:
            self._works.append(work := start(name, turns))
            return work

        for driver in self._drivers:
            driver.open(started)

    def health(self) -> tuple[Health, ...]:
        """How each device is now."""
        return tuple(driver.health() for driver in self._drivers)

    def wake(self) -> None:
        """Let each take its next turn now."""
        for work in self._works:
            work.wake()

    @property
    def waits(self) -> bool:
        """Whether bytes are on their way to a driver."""
        lines = (self.wire, *(() if self.small is None else self.small.wires))
        return any(one is not None and one.plugged and one.waits for one in lines)

    def look(self) -> None:
        """Report what the camera's newest picture shows."""
        if self.camera is not None and self._eye is not None and self.felt is not None:
            self.reports.extend(self.camera.looks(self._eye, self.felt.lying_cards()))

    def some(self) -> list[DeviceItem]:
        """So many reports as the table finds waiting at once."""
        count = self._chance.randint(1, len(self.reports))
        return [self.reports.popleft() for _ in range(count)]

    def acknowledge(self) -> None:
        """Let what was given up be tried again."""
        for driver in self._drivers:
            driver.acknowledge()

    def close(self) -> None:
        """Close them all."""
        for driver in self._drivers:
            driver.close()
