"""A line that damages bytes, and a shoe dealing through it: what is lost must be said.

`python -m tests.drivers.lossy_line open|angel CARDS [RATE]` deals that many cards and prints the account.
"""

import json
import sys
import time
from collections import Counter
from collections.abc import Callable
from random import Random
from typing import Final

from drivers.shoe.angel_eye import AngelEye
from drivers.shoe.open_shoe import OpenShoe
from drivers.shoe.reader import CardOut, CopiesDiffer, Gap, LineFault, NotUnderstood, ShoeEvent
from drivers.simulated import card_bytes, report_frames
from tests.drivers.far_ends.open_shoe import RANKS, SUITS, OpenDevice

DELAY_MAX: Final = 4
STEP_MS: Final = 10
SEQUENCE: Final = b"0123456789"

Card = tuple[str | None, str | None]


class LossyLine:
    """Loses, flips, doubles or delays each byte with the chance `rate`."""

    def __init__(self, random: Random, rate: float) -> None:
        self._random = random
        self._rate = rate
        self._left = self._until_next()

    def carry(self, data: bytes) -> bytes:
        """Give what arrives of `data`."""
        out, late, start = bytearray(), bytearray(), 0
        while self._left < len(data) - start:
            at = start + self._left
            out += data[start:at]
            self._damage(data[at], out, late)
            start, self._left = at + 1, self._until_next()
        self._left -= len(data) - start
        return bytes(out + data[start:] + late)

    def _damage(self, byte: int, out: bytearray, late: bytearray) -> None:
        match self._random.randrange(4):
            case 0:
                pass
            case 1:
                out.append(byte ^ self._random.randrange(1, 256))
            case 2:
                out += bytes((byte, byte))
            case _:
                late.append(byte)

    def _until_next(self) -> int:
        """How many bytes pass undamaged before the next damaged one."""
        return int(self._random.expovariate(self._rate)) if self._rate else sys.maxsize


class Account:
    """Compares what was dealt with what the driver says, batch by batch."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()

    def batch(self, dealt: list[Card], events: list[ShoeEvent]) -> None:
        """Count cards that arrived, and what was wrong with and without a word."""
        heard = [(event.rank, event.suit) for event in events if isinstance(event, CardOut)]
        said = any(isinstance(event, Gap | CopiesDiffer | NotUnderstood) for event in events)
        self.counts["cards"] += len(dealt)
        self.counts["damaged_frames"] += sum(isinstance(event, LineFault) for event in events)
        self.counts["reported"] += sum(isinstance(e, Gap | CopiesDiffer | NotUnderstood) for e in events)
        if heard == dealt:
            self.counts["right"] += len(dealt)
        else:
            self.counts["wrong_and_reported" if said else "WRONG_AND_SILENT"] += 1


def some_cards(random: Random, many: int) -> list[Card]:
    return [(random.choice(list(RANKS)), random.choice(list(SUITS))) for _ in range(many)]


def deal_open(cards: int, rate: float, random: Random) -> Counter[str]:
    """Deal through the open protocol: batches of one to eight, each until the device is content."""
    device, shoe, account, now_ms = OpenDevice(random), OpenShoe(), Account(), 0
    to_host, to_device = LossyLine(random, rate), LossyLine(random, rate)
    while account.counts["cards"] < cards:
        dealt = some_cards(random, min(random.randrange(1, 9), cards - account.counts["cards"]))
        for rank, suit in dealt:
            device.card(device.leave(now_ms), rank, suit, 1.0, now_ms)
        events: list[ShoeEvent] = []
        while True:
            events += shoe.feed(to_host.carry(device.outgoing(now_ms)))
            device.receive(to_device.carry(shoe.poll(now_ms)[1]), now_ms)
            now_ms += STEP_MS
            if device.settled:
                break
        account.batch(dealt, events)
    account.counts["line_ms"] = now_ms
    return account.counts


def deal_angel(cards: int, rate: float, random: Random) -> Counter[str]:
    """Deal through an Angel Eye line, which knows no way back: what is lost can only be reported.

    A batch ends at a card that arrived whole, so that whatever was lost before it has been noticed.
    """
    shoe, account, line, sent = AngelEye(), Account(), LossyLine(random, rate), 0
    dealt: list[Card] = []
    events: list[ShoeEvent] = []
    while account.counts["cards"] < cards:
        (card,) = some_cards(random, 1)
        dealt.append(card)
        data = report_frames(SEQUENCE[sent % len(SEQUENCE)], b"D" + card_bytes(*card))
        sent += 1
        arrived = line.carry(data)
        events += shoe.feed(arrived)
        if arrived == data:
            account.batch(dealt, events)
            dealt, events = [], []
    return account.counts


DEALERS: Final[dict[str, Callable[[int, float, Random], Counter[str]]]] = {
    "open": deal_open,
    "angel": deal_angel,
}


def main() -> None:
    """Deal as asked for on the command line."""
    protocol, cards = sys.argv[1], int(sys.argv[2])
    rate = float(sys.argv[3]) if len(sys.argv) > 3 else 0.01
    start = time.monotonic()
    counts = DEALERS[protocol](cards, rate, Random(17))
    account = {"protocol": protocol, "rate": rate, **counts, "seconds": round(time.monotonic() - start, 1)}
    sys.stdout.write(json.dumps(account) + "\n")


if __name__ == "__main__":
    main()
