"""An RTSP camera that falls silent, goes away and comes back, over UDP and over TCP."""

import shutil
import signal
import socket
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from subprocess import Popen

import pytest

from controller.ports import DeviceState, SystemClock
from drivers.camera import Camera, CameraConfig
from drivers.device_driver import LifePolicy
from tests.drivers.camera.rtsp_servers import tcp_server, vlc_server
from tests.drivers.drivers_kit import until

Server = Callable[[int, Path], AbstractContextManager["Popen[bytes]"]]


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        number: int = server.getsockname()[1]
        return number


def needs(program: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(shutil.which(program) is None, reason=f"no {program}")


@pytest.mark.parametrize(
    "server",
    [
        pytest.param(tcp_server, id="TCP", marks=needs("ffmpeg")),
        pytest.param(vlc_server, id="UDP", marks=[needs("ffmpeg"), needs("vlc")]),
    ],
)
def test_a_camera_falls_silent_speaks_again_is_lost_and_comes_back(server: Server, tmp_path: Path) -> None:
    port, states = free_port(), list[DeviceState]()
    life = LifePolicy(silence_ms=700, backoff_ms=100, backoff_ms_max=500)
    camera = Camera(
        CameraConfig("gate", f"rtsp://127.0.0.1:{port}/table", life=life),
        SystemClock(),
        changed=lambda state, _: states.append(state),
    )
    camera.open()

    def is_now(*wanted: DeviceState) -> bool:
        return camera.health().state in wanted

    try:
        with server(port, tmp_path) as process:
            frame = camera.wait(0, 20)
            assert frame is not None, camera.health()
            assert frame.image.shape == (240, 320, 3)
            assert camera.wait(frame.number + 10, 20) is not None
            process.send_signal(signal.SIGSTOP)
            assert until(lambda: is_now("stale"), 20)
            process.send_signal(signal.SIGCONT)
            assert until(lambda: is_now("live"), 20)
        assert until(lambda: is_now("lost", "backoff", "absent"), 20)
        assert camera.latest() is None
        with server(port, tmp_path):
            assert until(lambda: is_now("live") and camera.latest() is not None, 20)
        told = iter(states)
        assert all(stage in told for stage in ("live", "stale", "live", "lost", "live")), states
    finally:
        camera.close()
