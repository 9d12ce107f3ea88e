"""A live table with two network cameras: what each sees and loses counts for itself."""

import asyncio
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import cv2
import numpy as np
import pytest

from controller.devices.cameras.setup import open_pictures
from controller.domain import ConfigError, DeviceError
from controller.recording.format import RecordedSession, RecordedSource
from controller.recording.recording_reader import Recording, segments_in
from controller.recording.segments import SegmentWriter
from controller.runtime.api import Accepted, AlertStep, Rejected, Resume
from drivers.camera import CameraConfig
from drivers.camera.pictures import Image
from drivers.simulated import PtyShoe
from tests.drivers.camera.camera_server import felt, http_camera, jpeg, opening, part
from tests.main.live_kit import Live, play
from tests.runtime.runtime_kit import OPENING
from tests.vision.enrolment.deck_kit import made_up_profile
from vision.enrolment import write_profile
from vision.inference import default_models_dir
from vision.networks import Networks
from vision.synth import DrawnTableView, TableCard, TableHand, render_frame, table_scene

NOISE = np.random.default_rng(17)
PAUSE_S = 0.1
BOXES = [{"x": 62 + 268 * box, "y": 260, "radius": 130} for box in range(7)]


def seen(*hands: TableHand) -> list[bytes]:
    """What a camera above the demo's layout sends, with the noise of its sensor."""
    drawn = render_frame(table_scene(DrawnTableView(hands), 1), 1)
    return [jpeg(noisy(drawn)) for _ in range(3)]


def noisy(image: Image) -> Image:
    return cv2.add(image, NOISE.integers(0, 3, image.shape, dtype=np.uint8)).astype(np.uint8)


class Film:
    """What a network camera shows at the moment; `pictures_each` is how many it sends before it hangs up."""

    def __init__(self, pictures: list[bytes], pictures_each: int = 1_000_000) -> None:
        self.pictures = pictures
        self.pictures_each = pictures_each

    def __call__(self, client: socket.socket) -> None:
        client.sendall(opening())
        for number in range(self.pictures_each):
            client.sendall(part(self.pictures[number % len(self.pictures)]))
            time.sleep(PAUSE_S)


EMPTY = [jpeg(felt(0)) for _ in range(4)]


def camera(name: str, source: str, **more: Any) -> dict[str, Any]:
    return {
        "name": name,
        "source": source,
        "boxes": BOXES,
        "votes": 2,
        "settle_ms": 1,
        "read_every_ms": 100,
        **more,
    }


def test_a_card_that_only_the_second_camera_sees_holds_the_table(tmp_path: Path, shoe: PtyShoe) -> None:
    left, right = Film(EMPTY), Film(bare := seen())
    wrong = seen(TableHand(5, 1, (TableCard("K", "c"),)))

    async def story(live: Live) -> None:
        await live.until(lambda: (live.device("left"), live.device("right")) == ("live", "live"))
        await live.say(*OPENING)
        right.pictures = wrong
        await live.until(lambda: "CAMERA_DISAGREES" in live.holds, 50)
        hold = live.now.holds[0]
        assert (hold.by, dict(hold.params)) == ("device:right", {"box": 5, "seen": "Kc", "known": "-"})

    with http_camera(left) as one, http_camera(right) as other:
        cameras = [
            camera("left", one, boxes=BOXES[:4], silence_ms=15_000),
            camera("right", other, silence_ms=15_000),
        ]
        play(tmp_path, story, {"port": shoe.port}, camera=cameras)
    sent = {"left": set(EMPTY), "right": {*bare, *wrong}}
    heard: dict[str, set[bytes]] = {"left": set(), "right": set()}
    for path in segments_in(tmp_path / "table.recordings"):
        with Recording(path) as recording:
            for message in recording:
                if message.kind == "jpeg":
                    heard[message.source].add(message.data)
    assert heard["left"] <= sent["left"]
    assert heard["right"] <= sent["right"]
    assert len(heard["right"]) > len(bare)


