"""The open shoe protocol, host side: received bytes to events, acknowledgements and commands to bytes.

A card counts when it has left the shoe (EDGE) and what it is has been said (CARD, NO_READ, CUT_CARD);
a card that left and was never named counts as unread. Specification: hardware/open-shoe-protocol.md.
"""

from collections import deque
from typing import Final, NamedTuple

from controller.domain import DeviceError
from drivers.shoe import open_frames
from drivers.shoe.open_frames import FramedMessage, FrameSplitter, ReceiveWindow
from drivers.shoe.open_passages import (
    PASSING,
    CountedPassages,
    MouthCamera,
    Namer,
    PassageTracker,
    about_reader,
    identified,
    status_words,
)
from drivers.shoe.reader import (
    CommandAnswered,
    InTestMode,
    LineFault,
    ShoeCommand,
    ShoeError,
    ShoeEvent,
    ShoeRefused,
    ShoeStarted,
    ShoeValue,
)

COMMANDS: Final = {"lock": 1, "unlock": 2, "clear_error": 3, "self_test": 4}
"""Codes of COMMAND."""

SETTING: Final = "setting"
ASKED: Final = 0xFFFFFFFF
"""The command that sets or asks for a setting, and what stands for its value where it is asked for. It needs
no permission of the configuration: a person sends it with `stand17 calibrate shoe`, never a table at work."""

RESULTS: Final = {0: "", 1: "NOT_POSSIBLE", 2: "BUSY", 3: "UNKNOWN"}
"""Results of DONE, as `CommandAnswered.code` says them."""

ANSWER_MS_MAX: Final = 2000
_COMMAND_AGAIN_MS: Final = 200
"""A command is sent so often until its DONE comes, and given up after `ANSWER_MS_MAX` (section 5)."""

SILENCE_MS: Final = 3000
"""A reader says something every second; three times that is silence (section 4)."""


class OpenShoeOptions(NamedTuple):
    """`p_min`: a reading less sure than this counts as unread. `commands`: names that may be sent.

    `test_mode`: take cards of a reader in test mode for real ones; only for simulations. `first_command`:
    where command ids begin, 0 to 65535: other at each start of the program, because a reader answers an id
    that it has just carried out with nothing.
    """

    p_min: float = 0.98
    commands: frozenset[str] = frozenset()
    test_mode: bool = False
    first_command: int = 0


class _Asked(NamedTuple):
    """A command on its way; the same `number` is executed once, however often it arrives."""

    command: ShoeCommand
    number: int
    since_ms: int
    sent_ms: int


