"""What every chip source must do, run over real bytes. A new source joins by a line in `SOURCES`."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import NamedTuple, Protocol

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.ports import Health, SystemClock
from drivers.chips import AntennaPlace, ChipsSeen, ReaderRefused, RfidChips
from drivers.lifecycle import DeviceChanged
from drivers.line import LineConfig, LineDriver, SerialStream
from drivers.simulated import PtyLine, SimulatedLine
from drivers.simulated.rfid_reader import CIRCLES, WORTH, SimulatedRfidReader
from drivers.simulated.text_device import text_line
from drivers.text_line import LineRefused, LinesLost, TextEvent, TextLines
from tests.drivers.drivers_kit import QUICK, cut, until
from tests.drivers.far_ends.chip_source import PAD, TRAY, ZONES, ChipSetup, SimulatedChipSource
from tests.drivers.far_ends.tcp_line import TcpLine


class ChipDriver(Protocol):
    """What the table asks of a chip source's driver."""

    def open(self) -> None: ...

    def close(self) -> None: ...

    def health(self) -> Health: ...


class SimulatedChips(Protocol):
    """What the far end of a simulated source can do, whichever it is."""

    def wake(self) -> None: ...

    def lay(self, box: int, seat: int, amount: int | None, sure: int | None = None) -> None: ...

    def cover(self, box: int, seat: int) -> None: ...

    def bare(self, box: int, seat: int) -> None: ...

    def pay(self, box: int, seat: int, amount: int, sure: int | None = None) -> None: ...


Heard = list[ChipsSeen | DeviceChanged | TextEvent | ReaderRefused]


class Source(NamedTuple):
    """A kind of source: its driver on a line, its simulation at the far end, and what that can see.

    `judges`: the driver itself says how sure it is, so all that counts is whether it is.
    """

    drive: Callable[[SimulatedLine, Heard], ChipDriver]
    simulate: Callable[[SimulatedLine, ChipSetup], SimulatedChips]
    setup: ChipSetup
    judges: bool = False

    def heard(self, seen: list[ChipsSeen]) -> list[ChipsSeen]:
        """What was said or is expected, comparable."""
        return [replace(one, p=float(one.p >= 0.98)) if self.judges else one for one in seen]

    def stakes(self, *seen: ChipsSeen) -> list[ChipsSeen]:
        """What it says of these stakes: a source that sees no circle says nothing of them."""
        return list(seen) if self.setup.stakes else []


def _text(line: SimulatedLine, heard: Heard) -> LineDriver[TextEvent]:
    config = LineConfig("pad", line.port, 9600, QUICK, "chips")
    return LineDriver(
        config, TextLines(), lambda event, _: heard.append(event), SystemClock(), connect=SerialStream
    )


def _rfid(line: SimulatedLine, heard: Heard) -> RfidChips:
    config = LineConfig("pad", line.port, 0, QUICK, "chips")
    places = {
        one.antenna: AntennaPlace("payout" if one.payout else "stake", one.box, one.seat) for one in CIRCLES
    }
    return RfidChips(config, places, WORTH, lambda event, _: heard.append(event), SystemClock())


SOURCES = {
    "pad": Source(_text, SimulatedChipSource, PAD),
    "zones": Source(_text, SimulatedChipSource, ZONES),
    "tray": Source(_text, SimulatedChipSource, TRAY),
    "rfid": Source(_rfid, lambda line, _: SimulatedRfidReader(line), PAD, judges=True),
}
LINES: dict[str, Callable[[], SimulatedLine]] = {"pty": PtyLine, "tcp": TcpLine}


class Running(NamedTuple):
    """A source that is open, and what it has said."""

    line: SimulatedLine
    chips: SimulatedChips
    driver: ChipDriver
    heard: Heard

    def seen(self) -> list[ChipsSeen]:
        return [event for event in self.heard if isinstance(event, ChipsSeen)]

    def states(self) -> list[str]:
        return [event.state for event in self.heard if isinstance(event, DeviceChanged)]


@contextmanager
def running(source: Source, make_line: Callable[[], SimulatedLine]) -> Iterator[Running]:
    line, heard = make_line(), Heard()
    driver = source.drive(line, heard)
    driver.open()
    try:
        yield Running(line, source.simulate(line, source.setup), driver, heard)
    finally:
        driver.close()
        line.close()


