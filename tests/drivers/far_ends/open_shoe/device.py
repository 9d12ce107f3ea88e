"""The device's side of the open shoe protocol: what it keeps, sends and sends again. Sans I/O."""

from collections import OrderedDict
from random import Random
from typing import Final, NamedTuple

from tests.drivers.far_ends.open_shoe.wire import (
    AGAIN,
    CIRCLE,
    RANKS,
    SEQUENCED,
    SUITS,
    TEST,
    FrameType,
    HostFrame,
    frame,
    host_frame,
    payload,
    steps_ahead,
)

RING: Final = 512
"""Events that are remembered (section 3.2)."""

WINDOW: Final = 32
"""Frames that are sent in one go (section 3.4)."""

AGAIN_MS: Final = 200
HEARTBEAT_MS: Final = 1000

PIXELS: Final = 42
"""Of a picture in one CROP."""

ENTERED: Final = 1
LEFT: Final = 2
"""Kinds of EDGE."""

NOT_RECOGNISED: Final = 2
"""Reason of a NO_READ."""

LINE_MAX: Final = 64
"""Bytes of a frame that are kept; none is longer than 63."""


class RingEvent(NamedTuple):
    """One event in the ring: it is sent the same again and again, but for the flag that says so."""

    kind: FrameType
    flags: int
    seq: int
    t_ms: int
    body: bytes


