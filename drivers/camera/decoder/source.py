"""A source of pictures that is open in another process: the `Grabber` of a camera.

Every number that the decoder sends is checked before it is used. A decoder that is silent too long or sends
what cannot be is killed.
"""

import json
import os
import select
import signal
import socket
import subprocess
import sys
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, Final

from controller.domain import DeviceError
from drivers.camera.camera_pictures import BYTES_MAX, PIXELS_MAX, JpegPicture, Picture, picture_of
from drivers.camera.config import CameraConfig, Grabbed, Grabber, Image, PictureFault, without_password
from drivers.camera.decoder.messages import (
    CHANNELS,
    DECODED,
    ENCODED,
    ENVIRONMENT,
    GRABBED,
    JSON_BYTES_MAX,
    PACKET_BYTES,
    DecoderAnswer,
    DecoderOutcome,
    DecoderQuestion,
    SharedMemory,
    Slot,
    make_memory,
)
from drivers.camera.sources import kind_of, opencv
from drivers.device_driver import DeviceLost


class DecoderLost(Exception):
    """The decoder is gone. `reason`: DECODER_LOST, DECODER_SILENT or DECODER_WRONG."""

    def __init__(self, reason: str) -> None:
        """`reason` is what a device's health will say."""
        super().__init__(reason)
        self.reason = reason


class DecoderLine(ABC):
    """One of the two lines to a decoder."""

    def __init__(self) -> None:
        """Nothing was asked yet."""
        self._number = 0

    @abstractmethod
    def asked(self, packet: bytes, timeout_s: float, most: int = PACKET_BYTES) -> bytes:
        """Send a packet and wait for the answer; raises TimeoutError, and OSError where nobody is there."""

    def question(self, length: int = 0, width: int = 0, height: int = 0) -> DecoderQuestion:
        """The next question."""
        self._number += 1
        return DecoderQuestion(self._number, length, width, height)


class AskedDecoder(ABC):
    """One decoder, wherever it runs; one that is silent or sends what cannot be is killed."""

    pid = 0
    """The number of its process; 0 where it has none of its own."""

    def __init__(self, pictures: DecoderLine, decoding: DecoderLine, memory: SharedMemory) -> None:
        """It runs; nothing is open."""
        self.pictures, self.decoding, self.memory = pictures, decoding, memory
        self._ended = ""
        self._lock = threading.Lock()

    @abstractmethod
    def close(self) -> None:
        """Hang up."""

    @abstractmethod
    def _kill(self) -> None:
        """End it at once; called under the lock."""

    def open(self, job: dict[str, Any], timeout_s: float) -> dict[str, Any]:
        """Open a source; returns its description, or "reason" why not. Raises `DecoderLost`."""
        packet = self._answer(self.pictures, json.dumps(job).encode(), timeout_s, JSON_BYTES_MAX)
        try:
            answer = json.loads(packet)
        except (ValueError, RecursionError):
            answer = None
        if not isinstance(answer, dict):
            raise self.wrong()
        return answer

    def ask(self, line: DecoderLine, question: DecoderQuestion, timeout_s: float) -> DecoderAnswer:
        """Ask on one line and return the answer to this question. Raises `DecoderLost`."""
        packet = self._answer(line, question.packed(), timeout_s)
        try:
            answer = DecoderAnswer.unpacked(packet)
        except ValueError as error:
            raise self.wrong() from error
        if answer.number != question.number:
            raise self.wrong()
        return answer

    def wrong(self) -> DecoderLost:
        """Kill it, because it sent what cannot be."""
        return self._killed("DECODER_WRONG")

    def _answer(self, line: DecoderLine, packet: bytes, timeout_s: float, most: int = PACKET_BYTES) -> bytes:
        try:
            return line.asked(packet, timeout_s, most)
        except TimeoutError as error:
            raise self._killed("DECODER_SILENT") from error
        except OSError as error:
            raise self._killed("DECODER_LOST") from error

    def _killed(self, reason: str) -> DecoderLost:
        """Kill it; the first reason stays, whichever line it was seen on."""
        with self._lock:
            self._ended = self._ended or reason
            self._kill()
        return DecoderLost(self._ended)


START_S: Final = 30.0
"""A machine that is busy, and has to load everything from its disk first, takes some of it."""

CLOSE_S: Final = 0.3
"""Time to end a session with a camera in order."""

