"""An RFID reader's protocol: the bytes of the standard, what is refused, and how sure a reading is."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.ports import SystemClock
from drivers.chips import AntennaPlace, ChipsSeen, LlrpReader, ReaderRefused, RfidChips
from drivers.chips.llrp import llrp_messages as llrp
from drivers.chips.llrp.circles import PlaceWatch
from drivers.chips.llrp.setup import STEPS
from drivers.lifecycle import DeviceChanged
from drivers.line import LineConfig
from drivers.simulated import PtyLine
from drivers.simulated.rfid_reader import WORTH, SimulatedRfidReader
from tests.drivers.drivers_kit import QUICK, cut, until

STAKE, PAID = AntennaPlace("stake", 1, 0), AntennaPlace("payout", 1, 0)
PLACES = {1: STAKE, 2: PAID}
SETUP = (
    "040300000026000000070000f4001200f5000700028000f5000700088000dc000901000003e8",
    "04150000000e0000000700000000",
    "04140000005b0000000700b1005100000011000000b2001e00b300110200b4000c00000000000000fa00b600090000000000"
    "00b7001c000300010002000300b8000901000000c800ba000700010100ed000d02000000ee00061000",
    "04180000000e0000000700000011",
)
"""The four requests for antennas 1 to 3, message 7, as another implementation of the standard writes them."""


def test_the_reader_is_set_up_with_the_bytes_of_the_standard() -> None:
    made = [llrp.message(kind, 7, make((1, 2, 3))).hex() for kind, _, make in STEPS]
    assert made == list(SETUP)


def watch(place: AntennaPlace, *found: str) -> list[ChipsSeen]:
    """What is told when each inventory finds these tags: a letter is a chip of 10.00."""
    watched = PlaceWatch(place, dict.fromkeys("abcdef", 1000))
    told = (watched.look(frozenset(tags)) for tags in found)
    return [one for one in told if one is not None]


@pytest.mark.parametrize(
    ("found", "amounts"),
    [
        (["a"] * 4, [1000]),
        (["", "", "a", "ab", "ab", "ab", "ab"], [2000]),
        (["ab"] * 4 + ["a"] * 4, [2000, 1000]),
        (["a"] * 4 + [""] * 4, [1000, 0]),
        ([""] * 8, []),
        (["a", "ab"] * 2, [2000]),
        (["ax"] * 4, [None]),
    ],
)
def test_a_stake_is_told_when_it_has_come_to_rest(found: list[str], amounts: list[int | None]) -> None:
    told = watch(STAKE, *found)
    assert [one.amount for one in told] == amounts


def test_a_tag_that_is_missed_now_and_then_makes_its_circle_unsure_for_a_while() -> None:
    steady, flickering, rare = (
        watch(STAKE, *found)[-1]
        for found in (["ab"] * 8, ["ab", "a"] * 4, ["ab", *["a"] * 6, "ab", "ab", "a", "ab"])
    )
    assert (steady.amount, flickering.amount, rare.amount) == (2000, 2000, 2000)
    assert steady.p > 0.99
    assert flickering.p < 0.98
    assert rare.p < 0.98
    gone = watch(STAKE, *["ab", "a"] * 4, *["a"] * 30)
    assert (gone[-1].amount, gone[-1].p > 0.98) == (1000, True), "what was taken away is forgotten"


def test_a_payout_is_told_once_and_the_next_one_again() -> None:
    told = watch(PAID, *["ab"] * 30, *[""] * 6, *["ab"] * 6)
    assert [one.amount for one in told] == [2000, 2000]


def heard(chunks: list[bytes]) -> list[ChipsSeen | ReaderRefused]:
    reader = LlrpReader(PLACES, WORTH)
    return [event for chunk in chunks for event in reader.feed(chunk)]


def event(kind: int, body: bytes) -> bytes:
    return llrp.message(63, 0, llrp.parameter(246, llrp.parameter(kind, body)))


REFUSED = {
    "busy": (event(256, b"\0\2"), [ReaderRefused("CONNECTION")]),
    "an antenna is gone": (
        event(255, b"\0\0\1"),
        [ReaderRefused("ANTENNA"), ChipsSeen("stake", 1, 0, None, 0.0)],
    ),
    "an antenna of others": (event(255, b"\0\0\7"), []),
    "not asked": (llrp.message(30, 1, llrp.parameter(287, b"\0\x65\0\0")), []),
    "an error": (llrp.message(100, 0), [ReaderRefused("SETUP")]),
    "no message": (b"GET / HTTP/1.1\r\n\r\n", [ReaderRefused("FORM")]),
    "too long": (b"\x04\x3d\x00\x10\x00\x00" + bytes(4), [ReaderRefused("FORM")]),
    "a parameter beyond its message": (llrp.message(61, 0, b"\0\xf0\x00\x20"), [ReaderRefused("FORM")]),
    "a status without a number": (event(256, b""), [ReaderRefused("FORM")]),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_a_reader_says_when_it_does_not_read_is_told_and_read_no_further(case: str) -> None:
    data, told = REFUSED[case]
    assert heard([data]) == told
    if told and told[0] != ReaderRefused("ANTENNA"):
        assert heard([data, data]) == told


def inventory(*tags: str) -> bytes:
    """One that finds these tags at antenna 1, and begins the next."""
    found = b"".join(llrp.parameter(240, b"\x8d" + bytes.fromhex(tag) + b"\x81\0\1") for tag in tags)
    return llrp.message(61, 0, found) + event(249, bytes(9))


TAG = "e280116040" + "0" * 14


@given(
    st.lists(
        st.sampled_from([inventory(), inventory(TAG), event(256, b"\0\0"), llrp.message(62, 9)])
        | st.binary(max_size=60)
    ),
    st.lists(st.integers(0, 600)),
)
def test_any_split_gives_the_same_readings_and_nothing_breaks_it(parts: list[bytes], at: list[int]) -> None:
    data = b"".join(parts)
    assert heard([data]) == heard(cut(data, at))


def test_a_reader_that_refuses_is_tried_again_and_then_kept_alive() -> None:
    told: list[ChipsSeen | ReaderRefused | DeviceChanged] = []
    line = PtyLine()
    config = LineConfig("pad", line.port, 0, QUICK, "chips")
    driver = RfidChips(config, PLACES, WORTH, lambda one, _: told.append(one), SystemClock())
    reader = SimulatedRfidReader(line)
    reader.refuses = 20
    driver.open()
    try:
        reader.be_asked()
        assert until(lambda: ReaderRefused("SETUP") in told)
        assert until(lambda: any(isinstance(one, DeviceChanged) and one.state == "lost" for one in told))
        reader.refuses = 0
        reader.wake()
        reader.lay(1, 0, 3750)
        assert until(lambda: any(isinstance(one, ChipsSeen) and one.amount == 3750 for one in told))
        reader.report_alive()
        reader.be_acknowledged()
        assert reader.acknowledged == 1
        assert driver.health().state == "live"
    finally:
        driver.close()
        line.close()