class OpenDevice:
    """The reader's memory: events in a ring until they fall out of it, and what the host has acknowledged.

    Events and the time in milliseconds go in, bytes come out of `outgoing`. `commands` holds the code and the
    argument of each command that was carried out.
    """

    def __init__(self, random: Random, *, test_mode: bool = False, ring: int = RING) -> None:
        """`random` draws boot ids; `ring` is how many events are remembered."""
        self._random = random
        self._flags = TEST if test_mode else 0
        self._size = ring
        self._line = b""
        self.commands: list[tuple[int, int]] = []
        self.restart(0)

    def restart(self, now_ms: int, boot: int | None = None) -> None:
        """Switch on: a new boot id (drawn, if none is given), an empty ring, a HELLO."""
        self.boot = self._random.randrange(CIRCLE) if boot is None else boot
        self._born_ms = now_ms
        self._ring: OrderedDict[int, RingEvent] = OrderedDict()
        self._next = self._unacked = self._to_send = 0
        self._passage = self._crop = 0
        self._again_ms = self._beat_ms = now_ms
        self._last_command = -1
        self._urgent: list[bytes] = []
        self.event(FrameType.HELLO, b"SIM00000001", b"", 1, self._size, now_ms=now_ms)

    def event(self, kind: FrameType, *fields: int | bytes, now_ms: int) -> None:
        """Put an event in the ring."""
        self._put(kind, payload(kind, *fields), now_ms)

    @property
    def coming(self) -> int:
        """The number of the passage that leaves next."""
        return (self._passage + 1) % CIRCLE

    def leave(self, now_ms: int) -> int:
        """Let something pass the mouth; returns the number of the passage."""
        self._passage = self.coming
        self.event(FrameType.EDGE, self._passage, LEFT, 80, now_ms=now_ms)
        return self._passage

    def card(self, passage: int, rank: str | None, suit: str | None, p: float, now_ms: int) -> None:
        """Name the card of a passage, or say that it could not be read."""
        if rank is None:
            self.event(FrameType.NO_READ, passage, NOT_RECOGNISED, 0, now_ms=now_ms)
            return
        names = RANKS[rank], SUITS[suit] if suit else 0
        complement = 255 - 16 * names[0] - names[1]
        self.event(FrameType.CARD, passage, *names, complement, round(p * 255), 0, 0, 0, now_ms=now_ms)

    def picture(self, passage: int, width: int, height: int, pixels: bytes, now_ms: int) -> None:
        """Send the picture of an index (8-bit grey, row by row) for the host to read."""
        self._crop = self._crop % 0xFFFF + 1
        pieces = [pixels[at : at + PIXELS] for at in range(0, len(pixels), PIXELS)]
        for place, piece in enumerate(pieces):
            head = payload(FrameType.CROP, self._crop, place, len(pieces), width, height)
            self._put(FrameType.CROP, head + piece, now_ms)
        self.event(FrameType.CARD, passage, 0, 0, 255, 0, 0, 0, self._crop, now_ms=now_ms)

    def receive(self, data: bytes, now_ms: int) -> None:
        """Take bytes from the host."""
        *lines, self._line = (self._line + data).split(b"\0")
        self._line = self._line[:LINE_MAX]
        for line in lines:
            heard = host_frame(line) if line else None
            if heard is not None:
                self._take(heard, now_ms)

    def outgoing(self, now_ms: int) -> bytes:
        """Give what the device sends by now: answers, a heartbeat, events new or not acknowledged."""
        if now_ms - self._beat_ms >= HEARTBEAT_MS:
            self._beat(now_ms)
        if now_ms - self._again_ms >= AGAIN_MS:
            self._to_send, self._again_ms = self._unacked, now_ms
        out, self._urgent = self._urgent, []
        while steps_ahead(self._to_send, self._next) > 0 and len(out) < WINDOW:
            event = self._ring.get(self._to_send)
            if event is not None:
                out.append(self._written(event))
                self._ring[event.seq] = event._replace(flags=event.flags | AGAIN)
            self._to_send = (self._to_send + 1) % CIRCLE
        return b"".join(out)

    @property
    def settled(self) -> bool:
        """Whether the host has acknowledged everything."""
        return self._unacked == self._next

    def _put(self, kind: FrameType, body: bytes, now_ms: int) -> None:
        t_ms = now_ms - self._born_ms
        self._ring[self._next] = RingEvent(kind, SEQUENCED | self._flags, self._next, t_ms, body)
        self._next = (self._next + 1) % CIRCLE
        if len(self._ring) > self._size:
            self._ring.popitem(last=False)

    def _beat(self, now_ms: int) -> None:
        """Say where the device stands; the sequence field is the number of the next event."""
        self._beat_ms = now_ms
        body = payload(FrameType.HEARTBEAT, 0, 30, self._oldest(), self._unacked)
        self._say(FrameType.HEARTBEAT, body, now_ms)

    def _say(self, kind: FrameType, body: bytes, now_ms: int) -> None:
        """Send something that has no place in the order of events."""
        event = RingEvent(kind, self._flags, self._next, now_ms - self._born_ms, body)
        self._urgent.append(self._written(event))

    def _written(self, event: RingEvent) -> bytes:
        kind, flags, seq, t_ms, body = event
        return frame(kind, body, flags=flags, boot=self.boot, seq=seq, t_ms=t_ms)

    def _oldest(self) -> int:
        return next(iter(self._ring), self._next)

    def _take(self, heard: HostFrame, now_ms: int) -> None:
        """Act on a frame of the host; acknowledgements of another boot say nothing."""
        match heard.kind:
            case FrameType.QUERY:
                self._beat(now_ms)
            case FrameType.COMMAND if len(heard.payload) == 2:
                self._carry_out(heard, now_ms)
            case FrameType.ACK if heard.boot == self.boot:
                self._acknowledged(heard.seq, now_ms)
            case FrameType.RESEND if heard.boot == self.boot:
                self._send_again(heard.seq, now_ms)

    def _carry_out(self, command: HostFrame, now_ms: int) -> None:
        """Carry a command out once; the answer to one that comes again is being sent anyway."""
        if command.seq != self._last_command:
            self._last_command = command.seq
            self.commands.append((command.payload[0], command.payload[1]))
            self.event(FrameType.DONE, command.seq, 0, now_ms=now_ms)

    def _acknowledged(self, seq: int, now_ms: int) -> None:
        """Believe an acknowledgement only where it tells something new that can be true."""
        if 0 < steps_ahead(self._unacked, seq) <= steps_ahead(self._unacked, self._next):
            self._unacked, self._again_ms = seq, now_ms
            if steps_ahead(self._to_send, seq) > 0:
                self._to_send = seq

    def _send_again(self, seq: int, now_ms: int) -> None:
        """Go on from there, or say from where on there is still something."""
        if steps_ahead(self._next, seq) >= 0:
            self._beat(now_ms)
        elif steps_ahead(self._oldest(), seq) < 0:
            self._say(FrameType.GONE, payload(FrameType.GONE, self._oldest()), now_ms)
            self._to_send = self._oldest()
        else:
            self._to_send = seq
