"""A V4L2 camera through OpenCV's own backend: its JPEG untouched, its settings fixed, read back and watched.

The machine that runs the tests has no camera, so a library that is loaded before the C library answers in
the kernel's place; everything above the system calls is real.
"""

import hashlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.drivers.camera.camera_server import felt, jpeg
from tests.drivers.drivers_kit import until

HERE = Path(__file__).parent
ROOT = HERE.parents[1]

pytestmark = pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")

CONFIG = """
[table]
name = "BJ1"
rules = "spielbank"
[journal]
file = "table.journal"
[shoe]
port = "/dev/null"
[camera]
source = "{source}"
fps = 30
exposure = 120
boxes = [{{x = 100, y = 100, radius = 50}}]
"""

LOOK = """
import hashlib, json, sys, time
from controller.ports import SystemClock
from drivers.camera import Camera, CameraConfig
from drivers.device_driver import LifePolicy

heard = []

def tap(_source, kind, _mono_ns, data):
    if kind == "jpeg":
        heard.append(hashlib.sha256(data).hexdigest())

config = CameraConfig("cam", sys.argv[1], 640, 360, 30, settings=(("exposure", 120), ("gain", 7)),
                      life=LifePolicy(silence_ms=400, backoff_ms=50))
camera = Camera(config, SystemClock(), tap=tap)
camera.open()
for line in sys.stdin:
    frame = camera.latest()
    told = camera.health()._asdict() | {"heard": heard[:12], "shape": frame and list(frame.image.shape)}
    print(json.dumps(told), flush=True)
"""


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("v4l2") / "fake_v4l2.so"
    compiled = ["cc", "-shared", "-fPIC", "-O1", "-w", "-o", str(made), str(HERE / "fake_v4l2.c"), "-ldl"]
    subprocess.run(compiled, check=True)
    return made


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "video").symlink_to("/dev/null")
    return tmp_path


def environment(library: Path, folder: Path) -> dict[str, str]:
    return {**os.environ, "LD_PRELOAD": str(library), "FAKE_V4L2": str(folder), "COLUMNS": "250"}


class Looker:
    """A program with a running camera."""

    def __init__(self, library: Path, folder: Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", LOOK, str(folder / "video")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=ROOT,
            env=environment(library, folder),
        )

    def health(self) -> dict[str, Any]:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        told: dict[str, Any] = json.loads(self.process.stdout.readline())
        return told

    def is_now(self, state: str, detail: str) -> bool:
        told = self.health()
        return (told["state"], told["detail"]) == (state, detail)

    def close(self) -> None:
        self.process.kill()
        self.process.communicate()


def test_a_device_gives_its_own_bytes_keeps_its_settings_and_survives_a_pulled_plug(
    library: Path, folder: Path
) -> None:
    sent = [jpeg(felt(number)) for number in range(5)]
    for number, data in enumerate(sent):
        (folder / f"{number}.jpg").write_bytes(data)
    looker = Looker(library, folder)
    try:
        assert until(lambda: len(looker.health()["heard"]) >= 12, 60)
        told = looker.health()
        digests = [hashlib.sha256(data).hexdigest() for data in sent]
        start = digests.index(told["heard"][0])
        assert told["heard"] == [digests[(start + place) % 5] for place in range(12)]
        assert told["shape"] == [360, 640, 3]
        settings = dict(told["settings"])
        assert settings == {"size": "640x360", "fps": "30", "exposure": "120", "gain": "7"}
        (folder / "drifting").touch()
        assert until(lambda: looker.is_now("stale", "SETTING_DRIFTED"), 20)
        (folder / "drifting").unlink()
        assert until(lambda: looker.is_now("live", "OPENED"), 20)
        (folder / "gone").touch()
        assert until(lambda: looker.health()["state"] in {"backoff", "absent", "lost"}, 20)
        (folder / "gone").unlink()
        assert until(lambda: looker.is_now("live", "OPENED"), 20)
    finally:
        looker.close()


def test_a_device_without_jpeg_is_encoded_for_the_recorder(library: Path, folder: Path) -> None:
    looker = Looker(library, folder)
    try:
        assert until(lambda: looker.health()["shape"] == [360, 640, 3], 60)
        assert until(lambda: len(looker.health()["heard"]) > 1, 20)
    finally:
        looker.close()


@pytest.mark.parametrize("manner", ["", "stubborn", "slow"])
def test_the_command_shows_what_a_camera_is_set_to_and_what_it_refuses(
    library: Path, folder: Path, manner: str
) -> None:
    for number in range(3):
        (folder / f"{number}.jpg").write_bytes(jpeg(felt(number)))
    if manner:
        (folder / manner).touch()
    config = folder / "table.toml"
    config.write_text(CONFIG.format(source=folder / "video"), encoding="utf-8")
    start = "from controller.cli import main; main()"
    command = [sys.executable, "-c", start, "devices", str(config), "--seconds", "4", "--json"]
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, cwd=ROOT, env=environment(library, folder)
    )
    camera = next(device for device in json.loads(done.stdout)["configured"] if device["kind"] == "camera")
    if manner == "slow":
        assert (camera["problem"], camera["settings"]["fps"]) == ("RATE_DIFFERS", "25")
    elif manner:
        assert camera["problem"] == "SETTING_REFUSED"
        assert camera["settings"] == {"refused": "exposure 250, 120"}
    else:
        assert (camera["problem"], camera["settings"]["exposure"]) == ("", "120")
