"""A reader and a host with a clock between them, and frames of a reader by hand."""

from random import Random

from drivers.shoe.open_shoe import OpenShoe
from drivers.shoe.reader import CardOut, ShoeEvent
from tests.drivers.far_ends.open_shoe import FrameType, OpenDevice, wire

BOOT = 0xBEEF
ACE_OF_HEARTS = (1, 3, 0xFF ^ 0x13, 255, 0, 0, 0)


class Wire:
    """A device and a host with a clock between them; `cut_off` loses everything for a while."""

    def __init__(self, shoe: OpenShoe | None = None, *, test_mode: bool = False, ring: int = 512) -> None:
        self.device = OpenDevice(Random(5), test_mode=test_mode, ring=ring)
        self.shoe = shoe or OpenShoe()
        self.now_ms = 0
        self.cut_off = False

    def run(self, ms: int = 500) -> list[ShoeEvent]:
        events: list[ShoeEvent] = []
        for _ in range(0, ms, 10):
            to_host = self.device.outgoing(self.now_ms)
            events += self.shoe.feed(b"" if self.cut_off else to_host)
            more, to_device = self.shoe.poll(self.now_ms)
            events += more
            self.device.receive(b"" if self.cut_off else to_device, self.now_ms)
            self.now_ms += 10
        return events

    def deal(self, rank: str | None, suit: str | None = None, p: float = 1.0) -> None:
        self.device.card(self.device.leave(self.now_ms), rank, suit, p, self.now_ms)

    def event(self, kind: FrameType, *fields: int | bytes) -> None:
        self.device.event(kind, *fields, now_ms=self.now_ms)


def cards(events: list[ShoeEvent]) -> list[str | None]:
    return [event.rank for event in events if isinstance(event, CardOut)]


def frame(seq: int, kind: FrameType, *fields: int | bytes, boot: int = BOOT, t_ms: int = 0) -> bytes:
    return unfit(seq, kind, wire.payload(kind, *fields), boot=boot, t_ms=t_ms)


def unfit(seq: int, kind: int, payload: bytes, *, boot: int = BOOT, t_ms: int = 0) -> bytes:
    """An event with any payload."""
    return wire.frame(kind, payload, flags=wire.SEQUENCED, boot=boot, seq=seq, t_ms=t_ms)


def started(*more: bytes) -> list[ShoeEvent]:
    """What a fresh reader says after its HELLO."""
    shoe = OpenShoe()
    shoe.feed(HELLO)
    return [event for data in more for event in shoe.feed(data)]


def beat(boot: int, following: int, unacked: int, status: int = 0) -> bytes:
    """A heartbeat of a device that will number its next event `following`."""
    payload = wire.payload(FrameType.HEARTBEAT, status, 30, 0, unacked)
    return wire.frame(FrameType.HEARTBEAT, payload, flags=0, boot=boot, seq=following, t_ms=5)


HELLO = frame(0, FrameType.HELLO, b"SN1", bytes(8), 0, 512)
