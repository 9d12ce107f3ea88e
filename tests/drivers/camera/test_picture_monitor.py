"""A camera that delivers worthless pictures is not alive, and says which fault it has."""

import cv2
import numpy as np
import pytest

from controller.domain import DeviceError
from controller.ports import DeviceState, SystemClock
from drivers.camera import Camera, CameraConfig
from drivers.camera.picture_monitor import PictureMonitor
from drivers.camera.pictures import Image, PlainPicture
from drivers.camera.sources import lock
from drivers.device_driver import LifePolicy
from tests.drivers.drivers_kit import until
from vision.synth import DrawnTableView, TableCard, TableHand, render_frame, table_scene

NOISE = np.random.default_rng(17)


def table(shift: int = 0) -> Image:
    """A felt with printing on it, seen from above."""
    image = np.full((540, 960, 3), (60, 110, 50), np.uint8)
    for box in range(7):
        cv2.circle(image, (130 * box + 90 + shift, 300), 50, (220, 230, 230), 3)
    cv2.putText(image, "INSURANCE PAYS 2 TO 1", (200 + shift, 150), 0, 1.2, (240, 240, 240), 2)
    return image


def noisy(image: Image) -> Image:
    """What a live sensor makes of it."""
    return cv2.add(image, NOISE.integers(0, 6, image.shape, dtype=np.uint8)).astype(np.uint8)


def verdicts(*images: Image, start: PictureMonitor | None = None) -> list[str]:
    """Judge one picture each half second, after the camera's own first good ones."""
    watch = start or PictureMonitor()
    for number in range(20):
        watch.judge(PlainPicture(noisy(table())), number * 100)
    return [watch.judge(PlainPicture(image), 2500 + number * 500) for number, image in enumerate(images)]


def test_good_pictures_are_good_whatever_lies_on_the_table() -> None:
    dealt = table()
    for place in range(5):
        cv2.rectangle(dealt, (150 * place, 320), (150 * place + 60, 420), (250, 250, 250), -1)
        cv2.putText(dealt, "K", (150 * place + 5, 350), 0, 1, (0, 0, 0), 2)
    hand = dealt.copy()
    cv2.ellipse(hand, (500, 500), (200, 260), 0, 0, 360, (120, 150, 200), -1)
    assert verdicts(*(noisy(image) for image in (table(), dealt, hand, dealt) * 3)) == [""] * 12


def test_an_empty_felt_is_not_blurred_beside_first_pictures_with_cards_on_it() -> None:
    hand = (TableCard("10", "h"), TableCard("9", "c"), TableCard("K", "s"))
    dealt = render_frame(
        table_scene(DrawnTableView(tuple(TableHand(box, 1, hand) for box in range(8))), 5), 1
    )
    empty = render_frame(table_scene(DrawnTableView(), 5), 1)
    watch = PictureMonitor()
    for number in range(10):
        watch.judge(PlainPicture(noisy(dealt)), number * 200)
    unsharp = [cv2.GaussianBlur(image, (0, 0), 3.5).astype(np.uint8) for image in (empty, dealt)]
    shown = [empty, unsharp[0], empty, unsharp[1], empty]
    told = [watch.judge(PlainPicture(noisy(one)), 4000 + 1000 * place) for place, one in enumerate(shown)]
    assert told == ["", "BLURRED", "", "BLURRED", ""]


def test_writing_that_a_camera_lays_over_its_picture_makes_no_blurred_one_sharp() -> None:
    written = cv2.GaussianBlur(table(), (0, 0), 6)
    cv2.putText(written, "2026-11-22 21:14:07", (20, 40), 0, 0.8, (255, 255, 255), 1)
    assert verdicts(noisy(written.astype(np.uint8)), noisy(table())) == ["BLURRED", ""]


def test_the_same_picture_for_two_seconds_is_frozen_until_it_changes() -> None:
    old = noisy(table())
    assert verdicts(*[old] * 6, noisy(table())) == ["", "", "", "", "FROZEN", "FROZEN", ""]


