"""Copies of what lies in shared memory, into memory that is used again.

Fresh memory for each picture of 4K would be 6,000 pages that the system has to give and clear.
"""

import mmap
import threading
import weakref
from typing import Final

import numpy as np
from numpy.typing import NDArray

KEPT: Final = 4
"""Buffers that wait to be used again: the newest picture, the one before it, and two in readers' hands."""


class PictureCopies:
    """Copies of one camera's pictures; used by several threads."""

    def __init__(self) -> None:
        """Begin with no memory."""
        self._free: list[mmap.mmap] = []
        self._lock = threading.Lock()

    def copy(self, data: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """Copy a row of bytes; its memory is used again when nothing of the copy is referred to any more."""
        buffer = self._taken(data.size)
        # A part of an array refers to the lowest array below it: to this one, not to the buffer.
        copied: NDArray[np.uint8] = np.frombuffer(buffer, np.uint8, data.size)
        copied[:] = data
        weakref.finalize(copied, self._give_back, buffer).atexit = False
        return copied

    def _taken(self, size: int) -> mmap.mmap:
        with self._lock:
            if self._free and len(self._free[-1]) >= size:
                return self._free.pop()
            # Pictures of another size than before: what was kept is of no use.
            self._free.clear()
        return mmap.mmap(-1, size)

    def _give_back(self, buffer: mmap.mmap) -> None:
        """Called wherever the last reference goes, perhaps inside `_taken`: it must not wait for the lock."""
        if len(self._free) < KEPT:
            self._free.append(buffer)
