"""Devices that vanish from their lines, a shoe in mid-card among them, and come back: each card once."""

import threading
import time
from collections.abc import Callable
from typing import Final

import numpy as np
import pytest

from controller.ports import SystemClock
from drivers.device_driver import DeviceChanged, LifePolicy
from drivers.inputs import KeyPressed, TextEvent, TextLines
from drivers.line import LineDriver, SerialStream
from drivers.shoe.open_shoe import OpenShoe
from drivers.shoe.reader import CardOut, Gap
from drivers.simulated import PtyLine, SimulatedLine
from tests.drivers.drivers_kit import QUICK, running, until
from tests.drivers.far_ends.tcp_line import TcpLine
from tests.drivers.far_ends.text_device import text_line
from tests.hardware.firmware_kit import load_firmware
from tests.hardware.passages import SPACE_US, Drawn, Face, Place, Rig, by_hand
from tests.hardware.test_firmware import NoCamera

BLANK: Final = np.full((88, 63, 3), 255, np.uint8)
LINES: Final[dict[str, Callable[[], SimulatedLine]]] = {"pty": PtyLine, "socket": TcpLine}
BACK_MS: Final = 2000


class CountingReader:
    """The firmware at the far end of a line."""

    def __init__(self, line: SimulatedLine) -> None:
        self.line, self.rig = line, Rig(load_firmware(), np.random.default_rng(2), pictures=False)
        self.lock, self.stop = threading.Lock(), threading.Event()
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def draw(self, half_way: Callable[[], None] | None = None) -> None:
        """Draw a card; `half_way` happens while it is in the mouth."""
        place, sheet = by_hand(1.0), [Drawn(Face(BLANK, BLANK[..., 0]))]
        self._move(sheet, place, 0)
        gone_ms = SPACE_US / 1000
        if half_way is not None:
            half_way()
        self._move(sheet, lambda ms: place(ms + gone_ms), 80)

    def _move(self, sheet: list[Drawn], place: Place, last_ms: float) -> None:
        with self.lock:
            for _ in self.rig.draw(sheet, place, last_ms):
                pass

    def _run(self) -> None:
        began_us = time.monotonic_ns() // 1000
        while not self.stop.is_set():
            received = self.line.read(0.01)
            with self.lock:
                self.rig.now_us = max(self.rig.now_us, time.monotonic_ns() // 1000 - began_us)
                self.rig.link.receive(received, self.rig.now_us // 1000)
                sent = self.rig.link.outgoing(self.rig.now_us // 1000)
            self.line.write(sent)
            time.sleep(0.002)

    def close(self) -> None:
        self.stop.set()
        self.thread.join(5)
        self.line.close()


@pytest.mark.parametrize("make", LINES.values(), ids=LINES)
def test_each_card_is_counted_once_however_often_the_line_goes(make: Callable[[], SimulatedLine]) -> None:
    reader = CountingReader(make())
    try:
        with running(reader.line.port, OpenShoe(camera=NoCamera())) as (_, posted):

            def counted() -> int:
                return sum(isinstance(event, CardOut) for event in list(posted.events))

            for number in range(1, 5):
                reader.draw(reader.line.unplug)
                reader.draw()
                reader.line.plug()
                assert until(lambda: counted() == 2 * number), posted.events  # noqa: B023
            time.sleep(0.3)
            assert counted() == 8
            assert not any(isinstance(event, Gap) for event in posted.events)
    finally:
        reader.close()


def test_a_hub_without_power_takes_all_its_lines_and_gives_all_of_them_back() -> None:
    reader, pad = CountingReader(PtyLine()), PtyLine()
    posted: list[TextEvent | DeviceChanged] = []
    keypad: LineDriver[TextEvent] = LineDriver(
        "keys",
        pad.port,
        TextLines(),
        lambda event, _: posted.append(event),
        SystemClock(),
        connect=SerialStream,
        life=QUICK,
    )

    def states() -> list[str]:
        return [event.state for event in list(posted) if isinstance(event, DeviceChanged)]

    keypad.open()
    try:
        with running(reader.line.port, OpenShoe(camera=NoCamera())) as (_, shoe):
            reader.draw()
            pad.write(text_line("KEY", 0, "hit"))
            assert until(lambda: KeyPressed("hit") in posted)
            for line in (reader.line, pad):
                line.unplug()
            assert until(lambda: "lost" in shoe.states() and "lost" in states())
            # Devices come back in another order, so each has the name that the other had.
            for line in (pad, reader.line):
                line.plug()
            assert until(lambda: shoe.states()[-1] == states()[-1] == "live")
            reader.draw()
            pad.write(text_line("KEY", 1, "stand"))
            assert until(lambda: KeyPressed("stand") in posted)
            assert posted.count(KeyPressed("hit")) == 1
            assert until(lambda: sum(isinstance(event, CardOut) for event in list(shoe.events)) == 2)
    finally:
        keypad.close()
        pad.close()
        reader.close()


def test_whatever_has_a_line_is_tried_often_enough_to_be_back_in_two_seconds() -> None:
    assert LifePolicy().backoff_ms_max < BACK_MS
