"""What every shoe reader must do, run over every kind of line with real bytes.

A new reader joins by a line in `READERS`; a new kind of line by one in `LINES`.
"""

import os
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from random import Random
from typing import NamedTuple, Protocol

import pytest

from controller.acts.catalogue import CardSeen, CutCard
from controller.domain import DeviceError
from controller.ports import ByteStream, SystemClock
from drivers.device_driver import LifePolicy
from drivers.line import SerialStream
from drivers.shoe.angel_eye import AngelEye, AngelMessage, CopiesOutcome, CopyFilter
from drivers.shoe.open_shoe import OpenShoe
from drivers.shoe.reader import CardOut, CutCardOut, Gap, SerialShoe, ShoeAdapter, ShoeCommand, ShoeProtocol
from drivers.simulated import AngelEyeShoe, PtyLine, SimulatedLine
from tests.drivers.drivers_kit import QUICK, Heard, running, until
from tests.drivers.far_ends.open_shoe import OpenReader
from tests.drivers.far_ends.tcp_line import TcpLine


class SimulatedReader(Protocol):
    """What a simulated reader can do, whichever it is."""

    def start(self) -> None: ...

    def deal(self, rank: str | None, suit: str | None) -> object: ...

    def cut_card(self) -> None: ...

    def raw(self, data: bytes) -> None: ...

    def close(self) -> None: ...


MakeLine = Callable[[], SimulatedLine]


class Reader(NamedTuple):
    """A reader: its language, its simulation at the far end of a line, and whether it says how sure it is."""

    protocol: Callable[[], ShoeProtocol]
    simulate: Callable[[SimulatedLine], SimulatedReader]
    certain: bool


class LoopLine:
    """pyserial's `loop://`: both ends are the one stream that the driver opened."""

    port = "loop://"

    def __init__(self) -> None:
        self.stream: SerialStream | None = None
        self.plugged = True

    def connect(self, port: str, baud: int) -> ByteStream:
        if not self.plugged:
            raise DeviceError("DEVICE_OPEN_FAILED", port=port, reason="NOT_THERE")
        self.stream = SerialStream(port, baud)
        return self.stream

    def plug(self) -> None:
        self.plugged = True

    def unplug(self) -> None:
        self.plugged = False
        if self.stream:
            self.stream.close()

    def write(self, data: bytes) -> None:
        if self.stream and self.plugged:
            with suppress(OSError):
                self.stream.write(data)

    def read(self, timeout_s: float) -> bytes:
        time.sleep(timeout_s)
        return b""

    def close(self) -> None:
        self.unplug()


class MeddledLine:
    """A line that repeats every frame, or drops the next ones; a simulated reader writes frame by frame."""

    def __init__(self, line: SimulatedLine) -> None:
        self.line = line
        self.times = 1
        self.drops = 0

    @property
    def port(self) -> str:
        return self.line.port

    def plug(self) -> None:
        self.line.plug()

    def unplug(self) -> None:
        self.line.unplug()

    def write(self, data: bytes) -> None:
        if self.drops:
            self.drops -= 1
            return
        for _ in range(self.times):
            self.line.write(data)

    def read(self, timeout_s: float) -> bytes:
        return self.line.read(timeout_s)

    def close(self) -> None:
        self.line.close()


