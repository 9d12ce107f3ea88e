"""Pictures of the table: the newest one only, and how old it is."""

from typing import TYPE_CHECKING, NamedTuple, Protocol

from controller.ports.sources import Health

if TYPE_CHECKING:  # the journal and the feed need a clock from this package, not a tenth of a second of numpy
    import numpy as np
    from numpy.typing import NDArray


class Frame(NamedTuple):
    """One picture: `image` is height x width x 3, BGR, uint8, never written to by a reader.

    `mono_ns` is the moment it was grabbed, `number` counts grabbed pictures from 1 without gaps, so that
    a jump in the numbers a reader sees is the count of pictures it skipped.
    """

    image: "NDArray[np.uint8]"
    mono_ns: int
    number: int


class FrameSource(Protocol):
    """A camera, file, folder or drawn picture. Grabbing runs in its own thread between open and close."""

    def open(self) -> None:
        """Start grabbing; returns at once and never fails: trouble is seen in `health`."""
        ...

    def latest(self) -> Frame | None:
        """Give the newest picture: None before the first one or after the source was lost; never blocks."""
        ...

    def wait(self, after: int, timeout_s: float) -> Frame | None:
        """Wait until a picture with a number above `after` is there; None when none came in time."""
        ...

    def close(self) -> None:
        """Stop and wait for the thread; the picture in the mailbox is dropped."""
        ...

    def health(self) -> Health:
        """May be asked from any thread at any time."""
        ...

    def acknowledge(self) -> None:
        """Let a source that was given up be tried again; nothing happens to any other."""
        ...
