"""The shoe reader's firmware, moved by simulated sheets: every draw, and what it reports to a host."""

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest

from drivers.shoe.open_passages import EntryName
from drivers.shoe.open_shoe import OpenShoe
from drivers.shoe.reader import PassageMeasured, ShoeEvent, ShoeIdentified, ShoeRefused
from tests.hardware.firmware_kit import FIRMWARE, MODULES, ROOT, load_firmware
from tests.hardware.passages import Drawn, Face, Place, Rig, by_hand, pushed_back, resting, steady

PACKAGE: Final = "@micropython/micropython-webassembly-pyscript"
VECTORS: Final[dict[str, Any]] = json.loads(
    (ROOT / "hardware" / "open-shoe-protocol-vectors.json").read_text(encoding="utf-8")
)
BLANK: Final = np.full((88, 63, 3), 255, np.uint8)
CARD: Final = Face(BLANK, BLANK[..., 0])
CUT: Final = Face(BLANK, BLANK[..., 0], cut=True, thick=2.2)

firmware: Final = load_firmware()


class NoCamera:
    """Names nothing, and at once."""

    def pictures(self, _: int) -> Iterator[int]:
        return iter(())

    def closed(self, _: int, *, final: bool) -> EntryName | None:  # noqa: ARG002 - a protocol's name
        return EntryName(None)

    def uncounted(self, _: frozenset[int], *, complete: bool) -> tuple[()]:  # noqa: ARG002
        return ()


