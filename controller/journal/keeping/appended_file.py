"""A file elsewhere to which this program alone appends, and which it knows by its length."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Final

from controller.journal.keeping.keeper import KeptDiffers

PUBLIC: Final = 0o666
"""As the process's umask has it."""

_APPEND: Final = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC


class AppendedFile:
    """Written behind its end; `flags` and `mode` as `os.open` has them, beside those of appending."""

    def __init__(self, path: Path, flags: int = 0, mode: int = PUBLIC) -> None:
        """Nothing is opened, and nothing is known of what may be there."""
        self.path: Final = path
        self._flags, self._mode = _APPEND | flags, mode
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
        """Write behind the end; it is on the disk when this returns. Raises OSError."""
        with os.fdopen(os.open(self.path, self._flags, self._mode), "ab") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
            self._left = file.tell()
