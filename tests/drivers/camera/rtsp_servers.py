"""RTSP cameras for tests: VLC, which sends over UDP alone, and a relay that sends over TCP alone.

The relay hands on the RTP packets of a real ffmpeg inside the RTSP connection, as most network cameras do.
"""

import os
import socket
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from tests.drivers.drivers_kit import until

FFMPEG: Final = ("ffmpeg", "-v", "quiet", "-nostdin", "-y")
PICTURE: Final = ("-f", "lavfi", "-i", "testsrc2=size=320x240:rate=25", "-pix_fmt", "yuv420p")
H264: Final = ("-c:v", "libx264", "-preset", "ultrafast", "-tune", "zerolatency", "-g", "10", "-threads", "1")


@contextmanager
def vlc_server(port: int, folder: Path) -> Iterator["subprocess.Popen[bytes]"]:
    """Serve a film with VLC until the block ends."""
    film = folder / "film.ts"
    if not film.exists():
        subprocess.run([*FFMPEG, *PICTURE, "-t", "40", *H264, str(film)], check=True)
        folder.chmod(0o755)
    # VLC refuses to run as the administrator, who may have started the tests.
    nobody = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups") if os.geteuid() == 0 else ()
    out = f"#rtp{{sdp=rtsp://127.0.0.1:{port}/table}}"
    server = subprocess.Popen(
        [*nobody, "vlc", "-I", "dummy", "--quiet", "--loop", "--sout", out, "fd://0"],
        stdin=film.open("rb"),
        stderr=subprocess.DEVNULL,
        env={**os.environ, "HOME": "/nonexistent"},
    )
    try:
        yield server
    finally:
        server.kill()
        server.wait()


@contextmanager
def tcp_server(port: int, folder: Path) -> Iterator["subprocess.Popen[bytes]"]:
    """Serve a moving test picture inside the RTSP connection until the block ends."""
    sdp = folder / f"{port}.sdp"
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as packets:
        packets.bind(("127.0.0.1", 0))
        target = f"rtp://127.0.0.1:{packets.getsockname()[1]}"
        command = [
            *FFMPEG,
            "-re",
            *PICTURE,
            *H264,
            "-flags",
            "+global_header",
            "-sdp_file",
            str(sdp),
            "-f",
            "rtp",
            target,
        ]
        source = subprocess.Popen(command)
        try:
            assert until(lambda: sdp.exists() and b"sprop" in sdp.read_bytes(), 10)
            with socket.create_server(("127.0.0.1", port), reuse_port=True) as server:
                relay = Relay(sdp.read_bytes(), server, packets)
                threading.Thread(target=relay.run, daemon=True).start()
                yield source
                relay.close()
        finally:
            source.kill()
            source.wait()
            sdp.unlink(missing_ok=True)


class Relay:
    """One client at a time; asks for UDP are refused as unsupported."""

    def __init__(self, sdp: bytes, server: socket.socket, packets: socket.socket) -> None:
        self._sdp = sdp + b"a=control:track\r\n"
        self._server = server
        self._packets = packets
        self._client: socket.socket | None = None
        self._playing = False

    def run(self) -> None:
        threading.Thread(target=self._send, daemon=True).start()
        with suppress(OSError):
            while True:
                self._client, _ = self._server.accept()
                self._talk(self._client)

    def close(self) -> None:
        for side in (self._server, self._client):
            with suppress(OSError):
                if side is not None:
                    side.shutdown(socket.SHUT_RDWR)

    def _talk(self, client: socket.socket) -> None:
        """Answer requests until the client hangs up; receiver reports between them are skipped."""
        with suppress(OSError), client.makefile("rb") as lines:
            while line := lines.readline():
                if line.startswith(b"$"):
                    continue
                headers = dict[bytes, bytes]()
                while (header := lines.readline()).strip():
                    name, _, value = header.partition(b":")
                    headers[name.lower()] = value.strip()
                client.sendall(self._answer(line.split(b" ")[0], headers))
                self._playing = line.startswith(b"PLAY")
        self._playing = False

    def _answer(self, verb: bytes, headers: dict[bytes, bytes]) -> bytes:
        more, body, state = b"Session: 17\r\n", b"", b"200 OK"
        if verb == b"DESCRIBE":
            body = self._sdp
            more = b"Content-Type: application/sdp\r\nContent-Length: %d\r\n" % len(body)
        elif verb == b"SETUP" and b"TCP" not in headers.get(b"transport", b""):
            state = b"461 Unsupported transport"
        elif verb == b"SETUP":
            more += b"Transport: RTP/AVP/TCP;unicast;interleaved=0-1\r\n"
        return b"RTSP/1.0 %s\r\nCSeq: %s\r\n%s\r\n%s" % (state, headers.get(b"cseq", b"0"), more, body)

    def _send(self) -> None:
        with suppress(OSError):
            while True:
                packet = self._packets.recv(65536)
                if self._playing and self._client is not None:
                    with suppress(OSError):
                        self._client.sendall(b"$\0" + len(packet).to_bytes(2, "big") + packet)
