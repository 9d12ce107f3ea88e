"""Frames of the open shoe protocol, device side, as hardware/open-shoe-protocol.md describes them.

Written on its own, without a look at `drivers.shoe.open_shoe` or the reference firmware: what one of them has
misread shows in every test that lets them talk.
"""

from enum import IntEnum
from typing import Final, NamedTuple

RANKS: Final = {
    "A": 1,
    "2": 2,
    "3": 3,
    "4": 4,
    "5": 5,
    "6": 6,
    "7": 7,
    "8": 8,
    "9": 9,
    "10": 10,
    "J": 11,
    "Q": 12,
    "K": 13,
}
SUITS: Final = {"c": 1, "d": 2, "h": 3, "s": 4}
"""Rank and suit in a CARD; 0 where they are not known."""

SEQUENCED: Final = 1
AGAIN: Final = 2
TEST: Final = 4
"""Flags of the header."""

CIRCLE: Final = 1 << 16
"""Numbers of events, passages and boots have 16 bits and go round."""

_CLOCK: Final = 1 << 32
"""The device's milliseconds have 32 bits."""

_VERSION: Final = 0x40
"""Version 1 in the two highest bits of the first byte."""


class FrameType(IntEnum):
    """Types of frames, sections 4 and 5."""

    HELLO = 0x01
    HEARTBEAT = 0x02
    EDGE = 0x03
    CARD = 0x04
    NO_READ = 0x05
    DOUBLE_FEED = 0x06
    REVERSE = 0x07
    CUT_CARD = 0x08
    LID = 0x09
    ERROR = 0x0A
    CLEARED = 0x0B
    CROP = 0x0C
    DONE = 0x0D
    GONE = 0x0E
    ACK = 0x20
    RESEND = 0x21
    QUERY = 0x22
    COMMAND = 0x23


_WIDTHS: Final[dict[FrameType, tuple[int, ...]]] = {
    FrameType.HELLO: (12, 8, 2, 2),
    FrameType.HEARTBEAT: (2, 1, 2, 2),
    FrameType.EDGE: (2, 1, 2),
    FrameType.CARD: (2, 1, 1, 1, 1, 1, 1, 2),
    FrameType.NO_READ: (2, 1, 2),
    FrameType.DOUBLE_FEED: (2,),
    FrameType.REVERSE: (2, 1),
    FrameType.CUT_CARD: (2,),
    FrameType.LID: (1,),
    FrameType.ERROR: (1, 1),
    FrameType.CLEARED: (1,),
    FrameType.CROP: (2, 1, 1, 1, 1),
    FrameType.DONE: (2, 1),
    FrameType.GONE: (2,),
}
"""Bytes of each field of a payload; of a CROP, those before its pixels."""


class HostFrame(NamedTuple):
    """A frame of the host: its type, the boot id it is meant for, its sequence field and its payload."""

    kind: int
    boot: int
    seq: int
    payload: bytes


def payload(kind: FrameType, *fields: int | bytes) -> bytes:
    """Write the fields of a payload, big endian; text shorter than its field is filled up with 00."""
    parts = zip(fields, _WIDTHS[kind], strict=True)
    return b"".join(
        field.ljust(width, b"\0") if isinstance(field, bytes) else field.to_bytes(width, "big")
        for field, width in parts
    )


def frame(kind: int, body: bytes, *, flags: int, boot: int, seq: int, t_ms: int) -> bytes:
    """A whole frame with a delimiter on each side; `body` is its payload, `t_ms` the device's age."""
    head = bytes([_VERSION | kind, flags]) + boot.to_bytes(2, "big") + seq.to_bytes(2, "big")
    content = head + (t_ms % _CLOCK).to_bytes(4, "big") + body
    return b"\0" + stuffed(content + checksum(content).to_bytes(2, "big")) + b"\0"


def host_frame(line: bytes) -> HostFrame | None:
    """Read what the host put between two delimiters; None where it is damaged."""
    content = unstuffed(line)
    if content is None or len(content) < 12 or checksum(content[:-2]) != int.from_bytes(content[-2:], "big"):
        return None
    if content[0] & 0xC0 != _VERSION:
        return None
    boot, seq = int.from_bytes(content[2:4], "big"), int.from_bytes(content[4:6], "big")
    return HostFrame(content[0] & 0x3F, boot, seq, content[10:-2])


def checksum(data: bytes) -> int:
    """CRC-16/IBM-3740, bit by bit as its definition has it; "123456789" gives 0x29B1."""
    register = 0xFFFF
    for byte in data:
        for place in range(7, -1, -1):
            carry = register >> 15 ^ byte >> place & 1
            register = register << 1 & 0xFFFF
            if carry:
                register ^= 0x1021
    return register


def stuffed(content: bytes) -> bytes:
    """COBS: no zero in the result. `content` is shorter than 254 bytes."""
    line, run = bytearray(), bytearray()
    for byte in content + b"\0":
        if byte:
            run.append(byte)
        else:
            line += bytes([len(run) + 1]) + run
            run.clear()
    return bytes(line)


def unstuffed(line: bytes) -> bytes | None:
    """Undo `stuffed`; None where a distance leads beyond the end."""
    content = bytearray()
    rest = line
    while rest:
        step = rest[0]
        if step > len(rest):
            return None
        content += rest[1:step] + b"\0"
        rest = rest[step:]
    return bytes(content[:-1]) if content else None


def steps_ahead(base: int, number: int) -> int:
    """How far `number` lies ahead of `base` on the circle; negative where it lies behind."""
    return (number - base + CIRCLE // 2) % CIRCLE - CIRCLE // 2
