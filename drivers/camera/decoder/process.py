"""A decoder in a process of its own: started, waited for no longer than it may take, and killed."""

import json
import os
import select
import signal
import socket
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path
from typing import Final

from drivers.camera.decoder.asked_decoder import AskedDecoder, DecoderLine, DecoderLost
from drivers.camera.decoder.pipe_messages import PACKET_BYTES
from drivers.camera.decoder.shared_memory import SharedMemory, make_memory

START_S: Final = 30.0
"""A machine that is busy, and has to load everything from its disk first, takes some of it."""

CLOSE_S: Final = 0.3
"""Time to end a session with a camera in order."""

_PROGRAM: Final = """
import json, runpy, sys
sys.path[:] = json.loads(sys.argv.pop())
runpy.run_module("drivers.camera.decoder.fork_server", run_name="__main__")
"""

_SECRETS: Final = ("CREDENTIALS_DIRECTORY", "NOTIFY_SOCKET", "WATCHDOG_PID", "WATCHDOG_USEC")
"""What the service manager tells the table alone."""

_SINGLE: Final = {
    # Landlock confines the thread that asks for it: there must be no other one yet.
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
}
_PATIENCE: Final = {"OPENCV_VIDEOIO_V4L_SELECT_TIMEOUT": "5"}
"""Seconds after which a device without a picture is given up: before its decoder counts as hanging."""


class _ForkServer:
    """The one process that starts decoders: begun with the first of them, and again when it is gone."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None

    def start(self, handed: list[int]) -> tuple[int, int]:
        """Start a decoder with these descriptors: its number, and its pidfd; raises `DecoderLost`."""
        with self._lock:
            for _ in range(2):
                with suppress(OSError, ValueError):
                    return self._asked(handed)
                self._stop()
        raise DecoderLost("DECODER_LOST")

    def _asked(self, handed: list[int]) -> tuple[int, int]:
        control = self._control or self._launched()
        socket.send_fds(control, [b"+"], handed)
        number, handles, _, _ = socket.recv_fds(control, PACKET_BYTES, 1)
        if len(handles) != 1:
            raise OSError("it has ended already")
        return int(number), handles[0]

    def _launched(self) -> socket.socket:
        own, its = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        own.settimeout(START_S)
        environment = {name: value for name, value in os.environ.items() if name not in _SECRETS}
        with its:
            # -I: what this process may import is what it is given, and not what lies in its folder.
            command = [sys.executable, "-I", "-c", _PROGRAM, str(its.fileno())]
            self._process = subprocess.Popen(
                [*command, json.dumps([path or str(Path.cwd()) for path in sys.path])],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=(its.fileno(),),
                start_new_session=True,
                env=_PATIENCE | environment | _SINGLE,
            )
        self._control = own
        return own

    def _stop(self) -> None:
        if self._control is not None:
            self._control.close()
            self._control = None
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None


_FORK_SERVER: Final = _ForkServer()


class _Line(DecoderLine):
    """One of the two lines to a decoder."""

    def __init__(self) -> None:
        super().__init__()
        self.own, self.its = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)

    def asked(self, packet: bytes, timeout_s: float, most: int = PACKET_BYTES) -> bytes:
        """See `DecoderLine.asked`."""
        self.own.settimeout(timeout_s)
        self.own.send(packet)
        answer = self.own.recv(most)
        if not answer:
            raise ConnectionResetError("it has hung up")
        return answer


class DecoderProcess(AskedDecoder):
    """One decoder. The two lines may be used by two threads, each line by one at a time."""

    def __init__(self) -> None:
        """Start it; raises `DecoderLost`."""
        self._lines = _Line(), _Line()
        descriptor = make_memory()
        try:
            handed = [*(line.its.fileno() for line in self._lines), descriptor]
            self.pid, self._handle = _FORK_SERVER.start(handed)
        except DecoderLost:
            os.close(descriptor)
            raise
        finally:
            for line in self._lines:
                line.its.close()
        super().__init__(*self._lines, SharedMemory(descriptor))

    def close(self) -> None:
        """Hang up, and kill it when it has not ended soon."""
        for line in self._lines:
            with suppress(OSError):
                line.own.shutdown(socket.SHUT_RDWR)
        with self._lock:
            if self._handle >= 0:
                if not select.select([self._handle], [], [], CLOSE_S)[0]:
                    self._kill()
                os.close(self._handle)
                self._handle = -1
        for line in self._lines:
            line.own.close()

    def _kill(self) -> None:
        if self._handle >= 0:
            with suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._handle, signal.SIGKILL)
