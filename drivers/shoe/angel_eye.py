"""The Angel Eye II-EX line protocol, without I/O: received bytes to events, allowed commands to bytes.

In: bytes of the line. Out: `ShoeEvent`s, and the bytes of allowed commands. The parts stand in the order of
the way: bytes to frames, three copies to one message, a message to an event, all of it for one shoe. May
import the events and the protocol of `drivers.shoe`. The layout of each body is in hardware/angel-eye.md.

Frames: shoe to host `ENQ body ETX BCC`, host to shoe and replies `STX body ETX BCC`, short answers `ACK` and
`NAK code`. The body never holds a control character (cards have bit 7 set, the rest is ASCII), so a control
character inside a frame means that its end was lost, and the parser is in step again at once.

Copies: each message arrives three times under one sequence character. The first undamaged copy counts at
once. A message out of sequence is reported as a gap immediately, but is itself believed only when a second
copy or its successor agrees: two flipped bits can cancel out in an exclusive-or check and turn any message
into another one.
"""

from collections import deque
from collections.abc import Callable
from dataclasses import replace
from functools import reduce
from operator import xor
from typing import Final, Literal, NamedTuple

from controller.domain import RANKS, DeviceError
from drivers.shoe.reader import (
    ERRORS,
    BurnCount,
    CardMode,
    CardOut,
    CardRepeated,
    CommandAnswered,
    CopiesDiffer,
    CutCardOut,
    FirmwareResult,
    Gap,
    LineFault,
    LockChanged,
    NotUnderstood,
    PresetChanged,
    ShoeCommand,
    ShoeError,
    ShoeErrorCleared,
    ShoeEvent,
    ShoeStarted,
    Standby,
)

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

_NOISE_MAX: Final = 64
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


Received = AngelFrame | AngelReply | LineFault


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
        if len(self._noise) >= _NOISE_MAX:
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
            self._out.append(LineFault("BCC_WRONG", raw))
        elif not body:
            self._out.append(LineFault("EMPTY", raw))
        else:
            self._out.append(AngelFrame(raw[0], body))

    def _give_up(self, code: str, byte: int) -> None:
        """Report the broken frame; `byte` may be the start of the next one."""
        self._out.append(LineFault(code, bytes(self._raw)))
        self._next = self._outside
        self._outside(byte)

    def _flush_noise(self) -> None:
        """Report the noise collected so far as one fault."""
        if self._noise:
            self._out.append(LineFault("NOISE", bytes(self._noise)))
            self._noise.clear()


_START: Final = b"S"


class AngelMessage(NamedTuple):
    """One message: `seq` is the code of its sequence character, `data` what follows it in the body."""

    seq: int
    data: bytes

    @property
    def raw(self) -> bytes:
        """Sequence character and data as they were on the line."""
        return bytes((self.seq,)) + self.data


CopiesOutcome = AngelMessage | CopiesDiffer | Gap | LineFault


