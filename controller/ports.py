"""The table's interfaces to the outside: clocks, byte streams, devices, files, threads. No device code."""

import asyncio
import io
import math
import os
import threading
import time
from collections.abc import Callable, Generator, Iterable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, Protocol, assert_never, runtime_checkable

from controller.acts.catalogue import Observation

if TYPE_CHECKING:  # the journal and the feed need a clock from here, not a tenth of a second of numpy
    import numpy as np
    from numpy.typing import NDArray


class Clock(Protocol):
    """Two readings of time; tests and replays bring their own."""

    def mono_ns(self) -> int:
        """Nanoseconds that never jump, for ages and time-outs; the zero point means nothing."""
        ...

    def utc_us(self) -> int:
        """Microseconds since 1970-01-01 UTC, for the journal; may step when the clock is set."""
        ...


class SystemClock:
    """The machine's own clocks."""

    def mono_ns(self) -> int:
        """Nanoseconds of `time.monotonic_ns`."""
        return time.monotonic_ns()

    def utc_us(self) -> int:
        """Microseconds of `time.time_ns`."""
        return time.time_ns() // 1000  # noqa: TID251 - the one place where the program reads the wall clock


DeviceState = Literal["absent", "opening", "live", "stale", "lost", "backoff", "fault"]
"""Life of a device: not there · being opened · speaking · silent too long · gone · waiting to try again ·
given up until a person acknowledges it."""

Presence = Literal["live", "stale", "lost"]
"""A device as the table counts on it: it speaks · it has been silent too long · it is not there."""

ReportSink = Callable[["Report"], None]
"""Takes what a device has to say; may be called from any thread."""


def presence_of(state: DeviceState) -> Presence:
    """Translate a driver's state: only a live or stale device is present."""
    match state:
        case "live" | "stale":
            return state
        case "absent" | "opening" | "lost" | "backoff" | "fault":
            return "lost"
        case _:
            assert_never(state)


class Trouble(NamedTuple):
    """A fault of a device. `code` names the text `trouble.<code>`.

    `hold` is true where a card may be unknown, doubled or wrong: the table then waits for a person.
    """

    code: str
    params: tuple[tuple[str, int | str], ...] = ()
    hold: bool = True


class OrderAnswer(NamedTuple):
    """The answer to an order: `code` is "" when the device carried it out, else the reason."""

    order: str
    code: str


class Report(NamedTuple):
    """The meaning of one device event for the table: facts, and troubles to hold or warn for.

    `mono_ns` is the moment of the event on the injected clock. The tuples may be empty. `raw` is the message
    that reported the card among the observations, as it was on the line, b"" when none is kept: for
    `ShoeLines`, never for journal, log or alert. `cards` are the numbers of the troubles' cards, in their
    order, 0 for none.
    """

    source: str
    mono_ns: int
    observations: tuple[Observation, ...] = ()
    troubles: tuple[Trouble, ...] = ()
    answers: tuple[OrderAnswer, ...] = ()
    raw: bytes = b""
    cards: tuple[int, ...] = ()


DeviceKind = Literal["shoe", "camera", "keys", "peek", "chips", "other"]
"""`other`: a device of another table, whose journal does not say of what kind it is."""


class Health(NamedTuple):
    """The present state of a device.

    `age_ms` is the age of its last sign of life (None before the first), `detail` a code for the last
    failure or "". `counters` are counts since the start, by name, `settings` the device's settings in words,
    `orders` its possible orders at this moment (see `Orderable`).
    """

    name: str
    kind: DeviceKind
    state: DeviceState
    port: str
    age_ms: int | None
    detail: str
    counters: tuple[tuple[str, int], ...] = ()
    settings: tuple[tuple[str, str], ...] = ()
    orders: tuple[str, ...] = ()


class ObservationSource(Protocol):
    """A device that reports by itself, from a thread of its own, through its callback."""

    def open(self) -> None:
        """Start; returns at once and never fails: a device that is not there is reported as such."""
        ...

    def close(self) -> None:
        """Stop and wait for the thread; afterwards nothing is posted any more."""
        ...

    def health(self) -> Health:
        """The current state; may be called from any thread."""
        ...

    def acknowledge(self) -> None:
        """Try a device in `fault` again; other states do not change."""
        ...


@runtime_checkable
class Orderable(Protocol):
    """A device that takes orders."""

    def order(self, order: str) -> bool:
        """Carry the order out once. True: done. False: the answer follows in a `Report`.

        Raises `DeviceError` when it cannot be asked for this now.
        """
        ...


class Frame(NamedTuple):
    """One picture: `image` is height x width x 3, BGR, uint8, never written to by a reader.

    `mono_ns` is the moment of its capture, `number` counts captured pictures from 1 without gaps: a jump in a
    reader's numbers is the count of skipped pictures.
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
        """The current state; may be called from any thread."""
        ...

    def acknowledge(self) -> None:
        """Try a source in `fault` again; other states do not change."""
        ...


class PastPicture(NamedTuple):
    """A camera's picture as it was taken, a JPEG, and when (microseconds since 1970 UTC)."""

    camera: str
    at_utc_us: int
    jpeg: bytes


class PastPictures(Protocol):
    """Finds recorded pictures of the cameras over the layout."""

    def at(self, utc_us: int) -> tuple[PastPicture, ...]:
        """Find the last picture of each camera up to that moment; a camera without one is left out.

        Reads files: not for the table's loop.
        """
        ...


