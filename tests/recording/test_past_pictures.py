"""The pictures of a moment are found in a table's recordings, also in the one that is being written."""

from pathlib import Path

import pytest

from controller.recording.format import RecordedSource
from controller.recording.recorder import SegmentLimits, SessionWriter
from controller.recording.recording_reader import RecordedPictures
from controller.recording.segments import RetentionPolicy, SegmentStore
from tests.recording.recording_kit import START_US, S, message, session

CAMERAS = tuple(RecordedSource(name, ("jpeg",), {"fps": "30"}) for name in ("left", "right", "mouth"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Three cameras for ninety seconds, a picture a second; the left one is away after the first minute."""
    store = SegmentStore(tmp_path, RetentionPolicy(reserve_bytes=0))
    segments = SessionWriter(store, session(), CAMERAS, SegmentLimits(ns=30 * S))
    for second in range(90):
        for name in ("left", "right", "mouth"):
            if name == "left" and second >= 60:
                continue
            at_ns = (5 + second) * S
            segments.make_room(at_ns)
            segments.write(message(at_ns, f"{name} {second}".encode(), "jpeg", name))
        # As the recorder does it, ten times a second.
        segments.flush()
    return tmp_path


def found(folder: Path, second: float) -> list[tuple[str, float, str]]:
    pictures = RecordedPictures(folder, ("left", "right")).at(START_US + round(second * 10**6))
    return [(one.camera, (one.at_utc_us - START_US) / 10**6, one.jpeg.decode()) for one in pictures]


def test_the_last_picture_of_each_camera_up_to_the_moment(folder: Path) -> None:
    assert found(folder, 0) == [("left", 0, "left 0"), ("right", 0, "right 0")]
    assert found(folder, 12.7) == [("left", 12, "left 12"), ("right", 12, "right 12")]
    assert found(folder, 45) == [("left", 45, "left 45"), ("right", 45, "right 45")]
    assert found(folder, 89.5) == [("right", 89, "right 89")]


def test_no_picture_of_another_moment_is_given(folder: Path) -> None:
    assert found(folder, -1) == []
    assert found(folder, 65) == [("right", 65, "right 65")]
    assert found(folder, 63.9) == [("left", 59, "left 59"), ("right", 63, "right 63")]
    assert found(folder, 600) == []


def test_a_damaged_segment_gives_what_comes_before_the_damage(folder: Path) -> None:
    for path in folder.iterdir():
        whole = path.read_bytes()
        path.write_bytes(whole[: len(whole) // 2] + b"\xff" * 40)
    assert RecordedPictures(folder, ("right",)).at(START_US + 10**6)[0].jpeg == b"right 1"
    assert RecordedPictures(folder / "none", ("right",)).at(START_US) == ()
