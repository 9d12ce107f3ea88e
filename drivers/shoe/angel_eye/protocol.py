"""The Angel Eye II-EX line protocol: received bytes to events, allowed commands to bytes. No I/O."""

from collections import deque
from dataclasses import replace
from typing import Final, NamedTuple

from controller.domain.errors import DeviceError
from drivers.shoe.angel_eye import messages
from drivers.shoe.angel_eye.copies import AngelMessage, CopiesOutcome, CopyFilter
from drivers.shoe.angel_eye.line_frames import (
    ENQ,
    STX,
    AngelFrame,
    AngelReply,
    BadBytes,
    BccMode,
    FrameParser,
    Received,
    encode,
)
from drivers.shoe.shoe_events import (
    CardOut,
    CardRepeated,
    CommandAnswered,
    CopiesDiffer,
    Gap,
    LineFault,
    NotUnderstood,
    ShoeError,
    ShoeEvent,
    ShoeStarted,
    Standby,
)
from drivers.shoe.shoe_protocol import ShoeCommand

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


class _AskedOrder(NamedTuple):
    """The command that waits for its answer, and when it was sent."""

    name: str
    sent_ms: int


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
        self._asked: _AskedOrder | None = None
        self._given_up: list[ShoeEvent] = []
        self._fault = 0
        self._was_on = False

    @property
    def allowed(self) -> tuple[str, ...]:
        """See `ShoeProtocol.allowed`."""
        return tuple(name for name in _COMMANDS if name in self._options.commands)

    def connected(self) -> None:
        """See `ShoeProtocol.connected`."""
        self._parser.reset()
        self._copies.connected()
        lost = [*([self._asked.name] if self._asked else []), *(command.name for command in self._queue)]
        self._given_up += [CommandAnswered(name, "LINE_LOST") for name in lost]
        self._asked = None
        self._queue.clear()

    def feed(self, data: bytes) -> list[ShoeEvent]:
        """See `ShoeProtocol.feed`."""
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
            return self._unanswered(self._asked, now_ms), b""
        return [], self._next_command(now_ms) if self._queue else b""

    def _unanswered(self, asked: _AskedOrder, now_ms: int) -> list[ShoeEvent]:
        if now_ms - asked.sent_ms <= ANSWER_MS_MAX:
            return []
        self._asked = None
        return [CommandAnswered(asked.name, "NO_ANSWER")]

    def _next_command(self, now_ms: int) -> bytes:
        command = self._queue.popleft()
        self._asked = _AskedOrder(command.name, now_ms)
        body = _COMMANDS[command.name].format(command.number or self._fault).encode()
        return encode(STX, body, self._options.bcc_out)

    def _events(self, received: Received) -> list[ShoeEvent]:
        """Turn one frame, answer or fault into events."""
        match received:
            case BadBytes(code, raw):
                return [LineFault(code, raw)]
            case AngelReply(nak):
                return [self._answered(nak, b"")]
            case AngelFrame(start, body) if start == STX:
                return [self._answered("", body)]
            case AngelFrame(_, body) if len(body) > 1:
                return self._taken(self._copies.take(AngelMessage(body[0], body[1:])))
            case AngelFrame(_, body):
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
        event = messages.decode(message.data)
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
        name, self._asked = self._asked.name, None
        return CommandAnswered(name, nak)
