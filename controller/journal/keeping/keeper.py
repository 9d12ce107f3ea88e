"""One place in which something is kept elsewhere, and what writes to it; the table waits for none.

What could not be kept waits and is tried again, and is an alert once. What is kept last vouches for all
before it: a place that has missed some has lost nothing when the next one arrives.
"""

from collections import deque
from collections.abc import Callable
from typing import Final, Generic, Protocol, TypeVar

from controller.ports.work import UNTIL_WOKEN, StartWork, Turns, Work, WorkThread

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
    """One place and what writes to it."""

    def __init__(
        self,
        place: KeepingPlace[Kept],
        failed: Callable[[str, OSError], None],
        differs: Callable[[str], None],
        retry_s: float,
    ) -> None:
        """`failed` gets the place's name and its error, once until it works again.

        `differs` gets the name of one that contradicts the journal; then nothing more is kept there.
        """
        self._place, self._failed, self._differs, self._retry_s = place, failed, differs, retry_s
        # A full queue drops the oldest: what is kept last vouches for all before it.
        self._waiting: deque[Kept] = deque(maxlen=WAITING_MAX)
        self._closing = self._barred = False
        self._work: Work | None = None

    def open(self, start: StartWork = WorkThread) -> None:
        """Start."""
        self._work = start(f"keeps in {self._place.name}", self._run())

    def offer(self, item: Kept) -> None:
        """Have it kept; returns at once."""
        self._waiting.append(item)
        if self._work is not None:
            self._work.wake()

    def close(self) -> None:
        """Try once more what waits, then stop."""
        self._closing = True
        if self._work is not None:
            self._work.wake()
            self._work.join(CLOSING_S)

    def _run(self) -> Turns:
        while True:
            closing = self._closing
            while self._waiting and not self._barred:
                yield from self._keep(self._next(newest=closing))
            if closing:
                return
            yield UNTIL_WOKEN

    def _next(self, *, newest: bool) -> Kept:
        """What has waited longest; at the end the newest, which vouches for all of them."""
        if not newest:
            return self._waiting.popleft()
        item = self._waiting.pop()
        self._waiting.clear()
        return item

    def _keep(self, item: Kept) -> Turns:
        """Try until it is kept, or until the program ends."""
        warned = False
        while True:
            try:
                self._place.keep(item)
                return
            except KeptDiffers:
                self._barred = True
                self._differs(self._place.name)
                return
            except OSError as error:
                if not warned:
                    self._failed(self._place.name, error)
                warned = True
            if self._closing:
                return
            yield self._retry_s
            if self._closing:
                # The last chance is that of the newest.
                self._waiting.appendleft(item)
                return


def reason_of(error: OSError) -> str:
    """Say it in one line without control characters."""
    words = error.strerror or str(error) or type(error).__name__
    return "".join(sign for sign in words if sign.isprintable())[:120]
