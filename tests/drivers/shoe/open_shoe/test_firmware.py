"""The reference shoe reader's firmware, in CPython and MicroPython, and its bytes in the real driver."""

import json
import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import pytest

from drivers.shoe.events import (
    CardOut,
    CardPulledBack,
    CutCardOut,
    DoubleFeed,
    ShoeError,
    ShoeErrorCleared,
    ShoeEvent,
    ShoeIdentified,
    ShoeStarted,
)
from drivers.shoe.open_shoe import Crop, OpenShoe, ReadName
from drivers.simulated import PtyLine
from tests.drivers.drivers_kit import running, until

ROOT: Final = Path(__file__).parents[4]
FIRMWARE: Final = ROOT / "hardware" / "shoe-reader" / "firmware"
SCRIPT: Final = FIRMWARE.parent / "draw_cards.py"
PACKAGE: Final = "@micropython/micropython-webassembly-pyscript"
MODULES: Final = ("frames", "link", "mouth", "reader")
VECTORS: Final[dict[str, Any]] = json.loads(
    (ROOT / "hardware" / "open-shoe-protocol-vectors.json").read_text()
)

IN_NODE: Final = """
import fs from "node:fs";
import { pathToFileURL } from "node:url";
const [folder, script, build] = process.argv.slice(1);
const { loadMicroPython } = await import(pathToFileURL(build));
const python = await loadMicroPython();
for (const name of ["frames", "link", "mouth", "reader"])
  python.FS.writeFile(`/${name}.py`, fs.readFileSync(`${folder}/${name}.py`));
python.runPython("import sys\\nsys.path.append('/')");
python.runPython(fs.readFileSync(script, "utf8"));
"""

Modules = dict[str, ModuleType]


@pytest.fixture(scope="module")
def firmware() -> Iterator[Modules]:
    sys.path.insert(0, str(FIRMWARE))
    try:
        yield {name: import_module(name) for name in MODULES}
    finally:
        sys.path.remove(str(FIRMWARE))
        for name in MODULES:
            sys.modules.pop(name, None)


def in_cpython() -> bytes:
    path = os.environ | {"PYTHONPATH": str(FIRMWARE)}
    done = subprocess.run([sys.executable, SCRIPT], capture_output=True, text=True, check=True, env=path)
    return bytes.fromhex(done.stdout)


def micropython() -> Path | None:
    """Find the WebAssembly build beside the firmware or where STAND17_MICROPYTHON says."""
    places = (os.environ.get("STAND17_MICROPYTHON", ""), FIRMWARE.parent / "node_modules")
    builds = (Path(place) / PACKAGE / "micropython.mjs" for place in places if place)
    return next((build for build in builds if build.exists()), None)


def name_by_first_row(crop: Crop) -> ReadName:
    return ReadName("K" if crop.pixels[0] == 0 else "7", "s", 1.0)


def test_the_drawn_cards_reach_the_host_in_their_order() -> None:
    events = OpenShoe(namer=name_by_first_row).feed(in_cpython())
    told = [event for event in events if isinstance(event, CardOut | CutCardOut | CardPulledBack)]
    assert told == [
        CardOut(1, "K", "s", p=1.0),
        CardPulledBack(),
        CutCardOut(),
        CardOut(2, None, None, p=0.0),
        CardOut(3, None, None, p=0.0),
        CardOut(4, "7", "s", p=1.0),
    ]
    assert events[:2] == [ShoeStarted(), ShoeIdentified("SN0001234567", "00" * 8, ("SENDS_CROPS",))]
    assert ShoeError(10, "CAMERA", stopped=False) in events
    assert ShoeErrorCleared(10, "CAMERA") in events


@pytest.mark.skipif(not (shutil.which("node") and micropython()), reason="no node or no MicroPython build")
def test_micropython_makes_the_same_bytes() -> None:
    paths = [str(path) for path in (FIRMWARE, SCRIPT, micropython())]
    command = ["node", "--input-type=module", "-e", IN_NODE, "--", *paths]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert bytes.fromhex(done.stdout) == in_cpython()


@pytest.mark.parametrize("vector", VECTORS["frames"], ids=[v["name"] for v in VECTORS["frames"]])
def test_the_firmware_writes_and_reads_each_vector(firmware: Modules, vector: dict[str, Any]) -> None:
    frames, line = firmware["frames"], bytes.fromhex(vector["bytes"])
    head = [vector[name] for name in ("type", "flags", "boot_id", "seq", "t_ms")]
    payload = bytes.fromhex(vector["payload"])
    kind, flags, boot, seq, t_ms = head
    assert frames.encode(kind, payload, flags=flags, boot=boot, seq=seq, t_ms=t_ms) == line
    assert frames.decode(line[1:-1]) == (*head, payload)


@pytest.mark.parametrize("vector", VECTORS["damaged"], ids=[v["name"] for v in VECTORS["damaged"]])
def test_the_firmware_acts_on_no_damaged_frame(firmware: Modules, vector: dict[str, Any]) -> None:
    device = firmware["link"].Link(0xBEEF)
    assert device.hear(bytes.fromhex(vector["bytes"]), 0) == []
    assert device.outgoing(1) == b""