class CopyFilter:
    """Turns copies into messages; remembers the last message and one that is waiting to be believed."""

    def __init__(self, copies: int, sequence: bytes) -> None:
        """`copies` (from 1) is how often each message is sent, `sequence` the order of the characters.

        With a `sequence` of b"" gaps are not noticed.
        """
        self._limit = copies
        self._sequence = sequence
        self._last: AngelMessage | None = None
        self._seen = 0
        self._suspect: AngelMessage | None = None

    def connected(self) -> None:
        """Expect no further copy of the last message: the same one again would be another whole round."""
        self._seen = self._limit
        self._suspect = None

    def take(self, message: AngelMessage) -> list[CopiesOutcome]:
        """Judge one undamaged copy."""
        out: list[CopiesOutcome] = []
        if self._suspect is not None and self._settle_suspect(message, out):
            return out
        if self._last is None:
            out.append(self._accept(message))
        elif message == self._last:
            out += self._again(message)
        elif message.data == _START or self._follows(self._last, message):
            out.append(self._accept(message))
        elif message.seq == self._last.seq:
            out.append(CopiesDiffer(self._last.raw, message.raw))
        else:
            out += self._out_of_sequence(self._last, message)
        return out

    def _settle_suspect(self, message: AngelMessage, out: list[CopiesOutcome]) -> bool:
        """Believe or drop the waiting message; True when `message` has been dealt with as well."""
        suspect, self._suspect = self._suspect, None
        if suspect is None:
            return False
        if message == suspect:
            out.append(self._accept(suspect))
            self._seen = 2
            return True
        if self._follows(suspect, message):
            out += [self._accept(suspect), self._accept(message)]
            return True
        out.append(LineFault("STRAY", suspect.raw))
        return False

    def _accept(self, message: AngelMessage) -> AngelMessage:
        self._last, self._seen = message, 1
        return message

    def _again(self, message: AngelMessage) -> list[CopiesOutcome]:
        """Count a copy; one too many means that the sequence has gone round unnoticed."""
        self._seen += 1
        if self._seen <= self._limit:
            return []
        if message.data == _START:
            return [self._accept(message)]
        if self._seen > self._limit + 1:
            return []
        return [Gap(self._successor(message), chr(message.seq), None)]

    def _out_of_sequence(self, last: AngelMessage, message: AngelMessage) -> list[CopiesOutcome]:
        gap = Gap(self._successor(last), chr(message.seq), self._missing(last, message))
        if self._limit == 1:
            return [gap, self._accept(message)]
        self._suspect = message
        return [gap]

    def _follows(self, last: AngelMessage, message: AngelMessage) -> bool:
        """Whether nothing is missing in between; a restarted shoe may use its start's character again."""
        if last.data == _START and message.data != _START and message.seq == last.seq:
            return True
        if not self._sequence:
            return message.seq != last.seq
        return self._successor(last) == chr(message.seq)

    def _successor(self, last: AngelMessage) -> str:
        at = self._sequence.find(last.seq)
        return chr(self._sequence[(at + 1) % len(self._sequence)]) if at >= 0 else ""

    def _missing(self, last: AngelMessage, message: AngelMessage) -> int | None:
        before, after = self._sequence.find(last.seq), self._sequence.find(message.seq)
        return (after - before - 1) % len(self._sequence) if min(before, after) >= 0 else None


SUITS: Final = ("d", "c", "s", "h")
"""Both `RANKS` and these are numbered from 1 on the line; 0 is a card that was not read."""

_GAME_TARGETS: Final = {0: "player", 1: "banker", 2: "burn", 4: "first_card", 5: "burn_count"}
"""What the reader's own baccarat makes of a card in a game."""

_OUTSIDE_MODES: Final[dict[int, CardMode]] = {0: "locked", 1: "error", 2: "setting"}
"""The same bits of a card that left outside a game."""

OUTCOMES: Final = {1: "player", 2: "tie", 4: "banker", 7: "aborted"}
"""Results of the reader's own baccarat."""

_BURN_COUNT: Final = 5
"""The target that makes of a card without a rank the count of cards to burn."""


_DATA_BYTES: Final = {"S": 0, "P": 0, "C": 0, "D": 2, "d": 2, "R": 2, "G": 1, "E": 1, "e": 1, "L": 1, "M": 6}
"""Kinds of messages, and their bytes of data."""


