"""What a camera sends is decoded in another process: one that dies, hangs or lies costs the camera only."""

import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from controller.domain import DeviceError
from controller.ports import DeviceState, SystemClock
from drivers.camera import Camera, CameraConfig, PictureFault, open_confined
from drivers.camera.confinement import landlock_version
from drivers.camera.decoder import ANSWER, ENCODED, END, FORK_SERVER, JPEG, PIXELS, Line
from drivers.camera.pictures import Grabber, MakesPictures
from drivers.device_driver import DeviceLost, LifePolicy
from tests.drivers.camera.camera_server import felt, http_camera, jpeg, opening, part
from tests.drivers.camera.test_playlists import answer, counting, playlist
from tests.drivers.drivers_kit import until

ROOT = Path(__file__).parents[3]
PICTURES = [jpeg(felt(number)) for number in range(4)]


def stream(client: socket.socket) -> None:
    client.sendall(opening())
    for place in range(10_000):
        client.sendall(part(PICTURES[place % 4]))
        threading.Event().wait(0.01)


def decoder_of(grabber: Grabber) -> int:
    """The process in which that source is open."""
    pid: int = grabber.pid  # type: ignore[attr-defined]  # no part of what a camera has to know
    return pid


def lives(pid: int) -> bool:
    try:
        return "Z" not in Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2][:3]
    except OSError:
        return False


class Watched:
    """A camera, the states that it told, and the decoders that it has had."""

    def __init__(self, source: str) -> None:
        self.states: list[tuple[DeviceState, str]] = []
        self.decoders: list[int] = []
        life = LifePolicy(silence_ms=500, backoff_ms=50, losses_max=100)
        self.camera = Camera(
            CameraConfig("gate", source, life=life),
            SystemClock(),
            connect=self.connect,
            changed=lambda state, reason: self.states.append((state, reason)),
        )

    def connect(self, config: CameraConfig) -> Grabber:
        grabber = open_confined(config)
        self.decoders.append(decoder_of(grabber))
        return grabber

    def shows_pictures_of(self, decoder: int) -> bool:
        """Whether it is live, with so many decoders behind it."""
        return (
            len(self.decoders) > decoder
            and self.camera.health().state == "live"
            and bool(self.camera.latest())
        )


@contextmanager
def watched() -> Iterator[Watched]:
    with http_camera(stream) as address:
        found = Watched(address)
        found.camera.open()
        try:
            assert until(lambda: found.shows_pictures_of(0), 30)
            yield found
        finally:
            found.camera.close()


def test_a_decoder_that_is_killed_or_hangs_is_a_lost_camera_that_comes_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("drivers.camera.sources.NETWORK_MS_MAX", 500)
    with watched() as it:
        os.kill(it.decoders[0], signal.SIGKILL)
        assert until(lambda: ("lost", "DECODER_LOST") in it.states, 30)
        assert until(lambda: it.shows_pictures_of(1), 30)
        os.kill(it.decoders[1], signal.SIGSTOP)
        assert until(lambda: it.camera.health().state == "stale", 30)
        assert until(lambda: ("lost", "DECODER_SILENT") in it.states, 30)
        assert until(lambda: not lives(it.decoders[1]), 30)
        assert until(lambda: it.shows_pictures_of(2), 30)
        server = FORK_SERVER._process
        assert server is not None
        server.send_signal(signal.SIGKILL)
        assert until(lambda: not lives(it.decoders[2]), 30)
        assert until(lambda: it.shows_pictures_of(3), 30)
    assert until(lambda: not any(map(lives, it.decoders)), 30)


def test_an_open_network_camera_leaves_its_decoder_nothing_to_open() -> None:
    with watched() as it:
        own = Path(f"/proc/{it.decoders[0]}")
        limits = (own / "limits").read_text(encoding="ascii")
        assert [line.split()[3:5] for line in limits.splitlines() if "open files" in line] == [["0", "0"]]
        assert [line.split()[3:5] for line in limits.splitlines() if "Max file size" in line] == [["0", "0"]]
        held = {str(file.readlink()) for file in (own / "fd").iterdir()}
        assert {name.partition(":")[0] for name in held} <= {"/dev/null", "/memfd", "socket"}
        assert "CREDENTIALS_DIRECTORY" not in (own / "environ").read_text(encoding="utf-8")


