"""A running driver with the list of what it posted, for the tests of this folder."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise

from controller.ports import ByteStream, SystemClock, Tap
from drivers.device_driver import DeviceChanged, LifePolicy
from drivers.line import SerialStream
from drivers.shoe.reader import SerialShoe, ShoeEvent, ShoeProtocol

QUICK = LifePolicy(backoff_ms=20, backoff_ms_max=50)


class HandClock:
    """Stands still until a test moves it."""

    def __init__(self) -> None:
        self.now_ms = 0

    def mono_ns(self) -> int:
        return self.now_ms * 1_000_000

    def utc_us(self) -> int:
        return self.now_ms * 1000


def until(condition: Callable[[], bool], timeout_s: float = 30.0) -> bool:
    """Wait until the condition holds; False when it never did."""
    end = time.monotonic() + timeout_s
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.005)
    return True


class Heard:
    """What a driver posted, in order."""

    def __init__(self) -> None:
        self.events: list[ShoeEvent] = []

    def post(self, event: ShoeEvent, _: int) -> None:
        self.events.append(event)

    def said(self) -> list[ShoeEvent]:
        """Everything but the line coming and going."""
        return [event for event in self.events if not isinstance(event, DeviceChanged)]

    def states(self) -> list[str]:
        return [event.state for event in self.events if isinstance(event, DeviceChanged)]


@contextmanager
def running(
    port: str,
    protocol: ShoeProtocol,
    *,
    connect: Callable[[str, int], ByteStream] = SerialStream,
    life: LifePolicy = QUICK,
    tap: Tap | None = None,
) -> Iterator[tuple[SerialShoe, Heard]]:
    """Run a driver on `port` until the block ends; it is live when the block begins."""
    heard = Heard()
    clock = SystemClock()
    driver = SerialShoe("shoe", port, protocol, heard.post, clock, connect=connect, life=life, tap=tap)
    driver.open()
    try:
        assert until(lambda: heard.states()[-1:] == ["live"]), driver.health()
        yield driver, heard
    finally:
        driver.close()


def cut(data: bytes, places: list[int]) -> list[bytes]:
    """Cut bytes at the given places, whatever they are."""
    edges = [0, *sorted(place % (len(data) + 1) for place in places), len(data)]
    return [data[start:end] for start, end in pairwise(edges)]
