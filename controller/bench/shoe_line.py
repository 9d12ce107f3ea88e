"""Cards of an Angel Eye on a real line, sent at its pace by a process of their own."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import get_context
from typing import TYPE_CHECKING, Final

from drivers.simulated import PtyLine, card_bytes, report_frames

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

BAUD: Final = 4800
BYTE_S: Final = 10 / BAUD
"""Start bit, eight bits, stop bit."""


def copy_of(number: int) -> bytes:
    """The message of card `number` (from 0); a shoe sends it three times, the first good copy counts."""
    return report_frames(ord("0") + number % 10, b"D" + card_bytes("7", "s", 0, 1), copies=1)


@contextmanager
def sending(line: PtyLine, cards: int) -> Iterator["Connection[str, list[int]]"]:
    """Run the shoe's side in another process: it begins at a word and gives the moments of the last bytes.

    In this process it would wait for its turn behind the driver that it measures.
    """
    context = get_context("fork")
    here, there = context.Pipe()
    process = context.Process(target=_send, args=(line, cards, there), daemon=True)
    process.start()
    try:
        yield here
    finally:
        process.terminate()
        process.join()


def _send(line: PtyLine, cards: int, wire: "Connection[list[int], str]") -> None:
    """Write byte by byte at the line's pace; note the moment of each card's last byte."""
    wire.recv()
    began = []
    for number in range(cards):
        copy = copy_of(number)
        _write(line, copy[:-1])
        began.append(time.monotonic_ns())
        line.write(copy[-1:])
        time.sleep(BYTE_S)
        _write(line, copy * 2)
        line.read(0)
    wire.send(began)


def _write(line: PtyLine, data: bytes) -> None:
    for byte in data:
        line.write(bytes((byte,)))
        time.sleep(BYTE_S)
