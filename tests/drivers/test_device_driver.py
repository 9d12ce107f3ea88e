"""One device thread under every device: what fails is told, what was given up is tried again by hand."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple, Protocol

import numpy as np
import pytest

from controller.ports import Health, SystemClock
from drivers.camera import Camera, CameraConfig
from drivers.camera.pictures import Image
from drivers.line import LineDriver
from tests.drivers.drivers_kit import QUICK, until


class Verbs(Protocol):
    def open(self) -> None: ...

    def close(self) -> None: ...

    def health(self) -> Health: ...

    def acknowledge(self) -> None: ...


class FarEnd:
    """The other end of any device: says what it is told to, fails, or lets its driver wait for ever."""

    def __init__(self) -> None:
        self.says = 1
        self.fails = self.lost = self.opened = 0
        self.go_on = threading.Event()
        self.go_on.set()
        self.hangs = False
        self.inside = self.most_inside = 0

    def receive(self) -> int:
        self.inside += 1
        self.most_inside = max(self.most_inside, self.inside)
        try:
            self.hangs = not self.go_on.is_set()
            self.go_on.wait()
            self.hangs = False
            time.sleep(0.002)
        finally:
            self.inside -= 1
        if self.fails:
            self.fails -= 1
            raise RuntimeError("a fault of the driver's own")
        return self.says


class Line:
    def __init__(self, far: FarEnd) -> None:
        self.far = far

    def read(self) -> bytes:
        if self.far.lost:
            self.far.lost -= 1
            raise OSError
        return bytes((self.far.receive(),))

    def write(self, data: bytes) -> None: ...

    def close(self) -> None: ...


class Numbers:
    silence_ms = 0
    messages_received = 0

    def connected(self) -> None: ...

    def feed(self, data: bytes, _now_ms: int = 0) -> list[int]:
        self.messages_received += len(data)
        return list(data)

    def poll(self, _now_ms: int) -> tuple[list[int], bytes]:
        return [], b""


class Pictures:
    paced, finite, watched = True, False, False

    def __init__(self, far: FarEnd) -> None:
        self.far = far

    def grab(self) -> Image | None:
        if self.far.lost:
            self.far.lost -= 1
            return None
        return np.full((8, 8, 3), self.far.receive(), np.uint8)

    def close(self) -> None: ...


class Running(NamedTuple):
    device: Verbs
    far: FarEnd
    states: list[str]
    said: list[int]


def line_driver(far: FarEnd, states: list[str], said: list[int]) -> Verbs:
    def post(event: object, _: int) -> None:
        said.append(event) if isinstance(event, int) else states.append(getattr(event, "state", ""))

    def connect(_port: str, _baud: int) -> Line:
        far.opened += 1
        return Line(far)

    return LineDriver("device", "port", Numbers(), post, SystemClock(), connect=connect, life=QUICK)


def camera(far: FarEnd, states: list[str], said: list[int]) -> Verbs:
    def connect(_: CameraConfig) -> Pictures:
        far.opened += 1
        return Pictures(far)

    return Camera(
        CameraConfig("device", "port", life=QUICK),
        SystemClock(),
        connect=connect,
        changed=lambda state, _: states.append(state),
        each=lambda image, _: said.append(int(image[0, 0, 0])),
    )


@pytest.fixture(params=[line_driver, camera], ids=["line", "camera"])
def running(request: pytest.FixtureRequest) -> Iterator[Running]:
    make: Callable[[FarEnd, list[str], list[int]], Verbs] = request.param
    with opened(make) as made:
        yield made


@contextmanager
def opened(make: Callable[[FarEnd, list[str], list[int]], Verbs]) -> Iterator[Running]:
    far, states, said = FarEnd(), list[str](), list[int]()
    device = make(far, states, said)
    device.open()
    try:
        assert until(lambda: bool(said))
        yield Running(device, far, states, said)
    finally:
        far.go_on.set()
        device.close()


failing = pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")


@failing
def test_a_driver_that_fails_is_a_fault_and_works_again_when_acknowledged(running: Running) -> None:
    device, far, states, said = running
    for number in (2, 3):
        far.fails = 1
        assert until(lambda: states[-1] == "fault")
        assert (device.health().state, device.health().detail) == ("fault", "CRASHED")
        far.says = number
        device.acknowledge()
        assert until(lambda: said[-1] == number), device.health()  # noqa: B023 - asked within the turn
    assert states == ["live", "fault", "live", "fault", "live"]


@failing
def test_a_driver_that_failed_works_again_when_acknowledged_and_opened(running: Running) -> None:
    device, far, states, said = running
    far.fails = 1
    assert until(lambda: states[-1] == "fault")
    device.acknowledge()
    device.open()
    far.says = 4
    assert until(lambda: said[-1] == 4), device.health()
    assert far.most_inside == 1


@failing
def test_a_driver_that_failed_works_again_when_closed_opened_and_acknowledged(running: Running) -> None:
    device, far, states, said = running
    far.fails = 1
    assert until(lambda: states[-1] == "fault")
    device.close()
    device.open()
    assert device.health().state == "fault"
    device.acknowledge()
    far.says = 5
    assert until(lambda: said[-1] == 5), device.health()


def test_what_keeps_breaking_is_given_up_and_acknowledged_alike(running: Running) -> None:
    device, far, states, said = running
    far.lost = 100
    assert until(lambda: states[-1] == "fault")
    far.lost, far.says = 0, 6
    tries = far.opened
    device.acknowledge()
    assert until(lambda: said[-1] == 6)
    assert far.opened == tries + 1


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("drivers.device_driver.CLOSE_S_MAX", 0.2)


@pytest.mark.usefixtures("impatient")
def test_a_driver_that_does_not_come_back_is_left_alone_and_says_nothing_more(running: Running) -> None:
    """A camera's driver can hang in the system for minutes: the program ends, or goes on, without it."""
    device, far, states, said = running
    far.go_on.clear()
    assert until(lambda: far.hangs)
    began = len(said)
    device.close()
    assert device.health().state == "absent"
    far.says = 7
    far.go_on.set()
    assert until(lambda: far.inside == 0)
    time.sleep(0.1)
    assert (said[began:], states) == ([], ["live"])


@pytest.mark.usefixtures("impatient")
def test_a_driver_that_is_opened_while_its_last_thread_still_hangs_serves_the_device_once(
    running: Running,
) -> None:
    device, far, _, said = running
    far.go_on.clear()
    assert until(lambda: far.hangs)
    device.close()
    device.open()
    far.says = 8
    far.go_on.set()
    assert until(lambda: said[-1] == 8)
    assert far.most_inside == 1


def test_what_is_open_is_not_opened_twice(running: Running) -> None:
    device, far, _, said = running
    device.open()
    device.open()
    far.says = 9
    assert until(lambda: said[-1] == 9)
    assert (far.most_inside, far.opened) == (1, 1)