PASSINGS: Final = {
    "a card is drawn": ("i+0 o+50 i-126 o-176", ["ENTERED", "LEFT"]),
    "a card is pushed back early": ("i+0 i-40", ["ENTERED", "PULLED_BACK"]),
    "a card is pushed back late": ("i+0 o+50 o-90 i-140", ["ENTERED", "PULLED_BACK", "PULLED_BACK"]),
    "two cards stick together": ("i+0 o+50 i-210 o-260", ["ENTERED", "DOUBLE", "LEFT"]),
    "the next card touches the first": (
        "i+0 o+50 i-126 i+128 o-176",
        ["ENTERED", "DOUBLE", "LEFT", "ENTERED"],
    ),
    "the next card follows at a distance": ("i+0 o+50 i-126 i+140 o-176", ["ENTERED", "LEFT", "ENTERED"]),
    "a card sticks and comes free": ("i+0 t+5001 o+5050 i-5126 o-5176", ["ENTERED", "STUCK", "LEFT", "FREE"]),
    "a hand covers the outer sensor": ("o+0 o-50", []),
    "a sensor repeats itself": ("i+0 i+10 o+50 i-126 i-130 o-176", ["ENTERED", "LEFT"]),
}


@pytest.mark.parametrize(("edges", "expected"), PASSINGS.values(), ids=PASSINGS)
def test_the_mouth_tells_what_passes(firmware: Modules, edges: str, expected: list[str]) -> None:
    module = firmware["mouth"]
    names = {
        getattr(module, name): name for name in ("ENTERED", "LEFT", "PULLED_BACK", "DOUBLE", "STUCK", "FREE")
    }
    mouth, told = module.Mouth(), []
    for edge in edges.split():
        now_us = int(edge[2:]) * 1000
        told += mouth.tick(now_us) if edge[0] == "t" else mouth.sensor(edge[0] == "o", edge[1] == "+", now_us)
    assert [names[kind] for kind, _ in told] == expected


DRAWN_AT_1_M_S: Final = ((0, False, True), (25, True, True), (63, False, False), (88, True, False))


class FirmwareOnALine:
    """The firmware's logic behind a pseudo-terminal, with sensors that a test moves."""

    def __init__(self, firmware: Modules) -> None:
        self.line = PtyLine()
        self.pictures: list[tuple[int, int, bytes] | None] = []
        self.link = firmware["link"].Link(0x1234)
        self.reader = firmware["reader"].Reader(self.link, self.capture, b"SN0001234567", bytes(8))
        self.lock, self.stop = threading.Lock(), threading.Event()
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def capture(self) -> tuple[int, int, bytes] | None:
        return self.pictures.pop(0)

    def draw(self, pixels: bytes, width: int | None = None) -> None:
        """Draw a card with this index at 1 m/s; its picture is one row of pixels unless it has a width."""
        columns = width or len(pixels)
        self.pictures.append((columns, len(pixels) // columns, pixels))
        for after_ms, is_outer, covered in (
            (0, False, True),
            (25, True, True),
            (63, False, False),
            (88, True, False),
        ):
            with self.lock:
                self.reader.sensor(is_outer, covered, self.now_us() + after_ms * 1000)

    def now_us(self) -> int:
        return time.monotonic_ns() // 1000

    def run(self) -> None:
        while not self.stop.is_set():
            heard = self.line.read(0.01)
            with self.lock:
                self.link.hear(heard, self.now_us() // 1000)
                sent = self.link.outgoing(self.now_us() // 1000)
            self.line.write(sent)
            time.sleep(0.002)

    def close(self) -> None:
        self.stop.set()
        self.thread.join(5)
        self.line.close()


@contextmanager
def on_a_line(firmware: Modules) -> Iterator[FirmwareOnALine]:
    device = FirmwareOnALine(firmware)
    try:
        yield device
    finally:
        device.close()


def test_the_real_driver_reads_the_firmware_over_a_line_that_breaks(firmware: Modules) -> None:
    with on_a_line(firmware) as device:
        named = OpenShoe(namer=lambda crop: ReadName(str(crop.pixels[0] - 200), "d", 1.0))
        with running(device.line.port, named) as (_, heard):
            device.draw(bytes((202, 10)))
            assert until(lambda: ranks(heard.events) == ["2"]), heard.events
            device.line.unplug()
            device.draw(bytes((203, 10)))
            assert until(lambda: "lost" in heard.states())
            device.draw(bytes((204, 10)))
            device.line.plug()
            assert until(lambda: ranks(heard.events) == ["2", "3", "4"]), heard.events
            assert not any(isinstance(event, DoubleFeed) for event in heard.events)


def ranks(events: list[ShoeEvent]) -> list[str | None]:
    return [event.rank for event in list(events) if isinstance(event, CardOut)]
