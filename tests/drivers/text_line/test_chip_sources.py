"""What every chip source must do, run over real bytes. A new source joins by a line in `SOURCES`."""

import textwrap
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.ports import SystemClock
from drivers.device_driver import DeviceChanged
from drivers.inputs import ChipsSeen, LineRefused, LinesLost, TextEvent, TextLines
from drivers.line import LineDriver, SerialStream
from drivers.simulated import PtyLine, SimulatedLine
from tests.drivers.drivers_kit import QUICK, cut, until
from tests.drivers.far_ends.chip_source import PAD, TRAY, ZONES, ChipSetup, SimulatedChipSource
from tests.drivers.far_ends.tcp_line import TcpLine
from tests.drivers.far_ends.text_device import text_line

Heard = list[DeviceChanged | TextEvent]


def driver_of(line: SimulatedLine, heard: Heard) -> LineDriver[TextEvent]:
    return LineDriver(
        "pad",
        line.port,
        TextLines(),
        lambda event, _: heard.append(event),
        SystemClock(),
        connect=SerialStream,
        baud=9600,
        life=QUICK,
        kind="chips",
    )


SOURCES = {"pad": PAD, "zones": ZONES, "tray": TRAY}
LINES: dict[str, Callable[[], SimulatedLine]] = {"pty": PtyLine, "tcp": TcpLine}


def stakes_of(setup: ChipSetup, *seen: ChipsSeen) -> list[ChipsSeen]:
    """What a source reports of these stakes: one that sees no circle reports nothing of them."""
    return list(seen) if setup.stakes else []


class Running(NamedTuple):
    """A source that is open, and what it has said."""

    line: SimulatedLine
    chips: SimulatedChipSource
    driver: LineDriver[TextEvent]
    heard: Heard

    def seen(self) -> list[ChipsSeen]:
        return [event for event in self.heard if isinstance(event, ChipsSeen)]

    def states(self) -> list[str]:
        return [event.state for event in self.heard if isinstance(event, DeviceChanged)]


@contextmanager
def running(setup: ChipSetup, make_line: Callable[[], SimulatedLine]) -> Iterator[Running]:
    line, heard = make_line(), Heard()
    driver = driver_of(line, heard)
    driver.open()
    try:
        yield Running(line, SimulatedChipSource(line, setup), driver, heard)
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
        sure = kind.sure / 1000
        stakes = (ChipsSeen("stake", 3, 0, 1500, sure), ChipsSeen("stake", 3, 2, None, 0.4))
        expected = [*stakes_of(kind, *stakes), ChipsSeen("payout", 7, 1, 3750, 0.99)]
        assert until(lambda: len(table.seen()) == len(expected))
        assert table.seen() == expected
        assert table.driver.health().state == "live"


@pytest.mark.parametrize("source", SOURCES)
def test_a_source_that_was_gone_says_again_what_lies_there_and_no_payout_twice(source: str) -> None:
    kind = SOURCES[source]
    stakes = stakes_of(kind, ChipsSeen("stake", 1, 0, 1000, kind.sure / 1000))
    with running(kind, PtyLine) as table:
        assert until(lambda: table.states() == ["live"])
        table.chips.lay(1, 0, 1000)
        table.chips.pay(1, 0, 2000)
        told = [*stakes, ChipsSeen("payout", 1, 0, 2000, kind.sure / 1000)]
        assert until(lambda: len(table.seen()) == len(told))
        table.line.unplug()
        assert until(lambda: table.states()[-1] in ("lost", "absent"))
        table.line.plug()
        assert until(lambda: table.states()[-1] == "live")
        table.chips.wake()
        table.chips.pay(2, 0, 500, 1000)
        told += [*stakes, ChipsSeen("payout", 2, 0, 500, 1.0)]
        assert until(lambda: len(table.seen()) == len(told))
        assert table.seen() == told


def test_a_camera_under_whose_zone_a_hand_lies_says_so_and_then_tells_the_stake_again() -> None:
    with running(SOURCES["zones"], PtyLine) as table:
        assert until(lambda: table.states() == ["live"])
        table.chips.lay(1, 0, 1000)
        table.chips.cover(1, 0)
        table.chips.bare(1, 0)
        assert until(lambda: len(table.seen()) == 3)
        assert [(seen.amount, seen.p) for seen in table.seen()] == [(1000, 0.985), (None, 0.0), (1000, 0.985)]


def test_the_program_of_the_description_makes_lines_that_are_read() -> None:
    text = (Path(__file__).parents[3] / "hardware" / "serial-devices.md").read_text(encoding="utf-8")
    program = text[text.index("    def line(") : text.index("Words that the host does not know")]
    scope: dict[str, Any] = {}
    exec(textwrap.dedent(program), scope)
    assert scope["line"]("STAKE", 107, "3:0:1500:998") == b"$STAKE,07,3:0:1500:998*4A\r\n"


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