class ByteStream(Protocol):
    """An open line. Every method raises `OSError` once the other end is gone; `close` never raises."""

    def read(self) -> bytes:
        """Wait a short while (about 0.1 s) for bytes and return all that came; b"" when none did."""
        ...

    def write(self, data: bytes) -> None:
        """Send all of `data`."""
        ...

    def close(self) -> None:
        """Give the line back; may be called twice."""
        ...


TapKind = Literal["rx", "tx", "jpeg", "key", "mark"]
"""Bytes from a device · bytes to it · one JPEG picture · one key record · a JSON object about its life."""


class Tap(Protocol):
    """Receives the bytes, pictures and keys between a device and its driver, for the recorder."""

    def __call__(self, source: str, kind: TapKind, mono_ns: int, data: bytes) -> None:
        """Take `data` of the device `source`, passed at `mono_ns` of the injected clock.

        Called from the devices' threads: never blocks and never raises. Lost data is counted.
        """
        ...


PRIVATE: Final = 0o600
"""Read and written by the owner only, whatever the umask of the process allows."""


class SideDisk:
    """Writes the files beside a journal, on the machine's disk; a simulation's writes can fail.

    Each call raises OSError when the disk refuses. `path` names the file for a subclass.
    """

    def open(self, path: Path, flags: int, mode: int = PRIVATE) -> int:
        """Open for writing and return a handle as of `os.open`, which the caller closes."""
        return os.open(path, flags | os.O_CLOEXEC, mode)

    def write(self, path: Path, handle: int, data: bytes, offset: int) -> None:  # noqa: ARG002
        """Write all of `data` from byte `offset` on; a handle that appends writes at the end."""
        done = 0
        while done < len(data):
            done += os.pwrite(handle, data[done:], offset + done)

    def shorten(self, path: Path, handle: int, length: int) -> None:  # noqa: ARG002
        """Cut the file to `length` bytes."""
        os.ftruncate(handle, length)

    def sync(self, path: Path, handle: int) -> None:  # noqa: ARG002
        """Flush the written bytes: they are on the disk when this returns."""
        os.fsync(handle)

    def keep_name(self, path: Path) -> None:
        """Flush the folder's entry of a new file, which a power failure could lose.

        A file system whose folders cannot be synced keeps names by itself.
        """
        with suppress(OSError):
            handle = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            try:
                os.fsync(handle)
            finally:
                os.close(handle)

    def reserve(self, path: Path, handle: int, length: int) -> None:  # noqa: ARG002
        """Reserve `length` bytes."""
        os.posix_fallocate(handle, 0, length)

    def place(self, draft: Path, path: Path, move: Callable[[Path, Path], None]) -> None:
        """Give a finished file its name with `move`."""
        move(draft, path)

    def remove(self, path: Path) -> None:
        """Delete a file."""
        path.unlink()

    def room(self, folder: Path) -> int:
        """Count the free bytes."""
        disk = os.statvfs(folder)
        return disk.f_bavail * disk.f_frsize


MACHINE_DISK: Final = SideDisk()


class DiskStream(io.RawIOBase):
    """A file of a `SideDisk` as a stream for libraries, written from its first byte to its last."""

    def __init__(self, disk: SideDisk, path: Path, handle: int) -> None:
        """Take over an open handle of `disk`."""
        self._disk, self._path, self._handle, self._end = disk, path, handle, 0

    def writable(self) -> bool:
        """Always."""
        return True

    def tell(self) -> int:
        """The number of bytes written."""
        return self._end

    def write(self, data: Any, /) -> int:  # any buffer of bytes
        """Write all of `data`, or raise OSError."""
        written = bytes(data)
        self._disk.write(self._path, self._handle, written, self._end)
        self._end += len(written)
        return len(written)

    def close(self) -> None:
        """Give the handle back."""
        if not self.closed:
            super().close()
            os.close(self._handle)


UNTIL_WOKEN: Final = math.inf
"""A rest that only `Work.wake` ends."""

Turns = Generator[float, None, None]
"""Background work as a generator: each step is one turn, and yields the seconds to rest before the next.

A turn waits only for its disk or device. The live program runs the turns of each work on a thread of its own;
a simulation runs those of all work on one thread, in the order of its seed.
"""


class Work(Protocol):
    """Started background work."""

    def wake(self) -> None:
        """End the rest; may be called from any thread."""
        ...

    def join(self, within_s: float | None) -> None:
        """Wait at most `within_s` until the turns are over; None waits without a limit."""
        ...


StartWork = Callable[[str, Turns], Work]
"""Starts work under a name for its thread."""


class WorkThread:
    """Work on a daemon thread."""

    def __init__(self, name: str, turns: Turns) -> None:
        """Start the thread."""
        self._woken = threading.Event()
        self._thread = threading.Thread(target=self._run, args=(turns,), name=name, daemon=True)
        self._thread.start()

    def wake(self) -> None:
        """End the rest."""
        self._woken.set()

    def join(self, within_s: float | None) -> None:
        """Wait until the thread has ended."""
        self._thread.join(within_s)

    def _run(self, turns: Turns) -> None:
        for rest_s in turns:
            self._woken.wait(None if rest_s == UNTIL_WOKEN else rest_s)
            self._woken.clear()


AGAIN_S: Final = 10.0
"""A task that is still running after this time is cancelled again."""


async def end_all(tasks: Iterable[asyncio.Task[Any]], again_s: float = AGAIN_S) -> None:
    """Cancel tasks and wait until each has ended; results and exceptions stay in the tasks.

    `asyncio.wait_for` before Python 3.12 loses a cancellation that arrives together with its result, and
    libraries use it: a task that is cancelled once may never end.
    """
    left = set(tasks)
    while left:
        for task in left:
            task.cancel()
        _, left = await asyncio.wait(left, timeout=again_s)
