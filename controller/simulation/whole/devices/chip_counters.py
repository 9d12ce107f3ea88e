"""What counts the chips of a seeded table: a tray that sends lines of text, or an RFID reader (LLRP)."""

from typing import Final, Protocol

from controller.simulation.whole.devices.seeded_wire import SeededWire
from controller.simulation.whole.seeded_loop import SeededClock
from drivers.simulated.rfid_reader import CIRCLES, WORTH, SimulatedRfidReader
from drivers.simulated.text_device import SimulatedTextDevice

RFID_SECTION: Final[dict[str, object]] = {
    "kind": "llrp",
    "values": WORTH,
    "antennas": [
        {"antenna": one.antenna, "box": one.box, "seat": one.seat}
        for one in CIRCLES
        if not one.payout and one.seat < 2
    ],
}
"""What a configuration says of the reader besides its name and port; two bettors of a box have antennas."""


class ChipCounter(Protocol):
    """The far end of a line on which chips are reported."""

    def live(self) -> None:
        """Give a sign of life."""
        ...

    def lay(self, box: int, seat: int, amount: int) -> None:
        """Report what lies in a circle now, in minor units."""
        ...


class TrayCounter:
    """A tray with pads in the circles."""

    def __init__(self, line: SeededWire) -> None:
        """Begin with empty circles."""
        self._device = SimulatedTextDevice(line)

    def live(self) -> None:
        """See `ChipCounter.live`."""
        self._device.say("ALIVE")

    def lay(self, box: int, seat: int, amount: int) -> None:
        """See `ChipCounter.lay`."""
        self._device.say("STAKE", f"{box}:{seat}:{amount}:1000")


class RfidCounter:
    """Antennas below the circles."""

    def __init__(self, line: SeededWire, clock: SeededClock) -> None:
        """Begin with empty circles, and not set up."""
        self._reader = SimulatedRfidReader(line, setup_s=0, uptime_ns=clock.mono_ns)
        line.opened = self._reader.connect

    def live(self) -> None:
        """See `ChipCounter.live`; a host that has asked for something is answered."""
        self._reader.answer()
        self._reader.report_alive()

    def lay(self, box: int, seat: int, amount: int) -> None:
        """See `ChipCounter.lay`."""
        self._reader.answer()
        self._reader.lay(box, seat, amount)
