"""Frames of the Angel Eye II-EX line: bytes in, frames and bad bytes out.

Shoe to host `ENQ body ETX BCC`, host to shoe and replies `STX body ETX BCC`, short answers `ACK` and
`NAK code`. The body never holds a control character (cards have bit 7 set, the rest is ASCII), so any
control character inside a frame means that its end was lost, and the parser is in step again at once.
"""

from collections.abc import Callable
from functools import reduce
from operator import xor
from typing import Final, Literal, NamedTuple

STX: Final = 0x02
ETX: Final = 0x03
ENQ: Final = 0x05
ACK: Final = 0x06
NAK: Final = 0x15

NAK_CODES: Final[dict[int, str]] = {
    0x01: "FRAMING",
    0x02: "BCC",
    0x03: "NO_ETX",
    0x11: "FORMAT",
    0x12: "ADDRESS",
    0x13: "COMMAND",
    0x14: "TYPE",
    0x21: "BUSY",
    0x22: "WRITING",
    0xFF: "OTHER",
}
"""What the byte behind a NAK says, as `AngelReply` names it."""

BODY_MAX: Final = 32
"""Bytes between start and ETX; the longest known message has 8."""

NOISE_MAX: Final = 64
"""Bytes between two frames that are reported together; a line that babbles is reported piece by piece."""

BccMode = Literal["without_start", "with_start", "ignored"]
"""What the check covers. The two public descriptions of the line disagree, so the table's file says it."""


class AngelFrame(NamedTuple):
    """A frame whose check fits. `start` is ENQ (from the shoe) or STX (a reply), `body` what follows it."""

    start: int
    body: bytes


class AngelReply(NamedTuple):
    """A short answer: ACK where `nak` is "", else NAK with the name of its code."""

    nak: str


class BadBytes(NamedTuple):
    """Bytes that are no frame, and why, as `LineFault` says it."""

    code: str
    raw: bytes


Received = AngelFrame | AngelReply | BadBytes


def bcc(start: int, body: bytes, mode: BccMode) -> bytes:
    """Exclusive-or over body and ETX, with or without the start byte, as two upper-case hex digits."""
    seed = start if mode == "with_start" else 0
    return b"%02X" % reduce(xor, body, seed ^ ETX)


def encode(start: int, body: bytes, mode: BccMode) -> bytes:
    """Make the bytes of a whole frame; `ignored` writes the check without the start byte."""
    return bytes((start,)) + body + bytes((ETX,)) + bcc(start, body, mode)


class FrameParser:
    """Finds frames in a stream. The result does not depend on where the stream was cut into chunks."""

    def __init__(self, mode: BccMode = "without_start") -> None:
        """`mode` says what the check of received frames covers."""
        self._mode: BccMode = mode
        self._out: list[Received] = []
        self._noise = bytearray()
        self._raw = bytearray()
        self._next: Callable[[int], None] = self._outside

    def reset(self) -> None:
        """Forget a half-read frame, as after the line was lost."""
        self._noise.clear()
        self._raw.clear()
        self._next = self._outside

    def feed(self, data: bytes) -> list[Received]:
        """Take bytes and return what is complete by now, in order."""
        for byte in data:
            self._next(byte)
        out, self._out = self._out, []
        return out

    def _outside(self, byte: int) -> None:
        """Between frames: anything but a start or an answer is noise."""
        if byte in {ENQ, STX, ACK, NAK}:
            self._flush_noise()
            self._start(byte)
            return
        self._noise.append(byte)
        if len(self._noise) >= NOISE_MAX:
            self._flush_noise()

    def _start(self, byte: int) -> None:
        """Take the first byte of a frame or answer."""
        if byte == ACK:
            self._out.append(AngelReply(""))
            return
        self._raw = bytearray((byte,))
        self._next = self._nak_code if byte == NAK else self._inside

    def _nak_code(self, byte: int) -> None:
        """Take the code after NAK."""
        if byte in NAK_CODES:
            self._out.append(AngelReply(NAK_CODES[byte]))
            self._next = self._outside
        else:
            self._give_up("NAK_WITHOUT_CODE", byte)

    def _inside(self, byte: int) -> None:
        """Take the body up to ETX."""
        if byte < 0x20 and byte != ETX:
            self._give_up("TRUNCATED", byte)
        elif len(self._raw) > BODY_MAX and byte != ETX:
            self._give_up("TOO_LONG", byte)
        else:
            self._raw.append(byte)
            if byte == ETX:
                self._next = self._check

    def _check(self, byte: int) -> None:
        """Take the two digits of the check."""
        if byte < 0x20:
            self._give_up("BCC_MISSING", byte)
            return
        self._raw.append(byte)
        if self._raw[-3] == ETX:
            self._finish()

    def _finish(self) -> None:
        """Judge a frame that has all its bytes."""
        raw = bytes(self._raw)
        body, digits = raw[1:-3], raw[-2:]
        self._next = self._outside
        if self._mode != "ignored" and digits != bcc(raw[0], body, self._mode):
            self._out.append(BadBytes("BCC_WRONG", raw))
        elif not body:
            self._out.append(BadBytes("EMPTY", raw))
        else:
            self._out.append(AngelFrame(raw[0], body))

    def _give_up(self, code: str, byte: int) -> None:
        """Report the broken frame; `byte` may be the start of the next one."""
        self._out.append(BadBytes(code, bytes(self._raw)))
        self._next = self._outside
        self._outside(byte)

    def _flush_noise(self) -> None:
        """Report the noise collected so far as one fault."""
        if self._noise:
            self._out.append(BadBytes("NOISE", bytes(self._noise)))
            self._noise.clear()
