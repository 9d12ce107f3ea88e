"""JPEG pictures pass untouched, are decoded for whoever looks, and damaged ones are counted, never shown."""

import json
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from random import Random

import cv2
import numpy as np
import pytest

from controller.ports import SystemClock, TapKind
from drivers.camera import Camera, CameraConfig, Grabbed, PictureFault
from drivers.camera.pictures import ENCODED, picture_of
from drivers.device_driver import LifePolicy
from tests.drivers.camera.camera_server import felt, jpeg
from tests.drivers.camera.drawn import drawn_camera
from tests.drivers.drivers_kit import until


def without_middle(data: bytes) -> bytes:
    """What is left when a packet was lost on the way: begins and ends well."""
    return data[: len(data) // 2] + data[len(data) // 2 + 700 :]


def claiming(data: bytes, side: int) -> bytes:
    """The same picture with another size in its header."""
    at = data.index(b"\xff\xc0") + 5
    return data[:at] + side.to_bytes(2, "big") * 2 + data[at + 4 :]


GOOD = [jpeg(felt(number)) for number in range(4)]
BROKEN = {
    "nothing": b"",
    "text": b"no picture at all",
    "cut off": GOOD[0][:-900],
    "cut off and ended": GOOD[0][:-900] + b"\xff\xd9",
    "a packet lost": without_middle(GOOD[0]),
    "no header": b"\xff\xd8" + bytes(400) + b"\xff\xd9",
}


CODINGS = [[], [cv2.IMWRITE_JPEG_PROGRESSIVE, 1], [cv2.IMWRITE_JPEG_RST_INTERVAL, 4]]


class Scripted:
    """A live camera that sends what it is told to, and otherwise nothing."""

    paced = True
    finite = False
    watched = True

    def __init__(self, *script: Grabbed) -> None:
        self.script = list(script)
        self.done = False

    def grab(self) -> Grabbed | None:
        until(lambda: False, 0.005)
        until(lambda: bool(self.script) or self.done, 60)
        return self.script.pop(0) if self.script else None

    def close(self) -> None:
        pass


class Recorder:
    """A tap that keeps everything."""

    def __init__(self) -> None:
        self.heard: list[tuple[str, TapKind, int, bytes]] = []

    def __call__(self, source: str, kind: TapKind, mono_ns: int, data: bytes) -> None:
        self.heard.append((source, kind, mono_ns, data))

    def of(self, kind: TapKind) -> list[bytes]:
        return [data for _, found, _, data in self.heard if found == kind]


@contextmanager
def looking(source: Scripted, recorder: Recorder | None = None, silence_ms: int = 20_000) -> Iterator[Camera]:
    config = CameraConfig("overhead", "scripted", life=LifePolicy(silence_ms=silence_ms))
    camera = Camera(config, SystemClock(), connect=lambda _: source, tap=recorder)
    camera.open()
    try:
        yield camera
    finally:
        source.done = True
        camera.close()


def soon(condition: Callable[[], bool]) -> bool:
    """Wait longer than any machine should need."""
    return until(condition, 30)


def counted(camera: Camera) -> Counter[str]:
    return Counter(dict(camera.health().counters))


def test_the_recorder_hears_every_byte_and_the_reader_sees_the_picture() -> None:
    recorder = Recorder()
    with looking(Scripted(*GOOD), recorder) as camera:
        assert soon(lambda: counted(camera)["frames"] >= 4)
        frame = camera.latest()
    assert recorder.of("jpeg")[:4] == GOOD
    assert frame is not None
    assert (
        frame.image == cv2.imdecode(np.frombuffer(recorder.of("jpeg")[frame.number - 1], np.uint8), 1)
    ).all()
    moments = [mono_ns for _, _, mono_ns, _ in recorder.heard]
    assert moments == sorted(moments)
    marks = [json.loads(data) for data in recorder.of("mark")]
    assert marks[0] == {"state": "live", "reason": "OPENED"}
    assert all(name == "overhead" for name, _, _, _ in recorder.heard)


@pytest.mark.parametrize("damaged", BROKEN.values(), ids=BROKEN)
def test_a_damaged_picture_is_counted_and_recorded_and_never_shown(damaged: bytes) -> None:
    recorder = Recorder()
    source = Scripted(*[damaged] * 3)
    with looking(source, recorder) as camera:
        assert soon(lambda: counted(camera)["BROKEN"] == 3)
        assert camera.latest() is None
        assert camera.health().detail == "BROKEN"
        assert recorder.of("jpeg")[:3] == [damaged] * 3
        source.script.append(GOOD[1])
        frame = camera.wait(0, 30)
        assert frame is not None
        assert camera.health().state == "live"


def test_a_camera_that_sends_only_damage_becomes_stale() -> None:
    source = Scripted(*[without_middle(GOOD[0])] * 200)
    with looking(source, silence_ms=300) as camera:
        assert soon(lambda: camera.health().state == "stale")
        assert camera.latest() is None


def test_a_header_that_claims_a_giant_picture_is_refused_before_it_is_decoded() -> None:
    with looking(Scripted(claiming(GOOD[0], 65500))) as camera:
        assert soon(lambda: counted(camera)["TOO_LARGE"] == 1)
        assert counted(camera)["BROKEN"] == 0


def test_a_camera_that_changes_the_size_of_its_pictures_is_told() -> None:
    source = Scripted(GOOD[0], *[jpeg(felt(1, (320, 180)))] * 100)
    with looking(source, silence_ms=300) as camera:
        assert soon(lambda: camera.health().state == "stale")
        assert camera.health().detail == "SIZE_CHANGED"


def test_pictures_are_decoded_for_whoever_takes_them_and_not_before(tmp_path: Path) -> None:
    for number in range(3):
        (tmp_path / f"{number}.jpg").write_bytes(without_middle(GOOD[number]))
    (tmp_path / "3.jpg").write_bytes(GOOD[3])
    camera = Camera(CameraConfig("folder", str(tmp_path), fps=20, loop=True), SystemClock())
    camera.open()
    try:
        assert soon(lambda: counted(camera)["frames"] >= 9)
        assert counted(camera)["BROKEN"] == 0
        frames = [camera.wait(number, 30) for number in (9, 12)]
        assert all(frame is not None and frame.number % 4 == 0 for frame in frames)
        assert counted(camera)["BROKEN"] > 0
    finally:
        camera.close()


@pytest.mark.parametrize("coding", CODINGS)
def test_whatever_the_bytes_are_they_are_a_picture_of_that_size_or_a_fault(coding: list[int]) -> None:
    random = Random(17)
    whole = cv2.imencode(".jpg", felt(3, (160, 90)), coding)[1].tobytes()
    outcomes: Counter[object] = Counter()
    for _ in range(400):
        data = bytearray(whole)
        for _ in range(random.choice((1, 2, 8))):
            data[random.randrange(len(data))] = random.randrange(256)
        start = random.randrange(len(data))
        del data[start : start + random.choice((0, 0, 50))]
        try:
            outcomes[picture_of(bytes(data)).full().shape] += 1
        except PictureFault as fault:
            outcomes[fault.code] += 1
    assert set(outcomes) <= {(90, 160, 3), "BROKEN", "TOO_LARGE"}
    assert outcomes["BROKEN"] > 100


def test_padding_behind_a_picture_does_no_harm() -> None:
    with looking(Scripted(GOOD[0] + bytes(64), GOOD[1] + b"\r\n", jpeg(felt(2)[:, :, :1]))) as camera:
        assert soon(lambda: counted(camera)["frames"] >= 3)
        assert counted(camera)["BROKEN"] == 0


def test_pictures_that_never_were_jpeg_are_encoded_for_the_recorder_seldom_and_say_so() -> None:
    recorder = Recorder()
    camera = drawn_camera(lambda: felt(5), 50, recorder)
    camera.open()
    try:
        assert soon(lambda: len(recorder.of("jpeg")) >= 3)
    finally:
        camera.close()
    made = recorder.of("jpeg")
    moments = [mono_ns for _, kind, mono_ns, _ in recorder.heard if kind == "jpeg"]
    assert all(later - sooner >= 200_000_000 for sooner, later in pairwise(moments))
    assert all(data.startswith(b"\xff\xd8\xff\xfe") and ENCODED in data[:40] for data in made)
    image = cv2.imdecode(np.frombuffer(made[0], np.uint8), 1)
    assert image is not None
    assert float(np.abs(image.astype(int) - felt(5)).mean()) < 4


def test_a_password_in_an_address_is_not_shown() -> None:
    config = CameraConfig("gate", "rtsp://operator:secret@10.0.0.9/table")
    camera = Camera(config, SystemClock(), connect=lambda _: Scripted())
    assert camera.health().port == "rtsp://10.0.0.9/table"