def drawn(
    sheets: list[Drawn],
    place: Place,
    last_ms: float,
    *,
    stuck: tuple[bool, bool] = (False, False),
    blind: tuple[bool, bool] = (False, False),
) -> list[ShoeEvent]:
    """What the host makes of a draw; pictures are not looked at."""
    rig, host = Rig(firmware, np.random.default_rng(1), pictures=False), OpenShoe(camera=NoCamera())
    rig.stuck, rig.blind = stuck, blind
    for _ in rig.draw(sheets, place, last_ms):
        pass
    events = host.feed(rig.link.outgoing(rig.now_us // 1000))
    return [*events, *host.poll(1)[0]][2:]


def names(events: list[ShoeEvent]) -> list[str]:
    return [type(event).__name__ for event in events if not isinstance(event, PassageMeasured)]


ONE: Final = [Drawn(CARD)]
DRAWS: Final[dict[str, tuple[list[Drawn], Place, float, list[str]]]] = {
    "slowly": (ONE, steady(0.2), 800, ["CardOut"]),
    "at 1 m/s": (ONE, by_hand(1.0), 160, ["CardOut"]),
    "at 2 m/s": (ONE, by_hand(2.0), 80, ["CardOut"]),
    "pulled out a little, later the rest": (ONE, resting(1.0, 50, 700), 900, ["CardOut"]),
    "pushed back early": (ONE, pushed_back(0.8, 30), 300, ["CardPulledBack"]),
    "pushed back late": (ONE, pushed_back(0.8, 60), 300, ["CardPulledBack"]),
    "the cut card": ([Drawn(CUT)], by_hand(1.0), 160, ["CutCardOut"]),
    "a card on the cut card": ([Drawn(CARD), Drawn(CUT)], by_hand(1.0), 160, ["DoubleFeed", "CutCardOut"]),
    **{
        f"stuck, {behind} mm behind": (
            [Drawn(CARD), Drawn(CARD, behind)],
            by_hand(1.0),
            240,
            ["DoubleFeed", "CardOut"],
        )
        for behind in (0, 8, 30, 44, 58, 62)
    },
}


@pytest.mark.parametrize(("sheets", "place", "last_ms", "expected"), DRAWS.values(), ids=DRAWS)
def test_a_draw_is_what_it_is(sheets: list[Drawn], place: Place, last_ms: float, expected: list[str]) -> None:
    assert names(drawn(sheets, place, last_ms)) == expected


@pytest.mark.parametrize("speed", [0.2, 2.0])
def test_a_sensor_that_sees_always_or_never_lets_no_card_pass_in_silence(speed: float) -> None:
    def passing(**broken: tuple[bool, bool]) -> list[str]:
        return names(drawn(ONE, by_hand(speed), 160 / speed, **broken))

    assert passing(stuck=(True, False)) == ["ShoeError"]
    assert passing(stuck=(False, True)) == ["CardPulledBack", "ShoeError"]
    assert passing(blind=(True, False)) == ["ShoeError"]
    assert passing(blind=(False, True)) == ["CardPulledBack"]


def test_a_card_after_a_cut_card_that_was_pushed_back_is_no_cut_card() -> None:
    rig, host = Rig(firmware, np.random.default_rng(1), pictures=False), OpenShoe(camera=NoCamera())
    # A reader may send CUT_CARD while the sheet is still in the mouth.
    entered, cut = firmware.frames.EDGE, firmware.frames.CUT_CARD
    for kind, payload in (
        (entered, b"\0\1\1\0\0"),
        (cut, b"\0\1"),
        (firmware.frames.REVERSE, b"\0\1\5"),
        (entered, b"\0\1\1\0\1"),
        (entered, b"\0\1\2\0\x50"),
    ):
        rig.link.event(kind, payload, 0)
    events = [*host.feed(rig.link.outgoing(0)), *host.poll(1)[0]]
    assert names(events)[2:] == ["CardPulledBack", "CardOut"]


def test_a_capture_that_takes_long_costs_no_edge() -> None:
    """Edges are stamped by the counters, so a main loop that stands still for 42 ms counts all the same."""
    stamps, reader = firmware.stamps.Stamps(), Rig(firmware, np.random.default_rng(1)).reader
    for at_us, is_outer in ((0, False), (32_000, True), (42_300, False), (74_300, True)):
        stamps.put(is_outer, stamps_count(at_us + 1000))
    for is_outer, covered, at_us in stamps.take(200_000):
        reader.edge(is_outer, covered, at_us, 200_000)
    assert reader.passage == 1
    assert stamps.take(10**9) == []


def stamps_count(at_us: int) -> int:
    return int(firmware.stamps.COUNTS - 1 - at_us // 2)


def test_counters_that_have_gone_round_still_agree() -> None:
    stamps = firmware.stamps.Stamps()
    whole_us = firmware.stamps.COUNTS * 2
    stamps.put(False, stamps_count(whole_us - 100))
    stamps.put(False, stamps_count(whole_us + 100) % firmware.stamps.COUNTS)
    assert [at_us for _, _, at_us in stamps.take(2 * whole_us)] == [whole_us - 100, whole_us + 100]


def test_each_sheet_has_lights_of_its_own_and_one_that_fails_makes_no_other() -> None:
    ways = firmware.reader.CODES
    assert len(ways) == 20
    for way in ways:
        assert {way & ~(1 << place) for place in range(6)}.isdisjoint(set(ways) - {way})


def test_a_reader_that_counts_says_so_and_a_table_without_a_camera_refuses_it() -> None:
    rig = Rig(firmware, np.random.default_rng(1))
    events = OpenShoe().feed(rig.link.outgoing(0))
    assert ShoeIdentified("SIM000000001", "00" * 8, ("COUNTS_ONLY", "SETTINGS")) in events
    assert events[-1] == ShoeRefused("COUNTS_ONLY")


@pytest.mark.parametrize("vector", VECTORS["frames"], ids=[v["name"] for v in VECTORS["frames"]])
def test_the_firmware_writes_and_reads_each_vector(vector: dict[str, Any]) -> None:
    frames, line = firmware.frames, bytes.fromhex(vector["bytes"])
    head = [vector[name] for name in ("type", "flags", "boot_id", "seq", "t_ms")]
    payload = bytes.fromhex(vector["payload"])
    kind, flags, boot, seq, t_ms = head
    assert frames.encode(kind, payload, flags=flags, boot=boot, seq=seq, t_ms=t_ms) == line
    assert frames.decode(line[1:-1]) == (*head, payload)


@pytest.mark.parametrize("vector", VECTORS["damaged"], ids=[v["name"] for v in VECTORS["damaged"]])
def test_the_firmware_acts_on_no_damaged_frame(vector: dict[str, Any]) -> None:
    device = firmware.link.Link(0xBEEF)
    assert device.receive(bytes.fromhex(vector["bytes"]), 0) == []
    assert device.outgoing(1) == b""


SCRIPT: Final = """
import frames, link, reader, stamps
device = link.Link(0xBEEF)
shoe = reader.Reader(device, b"SN0001234567", bytes(8))
device.status = lambda: (shoe.status(), 31)
out, begin = device.outgoing(0), 100000
shoe.paper(3290)
shoe.sample(500000, 0)
setting = frames.encode(frames.SETTING, b"\\5\\0\\0\\x75\\x30", flags=0, boot=0, seq=9, t_ms=0)
for order in device.receive(setting, 0):
    shoe.order(order, 0)
edges = stamps.Stamps()
for entered, reached, cleared, left, dark, thick in (
    (0, 48000, 63000, 111000, 0, 100), (0, None, 30000, None, 0, 100), (0, 48000, 63000, 111000, 0, 204),
    (0, 48000, 63000, 111000, 1, 221), (0, 500000, 515000, 563000, 0, 100),
):
    for us, is_outer in ((entered, False), (reached, True), (cleared, False), (left, True)):
        if us is None:
            continue
        edges.put(is_outer, stamps.COUNTS - 1 - (begin + us) // 2)
        for outer, covered, at in edges.take(begin + us + 200):
            shoe.edge(outer, covered, at, begin + us + 200)
        for _ in range(4):
            shoe.paper(3290 if dark else 2400)
            shoe.sample(500000 + (thick if us else 0) * 300, begin + us + 200)
        shoe.tick(begin + us + 200)
        out += bytes([shoe.lights]) + device.outgoing((begin + us) // 1000)
    begin += 700000
print((out + device.outgoing(begin // 1000 + 2000)).hex())
"""

IN_NODE: Final = """
import fs from "node:fs";
import { pathToFileURL } from "node:url";
const [folder, script, build, ...names] = process.argv.slice(1);
const { loadMicroPython } = await import(pathToFileURL(build));
const python = await loadMicroPython();
for (const name of names) python.FS.writeFile(`/${name}.py`, fs.readFileSync(`${folder}/${name}.py`));
python.runPython("import sys\\nsys.path.append('/')");
python.runPython(script);
"""


def micropython() -> Path | None:
    """Find the WebAssembly build beside the firmware or where STAND17_MICROPYTHON says."""
    places = (os.environ.get("STAND17_MICROPYTHON", ""), FIRMWARE.parent / "node_modules")
    builds = (Path(place) / PACKAGE / "micropython.mjs" for place in places if place)
    return next((build for build in builds if build.exists()), None)


@pytest.mark.skipif(not (shutil.which("node") and micropython()), reason="no node or no MicroPython build")
def test_micropython_makes_the_same_bytes() -> None:
    command = ["node", "--input-type=module", "-e", IN_NODE, "--", str(FIRMWARE), SCRIPT, str(micropython())]
    there = subprocess.run([*command, *MODULES], capture_output=True, text=True, check=True).stdout
    environment = os.environ | {"PYTHONPATH": str(FIRMWARE)}
    here = subprocess.run(
        ["python3", "-c", SCRIPT], capture_output=True, text=True, check=True, env=environment
    ).stdout
    assert there.strip() == here.strip()
    assert len(bytes.fromhex(here)) > 500