def open_reader(line: SimulatedLine) -> OpenReader:
    return OpenReader(line, Random(1), lambda: time.monotonic_ns() // 1_000_000)


READERS = {
    "angel_eye": Reader(AngelEye, AngelEyeShoe, certain=False),
    "open": Reader(OpenShoe, open_reader, certain=True),
}
LINES: dict[str, MakeLine] = {"pty": PtyLine, "socket": TcpLine, "loop": LoopLine}
RANKS = ["A", "A", "9", None, "10", "K"]
LOST = 2
"""Which card's frames are dropped, counted from 0."""


CASES = {
    f"{reader_name}-{line_name}": (reader, line)
    for reader_name, reader in READERS.items()
    for line_name, line in LINES.items()
}
every = pytest.mark.parametrize(("reader", "line"), CASES.values(), ids=CASES)


Chunk = tuple[str, bytes]


class Table(NamedTuple):
    """A driver with a simulated reader on its line, and every chunk of bytes that crossed it."""

    driver: SerialShoe
    heard: Heard
    shoe: SimulatedReader
    line: SimulatedLine
    meddled: MeddledLine
    chunks: list[Chunk]


@contextmanager
def at_work(reader: Reader, make: MakeLine, life: LifePolicy = QUICK) -> Iterator[Table]:
    line = make()
    meddled = MeddledLine(line)
    shoe = reader.simulate(meddled)
    connect = line.connect if isinstance(line, LoopLine) else SerialStream
    chunks: list[Chunk] = []

    def tap(source: str, kind: str, mono_ns: int, data: bytes) -> None:
        assert (source, mono_ns > 0) == ("shoe", True)
        chunks.append((kind, data))

    try:
        with running(line.port, reader.protocol(), connect=connect, life=life, tap=tap) as (driver, heard):
            yield Table(driver, heard, shoe, line, meddled, chunks)
    finally:
        shoe.close()


def dealt(table: Table) -> list[str | None]:
    return [event.rank for event in table.heard.said() if isinstance(event, CardOut)]


@every
def test_each_card_comes_once_and_in_order(reader: Reader, line: MakeLine) -> None:
    with at_work(reader, line) as table:
        table.shoe.start()
        for rank in RANKS:
            table.shoe.deal(rank, "h" if rank else None)
        table.shoe.cut_card()
        assert until(lambda: CutCardOut() in table.heard.said())
        assert dealt(table) == RANKS
        numbers = [event.number for event in table.heard.said() if isinstance(event, CardOut)]
        assert numbers == [1, 2, 3, 4, 5, 6]


def repeated_frames_are_no_cards(reader: Reader, line: MakeLine) -> None:
    with at_work(reader, line) as table:
        table.meddled.times = 2
        table.shoe.start()
        for rank in RANKS:
            table.shoe.deal(rank, "h" if rank else None)
        table.shoe.cut_card()
        assert until(lambda: CutCardOut() in table.heard.said())
        assert dealt(table) == RANKS


@every
def test_a_frame_that_comes_twice_is_no_further_card(reader: Reader, line: MakeLine) -> None:
    repeated_frames_are_no_cards(reader, line)


@every
@pytest.mark.parametrize("dropped", [1, 2, 3, 4])
def test_a_frame_that_is_lost_costs_no_card_in_silence(reader: Reader, line: MakeLine, dropped: int) -> None:
    """Each card comes with a copy or is sent again; else the gap is reported, and every other card comes."""
    with at_work(reader, line) as table:
        table.shoe.start()
        for number, rank in enumerate(RANKS):
            if number == LOST:
                table.meddled.drops = dropped
            table.shoe.deal(rank, "h" if rank else None)
        table.shoe.cut_card()
        assert until(lambda: CutCardOut() in table.heard.said())
        missing = len(RANKS) - len(dealt(table))
        assert dealt(table) == [*RANKS[:LOST], *RANKS[LOST + missing :]]
        assert not missing or any(isinstance(event, Gap) for event in table.heard.said())


class FourthCopyIsACard(CopyFilter):
    """A filter with a fault: the copy after the last expected one counts as another card."""

    def _again(self, message: AngelMessage) -> list[CopiesOutcome]:
        self._seen += 1
        return [] if self._seen <= self._limit else [self._accept(message)]


class CountsRepeatedFrames(AngelEye):
    """A driver that passes every other test of this suite."""

    def __init__(self) -> None:
        super().__init__()
        self._copies = FourthCopyIsACard(self._options.copies, self._options.sequence)


def test_a_driver_that_counts_a_repeated_frame_as_a_card_fails_the_suite() -> None:
    counts = Reader(CountsRepeatedFrames, AngelEyeShoe, certain=False)
    test_each_card_comes_once_and_in_order(counts, PtyLine)
    with pytest.raises(AssertionError):
        repeated_frames_are_no_cards(counts, PtyLine)


@every
def test_noise_between_messages_costs_no_card(reader: Reader, line: MakeLine) -> None:
    with at_work(reader, line) as table:
        for number, rank in enumerate(RANKS):
            table.shoe.raw(bytes(range(0x80 + number, 0xA0)))
            table.shoe.deal(rank, "h" if rank else None)
        assert until(lambda: dealt(table) == RANKS), table.heard.events


@every
def test_noise_alone_is_no_sign_of_life(reader: Reader, line: MakeLine) -> None:
    noise = Random(17)
    with at_work(reader, line) as table:
        for _ in range(16):
            table.shoe.raw(noise.randbytes(256))
            time.sleep(0.005)
        assert until(lambda: table.heard.states()[-1] == "stale")
        assert table.driver.health().detail == "GARBLED"
        assert dealt(table) == []
        # What began before the noise ended may be lost: the reader says it again, or the next card shows it.
        table.shoe.start()
        table.shoe.deal("A", "h")
        assert until(lambda: dealt(table) == ["A"])
        # The driver reports what it read first, and how the line is after it. A reader repeats itself five
        # times a second: on a machine that takes long over the noise it is heard between two pieces, rightly.
        assert until(lambda: table.heard.states()[-1] == "live"), table.heard.states()
        assert table.heard.states()[:2] == ["live", "stale"]


@every
def test_recorded_bytes_say_the_same_again(reader: Reader, line: MakeLine) -> None:
    with at_work(reader, line) as table:
        for rank in RANKS:
            table.shoe.deal(rank, "h" if rank else None)
        assert until(lambda: dealt(table) == RANKS)
        table.driver.close()
        again = reader.protocol()
        replayed = [e for way, data in table.chunks if way == "rx" for e in again.feed(data)]
        assert replayed == table.heard.said()


@every
def test_a_pulled_cable_is_said_and_comes_back_by_itself(reader: Reader, line: MakeLine) -> None:
    with at_work(reader, line) as table:
        table.shoe.deal("A", "h")
        assert until(lambda: dealt(table) == ["A"])
        table.line.unplug()
        assert until(lambda: table.heard.states()[:2] == ["live", "lost"])
        assert table.driver.health().state in {"lost", "backoff", "absent", "opening"}
        table.line.plug()
        assert until(lambda: table.heard.states()[-1] == "live")
        table.shoe.deal("9", "c")
        assert until(lambda: dealt(table) == ["A", "9"])


@every
def test_a_line_that_keeps_breaking_is_given_up_until_acknowledged(reader: Reader, line: MakeLine) -> None:
    with at_work(reader, line) as table:
        for _ in range(6):
            table.line.plug()
            assert until(lambda: table.heard.states()[-1] == "live")
            table.line.unplug()
            assert until(lambda: table.heard.states()[-1] != "live")
        table.line.plug()
        assert until(lambda: table.heard.states()[-1] == "fault")
        table.driver.acknowledge()
        assert until(lambda: table.heard.states()[-1] == "live")


@every
def test_health_names_port_age_and_counts(reader: Reader, line: MakeLine) -> None:
    with at_work(reader, line) as table:
        table.shoe.deal("A", "h")
        assert until(lambda: dealt(table) == ["A"])
        health = table.driver.health()
        assert (health.kind, health.state, health.port) == ("shoe", "live", table.line.port)
        assert health.age_ms is not None
        assert 0 <= health.age_ms < 60_000
        assert dict(health.counters)["CardOut"] == 1


@every
def test_nothing_is_posted_after_close(reader: Reader, line: MakeLine) -> None:
    with at_work(reader, line) as table:
        table.driver.close()
        before = list(table.heard.events)
        table.shoe.deal("A", "h")
        time.sleep(0.1)
        assert table.heard.events == before


@every
def test_a_closed_driver_is_not_live_and_can_be_opened_again(reader: Reader, line: MakeLine) -> None:
    with at_work(reader, line) as table:
        table.driver.close()
        assert table.driver.health().state == "absent"
        table.driver.open()
        assert until(lambda: table.driver.health().state == "live")
        table.shoe.deal("A", "h")
        assert until(lambda: dealt(table) == ["A"])


@every
def test_a_command_is_refused_unless_the_table_allows_it(reader: Reader, line: MakeLine) -> None:
    with at_work(reader, line) as table:
        with pytest.raises(DeviceError, match="SHOE_COMMAND_NOT_ALLOWED"):
            table.driver.send(ShoeCommand("lock"))
        table.line.unplug()
        assert until(lambda: "lost" in table.heard.states())
        with pytest.raises(DeviceError, match="DEVICE_NOT_LIVE"):
            table.driver.send(ShoeCommand("lock"))


@every
def test_the_table_hears_cards_and_the_device_in_its_own_words(reader: Reader, line: MakeLine) -> None:
    with at_work(reader, line) as table:
        table.shoe.deal("A", "h")
        table.shoe.cut_card()
        assert until(lambda: CutCardOut() in table.heard.said())
        table.line.unplug()
        assert until(lambda: "lost" in table.heard.states())
        adapter = ShoeAdapter("shoe", "s1")
        seen = [fact for event in list(table.heard.events) for fact in adapter.to_observations(event)]
        assert seen == [
            CardSeen("A", "h", by="shoe", p=1.0 if reader.certain else None, id="shoe.s1.1"),
            CutCard(),
        ]
        assert [type(fact) for fact in seen] == [CardSeen, CutCard]


def test_a_port_that_cannot_be_opened_says_why() -> None:
    line = PtyLine()
    try:
        with pytest.raises(DeviceError, match="reason=BAD_PORT"):
            SerialStream("morse://shoe", 4800)
        with running(line.port, AngelEye()), pytest.raises(DeviceError, match="reason=BUSY"):
            SerialStream(line.port, 4800)
        line.unplug()
        with pytest.raises(DeviceError, match="reason=NOT_THERE"):
            SerialStream(line.port, 4800)
    finally:
        line.close()


def test_a_device_server_that_loses_its_power_will_be_noticed() -> None:
    line = TcpLine()
    stream = SerialStream(line.port, 4800)
    with socket.socket(fileno=os.dup(stream._line.fileno())) as own:
        assert own.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE) == 1
        options = (socket.TCP_KEEPIDLE, socket.TCP_KEEPINTVL, socket.TCP_KEEPCNT)
        idle_s, between_s, times = (own.getsockopt(socket.IPPROTO_TCP, option) for option in options)
    assert idle_s + between_s * times <= 5
    stream.close()
    line.close()


def test_a_shoe_that_is_not_there_at_the_start_is_found_later() -> None:
    line, heard = PtyLine(), Heard()
    line.unplug()
    driver = SerialShoe("shoe", line.port, AngelEye(), heard.post, SystemClock(), life=QUICK)
    driver.open()
    try:
        assert until(lambda: heard.states() == ["absent"])
        line.plug()
        assert until(lambda: heard.states() == ["absent", "live"])
    finally:
        driver.close()
        line.close()
