"""A camera behind TLS is asked by Python's own client; FFmpeg and the OpenSSL beside it never speak to it."""

import base64
import http.server
import socket
import ssl
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import cv2
import pytest

from controller.domain import DeviceError
from drivers.camera import CameraConfig
from drivers.camera.sources import open_source
from tests.drivers.camera.camera_server import felt, jpeg, part
from tests.tls_kit import Authority, Pem

PICTURES = [jpeg(felt(number)) for number in range(4)]


class TlsCamera(http.server.BaseHTTPRequestHandler):
    """Sends its pictures; or asks for a name, sends elsewhere, falls silent, as its path says."""

    asked: list[str]

    def do_GET(self) -> None:
        self.asked.append(self.path)
        if self.path == "/elsewhere":
            self.send_response(302)
            self.send_header("Location", "/table")
            self.end_headers()
            return
        if self.path == "/named" and self.headers["Authorization"] != basic("eye", "se cret"):
            self.send_response(401)
            self.send_header("WWW-Authenticate", 'Basic realm="camera"')
            self.end_headers()
            return
        self.send_response(200)
        self.send_header("Content-Type", "multipart/x-mixed-replace; boundary=frame")
        self.end_headers()
        with suppress(OSError):
            for data in PICTURES * (1 if self.path == "/silent" else 100):
                self.wfile.write(part(data))
                time.sleep(0.005)
            time.sleep(30 if self.path == "/silent" else 0)

    def log_message(self, *_: object) -> None:
        """Nothing on the terminal."""


def basic(name: str, word: str) -> str:
    return f"Basic {base64.b64encode(f'{name}:{word}'.encode()).decode()}"


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Pem]:
    made = Authority(tmp_path_factory.mktemp("authority"))
    return made.certificate, made.issue("127.0.0.1", "IP:127.0.0.1")


@pytest.fixture
def camera(authority: tuple[Path, Pem]) -> Iterator[tuple[str, list[str]]]:
    """Address without a path, and the paths that it was asked for."""

    class Fresh(TlsCamera):
        asked: list[str] = []  # noqa: RUF012  # of this one server

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Fresh)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*authority[1])
    server.socket = context.wrap_socket(server.socket, server_side=True)
    server.daemon_threads = True
    # A client that trusts nobody hangs up in the middle of the handshake.
    server.handle_error = lambda *_: None  # type: ignore[method-assign]
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"https://127.0.0.1:{server.server_address[1]}", Fresh.asked
    server.shutdown()
    server.server_close()


@pytest.fixture
def trusting(authority: tuple[Path, Pem], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(authority[0]))


@pytest.mark.usefixtures("trusting")
def test_each_picture_arrives_untouched(camera: tuple[str, list[str]]) -> None:
    source = open_source(CameraConfig("gate", f"{camera[0]}/table"))
    grabbed = [source.grab() for _ in range(6)]
    source.close()
    assert grabbed == [*PICTURES, *PICTURES[:2]]
    assert camera[1] == ["/table"]


@pytest.mark.usefixtures("trusting")
def test_a_name_and_password_are_given_when_they_are_asked_for(camera: tuple[str, list[str]]) -> None:
    address = camera[0].replace("https://", "https://eye:se%20cret@")
    source = open_source(CameraConfig("gate", f"{address}/named"))
    assert source.grab() == PICTURES[0]
    source.close()
    with pytest.raises(DeviceError) as refused:
        open_source(CameraConfig("gate", f"{camera[0]}/named"))
    assert refused.value.params["reason"] == "NO_STREAM"


@pytest.mark.usefixtures("trusting")
def test_a_camera_that_sends_elsewhere_is_not_followed(camera: tuple[str, list[str]]) -> None:
    with pytest.raises(DeviceError) as refused:
        open_source(CameraConfig("gate", f"{camera[0]}/elsewhere"))
    assert refused.value.params["reason"] == "NO_STREAM"
    assert camera[1] == ["/elsewhere"]


@pytest.mark.usefixtures("trusting")
def test_a_camera_that_falls_silent_has_ended(
    camera: tuple[str, list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("drivers.camera.sources.NETWORK_MS_MAX", 500)
    source = open_source(CameraConfig("gate", f"{camera[0]}/silent"))
    grabbed = []
    while (picture := source.grab()) is not None:
        grabbed.append(picture)
    source.close()
    assert grabbed == PICTURES[: len(grabbed)]
    assert len(grabbed) >= len(PICTURES) - 1


def test_a_certificate_that_nobody_vouches_for_is_no_camera(camera: tuple[str, list[str]]) -> None:
    with pytest.raises(DeviceError) as refused:
        open_source(CameraConfig("gate", f"{camera[0]}/table"))
    assert refused.value.params["reason"] == "NO_STREAM"
    assert camera[1] == []


@pytest.mark.parametrize("scheme", ["https", "rtsps", "tls"])
def test_ffmpeg_itself_says_nothing_to_a_server_behind_tls(scheme: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.5)
        capture = cv2.VideoCapture(f"{scheme}://127.0.0.1:{server.getsockname()[1]}/table", cv2.CAP_FFMPEG)
        assert not capture.isOpened()
        with suppress(TimeoutError):
            client, _ = server.accept()
            client.settimeout(0.5)
            assert client.recv(10) == b""
