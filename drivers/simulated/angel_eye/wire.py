"""What an Angel Eye II-EX puts on its line and takes from it, as hardware/angel-eye.md describes it.

Written on its own, without a look at `drivers.shoe.angel_eye`: what one of the two has misread shows in every
test that lets them talk.
"""

import re
from typing import Final, Literal, NamedTuple

ChecksumRule = Literal["without_start", "with_start"]
"""Whether the check of a frame covers its first byte."""

SUITS: Final = {"d": 0x10, "c": 0x20, "s": 0x30, "h": 0x40}
RANKS: Final = {
    "A": 0x01,
    "2": 0x02,
    "3": 0x03,
    "4": 0x04,
    "5": 0x05,
    "6": 0x06,
    "7": 0x07,
    "8": 0x08,
    "9": 0x09,
    "10": 0x0A,
    "J": 0x0B,
    "Q": 0x0C,
    "K": 0x0D,
}
"""Suit and rank as the second byte of a card holds them; both 0 for a card that was not read."""

ACKNOWLEDGED: Final = b"\x06"
WRONG_CHECK: Final = b"\x15\x02"

_HIGH: Final = 0x80
"""Set in every byte that is not text, so that none is taken for the end of its frame."""

_COMMAND: Final = re.compile(rb"\x02([^\x00-\x1f]*)\x03([0-9A-F]{2})")
_TAIL_MAX: Final = 64
"""Bytes kept of a command that has not ended; the longest has 10."""


def card_bytes(rank: str | None, suit: str | None, target: int = 0, index: int = 1) -> bytes:
    """Two payload bytes of a card; `target` 0 to 7, `index` 0 to 15, rank and suit None where unread."""
    card = (RANKS[rank] if rank else 0) + (SUITS[suit] if suit else 0)
    return bytes([_HIGH + 16 * target + index, _HIGH + card])


def flag_byte(number: int) -> bytes:
    """One payload byte of a fault, a lock or a result; `number` 0 to 127."""
    return bytes([_HIGH + number])


def check_digits(covered: bytes) -> bytes:
    """Two upper-case hexadecimal digits: all covered bytes, exclusive-or."""
    check = 0
    for byte in covered:
        check ^= byte
    return f"{check:02X}".encode("ascii")


def frame(start: bytes, text: bytes, check: ChecksumRule) -> bytes:
    """Close a frame with its end and its check."""
    rest = text + b"\x03"
    return start + rest + check_digits(start + rest if check == "with_start" else rest)


def report_frames(seq: int, data: bytes, copies: int = 3, check: ChecksumRule = "without_start") -> bytes:
    """Everything that the shoe sends for one message: all copies of it, back to back.

    `seq` is the code of the sequence character.
    """
    return b"".join(frame(b"\x05", bytes([seq]) + data, check) for _ in range(copies))


class HostCommand(NamedTuple):
    """What the host has asked for, such as `OPLK02`; damaged where its check does not fit."""

    text: str
    is_damaged: bool


class CommandReader:
    """Collects what the host sends until a whole command stands in it."""

    def __init__(self, check: ChecksumRule) -> None:
        """`check` is how this shoe computes the check of what it is sent."""
        self._check: ChecksumRule = check
        self._tail = b""

    def take(self, data: bytes) -> list[HostCommand]:
        """Add bytes; returns the commands that are complete by now."""
        received, end, commands = self._tail + data, 0, []
        for found in _COMMAND.finditer(received):
            end = found.end()
            wrong = frame(b"\x02", found[1], self._check) != found[0]
            commands.append(HostCommand(found[1].decode("ascii", "replace"), wrong))
        self._tail = received[end:][-_TAIL_MAX:]
        return commands
