"""An RFID reader under the felt that speaks LLRP 1.0.1, with antennas in the circles and beside them.

Written from the standard: types and layouts stand here a second time.
"""

import time
from collections.abc import Callable
from typing import Final, NamedTuple

from drivers.simulated.lines import SimulatedLine

SETUP_S: Final = 10.0
"""How long the far end may take to set the reader up."""

INVENTORIES: Final = 5
"""Inventories after each change, the one that ends the last of them included."""

WORTH: Final = {"e280116060": 10_000, "e280116050": 2_500, "e280116040": 1_000, "e280116030": 500,
                "e280116020": 100, "e280116010": 50, "e280116001": 5}  # fmt: skip
"""What a chip is worth by the first digits of its tag, in minor units; none is worth less than the last."""

FOREIGN: Final = "300833b2ddd9014000000000"
"""The tag of something that is no chip of this house."""

_ANSWERS: Final = {3: 13, 20: 30, 21: 31, 24: 34}
_ENABLE: Final = 24
_KEEPALIVE: Final = 62
_KEEPALIVE_ACK: Final = 72


class Circle(NamedTuple):
    """A place with an antenna."""

    antenna: int
    box: int
    seat: int
    payout: bool


CIRCLES: Final = tuple(
    Circle(1 + 6 * (box - 1) + 2 * seat + payout, box, seat, bool(payout))
    for box in range(1, 8)
    for seat in range(3)
    for payout in (0, 1)
)
"""Two antennas for each of three bettors at seven boxes: the stake, and what is handed back."""


class SimulatedRfidReader:
    """A reader at the far end of `line`; it reads when chips are moved, and answers while it does.

    `setup_s`: so long it waits to be set up before it reads, 0 where it is asked by `answer`; `uptime_ns` is
    the clock that it stamps its events by.
    """

    def __init__(
        self,
        line: SimulatedLine,
        setup_s: float = SETUP_S,
        uptime_ns: Callable[[], int] = time.monotonic_ns,
    ) -> None:
        """Begin with nothing in the circles, and nobody who has set it up."""
        self._line, self._setup_s, self._uptime_ns = line, setup_s, uptime_ns
        self._heard = b""
        self._asked: set[int] = set()
        """Types of the messages that were answered since it was woken."""
        self._is_set_up = False
        self._lying: dict[int, list[str]] = {}
        self.refuses = 0
        """The message type that is answered with an error, 0 for none."""
        self.acknowledged = 0
        """Signs of life that the host has acknowledged."""

    def wake(self) -> None:
        """Be set up again, as after power-up, and read what lies there."""
        self.connect()
        self._read(INVENTORIES)

    def connect(self) -> None:
        """Know nothing of what another connection has set up."""
        self._heard, self._is_set_up = b"", False
        self._asked.clear()

    def lay(self, box: int, seat: int, amount: int | None, sure: int | None = None) -> None:
        """Let this much lie in a circle, minor units; None: something that is no chip."""
        del sure
        self._put(box, seat, [FOREIGN] if amount is None else chips(amount), payout=False)

    def pay(self, box: int, seat: int, amount: int, sure: int | None = None) -> None:
        """Hand so much back to a bettor in all, stake included."""
        del sure
        self._put(box, seat, chips(amount), payout=True)

    def cover(self, box: int, seat: int) -> None:
        """A hand hides no tag."""

    def bare(self, box: int, seat: int) -> None:
        """See `cover`."""

    def inventories(self, *found: tuple[int, list[str]] | None) -> None:
        """Run inventories in which one antenna finds these tags, whatever lies there; None: as it lies."""
        for one in found:
            self._inventory(self._lying if one is None else {**self._lying, one[0]: one[1]})
        self._event(249, bytes((0,)) + bytes(8))

    def report_alive(self) -> None:
        """Send a sign of life; the host acknowledges it."""
        self._line.write(_message(_KEEPALIVE, b""))

    def be_acknowledged(self) -> None:
        """Wait until the host has acknowledged a sign of life."""
        until = time.monotonic() + self._setup_s
        while not self.acknowledged and time.monotonic() < until:
            self.answer()

    def _put(self, box: int, seat: int, tags: list[str], *, payout: bool) -> None:
        at = next(one for one in CIRCLES if (one.box, one.seat, one.payout) == (box, seat, payout))
        # Every chip has a tag of its own.
        self._lying[at.antenna] = [
            f"{tag[:10]}{at.antenna:06x}{number:08x}" for number, tag in enumerate(tags)
        ]
        self._read(INVENTORIES)

    def _read(self, times: int) -> None:
        self.be_asked()
        if self._is_set_up or self._setup_s:
            self.inventories(*(None,) * (times - 1))

    def be_asked(self) -> None:
        """Take the connection, until the host has asked for inventories or was refused something."""
        until = time.monotonic() + self._setup_s
        while not self._is_set_up and self.refuses not in self._asked and time.monotonic() < until:
            self.answer()

    def answer(self) -> None:
        """Take the connection, until it is asked for something, and answer what the host has sent."""
        if not self._asked:
            self._event(256, bytes(2))
        self._heard += self._line.read(0.05)
        while len(self._heard) >= 10 and len(self._heard) >= (
            size := int.from_bytes(self._heard[2:6], "big")
        ):
            asked, self._heard = self._heard[:size], self._heard[size:]
            kind = int.from_bytes(asked[:2], "big") & 0x3FF
            self.acknowledged += kind == _KEEPALIVE_ACK
            if kind in _ANSWERS:
                self._grant(kind, asked[6:10])

    def _grant(self, kind: int, number: bytes) -> None:
        status = 101 if kind == self.refuses else 0
        said = _long(287, status.to_bytes(2, "big") + bytes(2))
        self._line.write(_message(_ANSWERS[kind], said, number))
        self._asked.add(kind)
        self._is_set_up = kind == _ENABLE and not status

    def _inventory(self, lying: dict[int, list[str]]) -> None:
        """Begin, report, end."""
        self._event(249, bytes((0,)) + bytes(8))
        tags = b"".join(_tag(tag, antenna) for antenna, found in lying.items() for tag in found)
        if tags:
            self._line.write(_message(61, tags))
        self._event(249, bytes((1,)) + bytes(8))

    def _event(self, kind: int, body: bytes) -> None:
        uptime = _long(129, (self._uptime_ns() // 1000).to_bytes(8, "big"))
        self._line.write(_message(63, _long(246, uptime + _long(kind, body))))


def chips(amount: int) -> list[str]:
    """The first digits of the tags of chips that make up an amount, the dearest first."""
    found = []
    for tag, worth in WORTH.items():
        pieces, amount = divmod(amount, worth)
        found += [tag] * pieces
    assert amount == 0, "no chip is that small"
    return found


def _tag(tag: str, antenna: int) -> bytes:
    """A found tag: its EPC of 96 bits, its antenna, and how often it was seen, which nobody asked for."""
    said = b"\x8d" + bytes.fromhex(tag) + b"\x81" + antenna.to_bytes(2, "big") + b"\x88\x00\x07"
    return _long(240, said)


def _long(kind: int, body: bytes) -> bytes:
    return kind.to_bytes(2, "big") + (len(body) + 4).to_bytes(2, "big") + body


def _message(kind: int, body: bytes, number: bytes = bytes(4)) -> bytes:
    return (0x400 | kind).to_bytes(2, "big") + (len(body) + 10).to_bytes(4, "big") + number + body