@pytest.mark.parametrize("line", LINES)
@pytest.mark.parametrize("source", SOURCES)
def test_stakes_and_payouts_come_with_their_bettor_amount_and_certainty(source: str, line: str) -> None:
    kind = SOURCES[source]
    with running(kind, LINES[line]) as table:
        assert until(lambda: table.states() == ["live"])
        table.chips.lay(3, 0, 1500)
        table.chips.lay(3, 2, None, 400)
        table.chips.pay(7, 1, 3750, 990)
        sure = kind.setup.sure / 1000
        stakes = (ChipsSeen("stake", 3, 0, 1500, sure), ChipsSeen("stake", 3, 2, None, 0.4))
        expected = [*kind.stakes(*stakes), ChipsSeen("payout", 7, 1, 3750, 0.99)]
        assert until(lambda: len(table.seen()) == len(expected))
        assert kind.heard(table.seen()) == kind.heard(expected)
        assert table.driver.health().state == "live"


@pytest.mark.parametrize("source", SOURCES)
def test_a_source_that_was_gone_says_again_what_lies_there_and_no_payout_twice(source: str) -> None:
    kind = SOURCES[source]
    stakes = kind.stakes(ChipsSeen("stake", 1, 0, 1000, kind.setup.sure / 1000))
    with running(kind, PtyLine) as table:
        assert until(lambda: table.states() == ["live"])
        table.chips.lay(1, 0, 1000)
        table.chips.pay(1, 0, 2000)
        told = [*stakes, ChipsSeen("payout", 1, 0, 2000, kind.setup.sure / 1000)]
        assert until(lambda: len(table.seen()) == len(told))
        table.line.unplug()
        assert until(lambda: table.states()[-1] in ("lost", "absent"))
        table.line.plug()
        assert until(lambda: table.states()[-1] == "live")
        table.chips.wake()
        table.chips.pay(2, 0, 500, 1000)
        told += [*stakes, ChipsSeen("payout", 2, 0, 500, 1.0)]
        assert until(lambda: len(table.seen()) == len(told))
        assert kind.heard(table.seen()) == kind.heard(told)


def test_a_camera_under_whose_zone_a_hand_lies_says_so_and_then_tells_the_stake_again() -> None:
    with running(SOURCES["zones"], PtyLine) as table:
        assert until(lambda: table.states() == ["live"])
        table.chips.lay(1, 0, 1000)
        table.chips.cover(1, 0)
        table.chips.bare(1, 0)
        assert until(lambda: len(table.seen()) == 3)
        assert [(seen.amount, seen.p) for seen in table.seen()] == [(1000, 0.985), (None, 0.0), (1000, 0.985)]


def events(*lines: bytes) -> list[TextEvent]:
    return TextLines().feed(b"".join(lines))


def test_the_line_of_the_specification_is_made_and_read() -> None:
    assert text_line("STAKE", 7, "3:0:1500:998") == b"$STAKE,07,3:0:1500:998*4A\r\n"
    assert events(b"$STAKE,07,3:0:1500:998*4A\r\n") == [ChipsSeen("stake", 3, 0, 1500, 0.998)]
    assert events(text_line("PAID", 8, "3:0:?:120")) == [ChipsSeen("payout", 3, 0, None, 0.12)]


@pytest.mark.parametrize(
    "said", ["", "3:0:1500", "0:0:1500:998", "3:0:-5:998", "3:0:1.5:998", "3:0:15:1001", "3:0:\u0661:9"]
)
def test_a_reading_that_says_anything_else_is_refused_and_changes_nothing(said: str) -> None:
    line = b"$STAKE,07,%s*" % said.encode()
    check = 0
    for byte in line[1:-1]:
        check ^= byte
    assert events(line + b"%02X\r\n" % check) == [LineRefused("WORD")]


def test_a_lost_line_shows_at_the_next_one() -> None:
    lines = (text_line("STAKE", 5, "1:0:500:998"), text_line("STAKE", 7, "2:0:500:998"))
    assert events(*lines) == [
        ChipsSeen("stake", 1, 0, 500, 0.998),
        LinesLost(1),
        ChipsSeen("stake", 2, 0, 500, 0.998),
    ]


@given(
    st.lists(
        st.tuples(st.integers(1, 7), st.integers(0, 2), st.integers(0, 10**6)).map(
            lambda one: text_line("PAID", 3, f"{one[0]}:{one[1]}:{one[2]}:998")
        )
        | st.binary(max_size=80)
    ),
    st.lists(st.integers(0, 500)),
)
def test_any_split_gives_the_same_readings_and_nothing_breaks_it(parts: list[bytes], at: list[int]) -> None:
    data, split = b"".join(parts), TextLines()
    assert events(data) == [event for chunk in cut(data, at) for event in split.feed(chunk)]
