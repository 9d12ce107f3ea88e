"""The receive window of the open protocol: what has arrived, what is missing, what to ask for.

Sequence numbers are 16 bits and go round; a distance below half the circle is "ahead".
"""

from collections import OrderedDict
from typing import Final

from drivers.shoe.open_shoe.frames import (
    ACK,
    GONE,
    HEARTBEAT,
    HELLO,
    LAYOUTS,
    QUERY,
    RESEND,
    FramedMessage,
    encode,
)
from drivers.shoe.shoe_events import Gap

AHEAD_MAX: Final = 512
"""Messages that may come early and are kept: as many as a reader remembers."""

ASK_AGAIN_MS: Final = 100
"""How often a missing message is asked for (specification, section 3.5)."""

BOOTS_MAX: Final = 8
"""Boot ids whose place is remembered."""

CIRCLE: Final = 0x10000
"""Sequence numbers have 16 bits."""

Ordered = FramedMessage | Gap
"""What is handed out: the next message, or that some are missing before it."""


def ahead(expected: int, seq: int) -> int:
    """How far `seq` lies ahead of `expected`; negative when it lies behind."""
    distance = (seq - expected) % CIRCLE
    return distance if distance < CIRCLE // 2 else distance - CIRCLE


class ReceiveWindow:
    """Hands out sequenced messages once and in order, and knows what to tell the device.

    Each boot id has a circle of numbers of its own; those of the last few are remembered, so that a frame
    whose boot id was damaged beyond what the CRC can see does not start an old one from its beginning.
    """

    def __init__(self) -> None:
        """Begin without a device: the first heartbeat or HELLO says where it stands."""
        self._boot: int | None = None
        self._past: OrderedDict[int, int] = OrderedDict()
        self._expected = 0
        self._next = 0
        self._waiting: dict[int, FramedMessage] = {}
        self._ack_due = False
        self._query_due = True
        self._asked_ms: int | None = None

    def connected(self) -> None:
        """Ask the device where it stands; what has been received stays received."""
        self._query_due, self._asked_ms = True, None

    def take(self, message: FramedMessage) -> list[Ordered]:
        """Take an undamaged frame from the device; frames of the host that echo back say nothing."""
        if message.kind >= ACK:
            return []
        out: list[Ordered] = []
        if message.boot != self._boot and not self._begin(message, out):
            self._query_due = True
            return []
        if message.sequenced:
            return out + self._sequenced(message)
        if message.kind == GONE:
            return out + self._give_up(LAYOUTS[GONE].unpack(message.payload)[0])
        if message.kind == HEARTBEAT:
            out += self._heartbeat(message)
            # Its time may only settle a card when nothing that was said before it is still missing.
            return [*out, message] if message.seq == self._expected else out
        return [*out, message]

    def poll(self, now_ms: int) -> bytes:
        """Give the bytes to send now: an acknowledgement, a request for what is missing, a query.

        `now_ms` is the host's own clock.
        """
        out = b""
        if self._query_due:
            out += encode(FramedMessage(QUERY, 0, 0, 0, 0))
            self._query_due = False
        if self._boot is None:
            return out
        if self._ack_due:
            out += encode(FramedMessage(ACK, 0, self._boot, self._expected, 0))
            self._ack_due = False
        if ahead(self._expected, self._next) > 0 and self._may_ask(now_ms):
            out += encode(FramedMessage(RESEND, 0, self._boot, self._expected, 0))
            self._asked_ms = now_ms
        return out

    def _begin(self, message: FramedMessage, out: list[Ordered]) -> bool:
        """Start with a device that was switched on, or that has been on for longer than this program."""
        if message.kind == HELLO and message.sequenced and message.seq == 0:
            self._start(message.boot, self._past.get(message.boot, 0))
            return True
        if message.kind != HEARTBEAT:
            return False
        unacked = LAYOUTS[HEARTBEAT].unpack(message.payload)[3]
        expected = self._past.get(message.boot, unacked)
        if self._boot is not None and unacked and message.boot not in self._past:
            out.append(Gap("0", str(unacked), unacked))
        self._start(message.boot, expected)
        return True

    def _start(self, boot: int, expected: int) -> None:
        if self._boot is not None:
            self._past[self._boot] = self._expected
            while len(self._past) > BOOTS_MAX:
                self._past.popitem(last=False)
        self._boot, self._expected, self._next = boot, expected, expected
        self._waiting.clear()
        self._asked_ms = None

    def _heartbeat(self, message: FramedMessage) -> list[Ordered]:
        """Compare where the device stands. Behind us, it has restarted and drawn the same boot id again."""
        self._next = message.seq
        if ahead(self._expected, message.seq) >= 0:
            return []
        expected, self._expected = self._expected, 0
        self._waiting.clear()
        return [Gap(str(expected), "0", None)]

    def _sequenced(self, message: FramedMessage) -> list[Ordered]:
        """Hand out what is next, keep what is ahead, acknowledge what came again."""
        distance = ahead(self._expected, message.seq)
        self._ack_due = True
        if distance < 0 or distance > AHEAD_MAX:
            return []
        if ahead(self._next, message.seq) >= 0:
            self._next = (message.seq + 1) % CIRCLE
        other = self._waiting.setdefault(message.seq, message)
        if not _same(other, message):
            # Both passed the check, so one of them lies: neither is believed, and it is asked for again.
            del self._waiting[message.seq]
            return []
        return self._drain()

    def _drain(self, end: int | None = None) -> list[Ordered]:
        """Hand out everything that is in order by now, and is before `end`."""
        out: list[Ordered] = []
        while self._expected != end and self._expected in self._waiting:
            out.append(self._waiting.pop(self._expected))
            self._expected = (self._expected + 1) % CIRCLE
        return out

    def _give_up(self, first: int) -> list[Ordered]:
        """Accept that the device no longer has what lies before `first`; believed only after a request."""
        if ahead(self._expected, first) <= 0 or self._asked_ms is None:
            return []
        out: list[Ordered] = []
        while self._expected != first:
            out += self._drain(first) or [self._skip_to(first)]
        return out + self._drain()

    def _skip_to(self, first: int) -> Gap:
        """Pass over what is missing before the next message that came early, at most up to `first`.

        Each hole is a gap of its own: what came before it may mean something else behind it.
        """
        start = self._expected
        while self._expected != first and self._expected not in self._waiting:
            self._expected = (self._expected + 1) % CIRCLE
        return Gap(str(start), str(self._expected), ahead(start, self._expected))

    def _may_ask(self, now_ms: int) -> bool:
        return self._asked_ms is None or now_ms - self._asked_ms >= ASK_AGAIN_MS


def _same(one: FramedMessage, other: FramedMessage) -> bool:
    """Whether two frames with one number say the same; a resent one is marked as such."""
    return (one.kind, one.t_ms, one.payload) == (other.kind, other.t_ms, other.payload)
