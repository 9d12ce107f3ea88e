"""Keypads, pedals and small devices that send lines of text.

A keypad or pedal is an input device of the kernel: it is grabbed, so that a press at the table never types
into a window. Lines of text, over a serial port or a socket, are described in hardware/serial-devices.md:
keypads, peek devices, chips, and what was lost. `KeyRecords` and `TextLines` are the languages that a
`LineDriver` runs, without I/O.
"""

import errno
import os
import re
import select
import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import reduce
from operator import xor
from pathlib import Path
from typing import Final

from controller.acts.catalogue import Observation, Peek
from controller.acts.money import ReadingKind
from controller.domain import DeviceError
from controller.ports import Clock, Tap
from drivers.device_driver import DeviceChanged, LifePolicy
from drivers.line import Connect, LineDriver


@dataclass(frozen=True, slots=True)
class KeyPressed:
    """A key went down; `word` is what the table's configuration calls it (`hit`, `stand`, ...)."""

    word: str


@dataclass(frozen=True, slots=True)
class KeysLost:
    """The kernel dropped presses because nobody read them in time."""


KeyEvent = KeyPressed | KeysLost


RECORD: Final = struct.Struct("@llHHi")
"""`struct input_event` of linux/input.h: seconds, microseconds, type, code, value. Recordings hold these
bytes."""

EV_SYN: Final = 0
EV_KEY: Final = 1
SYN_DROPPED: Final = 3
DOWN: Final = 1
"""Types, the code of lost records, and the value of a key that goes down (linux/input-event-codes.h)."""

NUMBER_PAD: Final[Mapping[int, str]] = {
    78: "hit",
    74: "stand",
    55: "double",
    98: "split",
    83: "surrender",
    96: "end",
    69: "freeze",
}
"""A plain number pad: + hit, - stand, * double, / split, point surrender, Enter end, Num Lock freeze."""


class KeyRecords:
    """A keypad's records as events, as `LineProtocol` asks."""

    silence_ms = 0
    """Nobody may press a key for hours."""

    def __init__(self, keys: Mapping[int, str]) -> None:
        """`keys` are key codes of linux/input-event-codes.h and what they mean; others are passed over."""
        self._keys = keys
        self.messages_received = 0
        self._part = b""

    def connected(self) -> None:
        """Start on a new connection."""
        self._part = b""

    def feed(self, data: bytes, _now_ms: int = 0) -> list[KeyEvent]:
        """Take received bytes. Releases and the keyboard's own repeats report nothing."""
        data = self._part + data
        whole = len(data) - len(data) % RECORD.size
        self._part = data[whole:]
        self.messages_received += whole // RECORD.size
        events = (self._event(*fields[2:]) for fields in RECORD.iter_unpack(data[:whole]))
        return [event for event in events if event is not None]

    def poll(self, _now_ms: int) -> tuple[list[KeyEvent], bytes]:
        """Report nothing: time means nothing to a keypad, and it is sent nothing."""
        return [], b""

    def _event(self, kind: int, code: int, value: int) -> KeyEvent | None:
        if (kind, code) == (EV_SYN, SYN_DROPPED):
            return KeysLost()
        if kind == EV_KEY and value == DOWN and code in self._keys:
            return KeyPressed(self._keys[code])
        return None


READ_S_MAX: Final = 0.1
"""How long `read` waits for a key."""

_RECORDS_MAX: Final = 64
"""Records read at once: more than a hand can press in `READ_S_MAX`."""

_REASONS: Final = {
    errno.ENOENT: "NOT_THERE",
    errno.ENODEV: "NOT_THERE",
    errno.EBUSY: "BUSY",
    errno.EACCES: "NO_PERMISSION",
    errno.ENOTTY: "NO_INPUT_DEVICE",
    errno.EINVAL: "NO_INPUT_DEVICE",
}


class InputStream:
    """An input device as a `ByteStream`; a FIFO stands in for one."""

    def __init__(self, port: str, _baud: int = 0) -> None:
        """Open and grab.

        Raises `DeviceError` DEVICE_OPEN_FAILED with the port and a `reason`: NOT_THERE, BUSY (grabbed by
        another program), NO_PERMISSION, NO_INPUT_DEVICE, NO_EVDEV (this machine lacks the package), IO_ERROR.
        """
        try:
            self._close, self._handle = _fifo(port) if Path(port).is_fifo() else _grabbed(port)
        except OSError as error:
            reason = _REASONS.get(error.errno or 0, "IO_ERROR")
            raise DeviceError("DEVICE_OPEN_FAILED", port=port, reason=reason) from error
        except ImportError as error:
            raise DeviceError("DEVICE_OPEN_FAILED", port=port, reason="NO_EVDEV") from error

    def read(self) -> bytes:
        """Wait a short while (about 0.1 s) for bytes and return all that came."""
        if not select.select([self._handle], [], [], READ_S_MAX)[0]:
            return b""
        data = os.read(self._handle, RECORD.size * _RECORDS_MAX)
        if not data:
            raise OSError(errno.ENODEV, "the other end has gone")
        return data

    def write(self, data: bytes) -> None:
        """Raise: nothing can be sent to a keypad."""
        raise OSError(errno.EBADF, f"{len(data)} bytes for a keypad")

    def close(self) -> None:
        """Give the keypad back; closing lifts the grab."""
        self._close()


def _grabbed(port: str) -> tuple[Callable[[], object], int]:
    """Open an input device for reading and keep its keys from everybody else: how to close it, its handle."""
    # Only here: where evdev has no wheel for a machine, a table without keypads needs no compiler.
    import evdev  # noqa: PLC0415

    device = evdev.InputDevice(port, readonly=True)
    try:
        device.grab()
    except OSError:
        device.close()
        raise
    return device.close, device.fileno()


def _fifo(port: str) -> tuple[Callable[[], object], int]:
    """Open a FIFO, the stand-in for an input device, without waiting for its other end."""
    file = os.fdopen(os.open(port, os.O_RDONLY | os.O_NONBLOCK), "rb", buffering=0)
    return file.close, file.fileno()


class Keypad(LineDriver[KeyEvent]):
    """A keypad or pedal. Give its stable name, `/dev/input/by-id/...-event-kbd`, as the port."""

    received_as = "key"

    def __init__(
        self,
        name: str,
        port: str,
        keys: Mapping[int, str],
        post: Callable[[KeyEvent | DeviceChanged, int], None],
        clock: Clock,
        *,
        life: LifePolicy | None = None,
        connect: Connect = InputStream,
        tap: Tap | None = None,
    ) -> None:
        """`keys` as for `KeyRecords`; the rest as for `LineDriver`."""
        protocol = KeyRecords(keys)
        super().__init__(
            name, port, protocol, post, clock, connect=connect, baud=0, life=life, kind="keys", tap=tap
        )


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
