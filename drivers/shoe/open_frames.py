"""Frames of the open shoe protocol, and the receive window that brings them into order. No I/O.

A frame is COBS between zero bytes: a header, a payload, a CRC. The specification is
hardware/open-shoe-protocol.md; the names here are its names. The window knows what has arrived, what is
missing and what to ask for. Sequence numbers have 16 bits and go round; a distance below half the circle is
"ahead".
"""

import binascii
import struct
from collections import OrderedDict
from typing import Final, NamedTuple

from drivers.shoe.reader import Gap, LineFault

VERSION: Final = 1

PAYLOAD_MAX: Final = 48
"""Bytes of a payload."""

HEADER: Final = struct.Struct(">BBHHI")
"""Version and type, flags, boot id, sequence number, milliseconds since power-up (section 2)."""

_FRAME_MAX: Final = HEADER.size + PAYLOAD_MAX + 2
LINE_MAX: Final = _FRAME_MAX + 1
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


def decode(line: bytes) -> FramedMessage | LineFault:
    """Read what stood between two zero bytes.

    What is no frame is COBS_WRONG, CRC_WRONG, LENGTH_WRONG, VERSION or TOO_LONG.
    """
    frame = cobs_decode(line)
    if frame is None or len(frame) < HEADER.size + 2:
        return LineFault("COBS_WRONG", line)
    body, check = frame[:-2], frame[-2:]
    if crc16(body) != int.from_bytes(check, "big"):
        return LineFault("CRC_WRONG", line)
    first, flags, boot, seq, t_ms = HEADER.unpack_from(body)
    if first >> 6 != VERSION:
        return LineFault("VERSION", line)
    message = FramedMessage(first & 0x3F, flags, boot, seq, t_ms, body[HEADER.size :])
    size, layout = len(message.payload), LAYOUTS.get(message.kind)
    if message.kind == CROP:
        fits = CROP_HEAD.size < size <= PAYLOAD_MAX
    else:
        # Unknown types may have any payload; known ones only theirs.
        fits = size <= PAYLOAD_MAX if layout is None else size == layout.size
    return message if fits else LineFault("LENGTH_WRONG", line)


class FrameSplitter:
    """Cuts a stream at its zero bytes. The result does not depend on where the stream was cut into chunks."""

    def __init__(self) -> None:
        """Begin between two frames."""
        self._line = bytearray()

    def reset(self) -> None:
        """Forget a half-read frame, as after the line was lost."""
        self._line.clear()

    def feed(self, data: bytes) -> list[FramedMessage | LineFault]:
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

    def _finish(self) -> FramedMessage | LineFault:
        line = bytes(self._line)
        self._line.clear()
        return LineFault("TOO_LONG", line) if len(line) > LINE_MAX else decode(line)


_AHEAD_MAX: Final = 512
"""Messages that may come early and are kept: as many as a reader remembers."""

_ASK_AGAIN_MS: Final = 100
"""How often a missing message is asked for (specification, section 3.5)."""

_BOOTS_MAX: Final = 8
"""Boot ids whose place is remembered."""

CIRCLE: Final = 0x10000
"""Sequence numbers have 16 bits."""

Ordered = FramedMessage | Gap
"""What is handed out: the next message, or that some are missing before it."""


def ahead(expected: int, seq: int) -> int:
    """How far `seq` lies ahead of `expected`; negative when it lies behind."""
    distance = (seq - expected) % CIRCLE
    return distance if distance < CIRCLE // 2 else distance - CIRCLE


