"""Writing to the files beside a journal: on the machine's own disk, or on one that a seed lets fail."""

import io
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, Protocol

PRIVATE: Final = 0o600
"""Read and written by the owner only, whatever the umask of the process allows."""


class SideDisk(Protocol):
    """Opens files, and takes what is written to them. Each call raises OSError where the disk says no."""

    def open(self, path: Path, flags: int, mode: int = PRIVATE) -> int:
        """A handle for writing, as `os.open` gives it; whoever has it closes it."""
        ...

    def write(self, path: Path, handle: int, data: bytes, offset: int) -> None:
        """Write all of it from byte `offset` on; a handle that appends writes behind the end."""
        ...

    def shorten(self, path: Path, handle: int, length: int) -> None:
        """Let the file be no longer than so many bytes."""
        ...

    def sync(self, path: Path, handle: int) -> None:
        """Have what was written stay: it is on the disk when this returns."""
        ...

    def keep_name(self, path: Path) -> None:
        """Have the name of a new file stay, which its folder may forget where the power fails."""
        ...

    def reserve(self, path: Path, handle: int, length: int) -> None:
        """Take room for so many bytes."""
        ...

    def place(self, draft: Path, path: Path, move: Callable[[Path, Path], None]) -> None:
        """Give a finished file its name by `move`."""
        ...

    def remove(self, path: Path) -> None:
        """Take a file away."""
        ...

    def room(self, folder: Path) -> int:
        """How many bytes are free."""
        ...


class MachineDisk:
    """The disk of the machine; `path` is for others."""

    def open(self, path: Path, flags: int, mode: int = PRIVATE) -> int:
        """See `SideDisk.open`."""
        return os.open(path, flags | os.O_CLOEXEC, mode)

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

    def keep_name(self, path: Path) -> None:
        """See `SideDisk.keep_name`; a folder that cannot be synced keeps its names by itself."""
        with suppress(OSError):
            handle = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            try:
                os.fsync(handle)
            finally:
                os.close(handle)

    def reserve(self, path: Path, handle: int, length: int) -> None:  # noqa: ARG002
        """See `SideDisk.reserve`."""
        os.posix_fallocate(handle, 0, length)

    def place(self, draft: Path, path: Path, move: Callable[[Path, Path], None]) -> None:
        """See `SideDisk.place`."""
        move(draft, path)

    def remove(self, path: Path) -> None:
        """See `SideDisk.remove`."""
        path.unlink()

    def room(self, folder: Path) -> int:
        """See `SideDisk.room`."""
        disk = os.statvfs(folder)
        return disk.f_bavail * disk.f_frsize


MACHINE_DISK: Final = MachineDisk()
"""What the live program writes to."""


class DiskStream(io.RawIOBase):
    """A file written from its first byte to its last, as libraries want one."""

    def __init__(self, disk: SideDisk, path: Path, handle: int) -> None:
        """Take over an open handle of `disk`."""
        self._disk, self._path, self._handle, self._end = disk, path, handle, 0

    def writable(self) -> bool:
        """See `io.IOBase`."""
        return True

    def tell(self) -> int:
        """See `io.IOBase`."""
        return self._end

    def write(self, data: Any, /) -> int:  # any buffer of bytes
        """See `io.RawIOBase`: all of it, or OSError."""
        written = bytes(data)
        self._disk.write(self._path, self._handle, written, self._end)
        self._end += len(written)
        return len(written)

    def close(self) -> None:
        """Give the handle back."""
        if not self.closed:
            super().close()
            os.close(self._handle)
