"""`stand17 devices` lists what is attached by names that stay, and says what is wrong with each."""

import json
import os
import threading
from pathlib import Path
from typing import Any

import pytest

from controller.i18n import catalogue
from drivers.inventory import Attached, attached
from drivers.simulated import PtyLine, PtyShoe
from tests.drivers.far_ends.keypad import SimulatedKeypad
from tests.drivers.far_ends.text_device import SimulatedTextDevice
from tests.forked_process import Ended, command

CONFIG = """
[table]
name = "BJ1"
rules = "spielbank"

[journal]
file = "table.journal"

[shoe]
port = "{port}"
"""

SMALL_DEVICES = """
[[keypad]]
port = "{pad}"

[peek]
port = "{peek}"

[[chips]]
port = "{chips}"
"""


def machine(root: Path, nodes: list[str], names: dict[str, str]) -> Path:
    """Make the device folders of a machine: nodes, and stable names that lead to them."""
    for node in nodes:
        path = root / "dev" / node
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    for name, node in names.items():
        path = root / "dev" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.symlink_to(root / "dev" / node)
    return root


def test_devices_are_listed_by_the_names_that_stay(tmp_path: Path) -> None:
    root = machine(
        tmp_path,
        ["ttyUSB0", "ttyACM3", "ttyS0", "video0", "video1", "video4", "input/event5"],
        {
            "serial/by-id/usb-FTDI_shoe-if00-port0": "ttyUSB0",
            "v4l/by-id/usb-cam-video-index0": "video0",
            "v4l/by-id/usb-cam-video-index1": "video1",
            "input/by-id/usb-pad-event-kbd": "input/event5",
            "input/by-id/usb-mouse-event-mouse": "input/event5",
        },
    )
    assert attached(root) == [
        Attached("serial", "/dev/serial/by-id/usb-FTDI_shoe-if00-port0", "/dev/ttyUSB0", ""),
        Attached("serial", "/dev/ttyACM3", "/dev/ttyACM3", "NAME_MAY_CHANGE"),
        Attached("camera", "/dev/v4l/by-id/usb-cam-video-index0", "/dev/video0", ""),
        Attached("camera", "/dev/video4", "/dev/video4", "NAME_MAY_CHANGE"),
        Attached("keys", "/dev/input/by-id/usb-pad-event-kbd", "/dev/input/event5", ""),
    ]


def test_a_name_that_leads_nowhere_says_so(tmp_path: Path) -> None:
    root = machine(tmp_path, [], {"serial/by-id/usb-gone": "ttyUSB9"})
    assert [(found.name, found.problem) for found in attached(root)] == [
        ("/dev/serial/by-id/usb-gone", "NOT_THERE")
    ]


@pytest.mark.skipif(os.geteuid() == 0, reason="the administrator may use everything")
def test_a_device_that_this_user_may_not_use_says_so(tmp_path: Path) -> None:
    root = machine(tmp_path, ["ttyACM0"], {})
    (root / "dev" / "ttyACM0").chmod(0)
    assert [found.problem for found in attached(root)] == ["NO_PERMISSION"]


def run(folder: Path, port: str, *more: str, sections: str = "") -> Ended:
    config = folder / "table.toml"
    config.write_text(CONFIG.format(port=port) + sections, encoding="utf-8")
    return command("devices", str(config), "--seconds", "1", *more, changes={"COLUMNS": "250"})


def configured(done: Ended) -> dict[str, Any]:
    (device,) = json.loads(done.stdout)["configured"]
    assert isinstance(device, dict)
    return device


def test_a_shoe_that_is_there_is_live_and_one_that_is_not_says_what_to_do(tmp_path: Path) -> None:
    shoe = PtyShoe()
    try:
        good = run(tmp_path, shoe.port, "--json")
        shoe.unplug()
        bad = run(tmp_path, shoe.port)
        assert (good.returncode, configured(good)["state"], configured(good)["problem"]) == (0, "live", "")
        assert bad.returncode == 1
        said = " ".join(bad.stdout.replace("│", " ").split())
        assert "Nothing answers to this name." in said
    finally:
        shoe.close()


def test_every_problem_has_its_text() -> None:
    root = Path(__file__).parents[2]
    source = [
        *(root / "drivers").rglob("*.py"),
        root / "controller/devices/shoes.py",
        root / "controller/devices/trial.py",
    ]
    codes = {"NOT_THERE", "NO_PERMISSION", "NAME_MAY_CHANGE", "NOTHING_UNDERSTOOD", "UNPLUGGED", "CRASHED"}
    quoted = {word for path in source for word in path.read_text(encoding="utf-8").split('"')[1::2]}
    texts = {
        key.removeprefix("devices.problem.") for key in catalogue("en") if key.startswith("devices.problem.")
    }
    assert codes <= texts
    assert texts - {"NOTHING_UNDERSTOOD"} <= quoted


def test_small_devices_are_tried_too_and_a_silent_one_is_named(tmp_path: Path) -> None:
    shoe, chips, peek = PtyShoe(), PtyLine(), PtyLine()
    pad, stop = SimulatedKeypad(tmp_path / "pad"), threading.Event()

    def alive() -> None:
        device = SimulatedTextDevice(chips)
        while not stop.wait(0.1):
            device.say("ALIVE", "SN1")

    beating = threading.Thread(target=alive)
    beating.start()
    try:
        sections = SMALL_DEVICES.format(pad=tmp_path / "pad", peek=peek.port, chips=chips.port)
        done = run(tmp_path, shoe.port, "--json", sections=sections)
        found = {one["name"]: (one["kind"], one["problem"]) for one in json.loads(done.stdout)["configured"]}
        assert found == {
            "shoe": ("shoe", ""),
            "keypad": ("keys", ""),
            "peek": ("peek", "NOT_THERE"),
            "chips": ("chips", ""),
        }
    finally:
        stop.set()
        beating.join()
        pad.unplug()
        for line in (shoe, chips, peek):
            line.close()
