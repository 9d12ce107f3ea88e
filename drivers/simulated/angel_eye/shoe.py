"""A simulated Angel Eye II-EX at the far end of a line.

Which cards come is the caller's business (`SimulatedShoeCards` has a seeded shoe); nothing is shuffled here.
"""

import threading
import time
from typing import Final, NamedTuple

from drivers.simulated.angel_eye.wire import (
    ACKNOWLEDGED,
    WRONG_CHECK,
    ChecksumRule,
    CommandReader,
    card_bytes,
    flag_byte,
    report_frames,
)
from drivers.simulated.lines import PtyLine, SimulatedLine

BITS_A_BYTE: Final = 10
"""Start bit, eight bits, stop bit."""

_STOPPED: Final = 0x40
"""Added to a fault that stops the reader."""


class ShoeSettings(NamedTuple):
    """How this shoe was set up.

    `report_check` and `command_check`: what the check covers in what it sends and in what it is sent.
    `copies`: how often it sends each message.
    """

    report_check: ChecksumRule = "without_start"
    command_check: ChecksumRule = "with_start"
    copies: int = 3


class AngelEyeShoe:
    """One shoe at the far end of `line`. Every method sends at once and returns when all is sent.

    `baud` 0 sends without pacing; 4800 takes as long as the real line does. Calls may come from any thread.
    """

    def __init__(self, line: SimulatedLine, settings: ShoeSettings | None = None, baud: int = 0) -> None:
        """Without `settings`: a shoe as it is delivered."""
        self._line = line
        self._settings = settings or ShoeSettings()
        self._baud = baud
        self._sent = 0
        self.locked = False
        """Whether a command has locked it."""
        self._commands = CommandReader(self._settings.command_check)
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
        self._send(b"E" + flag_byte(number + (_STOPPED if stopped else 0)))

    def lock(self, *, locked: bool) -> None:
        """Turn the key at the shoe."""
        self._send(b"L" + flag_byte(int(locked)))

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
                self.raw(WRONG_CHECK)
                continue
            taken.append(command.text)
            self.raw(ACKNOWLEDGED)
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
            self._put(report_frames(seq, data, self._settings.copies, self._settings.report_check))

    def _put(self, data: bytes) -> None:
        if not self._baud:
            self._line.write(data)
            return
        for byte in data:
            self._line.write(bytes((byte,)))
            time.sleep(BITS_A_BYTE / self._baud)


class PtyShoe(AngelEyeShoe):
    """An Angel Eye on a pseudo-terminal; `port` is a path that stays the same across unplugging."""

    def __init__(self, settings: ShoeSettings | None = None, baud: int = 0) -> None:
        """See `AngelEyeShoe`."""
        super().__init__(PtyLine(), settings, baud)