@pytest.mark.parametrize(
    ("image", "fault"),
    [
        (np.zeros((540, 960, 3), np.uint8), "BLACK"),
        (np.full((540, 960, 3), 250, np.uint8), "GLARE"),
        (cv2.GaussianBlur(table(), (0, 0), 6).astype(np.uint8), "BLURRED"),
    ],
)
def test_a_covered_blinded_or_unsharp_camera_is_told(image: Image, fault: str) -> None:
    assert verdicts(noisy(image), noisy(image), noisy(table())) == [fault, fault, ""]


def test_a_moved_camera_is_told_and_a_passing_hand_is_not() -> None:
    moved = [noisy(table(30)) for _ in range(4)]
    assert verdicts(*moved)[-1] == "MOVED"
    assert verdicts(moved[0], noisy(table()), moved[1], noisy(table())) == [""] * 4


def test_a_camera_is_measured_against_its_calibration() -> None:
    assert verdicts(noisy(table()), noisy(table()), start=PictureMonitor(table(30)))[-1] == "MOVED"


class Staring:
    """A live camera that is covered after its first pictures."""

    paced = True
    finite = False
    watched = True

    def __init__(self) -> None:
        self.covered = False

    def grab(self) -> Image | None:
        until(lambda: False, 0.02)
        return noisy(np.zeros((540, 960, 3), np.uint8) if self.covered else table())

    def close(self) -> None:
        pass


def test_a_covered_camera_becomes_stale_and_shows_nothing_new() -> None:
    source, states = Staring(), list[DeviceState]()
    config = CameraConfig("overhead", "scripted", life=LifePolicy(silence_ms=300))
    camera = Camera(config, SystemClock(), connect=lambda _: source, changed=lambda s, _: states.append(s))
    camera.open()
    try:
        assert camera.wait(0, 60)
        source.covered = True
        assert until(lambda: camera.health().detail == "BLACK" and states[-1] == "stale")
        last = camera.latest()
        assert last is not None
        assert camera.wait(last.number, 0.2) is None
        source.covered = False
        assert until(lambda: states[-1] == "live")
        assert camera.wait(last.number, 60)
    finally:
        camera.close()


def test_a_camera_whose_driver_blocks_is_found_stale_by_whoever_asks() -> None:
    class Blocking(Staring):
        def grab(self) -> Image | None:
            until(lambda: not self.covered)
            return super().grab()

    source, states = Blocking(), list[DeviceState]()
    config = CameraConfig("overhead", "scripted", life=LifePolicy(silence_ms=200))
    camera = Camera(config, SystemClock(), connect=lambda _: source, changed=lambda s, _: states.append(s))
    camera.open()
    try:
        assert camera.wait(0, 60)
        source.covered = True
        assert until(lambda: camera.health().state == "stale")
        assert states[-1] == "stale"
        source.covered = False
        assert until(lambda: states[-1] == "live")
    finally:
        camera.close()


class Driver:
    """A device that takes or refuses values."""

    def __init__(self, *, stubborn: bool) -> None:
        self.values: dict[int, float] = {}
        self.stubborn = stubborn

    def set(self, setting: int, value: float, /) -> bool:
        self.values[setting] = 0 if self.stubborn else value
        return True

    def get(self, setting: int, /) -> float:
        return self.values[setting]


def test_fixed_settings_are_read_back() -> None:
    config = CameraConfig("overhead", "/dev/video0", settings=(("exposure", 120), ("focus", 30)))
    device = Driver(stubborn=False)
    lock(device, config)
    assert device.values[cv2.CAP_PROP_EXPOSURE] == 120
    assert device.values[cv2.CAP_PROP_AUTO_EXPOSURE] == 1
    assert device.values[cv2.CAP_PROP_AUTOFOCUS] == 0
    with pytest.raises(DeviceError, match="reason=SETTING_REFUSED"):
        lock(Driver(stubborn=True), config)
