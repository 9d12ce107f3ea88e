"""Small serial devices: each line counts once, lost and damaged ones are told."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.acts.catalogue import Peek
from controller.ports import SystemClock
from drivers.device_driver import DeviceChanged
from drivers.inputs import (
    KEYS,
    KeyPressed,
    LineRefused,
    LinesLost,
    Peeked,
    TextEvent,
    TextLines,
    to_observations,
)
from drivers.line import LineDriver, SerialStream
from drivers.simulated import PtyLine
from tests.drivers.drivers_kit import QUICK, cut, until
from tests.drivers.far_ends.text_device import SimulatedTextDevice, text_line


def events(*lines: bytes) -> list[TextEvent]:
    return TextLines().feed(b"".join(lines))


def test_the_line_of_the_specification_is_made_and_read() -> None:
    assert text_line("KEY", 7, "hit") == b"$KEY,07,hit*25\r\n"
    assert events(b"$KEY,07,hit*25\r\n") == [KeyPressed("hit")]


@pytest.mark.parametrize(
    ("word", "argument", "event"),
    [
        *(("KEY", key, KeyPressed(key)) for key in KEYS),
        ("PEEK", "1", Peeked(blackjack=True)),
        ("PEEK", "0", Peeked(blackjack=False)),
        ("RACK", "137", LineRefused("WORD")),
        ("KEY", "explode", LineRefused("WORD")),
        ("PEEK", "2", LineRefused("WORD")),
    ],
)
def test_each_word_has_its_meaning(word: str, argument: str, event: TextEvent) -> None:
    assert events(text_line(word, 0, argument)) == [event]


def test_signs_of_life_say_nothing_and_the_counter_goes_round() -> None:
    lines = [text_line("ALIVE", number % 100, "SN1") for number in range(250)]
    assert events(*lines) == []


def test_a_jump_of_the_counter_tells_how_many_lines_are_lost() -> None:
    assert events(text_line("KEY", 98, "hit"), text_line("KEY", 1, "stand")) == [
        KeyPressed("hit"),
        LinesLost(2),
        KeyPressed("stand"),
    ]


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (b"$KEY,07,hit*26\r\n", "CHECK"),
        (b"$KEY,07,hot*25\r\n", "CHECK"),
        (b"KEY,07,hit*25\r\n", "FORM"),
        (b"$KEY,07,hit\r\n", "FORM"),
        (b"$" + b"x" * 80 + b"*00\r\n", "LENGTH"),
    ],
)
def test_a_damaged_line_is_refused_and_the_next_one_read(line: bytes, code: str) -> None:
    assert events(line, text_line("KEY", 0, "hit")) == [LineRefused(code), KeyPressed("hit")]


@given(
    st.lists(
        st.one_of(st.sampled_from(KEYS).map(lambda key: text_line("KEY", 3, key)), st.binary(max_size=80))
    ),
    st.lists(st.integers(0, 500)),
)
def test_any_split_gives_the_same_events_and_nothing_breaks_it(parts: list[bytes], places: list[int]) -> None:
    data, split = b"".join(parts), TextLines()
    assert events(data) == [event for chunk in cut(data, places) for event in split.feed(chunk)]


def test_a_peek_reaches_the_table_as_a_fact_and_a_key_does_not() -> None:
    assert to_observations(Peeked(blackjack=True)) == (Peek(blackjack=True),)
    assert to_observations(KeyPressed("hit")) == ()


def test_a_device_on_a_line_is_heard_lost_and_heard_again() -> None:
    line, heard = PtyLine(), list[TextEvent | DeviceChanged]()
    device = SimulatedTextDevice(line)
    driver: LineDriver[TextEvent] = LineDriver(
        "pad",
        line.port,
        TextLines(),
        lambda event, _: heard.append(event),
        SystemClock(),
        connect=SerialStream,
        baud=9600,
        life=QUICK,
        kind="keys",
    )
    driver.open()
    try:
        assert until(lambda: len(heard) == 1)
        device.say("KEY", "stand")
        assert until(lambda: heard[-1] == KeyPressed("stand"))
        line.unplug()
        device.say("KEY", "hit")
        assert until(lambda: isinstance(heard[-1], DeviceChanged) and heard[-1].state == "absent")
        line.plug()
        assert until(lambda: isinstance(heard[-1], DeviceChanged) and heard[-1].state == "live")
        device.say("KEY", "double")
        assert until(lambda: heard[-2:] == [LinesLost(1), KeyPressed("double")])
    finally:
        driver.close()
        line.close()
