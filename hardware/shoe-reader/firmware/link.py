"""The device's side of the order: a ring of events, acknowledgements, sending again. No hardware.

Runs unchanged in MicroPython and CPython. Time comes in as milliseconds since power-up.
"""

import struct

import frames

# Events that are remembered, and frames that are sent in one go (section 3 of the specification).
RING = 512
WINDOW = 32

# What is not acknowledged is sent again after this; a heartbeat comes as often as this.
AGAIN_MS = 200
HEARTBEAT_MS = 1000

# What the host may order, and its payload.
ORDERS = {frames.COMMAND: ">BB", frames.SETTING: ">BI"}

# Sequence numbers have 16 bits, milliseconds 32; both go round.
CIRCLE = 0x10000
CLOCK = 0xFFFFFFFF


def ahead(base, seq):
    """How far `seq` lies ahead of `base` on the circle; negative when it lies behind."""
    distance = (seq - base) % CIRCLE
    return distance if distance < CIRCLE // 2 else distance - CIRCLE


class Link:
    """Numbers events, keeps the last 512, and says what has to be sent by now."""

    def __init__(self, boot, status=None, test_mode=False):
        """`boot` is drawn anew at each power-up; `status()` gives (status bits, degrees Celsius)."""
        self.boot = boot
        self.flags = frames.TEST if test_mode else 0
        self.status = status or (lambda: (0, -128))
        self.next = 0
        self.unacked = 0
        self.to_send = 0
        self.sent_once = 0
        self.ring = [None] * RING
        self.again_ms = 0
        self.beat_ms = 0
        self.line = bytearray()
        self.urgent = []
        self.last_command = -1

    def event(self, kind, payload, now_ms):
        """Give an event its number and keep it; the oldest makes room."""
        self.ring[self.next % RING] = (kind, now_ms & CLOCK, payload)
        self.next = (self.next + 1) % CIRCLE

    def done(self, command, result, now_ms):
        """Answer an order that `receive` has handed out."""
        self.event(frames.DONE, struct.pack(">HB", command, result), now_ms)

    def receive(self, data, now_ms):
        """Take bytes from the host; returns orders to carry out as (id, type, number, argument)."""
        commands = []
        for byte in data:
            if byte:
                if len(self.line) <= frames.LINE_MAX:
                    self.line.append(byte)
                continue
            message = frames.decode(bytes(self.line)) if self.line else None
            self.line = bytearray()
            if message:
                self._message(message, now_ms, commands)
        return commands

    def outgoing(self, now_ms):
        """Give the bytes to send by now; at most 32 events at a time."""
        if now_ms - self.beat_ms >= HEARTBEAT_MS:
            self._beat(now_ms)
        if now_ms - self.again_ms >= AGAIN_MS:
            self.to_send = self.unacked
            self.again_ms = now_ms
        out = b"".join(self.urgent)
        self.urgent = []
        if ahead(self.oldest(), self.to_send) < 0:
            self.to_send = self.oldest()
        for _ in range(WINDOW):
            if ahead(self.to_send, self.next) <= 0:
                break
            out += self._numbered(self.to_send)
            self.to_send = (self.to_send + 1) % CIRCLE
        return out

    def oldest(self):
        """Number of the oldest event that is still in the ring."""
        back = RING if self.ring[self.next % RING] is not None else self.next
        return (self.next - back) % CIRCLE

    def waiting(self):
        """How many events the host has not acknowledged."""
        return ahead(self.unacked, self.next)

    def _numbered(self, seq):
        """Make the frame of an event in the ring, marked when it has been sent before."""
        kind, t_ms, payload = self.ring[seq % RING]
        flags = self.flags | frames.SEQUENCED
        if ahead(self.sent_once, seq) < 0:
            flags |= frames.AGAIN
        else:
            self.sent_once = (seq + 1) % CIRCLE
        return frames.encode(kind, payload, flags=flags, boot=self.boot, seq=seq, t_ms=t_ms)

    def _beat(self, now_ms):
        """Say how the device is and where it stands."""
        self.beat_ms = now_ms
        bits, degrees = self.status()
        if self.waiting() > RING // 2:
            bits |= 0x80
        payload = struct.pack(">HbHH", bits, degrees, self.oldest(), self.unacked)
        self._urgent(frames.HEARTBEAT, self.next, now_ms, payload)

    def _urgent(self, kind, seq, now_ms, payload):
        t_ms = now_ms & CLOCK
        self.urgent.append(frames.encode(kind, payload, flags=self.flags, boot=self.boot, seq=seq, t_ms=t_ms))

    def _message(self, message, now_ms, commands):
        """Act on an undamaged frame of the host."""
        kind, _, boot, seq, _, payload = message
        if kind == frames.QUERY:
            self._beat(now_ms)
        elif kind in ORDERS and len(payload) == struct.calcsize(ORDERS[kind]):
            if seq != self.last_command:
                self.last_command = seq
                number, argument = struct.unpack(ORDERS[kind], payload)
                commands.append((seq, kind, number, argument))
        elif boot != self.boot:
            return
        elif kind == frames.ACK:
            self._acknowledged(seq, now_ms)
        elif kind == frames.RESEND:
            self._resend(seq, now_ms)

    def _acknowledged(self, seq, now_ms):
        """Believe an acknowledgement only where it can be true."""
        if 0 < ahead(self.unacked, seq) <= self.waiting():
            self.unacked = seq
            self.again_ms = now_ms
            if ahead(self.to_send, seq) > 0:
                self.to_send = seq

    def _resend(self, seq, now_ms):
        """Go back to `seq`, or say that it is gone."""
        if ahead(seq, self.next) <= 0:
            self._beat(now_ms)
        elif ahead(self.oldest(), seq) < 0:
            self._urgent(frames.GONE, self.next, now_ms, struct.pack(">H", self.oldest()))
            self.to_send = self.oldest()
        else:
            self.to_send = seq
