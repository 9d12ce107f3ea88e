"""The firmware's `main.py` with stubs for the board: every fault of start and bus, and the way out."""

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, Final

import pytest

from drivers.shoe.open_shoe import OpenShoe
from drivers.shoe.reader import ShoeError, ShoeErrorCleared, ShoeEvent, ShoeIdentified, ShoeRefused
from tests.hardware.firmware_kit import FIRMWARE, firmware_path
from tests.hardware.passages import BASE_COUNTS
from tests.hardware.test_firmware import NoCamera

CALIBRATED: Final = {
    "gap_mm": 48,
    "card_mm": 64,
    "pair": 130,
    "cut": 230,
    "card_counts": 27000,
    "dark_mv": 300,
    "flash_us": 5200,
}


class Reset(BaseException):
    """The board starts anew."""


class Pico:
    """What `machine`, `rp2`, `micropython`, `select` and the line are to `main.py`; a loop is 1 ms.

    `chip`: "there", "missing" (no answer on the bus), "loose" (a foil's wire is off). `until`: the loop ends
    after so many milliseconds. `button`: BOOTSEL is pressed after power-up.
    """

    def __init__(self, *, chip: str = "there", until: int = 1200, button: bool = False) -> None:
        self.chip, self.until, self.button = chip, until, button
        self.now_ms = 0
        self.sent = bytearray()
        self.received = bytearray()
        self.watchdog_ms: int | None = None
        self.ctrl_c: list[int] = []
        self.flash: list[int] = []
        self.chip_at: dict[int, str] = {}
        self.bus_tries = 0

    def modules(self) -> dict[str, Any]:  # noqa: C901 - a stub of each class
        """The modules that only a board has, by name."""
        pico = self

        class Pin:
            IN, OUT, PULL_UP = 0, 1, 2

            def __init__(self, number: int, *_: int, value: int = 0) -> None:
                self.number, self.level = number, value

            def value(self, level: int | None = None) -> int:
                self.level = self.level if level is None else level
                return self.level

        class I2C:
            def __init__(self, *_: Any, **__: Any) -> None:
                pico.bus_tries += 1

            def writeto_mem(self, *_: Any) -> None:
                if pico.chip == "missing":
                    raise OSError(5)

            def readfrom_mem(self, _: int, register: int, __: int) -> bytes:
                if pico.chip == "missing":
                    raise OSError(110)
                value = 0 if pico.chip == "loose" else BASE_COUNTS
                return (value << 8).to_bytes(4, "big")[2 * register : 2 * register + 2]

        class Wdt:
            def __init__(self, timeout: int) -> None:
                pico.watchdog_ms = timeout

            def feed(self) -> None:
                pico.step()

        class StateMachine:
            def __init__(self, *_: Any, **__: Any) -> None: ...
            def active(self, _: int) -> None: ...
            def rx_fifo(self) -> int:
                return 0

            def put(self, word: int) -> None:
                pico.flash.append(word)

        class Pio:
            OUT_LOW, JOIN_RX = 0, 1

            def __init__(self, _: int) -> None: ...
            def remove_program(self) -> None: ...

        def reset() -> None:
            raise Reset

        machine: Any = ModuleType("machine")
        machine.Pin, machine.I2C, machine.WDT, machine.reset = Pin, I2C, Wdt, reset
        machine.ADC = lambda _: SimpleNamespace(read_u16=lambda: 65_000)
        machine.unique_id = lambda: bytes(range(6))
        rp2: Any = ModuleType("rp2")
        rp2.StateMachine, rp2.PIO = StateMachine, Pio
        rp2.bootsel_button = lambda: int(pico.button and pico.now_ms > 500)
        rp2.asm_pio = lambda **_: lambda function: function
        micropython: Any = ModuleType("micropython")
        micropython.kbd_intr = self.ctrl_c.append
        selecting: Any = ModuleType("select")
        selecting.POLLIN = 1
        polled = SimpleNamespace(register=lambda *_: None, poll=lambda _: list(pico.received))
        selecting.poll = lambda: polled
        return {"machine": machine, "rp2": rp2, "micropython": micropython, "select": selecting}

    def step(self) -> None:
        """A millisecond of the main loop."""
        self.now_ms += 1
        self.chip = self.chip_at.get(self.now_ms, self.chip)
        if self.now_ms > self.until:
            raise TimeoutError("the test's own end")

    def sleep_ms(self, ms: int) -> None:
        self.now_ms += ms

    def read(self, many: int) -> bytes:
        taken, self.received = bytes(self.received[:many]), self.received[many:]
        return taken

    def events(self) -> list[ShoeEvent]:
        """What a host makes of what was sent."""
        return OpenShoe(camera=NoCamera()).feed(bytes(self.sent))


