"""A camera hands out the newest picture only, says how old it is, and comes back when it was lost."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

import cv2
import numpy as np
import pytest

from controller.domain import DeviceError
from controller.ports import DeviceState, SystemClock
from drivers.camera import Camera, CameraConfig, open_source
from drivers.camera.pictures import Grabber, Image, picture_of
from drivers.device_driver import LifePolicy
from tests.drivers.camera.drawn import drawn_camera
from tests.drivers.drivers_kit import until

PATIENCE_S = 60.0
"""For a machine with much else to do; whoever waits for a picture is given it at once."""


def picture(brightness: int) -> Image:
    return np.full((48, 64, 3), brightness, np.uint8)


def pixels(source: Grabber) -> Iterator[Image]:
    """What a reader would see of a source, until its end."""
    while (grabbed := source.grab()) is not None:
        yield picture_of(grabbed).full()


class Scripted:
    """Pictures whose moment the test decides: `give` puts the next one, None ends the source."""

    paced = True
    finite = False
    watched = False

    def __init__(self) -> None:
        self.queue: list[Image | None] = []
        self.closed = 0

    def give(self, *images: Image | None) -> None:
        self.queue.extend(images)

    def grab(self) -> Image | None:
        until(lambda: bool(self.queue), 0.5)
        return self.queue.pop(0) if self.queue else picture(0)

    def close(self) -> None:
        self.closed += 1


@contextmanager
def grabbing(camera: Camera) -> Iterator[Camera]:
    camera.open()
    try:
        yield camera
    finally:
        camera.close()


def scripted(source: Grabber, states: list[DeviceState] | None = None) -> Camera:
    told = [] if states is None else states
    config = CameraConfig("overhead", "scripted", life=LifePolicy(backoff_ms=20))
    return Camera(
        config, SystemClock(), connect=lambda _: source, changed=lambda state, _: told.append(state)
    )


def test_a_slow_reader_gets_the_newest_picture_and_the_dropped_ones_are_counted() -> None:
    source = Scripted()
    with grabbing(scripted(source)) as camera:
        source.give(*(picture(n) for n in range(1, 6)))
        assert until(lambda: dict(camera.health().counters).get("frames", 0) >= 5)
        frame = camera.latest()
        assert frame is not None
        assert (frame.number, int(frame.image[0, 0, 0])) == (5, 5)
        assert dict(camera.health().counters)["dropped"] == 4


def test_a_waiting_reader_gets_the_next_picture() -> None:
    source = Scripted()
    with grabbing(scripted(source)) as camera:
        source.give(picture(7))
        first = camera.wait(0, PATIENCE_S)
        assert first is not None
        assert camera.wait(first.number, 0.05) is None
        source.give(picture(8))
        second = camera.wait(first.number, PATIENCE_S)
        assert second is not None
        assert int(second.image[0, 0, 0]) == 8
        assert second.mono_ns > first.mono_ns


def test_a_lost_camera_shows_nothing_old_and_is_reopened() -> None:
    source, states = Scripted(), list[DeviceState]()
    with grabbing(scripted(source, states)) as camera:
        source.give(picture(1))
        assert camera.wait(0, PATIENCE_S)
        source.give(None)
        assert until(lambda: "lost" in states)
        assert source.closed == 1
        source.give(picture(2))
        assert until(lambda: states == ["live", "lost", "live"])
        frame = camera.wait(1, PATIENCE_S)
        assert frame is not None
        assert int(frame.image[0, 0, 0]) == 2


def test_a_closed_camera_can_be_opened_again() -> None:
    camera = drawn_camera(lambda: picture(9), 100)
    with grabbing(camera):
        assert camera.wait(0, PATIENCE_S)
    assert camera.health().state == "absent"
    assert camera.latest() is None
    with grabbing(camera):
        assert camera.wait(0, PATIENCE_S)


def test_drawn_pictures_come_at_the_rate_asked_for() -> None:
    drawn = iter(range(1000))
    with grabbing(drawn_camera(lambda: picture(next(drawn) % 256), 50)) as camera:
        assert camera.wait(0, PATIENCE_S)
        start = time.monotonic()
        assert camera.wait(10, 60)
        assert time.monotonic() - start > 0.1


def test_a_folder_is_read_in_the_order_of_its_names(tmp_path: Path) -> None:
    for name, brightness in (("b.png", 200), ("a.png", 100)):
        cv2.imwrite(str(tmp_path / name), picture(brightness))
    (tmp_path / "note.txt").write_text("not a picture")
    source = open_source(CameraConfig("folder", str(tmp_path)))
    assert [int(image[0, 0, 0]) for image in pixels(source)] == [100, 200]


def test_a_folder_that_ends_stays_ended(tmp_path: Path) -> None:
    cv2.imwrite(str(tmp_path / "a.png"), picture(9))
    camera = Camera(CameraConfig("folder", str(tmp_path), fps=200), SystemClock())
    with grabbing(camera):
        assert until(lambda: camera.health().detail == "ENDED")
        time.sleep(0.4)
        assert dict(camera.health().counters)["frames"] == 1


def test_a_looped_folder_goes_on(tmp_path: Path) -> None:
    cv2.imwrite(str(tmp_path / "a.png"), picture(9))
    config = CameraConfig("folder", str(tmp_path), fps=200, loop=True)
    with grabbing(Camera(config, SystemClock())) as camera:
        assert camera.wait(20, PATIENCE_S)


def test_a_video_file_gives_its_pictures_and_ends(tmp_path: Path) -> None:
    path = tmp_path / "clip.avi"
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), 30, (64, 48))
    for brightness in (40, 120, 200):
        writer.write(picture(brightness))
    writer.release()
    source = open_source(CameraConfig("clip", str(path)))
    assert [round(float(image.mean()), -1) for image in pixels(source)] == [40, 120, 200]
    source.close()


def test_a_looped_video_begins_again(tmp_path: Path) -> None:
    path = tmp_path / "clip.avi"
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), 30, (64, 48))
    for brightness in (40, 200):
        writer.write(picture(brightness))
    writer.release()
    source = open_source(CameraConfig("clip", str(path), loop=True))
    images = list(islice(pixels(source), 5))
    assert [round(float(image.mean()), -1) for image in images] == [40, 200, 40, 200, 40]
    source.close()


@pytest.mark.parametrize(
    ("name", "reason"), [("missing.mp4", "NOT_THERE"), ("empty", "EMPTY_FOLDER"), ("text.mp4", "NOT_OPENED")]
)
def test_what_cannot_be_opened_says_why(tmp_path: Path, name: str, reason: str) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "text.mp4").write_text("not a film")
    with pytest.raises(DeviceError, match=f"reason={reason}"):
        open_source(CameraConfig("wrong", str(tmp_path / name)))


def test_a_camera_that_is_not_there_is_reported_as_absent(tmp_path: Path) -> None:
    states = list[DeviceState]()
    config = CameraConfig("gone", str(tmp_path / "video9"))
    with grabbing(Camera(config, SystemClock(), changed=lambda state, _: states.append(state))) as camera:
        assert until(lambda: states == ["absent"])
        assert camera.latest() is None
        assert camera.health().detail == "NOT_THERE"


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_driver_that_fails_is_a_fault_and_is_started_again_by_hand() -> None:
    class Failing(Scripted):
        def grab(self) -> Image | None:
            image = super().grab()
            if image is None:
                raise RuntimeError("a fault of the driver's own")
            return image

    source, states = Failing(), list[DeviceState]()
    camera = scripted(source, states)
    with grabbing(camera):
        source.give(picture(1))
        assert camera.wait(0, PATIENCE_S)
        source.give(None)
        assert until(lambda: camera.health().state == "fault")
        assert camera.health().detail == "CRASHED"
        camera.acknowledge()
        source.give(picture(2))
        frame = camera.wait(1, PATIENCE_S)
        assert frame is not None
        assert states == ["live", "fault", "live"]
