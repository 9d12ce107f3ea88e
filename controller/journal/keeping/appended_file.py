"""A file elsewhere to which this program alone appends, and which it knows by its length."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Final

from controller.journal.keeping.keeper import KeptDiffers
from controller.outputs import open_regular
from controller.ports.side_disk import MACHINE_DISK, SideDisk

PUBLIC: Final = 0o666
"""As the process's umask has it."""

_APPEND: Final = os.O_RDWR | os.O_CREAT | os.O_APPEND


class AppendedFile:
    """Written behind its end; `mode` as `os.open` has it."""

    def __init__(self, path: Path, mode: int = PUBLIC, disk: SideDisk = MACHINE_DISK) -> None:
        """Nothing is opened, and nothing is known of what may be there."""
        self.path: Final = path
        self._mode, self._disk = mode, disk
        self._left: int | None = None

    def size(self) -> int:
        """Its length now, 0 where it is not there."""
        return self.path.stat().st_size if self.path.exists() else 0

    def look_again(self, look: Callable[[], None]) -> None:
        """Have the whole file looked at where it has not the length that it was left with.

        `look` raises what is wrong with it. Raises `KeptDiffers` where the file was cut.
        """
        size = self.size()
        if self._left is not None and size < self._left:
            raise KeptDiffers
        if size != self._left:
            look()
            self._left = size

    def append(self, data: bytes) -> None:
        """Write lines behind the end; they are on the disk when this returns. Raises OSError.

        What a kill or a full disk has torn stays a line of its own: behind it no line could be read.
        """
        handle = open_regular(self.path, _APPEND, self._mode, opened=self._disk.open)
        try:
            size = os.fstat(handle).st_size
            if not size:
                self._disk.keep_name(self.path)
            elif os.pread(handle, 1, size - 1) != b"\n":
                data = b"\n" + data
            self._disk.write(self.path, handle, data, size)
            self._disk.sync(self.path, handle)
            self._left = os.fstat(handle).st_size
        finally:
            os.close(handle)