class ReceiveWindow:
    """Hands out sequenced messages once and in order, and knows what to tell the device.

    Each boot id has a circle of numbers of its own; those of the last few are remembered, so that a frame
    whose boot id was damaged beyond what the CRC can see does not start an old one from its beginning.
    """

    def __init__(self) -> None:
        """Begin without a device: the first heartbeat or HELLO says where it stands."""
        self._boot: int | None = None
        self._past: OrderedDict[int, int] = OrderedDict()
        self._expected = 0
        self._next = 0
        self._waiting: dict[int, FramedMessage] = {}
        self._ack_due = False
        self._query_due = True
        self._asked_ms: int | None = None

    def connected(self) -> None:
        """Ask the device where it stands; what has been received stays received."""
        self._query_due, self._asked_ms = True, None

    def take(self, message: FramedMessage) -> list[Ordered]:
        """Take an undamaged frame from the device; frames of the host that echo back say nothing."""
        if message.kind >= ACK:
            return []
        out: list[Ordered] = []
        if message.boot != self._boot and not self._begin(message, out):
            self._query_due = True
            return []
        if message.sequenced:
            return out + self._sequenced(message)
        if message.kind == GONE:
            return out + self._give_up(LAYOUTS[GONE].unpack(message.payload)[0])
        if message.kind == HEARTBEAT:
            out += self._heartbeat(message)
            # Its time may only settle a card when nothing that was said before it is still missing.
            return [*out, message] if message.seq == self._expected else out
        return [*out, message]

    def poll(self, now_ms: int) -> bytes:
        """Give the bytes to send now: an acknowledgement, a request for what is missing, a query.

        `now_ms` is the host's own clock.
        """
        out = b""
        if self._query_due:
            out += encode(FramedMessage(QUERY, 0, 0, 0, 0))
            self._query_due = False
        if self._boot is None:
            return out
        if self._ack_due:
            out += encode(FramedMessage(ACK, 0, self._boot, self._expected, 0))
            self._ack_due = False
        if ahead(self._expected, self._next) > 0 and self._may_ask(now_ms):
            out += encode(FramedMessage(RESEND, 0, self._boot, self._expected, 0))
            self._asked_ms = now_ms
        return out

    def _begin(self, message: FramedMessage, out: list[Ordered]) -> bool:
        """Start with a device that was switched on, or that has been on for longer than this program."""
        if message.kind == HELLO and message.sequenced and message.seq == 0:
            self._start(message.boot, self._past.get(message.boot, 0))
            return True
        if message.kind != HEARTBEAT:
            return False
        unacked = LAYOUTS[HEARTBEAT].unpack(message.payload)[3]
        expected = self._past.get(message.boot, unacked)
        if self._boot is not None and unacked and message.boot not in self._past:
            out.append(Gap("0", str(unacked), unacked))
        self._start(message.boot, expected)
        return True

    def _start(self, boot: int, expected: int) -> None:
        if self._boot is not None:
            self._past[self._boot] = self._expected
            while len(self._past) > _BOOTS_MAX:
                self._past.popitem(last=False)
        self._boot, self._expected, self._next = boot, expected, expected
        self._waiting.clear()
        self._asked_ms = None

    def _heartbeat(self, message: FramedMessage) -> list[Ordered]:
        """Compare where the device stands. Behind us, it has restarted and drawn the same boot id again."""
        self._next = message.seq
        if ahead(self._expected, message.seq) >= 0:
            return []
        expected, self._expected = self._expected, 0
        self._waiting.clear()
        return [Gap(str(expected), "0", None)]

    def _sequenced(self, message: FramedMessage) -> list[Ordered]:
        """Hand out what is next, keep what is ahead, acknowledge what came again."""
        distance = ahead(self._expected, message.seq)
        self._ack_due = True
        if distance < 0 or distance > _AHEAD_MAX:
            return []
        if ahead(self._next, message.seq) >= 0:
            self._next = (message.seq + 1) % CIRCLE
        other = self._waiting.setdefault(message.seq, message)
        if (other.kind, other.t_ms, other.payload) != (message.kind, message.t_ms, message.payload):
            # A resent one is marked as such.
            # Both passed the check, so one of them lies: neither is believed, and it is asked for again.
            del self._waiting[message.seq]
            return []
        return self._drain()

    def _drain(self, end: int | None = None) -> list[Ordered]:
        """Hand out everything that is in order by now, and is before `end`."""
        out: list[Ordered] = []
        while self._expected != end and self._expected in self._waiting:
            out.append(self._waiting.pop(self._expected))
            self._expected = (self._expected + 1) % CIRCLE
        return out

    def _give_up(self, first: int) -> list[Ordered]:
        """Accept that the device no longer has what lies before `first`; believed only after a request."""
        if ahead(self._expected, first) <= 0 or self._asked_ms is None:
            return []
        out: list[Ordered] = []
        while self._expected != first:
            out += self._drain(first) or [self._skip_to(first)]
        return out + self._drain()

    def _skip_to(self, first: int) -> Gap:
        """Pass over what is missing before the next message that came early, at most up to `first`.

        Each hole is a gap of its own: what came before it may mean something else behind it.
        """
        start = self._expected
        while self._expected != first and self._expected not in self._waiting:
            self._expected = (self._expected + 1) % CIRCLE
        return Gap(str(start), str(self._expected), ahead(start, self._expected))

    def _may_ask(self, now_ms: int) -> bool:
        return self._asked_ms is None or now_ms - self._asked_ms >= _ASK_AGAIN_MS
