"""Cameras in the configuration file: one or several, each mistake named by its place."""

from pathlib import Path

import cv2
import numpy as np
import pytest

from controller.config import load_config
from controller.devices.cameras.setup import camera_config, camera_setups, zones_of
from controller.domain import ConfigError

BASE = """
[table]
name = "BJ1"
rules = "nl"
[journal]
file = "day.journal"
[shoe]
port = "/dev/shoe"
"""
ONE = """
[camera]
source = "0"
boxes = [{x = 100, y = 100, radius = 50}]
"""
TWO = """
[[camera]]
name = "left"
source = "clips/left.avi"
boxes = [{x = 100, y = 100, radius = 50}, {x = 300, y = 100, radius = 50}]
dealer = {x = 200, y = 400, radius = 80}
exposure = 120
focus = 30
reference = "left.png"
deck = "house.profile"
[[camera]]
name = "right"
source = "rtsp://user:secret@10.0.0.9/table"
required = false
silence_ms = 4000
boxes = [{x = 100, y = 100, radius = 50, box = 6}, {x = 300, y = 100, radius = 50, box = 7}]
"""


def write(folder: Path, text: str) -> Path:
    path = folder / "table.toml"
    path.write_text(BASE + text, encoding="utf-8")
    return path


def test_a_single_camera_needs_no_list(tmp_path: Path) -> None:
    (camera,) = load_config(write(tmp_path, ONE)).camera
    assert (camera.name, camera.source, camera.required, camera.fixed) == ("camera", "0", True, ())


def test_each_of_several_cameras_has_its_own_boxes_and_settings(tmp_path: Path) -> None:
    left, right = load_config(write(tmp_path, TWO)).camera
    assert left.source == str(tmp_path / "clips/left.avi")
    assert (left.deck, right.deck) == (tmp_path / "house.profile", None)
    assert right.source == "rtsp://user:secret@10.0.0.9/table"
    assert [zones_of(left)(at) for at in ((100, 100), (300, 110), (200, 400), (900, 900))] == [1, 2, 0, None]
    assert [zones_of(right)(at) for at in ((100, 100), (300, 110), (200, 400))] == [6, 7, None]
    assert camera_config(left).settings == (("exposure", 120.0), ("focus", 30.0))
    assert camera_config(right).life.silence_ms == 4000


def test_a_reference_picture_is_read_before_the_table_opens(tmp_path: Path) -> None:
    config = load_config(write(tmp_path, TWO))
    with pytest.raises(ConfigError) as caught:
        camera_setups(config)
    assert (caught.value.code, caught.value.params["path"]) == (
        "REFERENCE_UNREADABLE",
        str(tmp_path / "left.png"),
    )
    cv2.imwrite(str(tmp_path / "left.png"), np.zeros((90, 160, 3), np.uint8))
    assert [eyes.section.name for eyes in camera_setups(config)] == ["left", "right"]


@pytest.mark.parametrize(
    ("text", "field"),
    [
        (ONE.replace("source", "sorce"), "camera.source"),
        (ONE.replace("radius = 50", "radius = -1"), "camera.boxes.0.radius"),
        (ONE + "fps = 1000\n", "camera.fps"),
        ('[camera]\nsource = "0"\n', "camera"),
        (TWO.replace("box = 7", "box = 0"), "camera.1.boxes.1.box"),
        (TWO.replace('"right"', '"left"'), "file"),
        (TWO.replace('"right"', '"shoe"'), "file"),
        ("[[camera]]\nsource = '0'\nboxes = [{x = 1, y = 1, radius = 1}]\n" * 9, "camera"),
        ("camera = 3\n" + BASE, "camera"),
    ],
)
def test_a_mistake_is_named_by_its_place(tmp_path: Path, text: str, field: str) -> None:
    path = write(tmp_path, text)
    if text.startswith("camera"):
        path.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        load_config(path)
    assert (caught.value.code, caught.value.params["field"]) == ("CONFIG_WRONG", field)
