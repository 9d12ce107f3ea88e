"""Keys of a keypad or pedal reach the table once each, whatever the kernel cuts or repeats."""

import json
import os
import sys
from pathlib import Path

import evdev
import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.domain import DeviceError
from controller.ports import SystemClock
from drivers.device_driver import DeviceChanged
from drivers.inputs import (
    EV_KEY,
    EV_SYN,
    NUMBER_PAD,
    RECORD,
    SYN_DROPPED,
    InputStream,
    KeyEvent,
    Keypad,
    KeyPressed,
    KeyRecords,
    KeysLost,
)
from tests.drivers.drivers_kit import QUICK, cut, until
from tests.drivers.far_ends.keypad import SimulatedKeypad

PLUS, MINUS, LETTER = 78, 74, 30


def record(kind: int, code: int, value: int) -> bytes:
    return RECORD.pack(1, 2, kind, code, value)


@given(st.lists(st.integers(0, 400)))
def test_presses_count_and_releases_repeats_and_other_keys_do_not(places: list[int]) -> None:
    data = b"".join(
        (record(1, PLUS, 1), record(0, 0, 0), record(1, PLUS, 2), record(1, PLUS, 0), record(4, 4, 458838))
    ) + b"".join((record(1, LETTER, 1), record(0, 3, 0), record(1, MINUS, 1)))
    keys = KeyRecords(NUMBER_PAD)
    events = [event for chunk in cut(data, places) for event in keys.feed(chunk)]
    assert events == [KeyPressed("hit"), KeysLost(), KeyPressed("stand")]


def test_a_keypad_that_is_pulled_comes_back_by_itself(tmp_path: Path) -> None:
    port, heard, recorded = tmp_path / "pedal", list[KeyEvent | DeviceChanged](), list[tuple[str, bytes]]()
    device = SimulatedKeypad(port)

    def post(event: KeyEvent | DeviceChanged, _: int) -> None:
        heard.append(event)

    def tap(source: str, kind: str, mono_ns: int, data: bytes) -> None:
        assert (source, mono_ns > 0) == ("pedal", True)
        recorded.append((kind, data))

    keypad = Keypad("pedal", str(port), NUMBER_PAD, post, SystemClock(), life=QUICK, tap=tap)
    keypad.open()
    try:
        assert until(lambda: len(heard) == 1)
        device.press(PLUS)
        assert until(lambda: heard[-1] == KeyPressed("hit"))
        device.unplug()
        assert until(lambda: heard[-1] == DeviceChanged("absent", str(port), "NOT_THERE"))
        device = SimulatedKeypad(port)
        assert until(lambda: heard[-1] == DeviceChanged("live", str(port), "OPENED"))
        device.press(MINUS)
        assert until(lambda: heard[-1] == KeyPressed("stand"))
        assert keypad.health().kind == "keys"
        marks = [json.loads(data)["state"] for kind, data in recorded if kind == "mark"]
        assert (marks[0], marks[-1]) == ("live", "live")
        assert "lost" in marks
        pressed = KeyRecords(NUMBER_PAD).feed(b"".join(data for kind, data in recorded if kind == "key"))
        assert pressed == [KeyPressed("hit"), KeyPressed("stand")]
    finally:
        keypad.close()
        device.unplug()


def test_what_is_no_input_device_says_so(tmp_path: Path) -> None:
    with pytest.raises(DeviceError, match="reason=NOT_THERE"):
        InputStream(str(tmp_path / "nothing"))
    with pytest.raises(DeviceError, match="reason=NO_INPUT_DEVICE"):
        InputStream("/dev/null")


def test_a_machine_without_evdev_says_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "evdev", None)
    with pytest.raises(DeviceError, match="reason=NO_EVDEV"):
        InputStream("/dev/null")


def test_tries_that_fail_leave_nothing_open() -> None:
    """A wrong name is tried again for ever."""
    before = len(list(Path("/proc/self/fd").iterdir()))
    for _ in range(20):
        with pytest.raises(DeviceError):
            InputStream("/dev/null")
    assert len(list(Path("/proc/self/fd").iterdir())) <= before


def test_the_codes_are_the_kernels() -> None:
    codes = evdev.ecodes
    assert (EV_SYN, EV_KEY, SYN_DROPPED) == (codes.EV_SYN, codes.EV_KEY, codes.SYN_DROPPED)
    names = ("KPPLUS", "KPMINUS", "KPASTERISK", "KPSLASH", "KPDOT", "KPENTER", "NUMLOCK")
    assert list(NUMBER_PAD) == [getattr(codes, f"KEY_{name}") for name in names]


@pytest.mark.skipif(not os.access("/dev/uinput", os.W_OK), reason="the kernel makes no input devices here")
def test_a_device_of_the_kernel_is_grabbed_heard_and_missed() -> None:
    heard = list[KeyEvent | DeviceChanged]()
    pad = evdev.UInput({evdev.ecodes.EV_KEY: list(NUMBER_PAD)}, name="stand17 test pad")
    port = str(pad.device.path)
    keypad = Keypad("pad", port, NUMBER_PAD, lambda event, _: heard.append(event), SystemClock(), life=QUICK)
    keypad.open()
    try:
        assert until(lambda: heard == [DeviceChanged("live", port, "OPENED")])
        with pytest.raises(DeviceError, match="reason=BUSY"):
            InputStream(port)
        pad.write(evdev.ecodes.EV_KEY, PLUS, 1)
        pad.syn()
        assert until(lambda: heard[-1] == KeyPressed("hit"))
        pad.close()
        assert until(lambda: heard[-1] == DeviceChanged("absent", port, "NOT_THERE"))
    finally:
        keypad.close()


def test_nothing_can_be_said_to_a_keypad(tmp_path: Path) -> None:
    device = SimulatedKeypad(tmp_path / "pad")
    stream = InputStream(str(tmp_path / "pad"))
    with pytest.raises(OSError, match="keypad"):
        stream.write(b"x")
    stream.close()
    stream.close()
    device.unplug()
