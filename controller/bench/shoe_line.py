"""Cards of both shoe protocols on a real line, sent at its pace by a process of their own."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing import get_context
from typing import TYPE_CHECKING, Final, NamedTuple

from drivers.shoe.angel_eye import AngelEye
from drivers.shoe.open_shoe import OpenShoe
from drivers.shoe.protocol import ShoeProtocol
from drivers.simulated import PtyLine
from drivers.simulated.angel_eye import card_bytes, report_frames
from drivers.simulated.open_shoe import FrameType, wire

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

BAUD: Final = 4800
BYTE_S: Final = 10 / BAUD
"""Start bit, eight bits, stop bit."""


class Sent(NamedTuple):
    """Bytes of one card: `complete` ends with the byte that completes it, `after` follows it on the line."""

    complete: bytes
    after: bytes = b""


class Contest(NamedTuple):
    """One protocol: how to read it, and what a shoe sends for card `number` (from 0)."""

    protocol: Callable[[], ShoeProtocol]
    card: Callable[[int], Sent]


def angel_card(number: int) -> Sent:
    """An Angel Eye sends each message three times; the first good copy counts."""
    copy = report_frames(ord("0") + number % 10, b"D" + card_bytes("7", "s", 0, 1), copies=1)
    return Sent(copy, copy * 2)


def open_card(number: int) -> Sent:
    """An open reader says that a card has left, then what it is; the first card comes behind its HELLO."""
    passage, first = number % 0xFFFF + 1, 2 * number + 1
    hello = _event(0, FrameType.HELLO, b"BENCH0000001", bytes(8), 0, 512) if number == 0 else b""
    left = _event(first, FrameType.EDGE, passage, 2, 80)
    named = _event(first + 1, FrameType.CARD, passage, 7, 4, 0xFF ^ 0x74, 255, 0, 0, 0)
    return Sent(hello + left + named)


def _event(seq: int, kind: FrameType, *fields: int | bytes) -> bytes:
    payload = wire.payload(kind, *fields)
    return wire.frame(kind, payload, flags=wire.SEQUENCED, boot=1, seq=seq % 0x10000, t_ms=seq)


CONTESTS: Final[dict[str, Contest]] = {
    "angel_eye": Contest(AngelEye, angel_card),
    "open": Contest(OpenShoe, open_card),
}


@contextmanager
def sending(line: PtyLine, contest: Contest, cards: int) -> Iterator["Connection[str, list[int]]"]:
    """Run the shoe's side in another process: it begins at a word and gives the moments of the last bytes.

    In this process it would wait for its turn behind the driver that it measures.
    """
    context = get_context("fork")
    here, there = context.Pipe()
    process = context.Process(target=_send, args=(line, contest, cards, there), daemon=True)
    process.start()
    try:
        yield here
    finally:
        process.terminate()
        process.join()


def _send(line: PtyLine, contest: Contest, cards: int, wire: "Connection[list[int], str]") -> None:
    """Write byte by byte at the line's pace; note the moment of each card's last byte."""
    wire.recv()
    began = []
    for number in range(cards):
        complete, after = contest.card(number)
        _write(line, complete[:-1])
        began.append(time.monotonic_ns())
        line.write(complete[-1:])
        time.sleep(BYTE_S)
        _write(line, after)
        line.read(0)
    wire.send(began)


def _write(line: PtyLine, data: bytes) -> None:
    for byte in data:
        line.write(bytes((byte,)))
        time.sleep(BYTE_S)
