"""A network camera's motion JPEG passes untouched whatever its server's manners; garbage does no harm."""

import socket
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from random import Random

import pytest

from controller.ports import DeviceState, SystemClock, TapKind
from drivers.camera import Camera, CameraConfig
from drivers.device_driver import LifePolicy
from tests.drivers.camera.camera_server import Serve, felt, http_camera, jpeg, opening, part
from tests.drivers.drivers_kit import until

PICTURES = [jpeg(felt(number)) for number in range(8)]
PAUSE_S = 0.01


@contextmanager
def looking(serve: Serve, backoff_ms: int = 20) -> Iterator[tuple[Camera, list[bytes], list[DeviceState]]]:
    """A camera at a server, with the pictures that its recorder has heard and the states that it told."""
    heard: list[bytes] = []
    states: list[DeviceState] = []

    def tap(source: str, kind: TapKind, mono_ns: int, data: bytes) -> None:
        if (source, kind) == ("gate", "jpeg") and mono_ns:
            heard.append(data)

    with http_camera(serve) as address:
        life = LifePolicy(silence_ms=5000, backoff_ms=backoff_ms, losses_max=1000)
        camera = Camera(
            CameraConfig("gate", address, life=life),
            SystemClock(),
            changed=lambda state, _: states.append(state),
            tap=tap,
        )
        camera.open()
        try:
            yield camera, heard, states
        finally:
            camera.close()


def stream(client: socket.socket, parts: list[bytes], head: bytes) -> None:
    client.sendall(head)
    for data in parts:
        client.sendall(data)
        time.sleep(PAUSE_S)


def wait_until_closed(client: socket.socket) -> None:
    """Keep the line open: a camera whose stream has ended shows no picture."""
    client.settimeout(30)
    client.recv(1)


@pytest.mark.parametrize(
    ("boundary", "length", "left_out"),
    [
        ("boundary=frame", True, b""),
        ("boundary=frame", False, b""),
        ("boundary=--frame", True, b""),
        ('boundary="frame"', True, b""),
        # Tasmota, ESP32-CAM: the first part without its boundary, or without its head.
        ("boundary=frame", True, b"--frame\r\n"),
        ("boundary=frame", False, b"--frame\r\nContent-Type: image/jpeg\r\n\r\n"),
    ],
)
def test_every_byte_arrives_whatever_the_manners_of_the_server(
    boundary: str, length: bool, left_out: bytes
) -> None:
    def serve(client: socket.socket) -> None:
        first, *parts = [part(data, length=length) for data in PICTURES * 2]
        stream(client, [first.removeprefix(left_out), *parts], opening(boundary))
        wait_until_closed(client)

    with looking(serve) as (camera, heard, _):
        assert until(lambda: len(heard) >= 10, 30)
        assert heard[:10] == (PICTURES * 2)[:10]
        frame = camera.latest()
        assert frame is not None
        assert frame.image.shape == (360, 640, 3)


def test_damaged_pictures_between_good_ones_are_counted_and_not_shown() -> None:
    damaged = PICTURES[1][:4000] + PICTURES[1][4600:]

    def serve(client: socket.socket) -> None:
        parts = [part(PICTURES[0]), part(damaged), part(b"no picture"), part(PICTURES[2]), part(PICTURES[3])]
        stream(client, parts * 20, opening())

    with looking(serve) as (camera, heard, _):
        assert until(lambda: len(heard) >= 50, 30)
        counted = Counter(dict(camera.health().counters))
        assert counted["BROKEN"] >= 9
        assert counted["frames"] >= 20
        assert damaged in heard


@pytest.mark.parametrize("seed", range(3))
def test_a_server_gone_mad_is_survived_and_read_again_when_it_is_well(seed: int) -> None:
    random, told = Random(seed), list[int]()

    def serve(client: socket.socket) -> None:
        told.append(1)
        if len(told) <= 4:
            whole = bytearray(opening() + b"".join(map(part, PICTURES)))
            for _ in range(400):
                whole[random.randrange(len(whole))] = random.randrange(256)
            client.sendall(bytes(whole) + random.randbytes(20_000))
        else:
            stream(client, [part(data) for data in PICTURES * 50], opening())

    with looking(serve) as (camera, heard, states):
        assert until(lambda: bool(heard[-4:]) and all(data in PICTURES for data in heard[-4:]), 40), heard[
            -1:
        ]
        assert camera.wait(0, 20) is not None, camera.health()
        assert camera.health().state == "live"
        assert "fault" not in states


@pytest.mark.parametrize(
    "answer",
    [
        b"HTTP/1.0 401 Unauthorized\r\n\r\n",
        b"HTTP/1.0 200 OK\r\nContent-Type: text/html\r\n\r\n<html>camera is busy</html>",
        b"",
        b"\0" * 5000,
    ],
    ids=["no access", "a page", "nothing", "zeros"],
)
def test_what_is_no_stream_is_not_taken_for_a_camera(answer: bytes) -> None:
    with looking(lambda client: client.sendall(answer)) as (camera, heard, states):
        assert until(lambda: camera.health().detail == "NO_STREAM", 30)
        assert heard == []
        assert "live" not in states


def test_a_part_that_claims_more_than_any_picture_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("drivers.camera.sources.NETWORK_MS_MAX", 1000)

    def serve(client: socket.socket) -> None:
        client.sendall(opening() + part(PICTURES[0]) + part(PICTURES[1], claim=1 << 30))
        client.settimeout(0.1)
        for _ in range(400):
            client.sendall(bytes(1 << 16))
            time.sleep(PAUSE_S)

    with looking(serve, backoff_ms=60_000) as (camera, heard, states):
        assert until(lambda: "lost" in states or "stale" in states, 30)
        assert all(len(data) < 20_000_000 for data in heard)
        assert camera.health().state != "live"