ATTEMPTS = """
import json, os, socket, sys
from pathlib import Path
from drivers.camera.decoder import confinement

secret, port, other, parent = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), os.getppid()

def went(act):
    try:
        act()
    except OSError:
        return False
    return True

attempts = {
    "read": secret.read_bytes,
    "write": lambda: secret.write_bytes(b"x"),
    "make": lambda: Path(f"{secret}.new").write_bytes(b"x"),
    "delete": secret.unlink,
    "cut": lambda: os.truncate(secret, 0),
    "list": lambda: os.listdir(secret.parent),
    "kill": lambda: os.kill(parent, 0),
    "look": lambda: Path(f"/proc/{parent}/environ").read_bytes(),
    "run": lambda: os.execv("/bin/true", ["true"]),
    "other": lambda: socket.create_connection(("127.0.0.1", other), 5).close(),
    "configured": lambda: socket.create_connection(("127.0.0.1", port), 5).close(),
}
is_confined = confinement.confine("stream", f"http://127.0.0.1:{port}/table", widened=False)
before = {name for name, act in attempts.items() if went(act)}
confinement.open_no_more()
after = {name for name, act in attempts.items() if went(act)}
datagram = went(lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
print(json.dumps([is_confined, sorted(before), sorted(after), datagram]))
"""


@pytest.mark.skipif(landlock_version() < 6, reason="this kernel's Landlock knows no signals")
def test_a_decoder_reaches_the_configured_port_and_nothing_of_the_table(tmp_path: Path) -> None:
    secret = tmp_path / "table.key"
    secret.write_bytes(b"secret")
    with counting() as (configured, _), counting() as (other, asked):
        ports = [address.rpartition(":")[2] for address in (configured, other)]
        done = subprocess.run(
            [sys.executable, "-c", ATTEMPTS, str(secret), *ports],
            capture_output=True,
            check=True,
            cwd=ROOT,
            env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
        )
        assert json.loads(done.stdout) == [True, ["configured"], [], False]
        assert asked == []
    assert secret.read_bytes() == b"secret"
    assert [*tmp_path.iterdir()] == [secret]


def vp8(side: int) -> bytes:
    """A film whose header and only picture claim to be that wide and high."""
    frame = b"\x10\x00\x00\x9d\x01\x2a" + side.to_bytes(2, "little") * 2 + bytes(64)
    head = b"DKIF\0\0\x20\0VP80" + side.to_bytes(2, "little") * 2 + (30).to_bytes(4, "little")
    return (
        head
        + (1).to_bytes(4, "little")
        + b"\1\0\0\0"
        + bytes(4)
        + len(frame).to_bytes(4, "little")
        + bytes(8)
        + frame
    )


@pytest.mark.parametrize(
    ("sent", "reasons"),
    [
        (lambda _: answer("video/x-ivf") + vp8(16_383) * 50, {"TOO_LARGE", "NO_STREAM"}),
        (lambda _: answer("video/mp2t") + np.random.default_rng(17).bytes(300_000), {"NO_STREAM"}),
        (playlist, {"NO_STREAM"}),
    ],
    ids=["a bomb", "garbage", "a playlist"],
)
def test_a_hostile_stream_is_a_refused_camera(sent: Callable[[str], bytes], reasons: set[str]) -> None:
    with counting() as (other, asked):
        with (
            http_camera(lambda client: client.sendall(sent(other))) as address,
            pytest.raises(DeviceError) as refused,
        ):
            open_confined(CameraConfig("gate", address))
        assert refused.value.params["reason"] in reasons
        assert asked == []


def test_a_film_of_giant_pictures_is_refused(tmp_path: Path) -> None:
    film = tmp_path / "film.avi"
    writer = cv2.VideoWriter(str(film), cv2.VideoWriter.fourcc(*"MJPG"), 30, (8000, 5200))
    writer.write(np.zeros((5200, 8000, 3), np.uint8))
    writer.release()
    with pytest.raises(DeviceError, match="reason=TOO_LARGE"):
        open_confined(CameraConfig("film", str(film)))


