"""A simulated reader of the open shoe protocol: the device's side of the specification, over any line.

Written against hardware/open-shoe-protocol.md, independently of the firmware in hardware/shoe-reader.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable
from random import Random
from typing import Final

from drivers.shoe import open_frames as frames
from drivers.shoe.lines import Line, PtyLine
from drivers.shoe.open_cards import LEFT, RANKS, SUITS, Crop
from drivers.shoe.open_frames import AGAIN, LAYOUTS, SEQUENCED, TEST, FrameSplitter, Message, encode
from drivers.shoe.open_order import ahead

RING: Final = 512
WINDOW: Final = 32
AGAIN_MS: Final = 200
HEARTBEAT_MS: Final = 1000
CHUNK: Final = frames.PAYLOAD_MAX - frames.CROP_HEAD.size
CIRCLE: Final = 0x10000


class OpenDevice:
    """The reader's memory: events in a ring until they fall out of it, and what the host has acknowledged.

    Sans I/O: events and time go in, bytes come out of `outgoing`.
    """

    def __init__(self, random: Random, *, test_mode: bool = False, ring: int = RING) -> None:
        self._random = random
        self._flags = TEST if test_mode else 0
        self._size = ring
        self._splitter = FrameSplitter()
        self.commands: list[tuple[int, int]] = []
        self.restart(0)

    def restart(self, now_ms: int) -> None:
        """Switch on: a new boot id, an empty ring, a HELLO."""
        self._boot = self._random.randrange(CIRCLE)
        self._born_ms = now_ms
        self._ring: OrderedDict[int, Message] = OrderedDict()
        self._next = self._unacked = self._to_send = 0
        self._passage = self._crop = 0
        self._again_ms = self._beat_ms = now_ms
        self._last_command = -1
        self._urgent: list[Message] = []
        self.event(frames.HELLO, b"SIM00000001\0", bytes(8), 1, self._size, now_ms=now_ms)

    def event(self, kind: int, *fields: int | bytes, now_ms: int) -> None:
        """Put an event of fixed layout in the ring."""
        self._put(kind, LAYOUTS[kind].pack(*fields), now_ms)

    def leave(self, now_ms: int) -> int:
        """Let something pass the mouth; returns the number of the passage."""
        self._passage = (self._passage + 1) % CIRCLE
        self.event(frames.EDGE, self._passage, LEFT, 80, now_ms=now_ms)
        return self._passage

    def card(self, passage: int, rank: str | None, suit: str | None, p: float, now_ms: int) -> None:
        """Name a card, or say that it could not be read."""
        if rank is None:
            self.event(frames.NO_READ, passage, 2, 0, now_ms=now_ms)
            return
        numbers = RANKS.index(rank) + 1, SUITS.index(suit) + 1 if suit else 0
        check = 0xFF ^ (numbers[0] << 4 | numbers[1])
        self.event(frames.CARD, passage, *numbers, check, round(p * 255), 0, 0, 0, now_ms=now_ms)

    def picture(self, passage: int, crop: Crop, now_ms: int) -> None:
        """Send the picture of an index for the host to read."""
        self._crop = self._crop % 0xFFFF + 1
        pieces = [crop.pixels[at : at + CHUNK] for at in range(0, len(crop.pixels), CHUNK)]
        for place, piece in enumerate(pieces):
            head = frames.CROP_HEAD.pack(self._crop, place, len(pieces), crop.width, crop.height)
            self._put(frames.CROP, head + piece, now_ms)
        self.event(frames.CARD, passage, 0, 0, 0xFF, 0, 0, 0, self._crop, now_ms=now_ms)

    def hear(self, data: bytes, now_ms: int) -> None:
        """Take bytes from the host."""
        for piece in self._splitter.feed(data):
            if isinstance(piece, Message) and piece.kind in {frames.QUERY, frames.COMMAND}:
                self._asked(piece, now_ms)
            elif isinstance(piece, Message) and piece.boot == self._boot:
                self._told(piece, now_ms)

    def outgoing(self, now_ms: int) -> bytes:
        """Give what the device sends by now: answers, a heartbeat, events new or not acknowledged."""
        if now_ms - self._beat_ms >= HEARTBEAT_MS:
            self._beat(now_ms)
        if now_ms - self._again_ms >= AGAIN_MS:
            self._to_send, self._again_ms = self._unacked, now_ms
        out, self._urgent = self._urgent, []
        while ahead(self._to_send, self._next) > 0 and len(out) < WINDOW:
            if self._to_send in self._ring:
                out.append(self._ring[self._to_send])
                self._ring[self._to_send] = out[-1]._replace(flags=out[-1].flags | AGAIN)
            self._to_send = (self._to_send + 1) % CIRCLE
        return b"".join(encode(message) for message in out)

    @property
    def settled(self) -> bool:
        """Whether the host has acknowledged everything."""
        return self._unacked == self._next

    def _put(self, kind: int, payload: bytes, now_ms: int) -> None:
        t_ms = now_ms - self._born_ms
        self._ring[self._next] = Message(kind, SEQUENCED | self._flags, self._boot, self._next, t_ms, payload)
        self._next = (self._next + 1) % CIRCLE
        if len(self._ring) > self._size:
            self._ring.popitem(last=False)

    def _beat(self, now_ms: int) -> None:
        """Say where the device stands; the sequence field is the number of the next event."""
        self._beat_ms = now_ms
        payload = LAYOUTS[frames.HEARTBEAT].pack(0, 30, self._oldest(), self._unacked)
        t_ms = now_ms - self._born_ms
        self._urgent.append(Message(frames.HEARTBEAT, self._flags, self._boot, self._next, t_ms, payload))

    def _oldest(self) -> int:
        return next(iter(self._ring), self._next)

    def _asked(self, message: Message, now_ms: int) -> None:
        """Answer a query or a command; a command that comes again is only answered again."""
        if message.kind == frames.QUERY:
            self._beat(now_ms)
            return
        if message.seq != self._last_command:
            self._last_command = message.seq
            code, argument = LAYOUTS[frames.COMMAND].unpack(message.payload)
            self.commands.append((code, argument))
            self.event(frames.DONE, message.seq, 0, now_ms=now_ms)

    def _told(self, message: Message, now_ms: int) -> None:
        """Take an acknowledgement or a request to send again."""
        if message.kind == frames.ACK and self._in_flight(message.seq):
            self._unacked, self._again_ms = message.seq, now_ms
            if ahead(self._to_send, self._unacked) > 0:
                self._to_send = self._unacked
        elif message.kind == frames.RESEND:
            self._resend(message.seq, now_ms)

    def _in_flight(self, seq: int) -> bool:
        """Whether an acknowledgement up to `seq` tells something new that can be true."""
        return 0 < ahead(self._unacked, seq) <= ahead(self._unacked, self._next)

    def _resend(self, seq: int, now_ms: int) -> None:
        oldest = self._oldest()
        if ahead(self._next, seq) >= 0:
            self._beat(now_ms)
        elif ahead(oldest, seq) < 0:
            t_ms = now_ms - self._born_ms
            payload = LAYOUTS[frames.GONE].pack(oldest)
            self._urgent.append(Message(frames.GONE, self._flags, self._boot, self._next, t_ms, payload))
            self._to_send = oldest
        else:
            self._to_send = seq


class OpenReader:
    """A simulated reader at the far end of `line`, with a thread that keeps it talking until `close`."""

    def __init__(
        self, line: Line, random: Random, mono_ms: Callable[[], int], *, test_mode: bool = False
    ) -> None:
        """`mono_ms` tells the device's time; `random` draws its boot ids."""
        self._line = line
        self._mono_ms = mono_ms
        self.device = OpenDevice(random, test_mode=test_mode)
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="simulated reader", daemon=True)
        self._thread.start()

    @property
    def port(self) -> str:
        """What the driver opens."""
        return self._line.port

    def start(self) -> None:
        """Switch the reader off and on."""
        with self._lock:
            self.device.restart(self._mono_ms())

    def deal(self, rank: str | None, suit: str | None, p: float = 1.0) -> None:
        """Let a card leave the shoe; a rank of None is a card that the reader could not read."""
        with self._lock:
            now_ms = self._mono_ms()
            self.device.card(self.device.leave(now_ms), rank, suit, p, now_ms)

    def deal_picture(self, crop: Crop) -> None:
        """Let a card leave the shoe and send the picture of its index."""
        with self._lock:
            now_ms = self._mono_ms()
            self.device.picture(self.device.leave(now_ms), crop, now_ms)

    def cut_card(self) -> None:
        """Let the cut card leave the shoe."""
        with self._lock:
            now_ms = self._mono_ms()
            self.device.event(frames.CUT_CARD, self.device.leave(now_ms), now_ms=now_ms)

    def raw(self, data: bytes) -> None:
        """Put any bytes on the line, as they are."""
        self._line.write(data)

    def unplug(self) -> None:
        """Pull the cable; the reader goes on collecting."""
        self._line.unplug()

    def plug(self) -> None:
        """Put the cable back."""
        self._line.plug()

    def close(self) -> None:
        """End the simulation and remove the port."""
        self._stop.set()
        self._thread.join(5)
        self._line.close()

    def _run(self) -> None:
        while not self._stop.is_set():
            heard = self._line.read(0.01)
            if not heard:
                self._stop.wait(0.005)
            with self._lock:
                self.device.hear(heard, self._mono_ms())
                sent = self.device.outgoing(self._mono_ms())
            if sent:
                self._line.write(sent)


class PtyReader(OpenReader):
    """An open-protocol reader on a pseudo-terminal."""

    def __init__(self, random: Random, mono_ms: Callable[[], int]) -> None:
        super().__init__(PtyLine(), random, mono_ms)
