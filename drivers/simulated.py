"""A simulated Angel Eye II-EX at the far end of a line, and the cards of its shoe.

In: what happens at the table (a card leaves the shoe). Out: the bytes of the real device, as
hardware/angel-eye.md describes them. Imports nothing of the drivers: encoders and tables are written a second
time from the description, so that a driver that has misread it is found out. Devices that only tests need are
in `tests/drivers/far_ends`.
"""

import os
import re
import select
import tempfile
import threading
import time
import tty
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import reduce
from operator import xor
from pathlib import Path
from random import Random
from typing import Final, Literal, NamedTuple, Protocol

from controller.domain import RANKS, SUITS, Card

READ_MAX: Final = 4096
"""Bytes read at once."""


class SimulatedLine(Protocol):
    """The simulated reader's end."""

    @property
    def port(self) -> str:
        """What the driver opens; stays the same across unplugging."""
        ...

    def plug(self) -> None:
        """Connect the reader; nothing happens when it is connected."""
        ...

    def unplug(self) -> None:
        """Take the reader off: the driver's end breaks and the port is gone."""
        ...

    def write(self, data: bytes) -> None:
        """Send bytes to whoever listens."""
        ...

    def read(self, timeout_s: float) -> bytes:
        """Wait for bytes from the driver; b"" when none came or nobody is there."""
        ...

    def close(self) -> None:
        """Unplug for good and clean up."""
        ...


class PtyLine:
    """A pseudo-terminal behind a stable name, as udev gives real ports one."""

    def __init__(self) -> None:
        """Make it, plugged in."""
        self._folder = tempfile.TemporaryDirectory(prefix="stand17-shoe-")
        self._link = Path(self._folder.name) / "shoe"
        self._master = -1
        self._slave = -1
        self._lock = threading.Lock()
        self.plug()

    @property
    def port(self) -> str:
        """The path of the terminal, the same across unplugging."""
        return str(self._link)

    def plug(self) -> None:
        """Connect the reader; nothing happens when it is connected."""
        if self._master >= 0:
            return
        with self._lock:
            self._master, self._slave = os.openpty()
            tty.setraw(self._slave)
            os.set_blocking(self._master, False)
            self._link.symlink_to(os.ttyname(self._slave))

    def unplug(self) -> None:
        """Take the reader off: the driver's end breaks and the port is gone."""
        if self._master < 0:
            return
        with self._lock:
            self._link.unlink()
            os.close(self._slave)
            os.close(self._master)
            self._master = self._slave = -1

    def write(self, data: bytes) -> None:
        """Send bytes; without a listener they are lost, as on a real wire."""
        with self._lock, suppress(OSError):
            os.write(self._master, data)

    def read(self, timeout_s: float) -> bytes:
        """Wait for bytes from the driver; b"" when none came."""
        with self._lock, suppress(OSError, ValueError):
            if select.select([self._master], [], [], timeout_s)[0]:
                return os.read(self._master, READ_MAX)
        return b""

    def close(self) -> None:
        """Unplug for good and remove the port."""
        self.unplug()
        self._folder.cleanup()


ChecksumRule = Literal["without_start", "with_start"]
"""Whether the check of a frame covers its first byte."""

