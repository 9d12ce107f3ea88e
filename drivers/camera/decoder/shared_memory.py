"""Memory that the table's process shares with one decoder: three slots, whose places and sizes never change.

The kernel is told that nobody may shrink it: reading what the other side has cut off would end the process.
What lies in a slot may change under the reader's eyes, so the table's process copies before it looks.
"""

import fcntl
import mmap
import os
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from drivers.camera.camera_pictures import BYTES_MAX, PIXELS_MAX

CHANNELS: Final = 3
PICTURE_BYTES_MAX: Final = PIXELS_MAX * CHANNELS


class Slot(NamedTuple):
    """A place in the memory, in bytes."""

    start: int
    size: int


GRABBED: Final = Slot(0, PICTURE_BYTES_MAX)
"""What the source gave last: JPEG or pixels. Only the decoder writes here."""

DECODED: Final = Slot(PICTURE_BYTES_MAX, PICTURE_BYTES_MAX)
"""Pixels of the JPEG picture that was asked for. Only the decoder writes here."""

ENCODED: Final = Slot(2 * PICTURE_BYTES_MAX, BYTES_MAX)
"""The JPEG picture to decode. The table's process writes here."""

_SIZE: Final = 2 * PICTURE_BYTES_MAX + BYTES_MAX
_SEALS: Final = fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SEAL


def make_memory() -> int:
    """Make it; gives its descriptor. Pages take room only once something was written there."""
    memory = os.memfd_create("stand17 pictures", os.MFD_ALLOW_SEALING | os.MFD_CLOEXEC)
    os.ftruncate(memory, _SIZE)
    fcntl.fcntl(memory, fcntl.F_ADD_SEALS, _SEALS)
    return memory


class SharedMemory:
    """One side's view."""

    def __init__(self, descriptor: int) -> None:
        """Map what `make_memory` has made, and let go of the descriptor."""
        self._bytes: NDArray[np.uint8] = np.frombuffer(mmap.mmap(descriptor, _SIZE), np.uint8)
        os.close(descriptor)

    def at(self, slot: Slot, length: int) -> NDArray[np.uint8]:
        """The first bytes of a slot, which have to fit into it."""
        assert 0 <= length <= slot.size, f"{length} bytes in a slot of {slot.size}"
        return self._bytes[slot.start : slot.start + length]

    def put(self, slot: Slot, data: bytes) -> None:
        """Write bytes into a slot."""
        self.at(slot, len(data))[:] = np.frombuffer(data, np.uint8)
