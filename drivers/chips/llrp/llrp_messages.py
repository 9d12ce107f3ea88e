"""Messages and parameters of the Low Level Reader Protocol as bytes: LLRP 1.1, chapters 16 and 17. No I/O.

Numbers are big-endian. A message is a header and parameters; a parameter is long (type, length) or, for types
below 128, short with a length that its type alone tells.
"""

import struct
from collections.abc import Iterator
from typing import Final, NamedTuple

HEADER: Final = struct.Struct(">HII")
"""Version and type, length of the whole message, message id."""

LONG: Final = struct.Struct(">HH")
"""Type and length of a long parameter, these four bytes included."""

VERSION: Final = 1
"""LLRP 1.0.1, which every reader speaks; nothing of 1.1 is asked for."""

MESSAGE_MAX: Final = 65_536
"""Bytes of a message: a report of a full table is a tenth of that. What is longer is no message."""

SET_READER_CONFIG: Final = 3
SET_READER_CONFIG_RESPONSE: Final = 13
ADD_ROSPEC: Final = 20
DELETE_ROSPEC: Final = 21
ENABLE_ROSPEC: Final = 24
ADD_ROSPEC_RESPONSE: Final = 30
DELETE_ROSPEC_RESPONSE: Final = 31
ENABLE_ROSPEC_RESPONSE: Final = 34
RO_ACCESS_REPORT: Final = 61
KEEPALIVE: Final = 62
READER_EVENT_NOTIFICATION: Final = 63
KEEPALIVE_ACK: Final = 72
ERROR_MESSAGE: Final = 100

ANTENNA_ID: Final = 1
EPC_96: Final = 13
SHORT: Final[dict[int, int]] = {
    ANTENNA_ID: 2, 2: 8, 3: 8, 4: 8, 5: 8, 6: 1, 7: 2, 8: 2, 9: 4, 10: 2, 11: 2, 12: 2, EPC_96: 12, 14: 2,
    15: 2, 16: 4, 17: 2, 18: 4, 19: 2, 20: 2,
}  # fmt: skip
"""Bytes of each short parameter behind its type."""

ROSPEC: Final = 177
BOUNDARY: Final = 178
START_TRIGGER: Final = 179
PERIODIC_TRIGGER: Final = 180
STOP_TRIGGER: Final = 182
ANTENNA_INVENTORY: Final = 183
ANTENNA_STOP: Final = 184
INVENTORY_PARAMETERS: Final = 186
KEEPALIVE_SPEC: Final = 220
REPORT_SPEC: Final = 237
REPORT_CONTENT: Final = 238
TAG_REPORT_DATA: Final = 240
EPC_DATA: Final = 241
EVENT_SPEC: Final = 244
EVENT_STATE: Final = 245
EVENT_DATA: Final = 246
ROSPEC_EVENT: Final = 249
ANTENNA_EVENT: Final = 255
CONNECTION_ATTEMPT: Final = 256
STATUS: Final = 287


class LlrpMessage(NamedTuple):
    """A whole message; `body` is everything behind the header."""

    kind: int
    number: int
    body: bytes


class NoMessage(Exception):
    """Bytes that are no LLRP: the stream has no marks by which one could find the next message."""


def take_message(data: bytearray) -> LlrpMessage | None:
    """Take the first message off the stream; None while it is not whole. Raises `NoMessage`."""
    if len(data) < HEADER.size:
        return None
    first, length, number = HEADER.unpack_from(data)
    if not HEADER.size <= length <= MESSAGE_MAX or first >> 13 or not 1 <= first >> 10 & 7 <= 2:
        raise NoMessage
    if len(data) < length:
        return None
    body = bytes(data[HEADER.size : length])
    del data[:length]
    return LlrpMessage(first & 0x3FF, number, body)


def message(kind: int, number: int, body: bytes = b"") -> bytes:
    """The bytes of a message of the host."""
    return HEADER.pack(VERSION << 10 | kind, HEADER.size + len(body), number) + body


def parameter(kind: int, body: bytes) -> bytes:
    """The bytes of a long parameter."""
    return LONG.pack(kind, LONG.size + len(body)) + body


def parameters(body: bytes) -> Iterator[tuple[int, bytes]]:
    """Type and value of each parameter, in order. Raises `NoMessage` where a length does not fit."""
    at = 0
    while at < len(body):
        if body[at] & 0x80:
            kind, start, end = body[at] & 0x7F, at + 1, at + 1 + SHORT.get(body[at] & 0x7F, len(body))
        elif at + LONG.size <= len(body):
            kind, length = LONG.unpack_from(body, at)
            start, end = at + LONG.size, at + length
        else:
            raise NoMessage
        if not start <= end <= len(body):
            raise NoMessage
        yield kind & 0x3FF, body[start:end]
        at = end


def number_of(value: bytes, at: int, size: int) -> int:
    """An unsigned number inside a parameter. Raises `NoMessage` where the parameter is too short."""
    if at + size > len(value):
        raise NoMessage
    return int.from_bytes(value[at : at + size], "big")