def test_a_spare_camera_only_warns_and_a_needed_one_holds_until_it_is_back(
    tmp_path: Path, shoe: PtyShoe
) -> None:
    async def story(live: Live) -> None:
        await live.until(lambda: (live.device("left"), live.device("right")) == ("live", "live"))
        spare.close()
        await live.until(lambda: live.device("right") == "lost" and live.alerts == ["DEVICE_LOST"])
        assert live.now.alerts[0].severity == "warning"
        assert live.holds == []
        needed.close()
        await live.until(lambda: live.device("left") == "lost" and "DEVICE_LOST" in live.holds)
        assert await live.ask(Resume()) == Rejected("DEVICE_STILL_LOST", (("name", "left"),))
        needed.enter_context(http_camera(Film(EMPTY), port_of(left)))
        await live.until(lambda: live.device("left") == "live", 15)
        assert isinstance(await live.ask(Resume()), Accepted)
        assert live.holds == []
        await live.say(*OPENING)

    with ExitStack() as needed, ExitStack() as spare:
        left = needed.enter_context(http_camera(Film(EMPTY)))
        right = spare.enter_context(http_camera(Film(EMPTY)))
        cameras = [camera("left", left), camera("right", right, required=False)]
        play(tmp_path, story, {"port": shoe.port}, camera=cameras)


def test_a_camera_reads_with_the_profile_of_its_deck_and_with_no_damaged_one(
    tmp_path: Path, shoe: PtyShoe
) -> None:
    path, network = tmp_path / "house.profile", Networks.open(default_models_dir(), 1).indices.sha256
    made = write_profile(made_up_profile(network, 96)[0], path)

    async def story(live: Live) -> None:
        await live.until(lambda: live.device("above") == "live")
        assert [device.deck for device in live.now.devices if device.name == "above"] == [made.sha256]

    with http_camera(Film(EMPTY)) as address:
        above = camera("above", address, deck=str(path))
        play(tmp_path, story, {"port": shoe.port}, camera=[above])
        (recorded,) = segments_in(tmp_path / "table.recordings")
        with Recording(recorded) as recording:
            assert recording.session.model_sha256.endswith(f" deck/above:{made.sha256}")
        path.write_text(path.read_text()[:-40])
        with pytest.raises(ConfigError) as refused:
            play(tmp_path, story, {"port": shoe.port}, camera=[above])
    assert (refused.value.code, refused.value.params) == ("DECK_CHANGED", {"path": str(path)})


def test_a_camera_that_keeps_breaking_is_given_up_until_somebody_takes_its_alert(
    tmp_path: Path, shoe: PtyShoe
) -> None:
    film = Film(EMPTY, pictures_each=1)

    async def story(live: Live) -> None:
        await live.until(lambda: "DEVICE_FAULT" in live.holds, 20)
        alert = next(alert for alert in live.now.alerts if alert.code == "DEVICE_FAULT")
        assert dict(alert.params) == {"name": "camera"}
        film.pictures_each = 1_000_000
        await asyncio.sleep(0.6)
        assert live.device("camera") == "lost"
        assert isinstance(await live.ask(AlertStep(alert.alert, "ack", "cable changed")), Accepted)
        await live.until(lambda: live.device("camera") == "live", 10)
        assert isinstance(await live.ask(Resume()), Accepted)

    with http_camera(film) as address:
        play(tmp_path, story, {"port": shoe.port}, camera=camera("camera", address))


def test_a_recording_is_a_source_of_pictures(tmp_path: Path) -> None:
    session = RecordedSession("BJ1", "EUR", "test", "live", 1_700_000_000_000_000, 0)
    sources = [RecordedSource(name, ("jpeg",), {}) for name in ("left", "right")]
    writer = SegmentWriter(tmp_path, "day", session, sources)
    for number, name in enumerate(("left", "right", "left", "right")):
        writer.write("jpeg", name, number * 10_000_000, name.encode())
    writer.close()
    path = str(tmp_path / "day.mcap")
    assert list(all_of(CameraConfig("right", path))) == [b"right", b"right"]
    assert list(all_of(CameraConfig("camera", path))) == [b"left", b"left"]
    (tmp_path / "text.mcap").write_text("no recording")
    for name, reason in (("none.mcap", "NOT_THERE"), ("text.mcap", "NOT_OPENED")):
        with pytest.raises(DeviceError, match=f"reason={reason}"):
            open_pictures(CameraConfig("camera", str(tmp_path / name)))


def all_of(config: CameraConfig) -> Iterator[object]:
    source = open_pictures(config)
    while (grabbed := source.grab()) is not None:
        yield grabbed
    source.close()


def port_of(address: str) -> int:
    return urlsplit(address).port or 0
