"""Layout files come back as they were written, and wrong ones are named."""

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.domain import ConfigError, TableError
from tests.vision.calibration.table_kit import Shot, shots
from vision.calibration.layout import (
    CameraPart,
    Layout,
    LensPart,
    Origin,
    PlanePart,
    Zone,
    layout_text,
    load_layout,
    load_reference,
)

EXAMPLE = Path(__file__).parents[3] / "examples" / "layout.toml"


def a_layout(shot: Shot, zones: tuple[Zone, ...]) -> Layout:
    plane = shot.plane()
    first, second, third = ((float(a), float(b), float(c)) for a, b, c in plane.mm_of_px)
    lens = None
    if plane.lens is not None:
        lens = LensPart(focal_px=plane.lens.focal_px, centre_px=plane.lens.centre_px, k1=plane.lens.k1)
    return Layout(
        layout=1,
        camera=CameraPart(width=shot.width, height=shot.height),
        plane=PlanePart(homography=(first, second, third), lens=lens),
        zone=zones,
        origin=Origin(date="2026-01-31", method="hand", residual_px=0.25),
    )


coordinates = st.integers(0, 8000).map(lambda tenths: tenths / 10)


@given(shots, coordinates, coordinates, st.text(max_size=20))
@settings(max_examples=30, deadline=None)
def test_a_written_layout_is_read_back_the_same(
    tmp_path_factory: pytest.TempPathFactory, shot: Shot, x: float, y: float, words: str
) -> None:
    corners = ((x, y), (x + 100, y), (x + 100, y + 80.5), (x, y + 80.5))
    layout = a_layout(shot, (Zone(kind="box", box=3, outline_mm=corners),))
    layout = layout.model_copy(update={"origin": layout.origin.model_copy(update={"date": words})})
    path = tmp_path_factory.mktemp("layout") / "layout.toml"
    path.write_text(layout_text(layout), encoding="utf-8")
    assert load_layout(path) == layout


def changed(tmp_path: Path, old: str, new: str) -> Path:
    text = EXAMPLE.read_text(encoding="utf-8")
    assert old in text
    path = tmp_path / "layout.toml"
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("old", "new", "field"),
    [
        ("layout = 1", "layout = 2", "layout"),
        ("width = ", "width = -", "camera.width"),
        ("kind = ", "sort = ", "zone.0.kind"),
        ("box = 2", "box = 1", "file"),
        ("box = 2", "box = 8", "zone.1.box"),
        ("index_mm = 15.0", "index_mm = nan", "cards.index_mm"),
        ("homography = [", "homography = [[0, 0, 0],", "plane.homography"),
    ],
)
def test_a_wrong_field_is_named(tmp_path: Path, old: str, new: str, field: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load_layout(changed(tmp_path, old, new))
    assert caught.value.code == "LAYOUT_WRONG"
    assert str(caught.value.params["field"]).startswith(field)


def test_a_homography_that_means_nothing_is_refused() -> None:
    layout = load_layout(EXAMPLE)
    for matrix in (((1, 0, 0), (2, 0, 0), (0, 0, 1)), ((1, 0, 0), (0, 1, 0), (0.002, 0, -1))):
        with pytest.raises(ValueError, match="homography"):
            Layout.model_validate(layout.model_dump() | {"plane": {"homography": matrix}})


@pytest.mark.parametrize("garbage", [b"", b"\xff\xfe\x00", b"layout = [", b"[" * 5000, b"layout = 1\n"])
def test_garbage_is_no_layout(tmp_path: Path, garbage: bytes) -> None:
    path = tmp_path / "layout.toml"
    path.write_bytes(garbage)
    with pytest.raises(ConfigError) as caught:
        load_layout(path)
    assert caught.value.code in {"LAYOUT_NOT_TOML", "LAYOUT_WRONG"}


def test_a_missing_layout_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as caught:
        load_layout(tmp_path / "none.toml")
    assert caught.value.code == "LAYOUT_MISSING"


def test_zones_that_overlap_are_refused() -> None:
    corners = ((0.0, 0.0), (200.0, 0.0), (200.0, 200.0), (0.0, 200.0))
    beside = tuple((x + 150, y) for x, y in corners)
    zones = (Zone(kind="box", box=1, outline_mm=corners), Zone(kind="dealer", outline_mm=beside))
    with pytest.raises(ValueError, match="overlap: box 1 and dealer"):
        a_layout(Shot(), zones)
    touching = tuple((x + 200, y) for x, y in corners)
    a_layout(Shot(), (zones[0], Zone(kind="dealer", outline_mm=touching)))


def test_a_reference_picture_that_was_exchanged_is_noticed(tmp_path: Path) -> None:
    layout = load_layout(EXAMPLE)
    assert load_reference(layout, EXAMPLE) is None
    (tmp_path / "a.png").write_bytes(b"not the picture")
    kept = layout.origin.model_copy(update={"reference": "a.png", "sha256": "0" * 64})
    with pytest.raises(TableError):
        load_reference(layout.model_copy(update={"origin": kept}), tmp_path / "layout.toml")


def test_the_example_covers_the_demo_s_table() -> None:
    layout = load_layout(EXAMPLE)
    assert {zone.number for zone in layout.zone} >= set(range(8))
    scale = layout.flat.px_per_mm(np.array([[900.0, 500.0]]))[0]
    assert math.isclose(scale, 92 / 88, rel_tol=0.01)
