"""Which of several cameras owns each box, and that all of them give a card to the same box."""

from pathlib import Path

import numpy as np
import pytest

from controller.devices.cameras.setup import fitted, owned_boxes
from controller.domain import ConfigError
from vision.calibration import Layout, TableMap, load_layout

EXAMPLE = load_layout(Path(__file__).parents[2] / "examples" / "layout.toml")


def camera(px_per_mm: float, *boxes: int, shift_mm: float = 0.0) -> Layout:
    """A camera straight above these boxes, each `shift_mm` to the right of where the plan has it."""
    mm = 1 / px_per_mm
    plane = EXAMPLE.plane.model_copy(update={"homography": ((mm, 0, 0), (0, mm, 0), (0, 0, 1))})
    zones = tuple(
        zone.model_copy(update={"outline_mm": tuple((x + shift_mm, y) for x, y in zone.outline_mm)})
        for zone in EXAMPLE.zone
        if zone.number in boxes
    )
    return EXAMPLE.model_copy(update={"plane": plane, "zone": zones})


def test_a_box_belongs_to_the_camera_with_most_pixels_a_millimetre() -> None:
    cameras = [("wide", camera(1.0, 0, 1, 2, 3)), ("near", camera(1.5, 2, 3)), ("far", camera(0.8, 3, 4))]
    assert {one.box: (one.camera, one.px_per_mm) for one in owned_boxes(cameras)} == {
        **{0: ("wide", 1.0), 1: ("wide", 1.0)},
        **{2: ("near", 1.5), 3: ("near", 1.5), 4: ("far", 0.8)},
    }


def test_of_two_that_see_a_box_alike_the_first_in_the_configuration_owns_it() -> None:
    left, right = ("left", camera(1.0, 0, 1, 2)), ("right", camera(1.0, 0, 2, 3))
    assert [one.camera for one in owned_boxes([left, right])] == ["left", "left", "left", "right"]
    assert [one.camera for one in owned_boxes([right, left])] == ["right", "left", "right", "right"]


def test_all_of_them_have_the_owners_outline_of_a_box() -> None:
    layouts = fitted([("wide", camera(1.0, 0, 1, 2)), ("near", camera(1.5, 2, shift_mm=6.0))])
    edge = (280.0, 300.0)  # Box 2 begins at 277.0, and at 283.0 for the camera that owns it.
    boxes = []
    for layout in layouts.values():
        table = TableMap(layout, layout.camera.width, layout.camera.height)
        scale = table.to_mm(np.array([[1000.0, 0.0]]))[0][0] / 1000
        boxes.append(table.box_at((edge[0] / scale, edge[1] / scale)))
    assert boxes == [None, None]


def test_layouts_of_two_plans_and_boxes_that_overlap_are_refused() -> None:
    with pytest.raises(ConfigError) as caught:
        fitted([("wide", camera(1.0, 0, 1, 2)), ("near", camera(1.5, 2, shift_mm=20.0))])
    assert (caught.value.code, caught.value.params["mm"]) == ("LAYOUTS_APART", 20)
    with pytest.raises(ConfigError) as caught:
        fitted([("wide", camera(1.0, 0, 1, 2)), ("near", camera(1.5, 2, shift_mm=-9.0))])
    assert caught.value.code == "LAYOUTS_CLASH"
