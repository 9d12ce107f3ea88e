"""The two PIO programs, cycle by cycle in an emulator that `make hardware` installs."""

import sys
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from types import ModuleType
from typing import Any, Final

import pytest

from tests.hardware.firmware_kit import firmware_path

pioemu: Final = pytest.importorskip("pioemu", reason="make hardware installs it")

JUMPS: Final = {"always": 0, "not_x": 1, "x_dec": 2, "not_y": 3, "y_dec": 4, "pin": 6}
SOURCES: Final = {"x": 1, "y": 2, "null": 3, "isr": 6, "osr": 7}
TARGETS: Final = {"x": 1, "y": 2, "isr": 6, "osr": 7}


class Assembler:
    """Just enough of MicroPython's PIO assembler, by the encodings of the RP2040 data sheet, section 3.4."""

    def __init__(self) -> None:
        self.words: list[Any] = []
        self.labels: dict[str, int] = {}
        self.wrap_target, self.wrap_top = 0, 0

    def names(self) -> dict[str, Any]:
        plain = {name: name for name in ("x", "y", "isr", "osr", "null", "pin", "pins", "x_dec", "y_dec")}
        return plain | {
            "block": 1,
            "noblock": 0,
            "invert": lambda source: ("~", source),
            "label": self._label,
            "jmp": self._jmp,
            "mov": self._mov,
            "pull": lambda block: self._add(0x8080 | block << 5),
            "push": lambda block: self._add(0x8000 | block << 5),
            "set": lambda _, value: self._add(0xE000 | value),
            "nop": lambda: self._add(0xA042),
            "wrap_target": self._begin,
            "wrap": self._end,
        }

    def _add(self, word: Any) -> "Assembler":
        self.words.append(word)
        return self

    def __getitem__(self, cycles: int) -> "Assembler":
        self.words[-1] |= cycles << 8
        return self

    def _label(self, name: str) -> None:
        self.labels[name] = len(self.words)

    def _jmp(self, condition: str, label: str | None = None) -> None:
        self._add((JUMPS[condition if label else "always"], label or condition))

    def _mov(self, target: str, source: Any) -> None:
        flipped = isinstance(source, tuple)
        self._add(0xA000 | TARGETS[target] << 5 | flipped << 3 | SOURCES[source[1] if flipped else source])

    def _begin(self) -> None:
        self.wrap_target = len(self.words)

    def _end(self) -> None:
        self.wrap_top = len(self.words) - 1

    def done(self) -> list[int]:
        jumps = [(word[0], self.labels[word[1]]) if isinstance(word, tuple) else word for word in self.words]
        return [word if isinstance(word, int) else word[0] << 5 | word[1] for word in jumps]


@contextmanager
def assembled() -> Iterator[dict[str, Assembler]]:
    """Import the firmware's programs with an `rp2` that keeps what they assemble."""
    made: dict[str, Assembler] = {}

    def asm_pio(**_: Any) -> Callable[[Any], Any]:
        def keep(function: Any) -> Any:
            made[function.__name__] = assembler = Assembler()
            scope = function.__globals__
            before = {name: scope.get(name) for name in assembler.names()}
            scope.update(assembler.names())
            function()
            scope.update({name: value for name, value in before.items() if value is not None})
            return function

        return keep

    fake: Any = ModuleType("rp2")
    fake.asm_pio, fake.PIO = asm_pio, type("PIO", (), {"OUT_LOW": 0, "JOIN_RX": 1})
    sys.modules["rp2"] = fake
    try:
        with firmware_path():
            __import__("programs")
            yield made
    finally:
        del sys.modules["rp2"]


def states(program: Assembler, cycles: int, **options: Any) -> Iterator[Any]:
    top = program.wrap_top or len(program.words) - 1
    running = pioemu.emulate(
        program.done(),
        stop_when=lambda _, state: state.clock >= cycles,
        wrap_target=program.wrap_target,
        wrap_top=top,
        **options,
    )
    # A pin changes as its instruction begins; the clock afterwards has its delay in it.
    return ((before.clock, after) for before, after in running)


def test_a_flash_lasts_40_cycles_of_each_period_whatever_the_processor_does() -> None:
    with assembled() as programs:
        program = programs["flash"]
    begin = pioemu.State(transmit_fifo=deque([5200 - 43]))
    edges, lit = [], 0
    for clock, state in states(program, 30_000, initial_state=begin, set_base=5, set_count=1):
        now = state.pin_values >> 5 & 1
        if now != lit:
            edges.append((clock, now))
            lit = now
    times = [clock for clock, _ in edges]
    lengths = [after - before for before, after in pairwise(times)]
    assert lengths[:6] == [40, 5160, 40, 5160, 40, 5160]


def test_stamps_lose_no_time_however_many_edges_come() -> None:
    with assembled() as programs:
        program = programs["stamp"]
    changes = [1000, 1500, 1600, 4000, 4100, 9000]

    def pin(clock: int) -> int:
        return sum(clock >= change for change in changes) % 2 << 2

    last = None
    for _, state in states(program, 10_000, input_source=pin, jmp_pin=2):
        last = state
    counted = [2 * (0xFFFFFFFF - word) for word in last.receive_fifo] if last else []
    assert [abs(a - b) <= 6 for a, b in zip(counted, changes, strict=False)] == [True] * len(counted)
    assert len(counted) >= 4
