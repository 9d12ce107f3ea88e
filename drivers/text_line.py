"""Small devices that send lines of text, over a serial port or a socket: keypads, peek devices, chips.

In: lines of text, described in hardware/serial-devices.md. Out: `KeyPressed`, `Peeked`, `ChipsSeen` and what
was lost. `TextLines` is the language that a `LineDriver` runs, without I/O. May import the events of
`drivers.keys`.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce
from operator import xor
from typing import Final

from controller.acts.catalogue import Observation, Peek
from controller.acts.money import ReadingKind
from drivers.keys import KeyPressed


@dataclass(frozen=True, slots=True)
class Peeked:
    """The peek device looked at the face-down card."""

    blackjack: bool


@dataclass(frozen=True, slots=True)
class ChipsSeen:
    """The chips of one bettor have come to rest at another amount.

    A `stake` is all that lies in the circle, 0 where nothing does, and comes again whenever the source has
    been opened anew. A `payout` is the total handed back in a round, stake included, and comes once.
    `amount` is in minor units, None where chips lie that the source cannot count; `p` is how sure it is, from
    0 to 1.
    """

    kind: ReadingKind
    box: int
    seat: int
    amount: int | None
    p: float


@dataclass(frozen=True, slots=True)
class LinesLost:
    """The device's counter jumped: `lines` (1 to 99) are missing, or it was switched on again."""

    lines: int


@dataclass(frozen=True, slots=True)
class LineRefused:
    """A line that is damaged (CHECK, LENGTH, FORM) or says nothing known (WORD)."""

    code: str


TextEvent = KeyPressed | Peeked | ChipsSeen | LinesLost | LineRefused


def to_observations(event: TextEvent) -> tuple[Observation, ...]:
    """Give the facts for the journal; keys mean nothing without knowing whose turn it is."""
    return (Peek(event.blackjack),) if isinstance(event, Peeked) else ()


LINE_MAX: Final = 64
"""Characters of a line."""

SILENCE_MS: Final = 3000
"""A device says something every second; three times that is silence."""

KEYS: Final = (
    "hit",
    "stand",
    "double",
    "split",
    "surrender",
    "end",
    "freeze",
    "shoe",
    "shuffle",
    "cut_card",
)
"""Words that a KEY line may say."""

_CHIP_WORDS: Final[Mapping[str, ReadingKind]] = {"STAKE": "stake", "PAID": "payout"}
CHIPS: Final = re.compile(
    r"(?P<box>[1-9][0-9]?):(?P<seat>[0-9]{1,2}):(?P<amount>[0-9]{1,12}|\?):(?P<sure>[0-9]{1,4})", re.ASCII
)
_SURE_MAX: Final = 1000
"""Thousandths: a source that is sure beyond doubt."""

_COUNTER: Final = 100
"""The counter has two digits and goes round."""


class TextLines:
    """One device's lines as events, as `LineProtocol` asks."""

    silence_ms = SILENCE_MS

    def __init__(self) -> None:
        """Begin without having read anything."""
        self.messages_received = 0
        self._line = bytearray()
        self._next: int | None = None

    def connected(self) -> None:
        """Start on a new connection; the numbers show which lines were lost without one."""
        self._line.clear()

    def feed(self, data: bytes, _now_ms: int = 0) -> list[TextEvent]:
        """Take received bytes."""
        out: list[TextEvent] = []
        for byte in data:
            if byte == 0x0A:
                out += self._finish()
            elif len(self._line) <= LINE_MAX:
                self._line.append(byte)
        return out

    def poll(self, _now_ms: int) -> tuple[list[TextEvent], bytes]:
        """Report nothing: these devices are sent nothing, and number their lines."""
        return [], b""

    def _finish(self) -> list[TextEvent]:
        """Judge a line that has ended."""
        line, self._line = bytes(self._line).rstrip(b"\r"), bytearray()
        text, star, digits = line[1:].rpartition(b"*")
        if len(line) > LINE_MAX:
            return [LineRefused("LENGTH")]
        if line[:1] != b"$" or not star:
            return [LineRefused("FORM")] if line else []
        if digits != _check(text):
            return [LineRefused("CHECK")]
        return self._read(text.decode("latin-1").split(","))

    def _read(self, fields: list[str]) -> list[TextEvent]:
        """Read the fields of an undamaged line and follow its counter."""
        if len(fields) != 3 or not (fields[1].isascii() and fields[1].isdigit() and len(fields[1]) == 2):
            return [LineRefused("FORM")]
        word, number, argument = fields[0], int(fields[1]), fields[2]
        missing = 0 if self._next is None else (number - self._next) % _COUNTER
        self._next = (number + 1) % _COUNTER
        lost: list[TextEvent] = [LinesLost(missing)] if missing else []
        meaning = _meaning(word, argument)
        self.messages_received += not any(isinstance(one, LineRefused) for one in meaning)
        return [*lost, *meaning]


def _check(text: bytes) -> bytes:
    """Exclusive-or over the characters between `$` and `*`, two upper-case hex digits."""
    return b"%02X" % reduce(xor, text, 0)


def _meaning(word: str, argument: str) -> list[TextEvent]:
    """Say what one line means."""
    if word == "ALIVE":
        return []
    if word == "KEY" and argument in KEYS:
        return [KeyPressed(argument)]
    if word == "PEEK" and argument in {"0", "1"}:
        return [Peeked(argument == "1")]
    chips = _chips(_CHIP_WORDS[word], argument) if word in _CHIP_WORDS else None
    return [LineRefused("WORD") if chips is None else chips]


def _chips(kind: ReadingKind, argument: str) -> ChipsSeen | None:
    """Read `BOX:SEAT:AMOUNT:SURE`: minor units, or `?`; thousandths. None where it says anything else."""
    match = CHIPS.fullmatch(argument)
    if match is None or int(match["sure"]) > _SURE_MAX:
        return None
    amount = None if match["amount"] == "?" else int(match["amount"])
    return ChipsSeen(kind, int(match["box"]), int(match["seat"]), amount, int(match["sure"]) / _SURE_MAX)
