"""Frames of the open shoe protocol (../../open-shoe-protocol.md): COBS, CRC, header. No hardware.

Runs unchanged in MicroPython and CPython.
"""

import struct

VERSION = 1

# Bytes: of a payload, of the header (version and type, flags, boot id, sequence number, milliseconds since
# power-up), and of all that stands between two delimiters.
PAYLOAD_MAX = 48
HEADER = ">BBHHI"
_HEADER_SIZE = 10
LINE_MAX = _HEADER_SIZE + PAYLOAD_MAX + 3

# Flags of the header.
SEQUENCED = 0x01
AGAIN = 0x02
TEST = 0x04

# Types of frames: from the device up to 0x1F, from the host from 0x20 on.
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
MEASURED = 0x0F
VALUE = 0x10
ACK = 0x20
RESEND = 0x21
QUERY = 0x22
COMMAND = 0x23
SETTING = 0x24


def _table():
    """Make the 256 steps of CRC-16/IBM-3740, one for each byte value."""
    steps = []
    for byte in range(256):
        crc = byte << 8
        for _ in range(8):
            crc = (crc << 1 ^ 0x1021 if crc & 0x8000 else crc << 1) & 0xFFFF
        steps.append(crc)
    return steps


_STEPS = _table()


def crc16(data):
    """CRC-16/IBM-3740 of bytes; "123456789" gives 0x29B1."""
    crc = 0xFFFF
    for byte in data:
        crc = (crc << 8 & 0xFF00) ^ _STEPS[crc >> 8 ^ byte]
    return crc


def cobs_encode(data):
    """Replace every zero byte by the distance to the next one; `data` is shorter than 254 bytes."""
    out = bytearray(1)
    mark = 0
    for byte in data:
        if byte:
            out.append(byte)
        else:
            out[mark] = len(out) - mark
            mark = len(out)
            out.append(0)
    out[mark] = len(out) - mark
    return bytes(out)


def cobs_decode(line):
    """Undo `cobs_encode`; None when the distances do not add up."""
    out = bytearray()
    at = 0
    while at < len(line):
        step = line[at]
        if at + step > len(line):
            return None
        out += line[at + 1 : at + step]
        at += step
        if at < len(line):
            out.append(0)
    return bytes(out)


def encode(kind, payload, *, flags, boot, seq, t_ms):
    """Make a whole frame with its delimiters."""
    body = struct.pack(HEADER, VERSION << 6 | kind, flags, boot, seq, t_ms) + payload
    return b"\0" + cobs_encode(body + struct.pack(">H", crc16(body))) + b"\0"


def decode(line):
    """Read what stood between two zero bytes: (kind, flags, boot, seq, t_ms, payload), None if damaged."""
    frame = cobs_decode(line)
    if frame is None or len(frame) < _HEADER_SIZE + 2:
        return None
    body = frame[:-2]
    if struct.unpack(">H", frame[-2:])[0] != crc16(body):
        return None
    first, flags, boot, seq, t_ms = struct.unpack(HEADER, body[:_HEADER_SIZE])
    if first >> 6 != VERSION:
        return None
    return first & 0x3F, flags, boot, seq, t_ms, body[_HEADER_SIZE:]
