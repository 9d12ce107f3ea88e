"""Writing to the files beside a journal: on the machine's own disk, or on one that a seed lets fail."""

import os
from pathlib import Path
from typing import Final, Protocol


class SideDisk(Protocol):
    """Takes what is written to an open file. Each call raises OSError where the disk says no."""

    def write(self, path: Path, handle: int, data: bytes, offset: int) -> None:
        """Write all of it from byte `offset` on; a handle that appends writes behind the end."""
        ...

    def shorten(self, path: Path, handle: int, length: int) -> None:
        """Let the file be no longer than so many bytes."""
        ...

    def sync(self, path: Path, handle: int) -> None:
        """Have what was written stay: it is on the disk when this returns."""
        ...


class MachineDisk:
    """The disk of the machine; `path` is for others."""

    def write(self, path: Path, handle: int, data: bytes, offset: int) -> None:  # noqa: ARG002
        """See `SideDisk.write`."""
        done = 0
        while done < len(data):
            done += os.pwrite(handle, data[done:], offset + done)

    def shorten(self, path: Path, handle: int, length: int) -> None:  # noqa: ARG002
        """See `SideDisk.shorten`."""
        os.ftruncate(handle, length)

    def sync(self, path: Path, handle: int) -> None:  # noqa: ARG002
        """See `SideDisk.sync`."""
        os.fsync(handle)


MACHINE_DISK: Final = MachineDisk()
"""What the live program writes to."""
