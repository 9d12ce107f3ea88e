"""What the table's process and a decoder say to each other: short records of fixed size, in packets.

There are two lines, each with one question and one answer at a time: pictures are grabbed on one and JPEG is
decoded on the other, so that who looks at a picture does not wait for the next one. The first question on the
line of pictures is what to open, as JSON.
"""

from enum import IntEnum
from struct import Struct
from typing import Final, NamedTuple, Self

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
