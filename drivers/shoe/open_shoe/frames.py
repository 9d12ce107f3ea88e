"""Frames of the open shoe protocol: COBS between zero bytes, a header, a payload, a CRC. No I/O.

The specification is hardware/open-shoe-protocol.md; the names here are its names.
"""

import binascii
import struct
from typing import Final, NamedTuple

VERSION: Final = 1

PAYLOAD_MAX: Final = 48
"""Bytes of a payload."""

HEADER: Final = struct.Struct(">BBHHI")
"""Version and type, flags, boot id, sequence number, milliseconds since power-up (section 2)."""

FRAME_MAX: Final = HEADER.size + PAYLOAD_MAX + 2
LINE_MAX: Final = FRAME_MAX + 1
"""Bytes between two delimiters: one byte of COBS is enough for frames this short."""

SEQUENCED: Final = 0x01
AGAIN: Final = 0x02
TEST: Final = 0x04
"""Flags of the header."""

HELLO: Final = 0x01
HEARTBEAT: Final = 0x02
EDGE: Final = 0x03
CARD: Final = 0x04
NO_READ: Final = 0x05
DOUBLE_FEED: Final = 0x06
REVERSE: Final = 0x07
CUT_CARD: Final = 0x08
LID: Final = 0x09
ERROR: Final = 0x0A
CLEARED: Final = 0x0B
CROP: Final = 0x0C
DONE: Final = 0x0D
GONE: Final = 0x0E
MEASURED: Final = 0x0F
VALUE: Final = 0x10
ACK: Final = 0x20
RESEND: Final = 0x21
QUERY: Final = 0x22
COMMAND: Final = 0x23
SETTING: Final = 0x24
"""Types: from the device up to 0x1F (section 4), from the host from 0x20 on (section 5)."""

LAYOUTS: Final[dict[int, struct.Struct]] = {
    HELLO: struct.Struct(">12s8sHH"),
    HEARTBEAT: struct.Struct(">HbHH"),
    EDGE: struct.Struct(">HBH"),
    CARD: struct.Struct(">HBBBBBBH"),
    NO_READ: struct.Struct(">HBH"),
    DOUBLE_FEED: struct.Struct(">H"),
    REVERSE: struct.Struct(">HB"),
    CUT_CARD: struct.Struct(">H"),
    LID: struct.Struct(">B"),
    ERROR: struct.Struct(">BB"),
    CLEARED: struct.Struct(">B"),
    DONE: struct.Struct(">HB"),
    GONE: struct.Struct(">H"),
    MEASURED: struct.Struct(">HHHHH"),
    VALUE: struct.Struct(">HBI"),
    ACK: struct.Struct(">"),
    RESEND: struct.Struct(">"),
    QUERY: struct.Struct(">"),
    COMMAND: struct.Struct(">BB"),
    SETTING: struct.Struct(">BI"),
}
"""Payloads of fixed length. A payload of another length is a damaged frame, whatever its CRC says."""

CROP_HEAD: Final = struct.Struct(">HBBBB")
"""What stands before the pixels of a CROP: crop, piece, pieces, width, height."""


class FramedMessage(NamedTuple):
    """One frame. `kind` is its type, `t_ms` the device's age, `payload` at most 48 bytes."""

    kind: int
    flags: int
    boot: int
    seq: int
    t_ms: int
    payload: bytes = b""

    @property
    def sequenced(self) -> bool:
        """Whether the frame has a place in the order of events and must not be lost."""
        return bool(self.flags & SEQUENCED)


class BadFrame(NamedTuple):
    """Bytes between two zeros that are no frame: COBS_WRONG, CRC_WRONG, LENGTH_WRONG, VERSION, TOO_LONG."""

    code: str
    raw: bytes


def crc16(data: bytes) -> int:
    """CRC-16/IBM-3740: polynomial 0x1021, start 0xFFFF, nothing reflected; "123456789" gives 0x29B1."""
    return binascii.crc_hqx(data, 0xFFFF)


def cobs_encode(data: bytes) -> bytes:
    """Replace every zero byte by the distance to the next one. `data` is shorter than 254 bytes."""
    return b"".join(bytes((len(part) + 1,)) + part for part in data.split(b"\0"))


def cobs_decode(line: bytes) -> bytes | None:
    """Undo `cobs_encode`; None when the distances do not add up."""
    parts, at = [], 0
    while at < len(line):
        length = line[at]
        part = line[at + 1 : at + length]
        if len(part) != length - 1:
            return None
        parts.append(part)
        at += length
    return b"\0".join(parts) if at else None


def encode(message: FramedMessage) -> bytes:
    """Make the bytes on the line, delimiters on both sides."""
    head = HEADER.pack(VERSION << 6 | message.kind, message.flags, message.boot, message.seq, message.t_ms)
    body = head + message.payload
    return b"\0" + cobs_encode(body + crc16(body).to_bytes(2, "big")) + b"\0"


def decode(line: bytes) -> FramedMessage | BadFrame:
    """Read what stood between two zero bytes."""
    frame = cobs_decode(line)
    if frame is None or len(frame) < HEADER.size + 2:
        return BadFrame("COBS_WRONG", line)
    body, check = frame[:-2], frame[-2:]
    if crc16(body) != int.from_bytes(check, "big"):
        return BadFrame("CRC_WRONG", line)
    first, flags, boot, seq, t_ms = HEADER.unpack_from(body)
    if first >> 6 != VERSION:
        return BadFrame("VERSION", line)
    message = FramedMessage(first & 0x3F, flags, boot, seq, t_ms, body[HEADER.size :])
    return message if _length_fits(message) else BadFrame("LENGTH_WRONG", line)


def _length_fits(message: FramedMessage) -> bool:
    """Unknown types may have any payload; known ones only theirs."""
    if message.kind == CROP:
        return CROP_HEAD.size < len(message.payload) <= PAYLOAD_MAX
    layout = LAYOUTS.get(message.kind)
    return len(message.payload) <= PAYLOAD_MAX if layout is None else len(message.payload) == layout.size


class FrameSplitter:
    """Cuts a stream at its zero bytes. The result does not depend on where the stream was cut into chunks."""

    def __init__(self) -> None:
        """Begin between two frames."""
        self._line = bytearray()

    def reset(self) -> None:
        """Forget a half-read frame, as after the line was lost."""
        self._line.clear()

    def feed(self, data: bytes) -> list[FramedMessage | BadFrame]:
        """Take bytes and return what is complete by now, in order."""
        first, *rest = data.split(b"\0")
        self._append(first)
        out = []
        for part in rest:
            if self._line:
                out.append(self._finish())
            self._append(part)
        return out

    def _append(self, part: bytes) -> None:
        """Keep one byte more than a frame can have: enough to know that it is too long."""
        self._line += part[: LINE_MAX + 1 - len(self._line)]

    def _finish(self) -> FramedMessage | BadFrame:
        line = bytes(self._line)
        self._line.clear()
        return BadFrame("TOO_LONG", line) if len(line) > LINE_MAX else decode(line)
