"""A simulated Angel Eye II-EX: it sends the same bytes as the real one, so the real driver reads them.

Which cards come is the caller's business (`drivers.simulated` has a seeded shoe); nothing is shuffled here.
"""

import threading
import time
from typing import Final

from drivers.shoe.angel_eye import AngelEyeOptions, report_frames
from drivers.shoe.angel_messages import card_bytes
from drivers.shoe.framing import ACK, NAK, STX, Fault, Frame, FrameParser
from drivers.shoe.lines import Line, PtyLine, TcpLine

BITS_A_BYTE: Final = 10
"""Start bit, eight bits, stop bit."""


class AngelEyeShoe:
    """One shoe at the far end of `line`. Every method sends at once and returns when all is sent.

    `baud` 0 sends without pacing; 4800 takes as long as the real line does. Calls may come from any thread.
    """

    def __init__(self, line: Line, options: AngelEyeOptions | None = None, baud: int = 0) -> None:
        self._line = line
        self._options = options or AngelEyeOptions()
        self._baud = baud
        self._sent = 0
        self._commands = FrameParser(self._options.bcc_out)
        self._lock = threading.Lock()

    @property
    def port(self) -> str:
        """What the driver opens."""
        return self._line.port

    def start(self) -> None:
        """Switch the reader on: its sequence begins anew."""
        self._sent = 0
        self._send(b"S")

    def standby(self) -> None:
        """Wait for the next game."""
        self._send(b"P")

    def deal(self, rank: str | None, suit: str | None, target: int = 0, place: int = 1) -> None:
        """Let a card leave the shoe; a rank of None is a card that the reader could not read."""
        self._send(b"D" + card_bytes(rank, suit, target, place))

    def deal_outside_game(self, rank: str | None, suit: str | None, mode: int = 0) -> None:
        """Let a card leave the shoe while it is locked (0), in error (1) or being set (2)."""
        self._send(b"d" + card_bytes(rank, suit, mode))

    def repeat_card(self, rank: str | None, suit: str | None, target: int = 0, place: int = 1) -> None:
        """Send a card again, as on request."""
        self._send(b"R" + card_bytes(rank, suit, target, place))

    def cut_card(self) -> None:
        """Let the cut card leave the shoe."""
        self._send(b"C")

    def error(self, number: int, *, stopped: bool = True) -> None:
        """Report fault 1 to 7."""
        self._send(bytes((ord("E"), 0x80 | (0x40 if stopped else 0) | number)))

    def clear_error(self, number: int) -> None:
        """Report that a fault is gone."""
        self._send(bytes((ord("e"), 0x80 | number)))

    def lock(self, *, locked: bool) -> None:
        """Turn the key at the shoe."""
        self._send(bytes((ord("L"), 0x80 | locked)))

    def preset(self, address: str, value: str) -> None:
        """Change a setting at the shoe: two characters of address, four of value."""
        self._send(b"M" + address.encode() + value.encode())

    def raw(self, data: bytes) -> None:
        """Put any bytes on the line, as they are."""
        with self._lock:
            self._put(data)

    def answer(self, timeout_s: float) -> list[str]:
        """Wait for commands and answer each with ACK; give their text, such as `OPLK02`.

        A lock command turns the key, which is reported as at the real shoe. A damaged command gets NAK.
        """
        taken = []
        for piece in self._commands.feed(self._line.read(timeout_s)):
            match piece:
                case Frame(start, body) if start == STX:
                    taken.append(body.decode("ascii", "replace"))
                    self.raw(bytes((ACK,)))
                    if body.startswith(b"OPLK"):
                        self.lock(locked=body.endswith(b"2"))
                case Fault("BCC_WRONG", _):
                    self.raw(bytes((NAK, 0x02)))
                case _:
                    pass
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
        """Send all copies of one message and count it."""
        with self._lock:
            sequence = self._options.sequence
            seq = sequence[self._sent % len(sequence)]
            self._sent += 1
            self._put(report_frames(seq, data, self._options.copies, self._options.bcc_in))

    def _put(self, data: bytes) -> None:
        if not self._baud:
            self._line.write(data)
            return
        for byte in data:
            self._line.write(bytes((byte,)))
            time.sleep(BITS_A_BYTE / self._baud)


class PtyShoe(AngelEyeShoe):
    """An Angel Eye on a pseudo-terminal; `port` is a path that stays the same across unplugging."""

    def __init__(self, options: AngelEyeOptions | None = None, baud: int = 0) -> None:
        super().__init__(PtyLine(), options, baud)


class TcpShoe(AngelEyeShoe):
    """An Angel Eye behind an RS-232 device server; `port` is a `socket://` address on loopback."""

    def __init__(self, options: AngelEyeOptions | None = None, baud: int = 0) -> None:
        super().__init__(TcpLine(), options, baud)
