"""A network camera that goes away comes back by itself; the server is a real ffmpeg on loopback."""

import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import pytest

from controller.ports import DeviceState, SystemClock
from drivers.camera import Camera, CameraConfig
from drivers.device_driver import LifePolicy
from tests.drivers.drivers_kit import until

pytestmark = pytest.mark.skipif(shutil.which("ffmpeg") is None, reason="no ffmpeg")

FORMATS: Final = {
    "motion JPEG": ("-c:v", "mjpeg", "-f", "mpjpeg"),
    "MPEG transport stream": ("-c:v", "mpeg2video", "-g", "5", "-f", "mpegts"),
}


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        number: int = server.getsockname()[1]
        return number


@contextmanager
def serving(port: int, coding: tuple[str, ...]) -> Iterator[None]:
    """Serve a moving test picture over HTTP until the block ends; one client at a time."""
    picture = ("-re", "-f", "lavfi", "-i", "testsrc2=size=320x240:rate=25", "-threads", "1")
    address = ("-listen", "1", f"http://127.0.0.1:{port}/table")
    server = subprocess.Popen(["ffmpeg", "-v", "quiet", "-nostdin", *picture, *coding, *address])
    try:
        yield
    finally:
        server.kill()
        server.wait()


@pytest.mark.parametrize("coding", FORMATS.values(), ids=FORMATS)
def test_a_stream_is_read_lost_and_read_again(coding: tuple[str, ...]) -> None:
    port, states = free_port(), list[DeviceState]()
    config = CameraConfig(
        "overhead", f"http://127.0.0.1:{port}/table", life=LifePolicy(silence_ms=3000, backoff_ms=100)
    )
    camera = Camera(config, SystemClock(), changed=lambda state, _: states.append(state))
    camera.open()
    try:
        with serving(port, coding):
            first = camera.wait(0, 20)
            assert first is not None
            assert first.image.shape == (240, 320, 3)
            later = camera.wait(first.number + 3, 10)
            assert later is not None
            assert later.mono_ns > first.mono_ns
            assert (later.image != first.image).any()
        assert until(lambda: states[-2:] == ["live", "lost"], 10)
        assert camera.latest() is None
        with serving(port, coding):
            assert until(lambda: states[-1] == "live", 20)
            assert camera.wait(later.number, 20)
    finally:
        camera.close()