class OpenShoe:
    """One reader's side of the line, as `ShoeProtocol` asks.

    `namer` reads the picture of an index for readers that send pixels instead of a name; it is called from
    the driver's thread and returns rank, suit and how sure it is.
    """

    silence_ms = SILENCE_MS

    def __init__(
        self,
        options: OpenShoeOptions | None = None,
        namer: Namer | None = None,
        camera: MouthCamera | None = None,
    ) -> None:
        """Without `options`: no commands, and no cards of a reader in test mode.

        With `camera` the reader has to be one that only counts; without, such a reader is refused.
        """
        self._options = options or OpenShoeOptions()
        self.messages_received = 0
        self._splitter = FrameSplitter()
        self._window = ReceiveWindow()
        self._counts_only = camera is not None
        self._passages = (
            PassageTracker(self._options.p_min, namer)
            if camera is None
            else CountedPassages(self._options.p_min, camera)
        )
        self._words: tuple[str, ...] = ()
        self._testing = False
        self._queue: deque[ShoeCommand] = deque()
        self._asked: _Asked | None = None
        self._commands_sent = self._options.first_command
        self._given_up: list[ShoeEvent] = []
        self._fault = 0
        self._boot: int | None = None
        self._was_on = False

    @property
    def allowed(self) -> tuple[str, ...]:
        """Commands that this table may send, in the order of the page's keys."""
        return tuple(name for name in COMMANDS if name in self._options.commands)

    def connected(self) -> None:
        """Start on a new connection; commands on their way are answered LINE_LOST."""
        self._splitter.reset()
        self._window.connected()
        self._give_up("LINE_LOST")

    def feed(self, data: bytes, now_ms: int = 0) -> list[ShoeEvent]:
        """Take the bytes of a moment; returns what came about until then, and what they report."""
        out = self._passages.poll(now_ms)
        for piece in self._splitter.feed(data):
            self._notice_start(piece)
            if isinstance(piece, LineFault):
                out.append(piece)
                continue
            for item in self._window.take(piece):
                out += self._message(item) if isinstance(item, FramedMessage) else self._passages.gap(item)
        return out

    def request(self, command: ShoeCommand) -> None:
        """Queue `lock`, `unlock`, `clear_error` (number 0 to 255), `self_test` or `setting`."""
        if command.name == SETTING and command.number:
            self._queue.append(command)
            return
        if command.name not in COMMANDS or not 0 <= command.number <= 0xFF:
            raise DeviceError("SHOE_COMMAND_UNKNOWN", command=command.name)
        if command.name not in self._options.commands:
            raise DeviceError("SHOE_COMMAND_NOT_ALLOWED", command=command.name)
        self._queue.append(command)

    def poll(self, now_ms: int) -> tuple[list[ShoeEvent], bytes]:
        """Let time pass; returns what follows from it, and the bytes to send."""
        settled = self._passages.poll(now_ms)
        events, data = self._command(now_ms)
        given_up, self._given_up = self._given_up, []
        return settled + given_up + events, self._window.poll(now_ms) + data

    def _notice_start(self, piece: FramedMessage | LineFault) -> None:
        """Count what a reader says, and remember that one was on before the one that sends now.

        The last cards of that one may be lost.
        A damaged frame before the first good one may be of such a reader: nobody knows.
        """
        if isinstance(piece, LineFault):
            self._was_on = True
        elif piece.kind < open_frames.ACK:
            self.messages_received += 1
            self._was_on |= self._boot not in {None, piece.boot}
            self._boot = piece.boot

    def _message(self, message: FramedMessage) -> list[ShoeEvent]:
        """Say what one message means, given all before it."""
        if message.flags & open_frames.TEST and not self._options.test_mode:
            return self._tested(message)
        self._testing = False
        if message.kind in PASSING:
            return self._passages.take(message)
        match message.kind:
            case open_frames.HEARTBEAT:
                return self._heartbeat(message)
            case open_frames.DONE | open_frames.VALUE:
                return self._answered(message)
            case open_frames.HELLO:
                return self._started(message)
            case _:
                events = about_reader(message)
                faults = (event.number for event in events if isinstance(event, ShoeError))
                self._fault = next(faults, self._fault)
                return events

    def _tested(self, message: FramedMessage) -> list[ShoeEvent]:
        """Pass over a message of a reader in test mode, but for what its start means for real cards."""
        left = self._passages.restarted() if message.kind == open_frames.HELLO else []
        new, self._testing = not self._testing, True
        return [*left, InTestMode()] if new else left

    def _started(self, hello: FramedMessage) -> list[ShoeEvent]:
        """Begin with a reader that was switched on."""
        left = self._passages.restarted()
        self._give_up("RESTARTED")
        again, self._was_on = self._was_on, True
        named = identified(hello)
        # Exactly one of reader and camera names the cards.
        fits = ("COUNTS_ONLY" in named.abilities) == self._counts_only
        reasons = [] if fits else ["READS_ITSELF" if self._counts_only else "COUNTS_ONLY"]
        reasons += ["DEFAULTS"] if "DEFAULTS" in named.abilities else []
        return [*left, ShoeStarted(again), named, *map(ShoeRefused, reasons)]

    def _heartbeat(self, message: FramedMessage) -> list[ShoeEvent]:
        """Settle what has waited too long by the reader's own clock; report words that changed."""
        out = self._passages.time(message.t_ms)
        words = status_words(message)
        if words != self._words:
            self._words = words
            out += about_reader(message)
        return out

    def _give_up(self, code: str) -> None:
        """Answer what is on its way or waits: a reader that has restarted would carry it out once more."""
        names = [*([self._asked.command.name] if self._asked else []), *(one.name for one in self._queue)]
        self._given_up += [CommandAnswered(name, code) for name in names]
        self._asked = None
        self._queue.clear()

    def _answered(self, message: FramedMessage) -> list[ShoeEvent]:
        """Take the answer to a command or a setting; a repeated one has been taken."""
        number, *told = open_frames.LAYOUTS[message.kind].unpack(message.payload)
        if self._asked is None or number != self._asked.number:
            return []
        name, self._asked = self._asked.command.name, None
        if message.kind == open_frames.VALUE:
            return [ShoeValue(*told)]
        return [CommandAnswered(name, RESULTS.get(told[0], "UNKNOWN"))]

    def _command(self, now_ms: int) -> tuple[list[ShoeEvent], bytes]:
        """Send one command until it is answered; give up after two seconds."""
        if self._asked is None:
            return [], self._next_command(now_ms) if self._queue else b""
        if now_ms - self._asked.since_ms > ANSWER_MS_MAX:
            name, self._asked = self._asked.command.name, None
            return [CommandAnswered(name, "NO_ANSWER")], b""
        if now_ms - self._asked.sent_ms < _COMMAND_AGAIN_MS:
            return [], b""
        self._asked = self._asked._replace(sent_ms=now_ms)
        return [], self._command_bytes(self._asked)

    def _next_command(self, now_ms: int) -> bytes:
        self._commands_sent += 1
        command = self._queue.popleft()
        command = command._replace(number=command.number or self._fault)
        self._asked = _Asked(command, self._commands_sent % 0x10000, now_ms, now_ms)
        return self._command_bytes(self._asked)

    @staticmethod
    def _command_bytes(asked: _Asked) -> bytes:
        name, number, value = asked.command
        kind = open_frames.SETTING if name == SETTING else open_frames.COMMAND
        fields = (number, ASKED if value is None else value) if name == SETTING else (COMMANDS[name], number)
        return open_frames.encode(
            FramedMessage(kind, 0, 0, asked.number, 0, open_frames.LAYOUTS[kind].pack(*fields))
        )
