"""One place in which something is kept elsewhere, and the thread that writes to it; the table waits for none.

What could not be kept waits and is tried again, and is an alert once. What is kept last vouches for all
before it: a place that has missed some has lost nothing when the next one arrives.
"""

import threading
from collections import deque
from collections.abc import Callable
from typing import Final, Generic, Protocol, TypeVar

WAITING_MAX: Final = 256
RETRY_S: Final = 30.0
CLOSING_S: Final = 5.0
"""How long a place may take for what waits when the program ends."""

Kept = TypeVar("Kept")
Taken_contra = TypeVar("Taken_contra", contravariant=True)


class KeptDiffers(Exception):
    """What a place holds contradicts the journal: nothing more may be written there."""


class KeepingPlace(Protocol[Taken_contra]):
    """Where something is kept elsewhere; `name` is what an alert calls it."""

    name: str

    def keep(self, item: Taken_contra, /) -> None:
        """Take one of them. Raises OSError where it was not taken, `KeptDiffers` where it must not be."""
        ...


class PlaceKeeper(Generic[Kept]):
    """One place and its thread."""

    def __init__(
        self,
        place: KeepingPlace[Kept],
        failed: Callable[[str, str], None],
        differs: Callable[[str], None],
        retry_s: float,
    ) -> None:
        """`failed` gets the place's name and why nothing is kept there, once until it works again.

        `differs` gets the name of one that contradicts the journal; then nothing more is kept there.
        """
        self._place, self._failed, self._differs, self._retry_s = place, failed, differs, retry_s
        self._waiting: deque[Kept] = deque(maxlen=WAITING_MAX)
        self._change = threading.Condition()
        self._closing = False
        self._thread = threading.Thread(target=self._run, name=f"keeps in {place.name}", daemon=True)

    def open(self) -> None:
        """Start."""
        self._thread.start()

    def offer(self, item: Kept) -> None:
        """Have it kept; returns at once."""
        with self._change:
            self._waiting.append(item)
            self._change.notify()

    def close(self) -> None:
        """Try once more what waits, then stop."""
        with self._change:
            self._closing = True
            self._change.notify()
        if self._thread.is_alive():
            self._thread.join(CLOSING_S)

    def _run(self) -> None:
        while (item := self._next()) is not None:
            self._keep(item)

    def _next(self) -> Kept | None:
        """Wait for one, None at the end; of what is left then the newest vouches for all."""
        with self._change:
            self._change.wait_for(lambda: self._waiting or self._closing)
            if not self._waiting:
                return None
            item = self._waiting.pop() if self._closing else self._waiting.popleft()
            if self._closing:
                self._waiting.clear()
            return item

    def _keep(self, item: Kept) -> None:
        """Try until it is kept, or until the program ends."""
        warned = False
        while True:
            try:
                self._place.keep(item)
                return
            except KeptDiffers:
                self._differs(self._place.name)
                with self._change:
                    self._closing = True
                    self._waiting.clear()
                return
            except OSError as error:
                if not warned:
                    self._failed(self._place.name, reason_of(error))
                warned = True
            with self._change:
                if self._change.wait_for(lambda: self._closing, self._retry_s):
                    return


def reason_of(error: OSError) -> str:
    """Say it in one line without control characters."""
    words = error.strerror or str(error) or type(error).__name__
    return "".join(sign for sign in words if sign.isprintable())[:120]