@contextmanager
def on_board(pico: Pico, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """`main`, imported on that board."""
    for name, module in pico.modules().items():
        monkeypatch.setitem(sys.modules, name, module)
    line_in = SimpleNamespace(buffer=SimpleNamespace(read=pico.read))
    line_out = SimpleNamespace(buffer=SimpleNamespace(write=pico.sent.extend))
    with firmware_path():
        main: Any = __import__("main")
        clock = SimpleNamespace(
            ticks_us=lambda: pico.now_ms * 1000,
            ticks_ms=lambda: pico.now_ms,
            ticks_diff=lambda one, other: one - other,
            ticks_add=lambda one, other: one + other,
            sleep_ms=pico.sleep_ms,
        )
        monkeypatch.setattr(main, "time", clock)
        monkeypatch.setattr(main, "sys", SimpleNamespace(stdin=line_in, stdout=line_out))
        yield main


@pytest.fixture
def flash_drive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The board's files: its modules and its settings."""
    for module in FIRMWARE.glob("*.py"):
        (tmp_path / module.name).write_bytes(module.read_bytes())
    (tmp_path / "settings.json").write_text(json.dumps(CALIBRATED))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def started(pico: Pico, monkeypatch: pytest.MonkeyPatch) -> list[ShoeEvent]:
    """Switch the board on until the test ends it, and give what it said."""
    pico.until += 3000
    with on_board(pico, monkeypatch) as main, pytest.raises(Reset):
        main.main()
    assert pico.watchdog_ms == 2000
    return pico.events()


def hello(events: list[ShoeEvent]) -> ShoeIdentified:
    return next(event for event in events if isinstance(event, ShoeIdentified))


def faults(events: list[ShoeEvent]) -> list[ShoeEvent]:
    return [event for event in events if isinstance(event, ShoeError | ShoeErrorCleared)]


def test_a_calibrated_board_says_who_it_is(flash_drive: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert (flash_drive / "main.py").exists()
    pico = Pico()
    events = started(pico, monkeypatch)
    assert hello(events).abilities == ("COUNTS_ONLY", "SETTINGS")
    assert hello(events).firmware != "00" * 8
    assert faults(events) == []
    assert pico.flash == [5200 - 43]
    assert pico.ctrl_c == [-1]


@pytest.mark.parametrize(
    "content",
    [None, "", "{", "[1, 2]", "7", '{"pair": "many"}', '{"pair": 5}', '{"unknown": 1}', "\x00\xff"],
)
def test_settings_that_cannot_be_are_defaults_and_hello_says_so(
    flash_drive: Path, monkeypatch: pytest.MonkeyPatch, content: str | None
) -> None:
    path = flash_drive / "settings.json"
    path.unlink() if content is None else path.write_text(content)
    events = started(Pico(), monkeypatch)
    assert "DEFAULTS" in hello(events).abilities
    assert ShoeRefused("DEFAULTS") in events, "which holds the table"


def test_a_module_that_is_missing_gives_no_digest(flash_drive: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (flash_drive / "stamps.py").unlink()
    assert hello(started(Pico(), monkeypatch)).firmware == "00" * 8


def test_a_bus_that_is_silent_from_the_start_is_said_once(
    flash_drive: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert flash_drive.exists()
    pico = Pico(chip="missing", until=3500)
    events = started(pico, monkeypatch)
    assert "NO_THICKNESS" in hello(events).abilities
    assert faults(events) == [ShoeError(12, "THICKNESS", stopped=False)]
    assert 2 <= pico.bus_tries <= 5, "tried again once a second"


@pytest.mark.parametrize("how", ["missing", "loose"])
def test_a_wire_that_comes_loose_is_said_once_and_once_that_it_is_back(
    flash_drive: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    assert flash_drive.exists()
    pico = Pico(until=6000)
    pico.chip_at = {3500: how, 5500: "there"}
    events = faults(started(pico, monkeypatch))
    assert events == [ShoeError(12, "THICKNESS", stopped=False), ShoeErrorCleared(12, "THICKNESS")]


def test_the_button_after_power_up_gives_the_prompt(
    flash_drive: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert flash_drive.exists()
    pico = Pico(button=True)
    with on_board(pico, monkeypatch) as main:
        main.main()
    assert pico.watchdog_ms is None, "nothing restarts a board that somebody writes"
    assert pico.ctrl_c == []


def frame(kind: int, payload: bytes, number: int) -> bytes:
    with firmware_path():
        frames: Any = __import__("frames")
        return bytes(frames.encode(kind, payload, flags=0, boot=0, seq=number, t_ms=0))


def test_a_command_ends_the_loop_and_the_next_start_gives_the_prompt(
    flash_drive: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pico = Pico(until=5000)
    pico.received += frame(0x23, bytes((5, 0)), 7)
    started(pico, monkeypatch)
    assert pico.now_ms < 3000 + 2500, "its own end, not the test's"
    assert (flash_drive / "stay").exists()
    again = Pico()
    with on_board(again, monkeypatch) as main:
        main.main()
    assert again.watchdog_ms is None
    assert not (flash_drive / "stay").exists()
    assert hello(started(Pico(), monkeypatch)), "and the start after that runs"


def test_a_setting_over_the_line_is_kept_for_the_next_start(
    flash_drive: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pico = Pico()
    pico.received += frame(0x24, bytes((5,)) + (31_234).to_bytes(4, "big"), 8)
    pico.received += frame(0x24, bytes((3,)) + (9).to_bytes(4, "big"), 9)
    started(pico, monkeypatch)
    assert json.loads((flash_drive / "settings.json").read_text()) == {**CALIBRATED, "card_counts": 31_234}


def test_a_setting_that_cannot_be_kept_is_refused_and_changes_nothing(
    flash_drive: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (flash_drive / "settings.json.new").mkdir()
    pico = Pico()
    pico.received += frame(0x24, bytes((5,)) + (31_234).to_bytes(4, "big"), 8)
    pico.received += frame(0x24, bytes((5,)) + b"\xff" * 4, 9)
    started(pico, monkeypatch)
    assert json.loads((flash_drive / "settings.json").read_text()) == CALIBRATED
    assert b"\x05" + (27_000).to_bytes(4, "big") in unstuffed(pico), "and 27000 is in force"


def unstuffed(pico: Pico) -> bytes:
    """All payloads of what was sent, one after the other."""
    with firmware_path():
        frames: Any = __import__("frames")
        decoded = [frames.decode(line) for line in bytes(pico.sent).split(b"\0") if line]
    return b"".join(message[-1] for message in decoded if message)
