"""Small serial devices that send lines of text: keypads, peek devices, discard rack counters.

What others call: `TextDevice(config, post, clock)` with `open()`, `close()`, `health()`;
`post(event, mono_ns)` is called from its thread with the events below and `DeviceChanged`. The lines are
described in hardware/serial-devices.md.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce
from operator import xor
from typing import Final

from controller.domain.observations import Observation, Peek
from controller.ports.clock import Clock
from controller.ports.taps import Tap
from drivers.keys import KeyPressed
from drivers.lifecycle import DeviceChanged
from drivers.line_driver import Connect, LineConfig, LineDriver
from drivers.shoe.lines import Line
from drivers.shoe.serial_stream import SerialStream

LINE_MAX: Final = 64
KEYS: Final = ("hit", "stand", "double", "split", "surrender", "end", "freeze")
ROUND: Final = 100


@dataclass(frozen=True, slots=True)
class Peeked:
    """The peek device looked at the face-down card."""

    blackjack: bool


@dataclass(frozen=True, slots=True)
class RackCounted:
    """So many cards lie in the discard rack."""

    cards: int


@dataclass(frozen=True, slots=True)
class LinesLost:
    """The device's counter jumped: `lines` are missing, or it was switched on again."""

    lines: int


@dataclass(frozen=True, slots=True)
class LineRefused:
    """A line that is damaged (CHECK, LENGTH, FORM) or says nothing known (WORD)."""

    code: str


TextEvent = KeyPressed | Peeked | RackCounted | LinesLost | LineRefused


def check(text: bytes) -> bytes:
    """Exclusive-or over the characters between `$` and `*`, two upper-case hex digits."""
    return b"%02X" % reduce(xor, text, 0)


def encode(word: str, number: int, argument: str) -> bytes:
    """Make a whole line."""
    text = f"{word},{number:02d},{argument}".encode("ascii")
    return b"$" + text + b"*" + check(text) + b"\r\n"


class TextLines:
    """Lines to events; the result does not depend on where the stream was cut into chunks."""

    silence_ms = 3000

    def __init__(self) -> None:
        self._line = bytearray()
        self._next: int | None = None

    def connected(self) -> None:
        """See `LineProtocol.connected`; lines sent while nobody listened are lost and will show."""
        self._line.clear()

    def feed(self, data: bytes) -> list[TextEvent]:
        """See `LineProtocol.feed`."""
        out: list[TextEvent] = []
        for byte in data:
            if byte == 0x0A:
                out += self._finish()
            elif len(self._line) <= LINE_MAX:
                self._line.append(byte)
        return out

    def poll(self, _now_ms: int) -> tuple[list[TextEvent], bytes]:
        """See `LineProtocol.poll`; these devices are told nothing."""
        return [], b""

    def _finish(self) -> list[TextEvent]:
        line, self._line = bytes(self._line).rstrip(b"\r"), bytearray()
        text, star, digits = line[1:].rpartition(b"*")
        if len(line) > LINE_MAX:
            return [LineRefused("LENGTH")]
        if line[:1] != b"$" or not star:
            return [LineRefused("FORM")] if line else []
        if digits != check(text):
            return [LineRefused("CHECK")]
        return self._read(text.decode("latin-1").split(","))

    def _read(self, fields: list[str]) -> list[TextEvent]:
        """Read the fields of an undamaged line and follow its counter."""
        if len(fields) != 3 or not (fields[1].isascii() and fields[1].isdigit() and len(fields[1]) == 2):
            return [LineRefused("FORM")]
        word, number, argument = fields[0], int(fields[1]), fields[2]
        missing = 0 if self._next is None else (number - self._next) % ROUND
        self._next = (number + 1) % ROUND
        lost: list[TextEvent] = [LinesLost(missing)] if missing else []
        return [*lost, *_meaning(word, argument)]


def _meaning(word: str, argument: str) -> list[TextEvent]:
    """Say what one line means."""
    if word == "ALIVE":
        return []
    if word == "KEY" and argument in KEYS:
        return [KeyPressed(argument)]
    if word == "PEEK" and argument in {"0", "1"}:
        return [Peeked(argument == "1")]
    if word == "RACK" and argument.isascii() and argument.isdigit():
        return [RackCounted(int(argument))]
    return [LineRefused("WORD")]


def to_observations(event: TextEvent) -> tuple[Observation, ...]:
    """Give the facts for the journal; keys mean nothing without knowing whose turn it is."""
    return (Peek(event.blackjack),) if isinstance(event, Peeked) else ()


class TextDevice(LineDriver[TextEvent]):
    """A keypad, peek device or rack counter on a serial line."""

    def __init__(
        self,
        config: LineConfig,
        post: Callable[[TextEvent | DeviceChanged, int], None],
        clock: Clock,
        *,
        connect: Connect = SerialStream,
        tap: Tap | None = None,
    ) -> None:
        super().__init__(config, TextLines(), post, clock, connect=connect, tap=tap)


class SimulatedTextDevice:
    """A device at the far end of `line`; it sends when it is told to."""

    def __init__(self, line: Line) -> None:
        self._line = line
        self._sent = 0

    def say(self, word: str, argument: str) -> None:
        """Send a line."""
        self._line.write(encode(word, self._sent % ROUND, argument))
        self._sent += 1