SUIT_BYTES: Final = {"d": 0x10, "c": 0x20, "s": 0x30, "h": 0x40}
RANK_BYTES: Final = {
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

_ACKNOWLEDGED: Final = b"\x06"
_WRONG_CHECK: Final = b"\x15\x02"

_HIGH: Final = 0x80
"""Set in every byte that is not text, so that none is taken for the end of its frame."""

_COMMAND: Final = re.compile(rb"\x02([^\x00-\x1f]*)\x03([0-9A-F]{2})")
_TAIL_MAX: Final = 64
"""Bytes kept of a command that has not ended; the longest has 10."""


def card_bytes(rank: str | None, suit: str | None, target: int = 0, index: int = 1) -> bytes:
    """Two payload bytes of a card; `target` 0 to 7, `index` 0 to 15, rank and suit None where unread."""
    card = (RANK_BYTES[rank] if rank else 0) + (SUIT_BYTES[suit] if suit else 0)
    return bytes([_HIGH + 16 * target + index, _HIGH + card])


def frame(start: bytes, text: bytes, check: ChecksumRule) -> bytes:
    """Close a frame with its end and its check."""
    rest = text + b"\x03"
    check_byte = reduce(xor, start + rest if check == "with_start" else rest)
    return start + rest + f"{check_byte:02X}".encode("ascii")


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


_BITS_A_BYTE: Final = 10
"""Start bit, eight bits, stop bit."""

_STOPPED: Final = 0x40
"""Added to a fault that stops the reader."""


class AngelEyeShoe:
    """One shoe at the far end of `line`. Every method sends at once and returns when all is sent.

    `baud` 0 sends without pacing; 4800 takes as long as the real line does. Calls may come from any thread.
    """

    def __init__(
        self, line: SimulatedLine, *, baud: int = 0, command_check: ChecksumRule = "with_start"
    ) -> None:
        """`command_check`: what the check covers in what it is sent."""
        self._line = line
        self._baud = baud
        self._sent = 0
        self.locked = False
        """Whether a command has locked it."""
        self._commands = CommandReader(command_check)
        self._lock = threading.Lock()

    @property
    def port(self) -> str:
        """What the driver opens."""
        return self._line.port

    def start(self) -> None:
        """Switch the reader on: its sequence begins anew."""
        self._sent = 0
        self._send(b"S")

    def deal(self, rank: str | None, suit: str | None, target: int = 0, place: int = 1) -> bool:
        """Let a card leave the shoe; a rank of None is a card that the reader could not read.

        False where nothing leaves: a command has locked the shoe.
        """
        if self.locked:
            return False
        self._send(b"D" + card_bytes(rank, suit, target, place))
        return True

    def cut_card(self) -> None:
        """Let the cut card leave the shoe."""
        self._send(b"C")

    def error(self, number: int, *, stopped: bool = True) -> None:
        """Report fault 1 to 7."""
        self._send(bytes((ord("E"), _HIGH + number + (_STOPPED if stopped else 0))))

    def lock(self, *, locked: bool) -> None:
        """Turn the key at the shoe."""
        self._send(bytes((ord("L"), _HIGH + locked)))

    def raw(self, data: bytes) -> None:
        """Put any bytes on the line, as they are."""
        with self._lock:
            self._put(data)

    def answer(self, timeout_s: float) -> list[str]:
        """Wait for commands and answer each with ACK; returns their text, such as `OPLK02`.

        A lock command turns the key, which is reported as at the real shoe. A damaged command gets NAK.
        """
        taken = []
        for command in self._commands.take(self._line.read(timeout_s)):
            if command.is_damaged:
                self.raw(_WRONG_CHECK)
                continue
            taken.append(command.text)
            self.raw(_ACKNOWLEDGED)
            if command.text.startswith("OPLK"):
                self.locked = command.text.endswith("2")
                self.lock(locked=self.locked)
        return taken

    def unplug(self) -> None:
        """Pull the cable."""
        self._line.unplug()

    def plug(self) -> None:
        """Put the cable back; the reader has gone on counting."""
        self._line.plug()

    def close(self) -> None:
        """End the simulation and remove the port."""
        self._line.close()

    def _send(self, data: bytes) -> None:
        """Send all copies of one message and count it; the sequence characters are the ten digits."""
        with self._lock:
            seq = ord(str(self._sent % 10))
            self._sent += 1
            self._put(report_frames(seq, data))

    def _put(self, data: bytes) -> None:
        if not self._baud:
            self._line.write(data)
            return
        for byte in data:
            self._line.write(bytes((byte,)))
            time.sleep(_BITS_A_BYTE / self._baud)


class PtyShoe(AngelEyeShoe):
    """An Angel Eye on a pseudo-terminal; `port` is a path that stays the same across unplugging."""

    def __init__(self, *, baud: int = 0, command_check: ChecksumRule = "with_start") -> None:
        """Open the pseudo-terminal."""
        super().__init__(PtyLine(), baud=baud, command_check=command_check)


class SimulatedShoeCards:
    """The cards of one shoe in an order that `random` decides; iterating deals them, the first one first.

    `left` is the number of cards still in it, `cut_after` the number of those that lay before the cut card,
    `decks` the number of its packs.
    """

    def __init__(
        self,
        random: Random,
        decks: int,
        behind_cut: float = 0.25,
        *,
        without: Iterable[Card] = (),
        stacked: int = 0,
    ) -> None:
        """`decks` of 52 cards; `behind_cut` is the share of cards behind the cut card, 0 to 1.

        `without` are cards of these packs that lie on the table. `stacked`: every card of one kind lies among
        the first so many, so that one more of it is soon one too many; 0 leaves the order to chance.
        """
        cards = [Card(rank, suit) for rank in RANKS for suit in SUITS] * decks
        for card in without:
            cards.remove(card)
        random.shuffle(cards)
        self._cards = _stacked(cards, stacked, random) if stacked else cards
        self.decks = decks
        self.left = len(cards)
        self.cut_after = self.left - round(self.left * behind_cut)

    def __iter__(self) -> Iterator[Card]:
        """Deal the rest of the shoe."""
        return self

    def __next__(self) -> Card:
        """Deal the next card; `StopIteration` when the shoe is empty."""
        if not self.left:
            raise StopIteration
        card = self._cards[-self.left]
        self.left -= 1
        return card

    def put_back(self) -> None:
        """The card that was dealt last has not left the shoe after all."""
        self.left += 1

    @property
    def cut_card_due(self) -> bool:
        """Whether the cut card is what comes out next."""
        return len(self._cards) - self.left == self.cut_after

    @property
    def out(self) -> tuple[Card, ...]:
        """The cards that have been dealt, the first one first."""
        return tuple(self._cards[: len(self._cards) - self.left])

    def ahead(self, count: int) -> tuple[Card, ...]:
        """The next cards, as far as they come before the cut card or all behind it."""
        begin = len(self._cards) - self.left
        end = begin + count
        return tuple(self._cards[begin : self.cut_after if begin < self.cut_after < end else end])


def _stacked(cards: list[Card], front: int, random: Random) -> list[Card]:
    """Bring every card of the kind on top among the first `front` ones."""
    others = [card for card in cards if card != cards[0]]
    copies = [card for card in cards if card == cards[0]]
    first = [*copies, *others[: front - len(copies)]]
    random.shuffle(first)
    return [*first, *others[front - len(copies) :]]
