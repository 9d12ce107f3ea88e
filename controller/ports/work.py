"""What works beside the table, and how it is started: live each on a thread of its own.

A simulation has all of it work in turns on one thread, in the order of its seed.
"""

import math
import threading
from collections.abc import Callable, Generator
from typing import Final, Protocol

UNTIL_WOKEN: Final = math.inf
"""A rest that ends when somebody has something to do."""

Turns = Generator[float, None, None]
"""Each step is one turn, which waits for nothing but its disk or device; then so many seconds of rest."""


class Work(Protocol):
    """What was started."""

    def wake(self) -> None:
        """End its rest; from any thread."""
        ...

    def join(self, within_s: float | None) -> None:
        """Wait until its turns are over, for so long at the most; None: however long it takes."""
        ...


StartWork = Callable[[str, Turns], Work]
"""Starts something; the name is for whoever looks at threads."""


class WorkThread:
    """Work on a thread of its own, which ends with the process."""

    def __init__(self, name: str, turns: Turns) -> None:
        """Start it; see `StartWork`."""
        self._woken = threading.Event()
        self._thread = threading.Thread(target=self._run, args=(turns,), name=name, daemon=True)
        self._thread.start()

    def wake(self) -> None:
        """See `Work.wake`."""
        self._woken.set()

    def join(self, within_s: float | None) -> None:
        """See `Work.join`."""
        self._thread.join(within_s)

    def _run(self, turns: Turns) -> None:
        for rest_s in turns:
            self._woken.wait(None if rest_s == UNTIL_WOKEN else rest_s)
            self._woken.clear()