_PROGRAM: Final = """
import json, runpy, sys
sys.path[:] = json.loads(sys.argv.pop())
runpy.run_module("drivers.camera.decoder.child", run_name="__main__")
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


FORK_SERVER: Final = _ForkServer()


class _SocketLine(DecoderLine):
    """One of the two lines to a decoder."""

    def __init__(self) -> None:
        super().__init__()
        self.own, self.its = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)

    def asked(self, packet: bytes, timeout_s: float, most: int = PACKET_BYTES) -> bytes:
        """Send a packet over the socket and wait for the answer."""
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
        self._lines = _SocketLine(), _SocketLine()
        descriptor = make_memory()
        try:
            handed = [*(line.its.fileno() for line in self._lines), descriptor]
            self.pid, self._handle = FORK_SERVER.start(handed)
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


_GRACE_S: Final = 2.0
"""How much longer than a camera may be silent its decoder may be."""

_DECODE_S: Final = 5.0
"""A picture of 40 megapixels takes 0.3 s on a machine that does nothing else."""

REASONS: Final = frozenset(
    {"NOT_THERE", "EMPTY_FOLDER", "NOT_OPENED", "NO_STREAM", "TOO_LARGE", "SETTING_REFUSED"}
)
"""Why a source cannot be opened."""

_SETTINGS_MAX, _LETTERS_MAX = 16, 100


def open_confined(config: CameraConfig, start: Callable[[], AskedDecoder] = DecoderProcess) -> Grabber:
    """Open what `config.source` names in a decoder that `start` gives: one in a process of its own.

    Raises `DeviceError` DEVICE_OPEN_FAILED with `port` and `reason`: those of `open_source`, or DECODER_LOST,
    DECODER_SILENT, DECODER_WRONG.
    """
    is_path = kind_of(config.source) != "stream" and not config.source.isdigit()
    source = str(Path(config.source).absolute()) if is_path else config.source
    decoder = None
    try:
        decoder = start()
        answer = decoder.open(_job(config._replace(source=source)), START_S)
        if "reason" in answer:
            raise _refused(config, answer)
        return _ConfinedSource(decoder, answer)
    except DecoderLost as lost:
        if decoder is not None:
            decoder.close()
        raise DeviceError(
            "DEVICE_OPEN_FAILED", port=without_password(config.source), reason=lost.reason
        ) from lost
    except DeviceError:
        if decoder is not None:
            decoder.close()
        raise


def _job(config: CameraConfig) -> dict[str, Any]:
    """The job of a decoder; a packet, since every account can read a command line."""
    asked = config._replace(life=config.life)._asdict()
    del asked["life"]
    environment = {name: os.environ[name] for name in ENVIRONMENT if name in os.environ}
    return {"config": asked, "network_ms": opencv.NETWORK_MS_MAX, "environment": environment}


def _refused(config: CameraConfig, answer: dict[str, Any]) -> DeviceError:
    reason = answer["reason"] if answer["reason"] in REASONS else "NOT_OPENED"
    more = {"setting": str(answer["setting"])[:_LETTERS_MAX]} if "setting" in answer else {}
    return DeviceError("DEVICE_OPEN_FAILED", port=without_password(config.source), reason=reason, **more)


class _ConfinedSource:
    """Checks every number that the decoder says before it is used."""

    def __init__(self, decoder: AskedDecoder, answer: dict[str, Any]) -> None:
        """Take an open source as the decoder describes it; raises `DecoderLost`."""
        self.paced, self.finite, self.watched = (
            answer.get(name) is True for name in ("paced", "finite", "watched")
        )
        self.confined = answer.get("confined") is True
        self.pid = decoder.pid
        self._decoder = decoder
        self._decoding = threading.Lock()
        self._wait_s = opencv.NETWORK_MS_MAX / 1000 + _GRACE_S
        self._answer = DecoderAnswer(0, DecoderOutcome.NOTHING)
        try:
            self.settings = tuple(
                (str(name)[:_LETTERS_MAX], str(value)[:_LETTERS_MAX])
                for name, value in answer["settings"][:_SETTINGS_MAX]
            )
        except (KeyError, TypeError, ValueError) as error:
            raise decoder.wrong() from error

    def grab(self) -> Grabbed | None:
        """Return the next picture, None at the end; raises `DeviceLost` where the decoder is gone."""
        line = self._decoder.pictures
        try:
            answer = self._answer = self._decoder.ask(line, line.question(), self._wait_s)
            match answer.outcome:
                case DecoderOutcome.END:
                    return None
                case DecoderOutcome.NOTHING:
                    raise PictureFault(answer.fault or "BROKEN")
                case DecoderOutcome.PIXELS:
                    return self._pixels(GRABBED, answer)
                case DecoderOutcome.JPEG:
                    return self._jpeg(answer)
        except DecoderLost as lost:
            raise DeviceLost(lost.reason) from lost

    def picture(self, grabbed: Grabbed) -> Picture:
        """Make a picture of the last one that was grabbed."""
        if not isinstance(grabbed, bytes):
            return picture_of(grabbed)
        if self._answer.fault:
            raise PictureFault(self._answer.fault)
        size = self._answer.width, self._answer.height
        return JpegPicture(size, partial(self._decode, grabbed, size))

    def _decode(self, data: bytes, whole: tuple[int, int], size: tuple[int, int]) -> Image:
        """Decode one JPEG picture that is so large as a `whole`, at this size or the next above.

        Raises `PictureFault`: BROKEN, or why there is no decoder any more.
        """
        line, (width, height) = self._decoder.decoding, size
        with self._decoding:
            try:
                self._decoder.memory.put(ENCODED, data)
                answer = self._decoder.ask(line, line.question(len(data), width, height), _DECODE_S)
                if answer.outcome is DecoderOutcome.NOTHING:
                    raise PictureFault(answer.fault or "BROKEN")
                image = self._pixels(DECODED, answer)
            except DecoderLost as lost:
                raise PictureFault(lost.reason) from lost
        found = image.shape[:2]
        if found[0] < height or found[1] < width or (size == whole and found != (height, width)):
            raise PictureFault("BROKEN")
        return image

    def close(self) -> None:
        """Close the decoder."""
        self._decoder.close()

    def _jpeg(self, answer: DecoderAnswer) -> bytes:
        """Copy a JPEG picture out of the slot; raises `DecoderLost` for what cannot be."""
        size = answer.width * answer.height
        if answer.length > BYTES_MAX or not (answer.fault or 0 < size <= PIXELS_MAX):
            raise self._decoder.wrong()
        return self._decoder.memory.at(GRABBED, answer.length).tobytes()

    def _pixels(self, slot: Slot, answer: DecoderAnswer) -> Image:
        """Copy pixels out of a slot; raises `DecoderLost` for what cannot be."""
        pixels = answer.width * answer.height
        if (
            answer.outcome is not DecoderOutcome.PIXELS
            or not 0 < pixels <= PIXELS_MAX
            or answer.length != pixels * CHANNELS
        ):
            raise self._decoder.wrong()
        image = self._decoder.memory.at(slot, answer.length).copy()
        return image.reshape(answer.height, answer.width, CHANNELS)
