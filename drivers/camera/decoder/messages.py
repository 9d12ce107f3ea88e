"""What passes between the table's process and a decoder: short records in packets, and shared memory.

There are two lines, each with one question and one answer at a time. Pictures are grabbed on one and JPEG is
decoded on the other, so that a reader of pictures does not wait for the next one. The first question on the
line of pictures is the source to open, as JSON.

Pixels lie in three slots of the memory, whose places and sizes never change. The kernel keeps either side
from shrinking it: reading what the other side has cut off would end the process. A slot may change at any
time, so the table's process copies before it looks.
"""

import fcntl
import mmap
import os
from enum import IntEnum
from struct import Struct
from typing import Final, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from drivers.camera.camera_pictures import BYTES_MAX, PIXELS_MAX

FAULTS: Final = ("", "BROKEN", "TOO_LARGE", "SETTING_DRIFTED")
"""The faults of a picture that a source or its decoder can tell, by their number in an answer."""

JSON_BYTES_MAX: Final = 1 << 16
"""Longest question or answer about what to open."""

ENVIRONMENT: Final = ("SSL_CERT_FILE", "SSL_CERT_DIR")
"""What a source takes from the environment at the moment when it is opened; part of what is to be opened."""

_QUESTION: Final = Struct("<QIII")
_ANSWER: Final = Struct("<QBBIII")

PACKET_BYTES: Final = 64
"""More than any record has: a longer packet is not one of ours, and shows by its length."""


class DecoderOutcome(IntEnum):
    """What came of a question."""

    JPEG = 0
    PIXELS = 1
    NOTHING = 2
    END = 3


class DecoderQuestion(NamedTuple):
    """Grab (all 0 but the number), or decode so many bytes of JPEG to a size of at least width x height.

    `number` counts from 1 on each line.
    """

    number: int
    length: int = 0
    width: int = 0
    height: int = 0

    def packed(self) -> bytes:
        """As it goes over the line."""
        return _QUESTION.pack(*self)

    @classmethod
    def unpacked(cls, packet: bytes) -> Self:
        """From the line."""
        return cls(*_QUESTION.unpack(packet))


class DecoderAnswer(NamedTuple):
    """What lies in the slot: `length` bytes of a picture of `width` x `height`, or none.

    `fault` is one of `FAULTS`; a damaged JPEG has its bytes all the same, and no size.
    """

    number: int
    outcome: DecoderOutcome
    fault: str = ""
    length: int = 0
    width: int = 0
    height: int = 0

    def packed(self) -> bytes:
        """As it goes over the line."""
        number, outcome, fault, length, width, height = self
        return _ANSWER.pack(number, outcome, FAULTS.index(fault), length, width, height)

    @classmethod
    def unpacked(cls, packet: bytes) -> Self:
        """From the line; raises `ValueError` for what is no answer."""
        if len(packet) != _ANSWER.size:
            raise ValueError("not an answer")
        number, outcome, fault, length, width, height = _ANSWER.unpack(packet)
        if fault >= len(FAULTS):
            raise ValueError("no such fault")
        return cls(number, DecoderOutcome(outcome), FAULTS[fault], length, width, height)


CHANNELS: Final = 3
_PICTURE_BYTES_MAX: Final = PIXELS_MAX * CHANNELS


class Slot(NamedTuple):
    """A place in the memory, in bytes."""

    start: int
    size: int


GRABBED: Final = Slot(0, _PICTURE_BYTES_MAX)
"""What the source gave last: JPEG or pixels. Only the decoder writes here."""

DECODED: Final = Slot(_PICTURE_BYTES_MAX, _PICTURE_BYTES_MAX)
"""Pixels of the JPEG picture that was asked for. Only the decoder writes here."""

ENCODED: Final = Slot(2 * _PICTURE_BYTES_MAX, BYTES_MAX)
"""The JPEG picture to decode. The table's process writes here."""

_SIZE: Final = 2 * _PICTURE_BYTES_MAX + BYTES_MAX
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
