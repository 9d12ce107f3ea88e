"""A camera calibrated in its place: from corners before and now to a layout that follows the last one."""

from datetime import date
from pathlib import Path

import numpy as np
import pytest

from controller.domain import DeviceError
from vision.calibration import keep_anew, latest_layout, load_layout, load_reference, recalibrate
from vision.geometry import Points

EXAMPLE = Path(__file__).parents[3] / "examples/layout.toml"
CHANCE = np.random.default_rng(7)
CORNERS = CHANCE.uniform((60, 60), (1860, 1020), (120, 2))
IMAGE = CHANCE.integers(0, 255, (1080, 1920, 3), np.uint8)
DAY = date(2026, 11, 23)


def moved(places: Points, noise_px: float = 0.2) -> Points:
    """Shifted by 20 and -8 pixels and seen from a little to the side."""
    depth = 1 + places @ np.array((6e-6, -4e-6))
    return np.asarray(
        (places + np.array((20, -8))) / depth[:, None] + CHANCE.normal(0, noise_px, places.shape)
    )


def test_a_place_is_found_with_the_lens_and_the_zones_as_they_were() -> None:
    layout = load_layout(EXAMPLE)
    found = recalibrate(layout, CORNERS, moved(CORNERS))
    assert found.residual_px < 0.4
    assert found.uncertain_mm < 1
    anew = layout.model_copy(update={"plane": found.plane})
    middle = np.array([[300.0, 300.0], [960.0, 500.0], [1600.0, 900.0]])
    assert np.abs(anew.flat.to_mm(moved(middle, 0)) - layout.flat.to_mm(middle)).max() < 0.5


@pytest.mark.parametrize(
    ("start", "end", "code"),
    [
        (CORNERS[:20], moved(CORNERS[:20]), "RECALIBRATION_FEW"),
        (CORNERS, CORNERS + CHANCE.normal(0, 6, CORNERS.shape), "RECALIBRATION_UNLIKE"),
        (CORNERS, CORNERS + np.array((90, 0)), "RECALIBRATION_OUTSIDE"),
        (CORNERS / 20 + 500, moved(CORNERS / 20 + 500, 0.5), "RECALIBRATION_UNSURE"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_is_not_known_well_is_refused(start: Points, end: Points, code: str) -> None:
    with pytest.raises(DeviceError) as refused:
        recalibrate(load_layout(EXAMPLE), start, end)
    assert refused.value.code == code


def test_each_calibration_in_place_follows_the_last_and_overwrites_none(tmp_path: Path) -> None:
    path = tmp_path / "layout.toml"
    path.write_bytes(EXAMPLE.read_bytes())
    first = latest_layout(path)
    assert first.path == path
    found = recalibrate(first.layout, CORNERS, moved(CORNERS))
    second = keep_anew(path, first, found, IMAGE, DAY)
    third = keep_anew(path, second, found, IMAGE, DAY)
    assert [one.path.name for one in (second, third)] == ["layout.anew-1.toml", "layout.anew-2.toml"]
    assert (third.layout.origin.before, latest_layout(path)) == (second.sha256, third)
    assert third.layout.origin.method == "in_place"
    reference = load_reference(third.layout, third.path)
    assert reference is not None
    assert np.array_equal(reference, IMAGE)
    assert path.read_bytes() == EXAMPLE.read_bytes()


def test_whoever_calibrates_with_sheets_again_begins_anew(tmp_path: Path) -> None:
    path = tmp_path / "layout.toml"
    path.write_bytes(EXAMPLE.read_bytes())
    first = latest_layout(path)
    keep_anew(path, first, recalibrate(first.layout, CORNERS, moved(CORNERS)), IMAGE, DAY)
    path.write_bytes(EXAMPLE.read_bytes() + b"\n# calibrated with sheets\n")
    assert latest_layout(path).path == path
