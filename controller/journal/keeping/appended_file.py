"""A file elsewhere to which this program alone appends, and which it knows by its length."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Final

from controller.journal.keeping.keeper import KeptDiffers
from controller.ports.side_disk import MACHINE_DISK, SideDisk

PUBLIC: Final = 0o666
"""As the process's umask has it."""

_APPEND: Final = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC


class AppendedFile:
    """Written behind its end; `flags` and `mode` as `os.open` has them, beside those of appending."""

    def __init__(self, path: Path, flags: int = 0, mode: int = PUBLIC, disk: SideDisk = MACHINE_DISK) -> None:
        """Nothing is opened, and nothing is known of what may be there."""
        self.path: Final = path
        self._flags, self._mode, self._disk = _APPEND | flags, mode, disk
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
        if not self._ends_whole():
            data = b"\n" + data
        is_new = not self.size()
        handle = self._disk.open(self.path, self._flags, self._mode)
        try:
            if is_new:
                self._disk.keep_name(self.path)
            self._disk.write(self.path, handle, data, self.size())
            self._disk.sync(self.path, handle)
            self._left = self.size()
        finally:
            os.close(handle)

    def _ends_whole(self) -> bool:
        if not self.size():
            return True
        with self.path.open("rb") as file:
            file.seek(-1, os.SEEK_END)
            return file.read(1) == b"\n"
