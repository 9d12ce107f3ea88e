"""Whoever answers in place of a camera cannot send this machine to other addresses."""

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from controller.domain import DeviceError
from drivers.camera import CameraConfig
from drivers.camera.sources import VARIABLE, limit_ffmpeg, open_source
from tests.drivers.camera.camera_server import http_camera


@contextmanager
def counting() -> Iterator[tuple[str, list[bytes]]]:
    """Another machine of the house's network: its address, and what it has been asked."""
    asked: list[bytes] = []

    def accept() -> None:
        with suppress(OSError):
            while True:
                client, _ = server.accept()
                asked.append(client.recv(200))
                client.close()

    with socket.create_server(("127.0.0.1", 0)) as server:
        threading.Thread(target=accept, daemon=True).start()
        yield f"127.0.0.1:{server.getsockname()[1]}", asked
        with suppress(OSError):
            server.shutdown(socket.SHUT_RDWR)


def answer(kind: str, body: str = "", status: str = "200 OK", more: str = "") -> bytes:
    head = f"HTTP/1.0 {status}\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n{more}\r\n"
    return (head + body).encode()


def playlist(other: str) -> bytes:
    body = f"#EXTM3U\n#EXT-X-TARGETDURATION:10\n#EXTINF:10,\nhttp://{other}/part.ts\n#EXT-X-ENDLIST\n"
    return answer("application/vnd.apple.mpegurl", body)


def concatenation(other: str) -> bytes:
    return answer("text/plain", f"ffconcat version 1.0\nfile http://{other}/part.mjpg\n")


def session(_: str) -> bytes:
    origin = "v=0\no=- 0 0 IN IP4 127.0.0.1\ns=table\nc=IN IP4 127.0.0.1\nt=0 0\n"
    return answer("application/sdp", f"{origin}m=video 5004 RTP/AVP 26\n")


def redirection(other: str) -> bytes:
    return answer("text/plain", status="302 Found", more=f"Location: http://{other}/table\r\n")


@pytest.mark.parametrize("sent", [playlist, concatenation, session, redirection])
def test_an_answer_that_names_other_addresses_is_no_camera(sent: Callable[[str], bytes]) -> None:
    with counting() as (other, asked):
        served: list[bytes] = []

        def serve(client: socket.socket) -> None:
            served.append(b"")
            client.sendall(sent(other))

        with http_camera(serve) as address, pytest.raises(DeviceError) as refused:
            open_source(CameraConfig("gate", address))
        assert refused.value.params["reason"] == "NO_STREAM"
        assert served
        assert asked == []


def test_an_rtsp_camera_that_sends_on_to_another_address_is_not_followed() -> None:
    described: list[bytes] = []

    with counting() as (other, asked):

        def serve(client: socket.socket) -> None:
            # The first request, OPTIONS, has been read.
            client.sendall(b"RTSP/1.0 200 OK\r\nCSeq: 1\r\nPublic: DESCRIBE\r\n\r\n")
            described.append(client.recv(4096))
            away = f"RTSP/1.0 302 Found\r\nCSeq: 2\r\nLocation: rtsp://{other}/table\r\n\r\n"
            client.sendall(away.encode())

        with http_camera(serve) as address, pytest.raises(DeviceError):
            open_source(CameraConfig("gate", address.replace("http://", "rtsp://")))
        assert described[0].startswith(b"DESCRIBE")
        assert asked == []


def test_a_playlist_in_a_file_is_no_video(tmp_path: Path) -> None:
    with counting() as (other, asked):
        file = tmp_path / "table.m3u8"
        file.write_bytes(playlist(other).partition(b"\r\n\r\n")[2])
        with pytest.raises(DeviceError):
            open_source(CameraConfig("gate", str(file)))
        assert asked == []


def test_what_the_house_has_set_stays() -> None:
    environment = {VARIABLE: "format_whitelist;mpjpeg|timeout;5"}
    limit_ffmpeg(environment)
    options = environment[VARIABLE].split("|")
    assert options[:2] == ["format_whitelist;mpjpeg", "timeout;5"]
    assert [option for option in options if option.startswith("format_whitelist")] == options[:1]
    assert "max_redirects;0" in options
