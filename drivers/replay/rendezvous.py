"""Where a replay and the thread of a driver meet: one event of the recording is handed over at a time."""

import threading
from typing import Final, Literal, NamedTuple

from drivers.replay.clock import ReplayClock

STUCK_S: Final = 5.0
"""A driver that does not come back for more after this long is taken for dead."""

LOOKS: Final = 8
"""So often a driver without a line looks at its clock in a few turns; by then it has said what it has to."""


Door = Literal["connect", "read"]
"""Where a driver asks: it wants to open the device, or to hear it."""


class Opens(NamedTuple):
    """The line can be opened."""


class Breaks(NamedTuple):
    """It cannot be opened for this reason, or breaks when it is open."""

    reason: str


ReplayEvent = Opens | Breaks | bytes
"""What happens to a device; bytes are what it says, or one picture."""


class Rendezvous:
    """Hands one event at a time to a driver's thread and waits until the driver asks for the next."""

    def __init__(self, clock: ReplayClock) -> None:
        """`clock` is the driver's alone."""
        self._clock = clock
        self._meet = threading.Condition()
        self._asked: Door | None = None
        self._given: ReplayEvent | None = None
        self._closed = False

    def ask(self, where: Door) -> ReplayEvent:
        """Wait for what happens next; called by the driver. Once it is closed, everything breaks."""
        with self._meet:
            self._asked = where
            self._meet.notify_all()
            self._meet.wait_for(lambda: self._given is not None or self._closed)
            given, self._given, self._asked = self._given, None, None
            self._meet.notify_all()
        return Breaks("ENDED") if given is None else given

    def give(self, where: Door, event: ReplayEvent) -> bool:
        """Let it happen to a driver that asks there; False when the driver does not come to ask."""
        with self._meet:
            if not self._meet.wait_for(lambda: self._asked == where, STUCK_S):
                return False
            looks = self._clock.looks
            self._given = event
            self._meet.notify_all()
            self._meet.wait_for(lambda: self._given is None, STUCK_S)
        return self._settled(looks)

    def close(self) -> None:
        """Let the driver's thread go."""
        with self._meet:
            self._closed = True
            self._meet.notify_all()

    def _settled(self, looks: int) -> bool:
        """Wait until the driver asks again or, having lost its line, has gone round a few times."""
        for _ in range(round(STUCK_S / 0.01)):
            with self._meet:
                if self._meet.wait_for(lambda: self._asked is not None, 0.01):
                    return True
            if self._clock.looks - looks >= LOOKS:
                return True
        return False