def decode(data: bytes) -> ShoeEvent:  # noqa: C901  # a case for each message
    """Read one message without its sequence character; `CardOut.number` is still 0.

    Never raises: what does not fit the layout comes back as `NotUnderstood`.
    """
    kind = chr(data[0]) if data else ""
    length = _DATA_BYTES.get(kind)
    if len(data) - 1 != length or (kind != "M" and any(byte < 0x80 for byte in data[1:])):
        return NotUnderstood(data)
    match kind:
        case "S":
            return ShoeStarted()
        case "P":
            return Standby()
        case "C":
            return CutCardOut()
        case "D" | "d" | "R":
            return _card(data)
        case "G":
            return FirmwareResult(OUTCOMES.get(data[1] >> 4 & 7, "unknown"))
        case "E":
            # Bit 6 is set while the reader is stopped by the fault.
            number = data[1] & 0x3F
            return ShoeError(number, ERRORS.get(number, "UNKNOWN"), bool(data[1] & 0x40))
        case "e":
            number = data[1] & 0x3F
            return ShoeErrorCleared(number, ERRORS.get(number, "UNKNOWN"))
        case "L":
            return LockChanged(bool(data[1] & 1))
        case _:
            # Two characters of address, four of value; anything unprintable is shown as `?`.
            text = "".join(chr(byte) if byte < 0x7F else "?" for byte in data[1:])
            return PresetChanged(text[:2], text[2:])


def _card(data: bytes) -> ShoeEvent:
    """`D`, `d` and `R`: a card, or the count of cards to burn."""
    target, index = data[1] >> 4 & 7, data[1] & 15
    suit_number, rank_number = data[2] >> 4 & 7, data[2] & 15
    if rank_number > len(RANKS) or suit_number > len(SUITS):
        return NotUnderstood(data)
    if data[0:1] == b"D" and target == _BURN_COUNT and not rank_number:
        return BurnCount(index)
    rank = RANKS[rank_number - 1] if rank_number else None
    suit = SUITS[suit_number - 1] if suit_number else None
    if data[0:1] == b"d":
        return CardOut(0, rank, suit, _OUTSIDE_MODES.get(target, "other"), "", index)
    return CardOut(0, rank, suit, "game", _GAME_TARGETS.get(target, "other"), index)


ANSWER_MS_MAX: Final = 1000
"""A command that is not answered within this is given up; the reader answers within some ten milliseconds."""

_COMMANDS: Final = {
    "lock": "OPLK02",
    "unlock": "OPLK01",
    "clear_error": "OPEC{:02d}",
    "confirm_game": "OPGP00",
}


UNREADABLE: Final = (CopiesDiffer, Gap, LineFault, NotUnderstood)
"""Events that show no more than that something was on the line."""


class AngelEyeOptions(NamedTuple):
    """What differs between deployments.

    `bcc_in` and `bcc_out`: what the check covers in each direction. `copies`: how often each message is
    sent. `sequence`: the sequence characters in order; b"" when unknown, which gives up noticing gaps.
    `commands`: names of the commands that this table may send; none by default.
    """

    bcc_in: BccMode = "without_start"
    bcc_out: BccMode = "with_start"
    copies: int = 3
    sequence: bytes = b"0123456789"
    commands: frozenset[str] = frozenset()