def test_pictures_are_the_same_as_without_another_process(tmp_path: Path) -> None:
    (tmp_path / "0.jpg").write_bytes(PICTURES[0])
    cv2.imwrite(str(tmp_path / "1.png"), felt(1))
    (tmp_path / "2.jpg").write_bytes(PICTURES[2][:-900])
    source = open_confined(CameraConfig("folder", str(tmp_path)))
    assert isinstance(source, MakesPictures)
    try:
        first = source.grab()
        assert first == PICTURES[0]
        picture = source.picture(first)
        assert (picture.full() == cv2.imdecode(np.frombuffer(first, np.uint8), 1)).all()
        assert picture.small().shape == (90, 160, 3)
        drawn = source.grab()
        assert isinstance(drawn, np.ndarray)
        assert (drawn == cv2.imread(str(tmp_path / "1.png"))).all()
        damaged = source.grab()
        assert damaged == PICTURES[2][:-900]
        # The next one came through the same memory.
        assert (drawn == cv2.imread(str(tmp_path / "1.png"))).all()
        with pytest.raises(PictureFault, match="BROKEN"):
            source.picture(damaged)
        assert source.grab() is None
    finally:
        source.close()
    with pytest.raises(PictureFault, match="DECODER_LOST"):
        source.picture(PICTURES[0]).full()


OPENED = {
    "paced": True,
    "finite": False,
    "watched": True,
    "settings": [["size", "640x360"]],
    "confined": True,
}
HUGE = 1 << 31

LIES = {
    "no answer": b"picture",
    "a long answer": ANSWER.pack(END, 0, 0, 0, 0) + bytes(20),
    "no such outcome": ANSWER.pack(9, 0, 0, 0, 0),
    "no such fault": ANSWER.pack(JPEG, 99, 0, 0, 0),
    "giant pixels": ANSWER.pack(PIXELS, 0, 3, HUGE, HUGE),
    "more bytes than pixels": ANSWER.pack(PIXELS, 0, HUGE, 10, 10),
    "fewer bytes than pixels": ANSWER.pack(PIXELS, 0, 10, 4000, 4000),
    "a giant JPEG": ANSWER.pack(JPEG, 0, HUGE, 640, 360),
    "a JPEG of no size": ANSWER.pack(JPEG, 0, 100, 0, 0),
    "giant pixels in a JPEG": ANSWER.pack(JPEG, 0, 100, HUGE, HUGE),
}


class Liar:
    """A decoder that answers what it is told to."""

    pid = 0
    memory = np.zeros(ENCODED.stop, np.uint8)

    def __init__(self, opened: Any, lie: bytes = b"") -> None:
        self.answer = opened if isinstance(opened, bytes) else json.dumps(opened).encode()
        self.lie = lie
        self.killed = False

    def ask(self, line: Line, packet: bytes, timeout_s: float, most: int = 64) -> bytes:  # noqa: ARG002
        answer, self.answer = self.answer, self.lie
        return answer

    def kill(self) -> None:
        self.killed = True

    def close(self) -> None: ...


@pytest.mark.parametrize("lie", LIES.values(), ids=LIES)
def test_a_decoder_that_says_what_cannot_be_is_killed(lie: bytes, tmp_path: Path) -> None:
    liar = Liar(OPENED, lie)
    source = open_confined(CameraConfig("folder", str(tmp_path)), lambda: liar)
    with pytest.raises(DeviceLost) as lost:
        source.grab()
    assert lost.value.reason == "DECODER_WRONG"
    assert liar.killed
    source.close()


@pytest.mark.parametrize(
    "opened",
    [
        b"no JSON",
        b"[" * 60_000,
        b"[]",
        b'"paced"',
        {"paced": True},
        {**OPENED, "settings": 5},
        {**OPENED, "settings": [1]},
    ],
)
def test_a_decoder_that_describes_its_source_wrongly_is_killed(opened: Any, tmp_path: Path) -> None:
    liar = Liar(opened)
    with pytest.raises(DeviceError, match="reason=DECODER_WRONG"):
        open_confined(CameraConfig("folder", str(tmp_path)), lambda: liar)
    assert liar.killed


ALONE = """
import sys, time
from drivers.camera import CameraConfig, open_confined
from drivers.camera.decoder import FORK_SERVER
source = open_confined(CameraConfig("folder", sys.argv[1], loop=True))
print(source.pid, FORK_SERVER._process.pid, flush=True)
time.sleep(600)
"""


def test_nothing_is_left_of_a_program_that_was_killed(tmp_path: Path) -> None:
    (tmp_path / "0.jpg").write_bytes(PICTURES[0])
    program = subprocess.Popen([sys.executable, "-c", ALONE, str(tmp_path)], stdout=subprocess.PIPE, cwd=ROOT)
    assert program.stdout is not None
    pids = [int(pid) for pid in program.stdout.readline().split()]
    assert all(map(lives, pids))
    # Not even a decoder that hangs.
    os.kill(pids[0], signal.SIGSTOP)
    program.kill()
    program.communicate()
    assert until(lambda: not any(map(lives, pids)), 30)
