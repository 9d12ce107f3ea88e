"""The calls that a decoder's process is refused, tried in a real process and on both machines' programs."""

import json
import os
import struct
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from drivers.camera.confinement import program_of

ROOT: Final = Path(__file__).parents[3]

ATTEMPTS: Final = """
import ctypes, json, os, socket, subprocess, sys, threading
from pathlib import Path
from drivers.camera.decoder import confinement

mine, kind, source = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
held, _ = socket.socketpair()

def went(act):
    try:
        act()
    except OSError:
        return False
    return True

def forked():
    if not os.fork():
        os._exit(0)

opened = os.open(mine, os.O_RDONLY)
attempts = {
    "mode": lambda: mine.chmod(0o666),
    "mode of an open file": lambda: os.fchmod(opened, 0o666),
    "owner": lambda: os.chown(mine, 1, 1),
    "times": lambda: os.utime(mine, (1, 1)),
    "attribute": lambda: os.setxattr(mine, "user.x", b"x"),
    "unix socket": lambda: socket.socket(socket.AF_UNIX),
    "pair": socket.socketpair,
    "datagram": lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM),
    "tcp": lambda: socket.socket(socket.AF_INET, socket.SOCK_STREAM),
    "fork": forked,
    "spawn": lambda: os.posix_spawn("/bin/true", ["true"], {}),
    "program": lambda: subprocess.run(["/bin/true"]),
}
is_confined = confinement.confine(kind, source, widened=False)
before = sorted(name for name, act in attempts.items() if went(act))
confinement.open_no_more()
after = sorted(name for name, act in attempts.items() if went(act))
thread = threading.Thread(target=held.send, args=(b"x",))
thread.start()
thread.join()
print(json.dumps([is_confined, before, after]))
"""


@pytest.mark.parametrize(
    ("kind", "source", "left"),
    [
        ("stream", "http://127.0.0.1:81/table", ["tcp"]),
        ("stream", "http://camera.example/table", ["datagram", "tcp"]),
        ("stream", "rtsp://127.0.0.1/table", ["datagram", "tcp"]),
        ("file", "table.mkv", []),
        ("device", "/dev/video0", []),
    ],
)
def test_a_decoder_changes_no_rights_starts_nothing_and_opens_only_what_its_source_needs(
    tmp_path: Path, kind: str, source: str, left: list[str]
) -> None:
    mine = tmp_path / "table.key"
    mine.write_bytes(b"secret")
    mine.chmod(0o600)
    before = mine.stat()
    done = subprocess.run(
        [sys.executable, "-c", ATTEMPTS, str(mine), kind, source],
        capture_output=True,
        check=True,
        cwd=ROOT,
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
    )
    _, found, after = json.loads(done.stdout)
    assert (found, after) == (left, [])
    assert mine.stat()[:7] == before[:7]
    assert mine.stat().st_mtime_ns == before.st_mtime_ns


def outcome(program: bytes, architecture: int, number: int, *arguments: int) -> int:
    """What the kernel answers: the program of a filter, run on the record of one call."""
    data = struct.pack("<IIQ6Q", number, architecture, 0, *arguments, *[0] * (6 - len(arguments)))
    at, held = 0, 0
    while True:
        operation, holds, fails, operand = struct.unpack_from("<HBBI", program, 8 * at)
        at += 1
        match operation:
            case 0x20:
                (held,) = struct.unpack_from("<I", data, operand)
            case 0x54:
                held &= operand
            case 0x15:
                at += holds if held == operand else fails
            case 0x35:
                at += holds if held >= operand else fails
            case 0x45:
                at += holds if held & operand else fails
            case _:
                return int(operand)


ALLOWED, REFUSED, NO_SUCH_CALL, KILLED = 0x7FFF0000, 0x50001, 0x50026, 0x80000000


@pytest.mark.parametrize(
    ("machine", "architecture", "calls"),
    [
        (
            "x86_64",
            0xC000003E,
            {"read": 0, "clone": 56, "socket": 41, "connect": 42, "execve": 59, "fchmodat": 268},
        ),
        (
            "aarch64",
            0xC00000B7,
            {"read": 63, "clone": 220, "socket": 198, "connect": 203, "execve": 221, "fchmodat": 53},
        ),
    ],
)
def test_the_filter_of_each_machine_answers_its_own_calls(
    machine: str, architecture: int, calls: dict[str, int]
) -> None:
    none, tcp, udp = (
        program_of(machine, tcp=tcp, udp=udp) for tcp, udp in ((False, False), (True, False), (True, True))
    )
    for program in (none, tcp, udp):
        assert outcome(program, architecture, calls["read"]) == ALLOWED
        assert outcome(program, 0x40000003, calls["read"]) == KILLED, "another architecture's calls"
        assert outcome(program, architecture, calls["execve"]) == REFUSED
        assert outcome(program, architecture, calls["fchmodat"]) == REFUSED
        assert outcome(program, architecture, 435) == NO_SUCH_CALL, "clone3"
        assert outcome(program, architecture, calls["clone"], 0x3D0F00) == ALLOWED, "a thread"
        assert outcome(program, architecture, calls["clone"], 0x1200011) == REFUSED, "a process"
        assert outcome(program, architecture, calls["socket"], 1, 1) == REFUSED, "unix"
    assert outcome(none, architecture, calls["socket"], 2, 1) == REFUSED
    assert outcome(none, architecture, calls["connect"]) == REFUSED
    assert outcome(tcp, architecture, calls["socket"], 2, 1 | 0o2000000) == ALLOWED
    assert outcome(tcp, architecture, calls["socket"], 10, 1) == ALLOWED
    assert outcome(tcp, architecture, calls["socket"], 2, 2) == REFUSED
    assert outcome(tcp, architecture, calls["socket"], 2, 3) == REFUSED, "raw"
    assert outcome(udp, architecture, calls["socket"], 10, 2) == ALLOWED
    assert outcome(tcp, architecture, calls["connect"]) == ALLOWED
