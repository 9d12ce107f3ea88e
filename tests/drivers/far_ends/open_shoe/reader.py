"""A simulated reader of the open shoe protocol at the far end of a line."""

import threading
from collections.abc import Callable
from random import Random

from drivers.simulated import PtyLine, SimulatedLine
from tests.drivers.far_ends.open_shoe.device import OpenDevice
from tests.drivers.far_ends.open_shoe.wire import FrameType


class OpenReader:
    """A simulated reader at the far end of `line`, with a thread that keeps it talking until `close`."""

    def __init__(
        self, line: SimulatedLine, random: Random, mono_ms: Callable[[], int], *, test_mode: bool = False
    ) -> None:
        """`mono_ms` tells the device's time in milliseconds; `random` draws its boot ids."""
        self._line = line
        self._mono_ms = mono_ms
        self.device = OpenDevice(random, test_mode=test_mode)
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="simulated reader", daemon=True)
        self._thread.start()

    @property
    def port(self) -> str:
        """What the driver opens."""
        return self._line.port

    def start(self) -> None:
        """Switch the reader off and on."""
        with self._lock:
            self.device.restart(self._mono_ms())

    def deal(self, rank: str | None, suit: str | None, p: float = 1.0) -> None:
        """Let a card leave the shoe; a rank of None is a card that the reader could not read."""
        with self._lock:
            now_ms = self._mono_ms()
            self.device.card(self.device.leave(now_ms), rank, suit, p, now_ms)

    def cut_card(self) -> None:
        """Let the cut card leave the shoe."""
        with self._lock:
            now_ms = self._mono_ms()
            self.device.event(FrameType.CUT_CARD, self.device.leave(now_ms), now_ms=now_ms)

    def raw(self, data: bytes) -> None:
        """Put any bytes on the line, as they are."""
        self._line.write(data)

    def unplug(self) -> None:
        """Pull the cable; the reader goes on collecting."""
        self._line.unplug()

    def plug(self) -> None:
        """Put the cable back."""
        self._line.plug()

    def close(self) -> None:
        """End the simulation and remove the port."""
        self._stop.set()
        self._thread.join(5)
        self._line.close()

    def _run(self) -> None:
        while not self._stop.is_set():
            heard = self._line.read(0.01)
            if not heard:
                self._stop.wait(0.005)
            with self._lock:
                self.device.receive(heard, self._mono_ms())
                sent = self.device.outgoing(self._mono_ms())
            if sent:
                self._line.write(sent)


class PtyReader(OpenReader):
    """An open-protocol reader on a pseudo-terminal."""

    def __init__(self, random: Random, mono_ms: Callable[[], int]) -> None:
        """Make the reader; `mono_ms` is its own clock."""
        super().__init__(PtyLine(), random, mono_ms)