class AngelEye:
    """One shoe's side of the line, as `ShoeProtocol` asks."""

    silence_ms = 0
    """The reader has no heartbeat: silence says nothing about its health."""

    def __init__(self, options: AngelEyeOptions | None = None) -> None:
        """Without `options`: those of a shoe as it is delivered, and no commands."""
        self._options = options or AngelEyeOptions()
        self.messages_received = 0
        self._parser = FrameParser(self._options.bcc_in)
        self._copies = CopyFilter(self._options.copies, self._options.sequence)
        self._cards = 0
        self._game: dict[tuple[str, int], CardOut] = {}
        self._queue: deque[ShoeCommand] = deque()
        self._asked: tuple[str, int] | None = None
        """The command that waits for its answer, and when it was sent."""
        self._given_up: list[ShoeEvent] = []
        self._fault = 0
        self._was_on = False

    @property
    def allowed(self) -> tuple[str, ...]:
        """Commands that this table may send, in the order of the page's keys."""
        return tuple(name for name in _COMMANDS if name in self._options.commands)

    def connected(self) -> None:
        """Start on a new connection; commands on their way are answered LINE_LOST."""
        self._parser.reset()
        self._copies.connected()
        lost = [*([self._asked[0]] if self._asked else []), *(command.name for command in self._queue)]
        self._given_up += [CommandAnswered(name, "LINE_LOST") for name in lost]
        self._asked = None
        self._queue.clear()

    def feed(self, data: bytes, _now_ms: int = 0) -> list[ShoeEvent]:
        """Take received bytes; returns what they report."""
        return [event for received in self._parser.feed(data) for event in self._events(received)]

    def request(self, command: ShoeCommand) -> None:
        """Queue `lock`, `unlock`, `clear_error` (number 0 to 99) or `confirm_game`."""
        if command.name not in _COMMANDS or not 0 <= command.number <= 99:
            raise DeviceError("SHOE_COMMAND_UNKNOWN", command=command.name)
        if command.name not in self._options.commands:
            raise DeviceError("SHOE_COMMAND_NOT_ALLOWED", command=command.name)
        self._queue.append(command)

    def poll(self, now_ms: int) -> tuple[list[ShoeEvent], bytes]:
        """Send one command at a time and give up on one that is not answered within a second."""
        if self._given_up:
            events, self._given_up = self._given_up, []
            return events, b""
        if self._asked is not None:
            name, sent_ms = self._asked
            if now_ms - sent_ms <= ANSWER_MS_MAX:
                return [], b""
            self._asked = None
            return [CommandAnswered(name, "NO_ANSWER")], b""
        if not self._queue:
            return [], b""
        command = self._queue.popleft()
        self._asked = command.name, now_ms
        body = _COMMANDS[command.name].format(command.number or self._fault).encode()
        return [], encode(STX, body, self._options.bcc_out)

    def _events(self, received: Received) -> list[ShoeEvent]:
        """Turn one frame, answer or fault into events."""
        match received:
            case LineFault():
                return [received]
            case AngelReply(nak):
                return [self._answered(nak, b"")]
            case AngelFrame(start, body):
                if start == STX:
                    return [self._answered("", body)]
                if len(body) > 1:
                    return self._taken(self._copies.take(AngelMessage(body[0], body[1:])))
                return [NotUnderstood(body)]

    def _taken(self, outcomes: list[CopiesOutcome]) -> list[ShoeEvent]:
        """Give the events of one frame; without the check noise makes frames too, but says nothing."""
        events = [self._message(one) if isinstance(one, AngelMessage) else one for one in outcomes]
        said = [event for event in events if not isinstance(event, UNREADABLE)]
        # A further copy of a message makes no event.
        self.messages_received += bool(said) or not outcomes
        return events

    def _message(self, message: AngelMessage) -> ShoeEvent:
        """Decode a message that counts, number the cards, match repeated ones."""
        event = decode(message.data)
        received_before, self._was_on = self._was_on, True
        if isinstance(event, ShoeStarted):
            event = ShoeStarted(received_before)
        if isinstance(event, CardOut):
            if message.data[0:1] == b"R":
                return self._repeated(event)
            return self._card(event, self._line_of(message))
        if isinstance(event, ShoeStarted | Standby):
            self._game.clear()
        if isinstance(event, ShoeError):
            self._fault = event.number
        return event

    def _line_of(self, message: AngelMessage) -> bytes:
        """The message as it was on the line; without its frame where the frame's check was not looked at."""
        if self._options.bcc_in == "ignored":
            return message.raw
        return encode(ENQ, message.raw, self._options.bcc_in)

    def _card(self, card: CardOut, raw: bytes) -> CardOut:
        self._cards += 1
        card = replace(card, number=self._cards, raw=raw)
        if card.mode == "game":
            self._game[card.target, card.place] = card
        return card

    def _repeated(self, card: CardOut) -> CardRepeated:
        known = self._game.get((card.target, card.place))
        fits = known is not None and (known.rank, known.suit) == (card.rank, card.suit)
        return CardRepeated(card.rank, card.suit, fits)

    def _answered(self, nak: str, body: bytes) -> ShoeEvent:
        if self._asked is None:
            return LineFault("UNASKED_ANSWER", body)
        self.messages_received += 1
        (name, _), self._asked = self._asked, None
        return CommandAnswered(name, nak)
