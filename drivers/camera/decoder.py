"""A source of pictures that is open in another process, where bytes from outside are decoded.

`open_confined` gives a camera its `Grabber`. A decoder reads all that a camera, a network or a file has made:
answers, streams, packets, JPEG. It is forked from a server that has loaded Python and OpenCV and nothing of
the table: loading them takes a third of a second of processor time, and a lost camera is tried again and
again.

There are two lines to a decoder, each with one question and one answer at a time. Pictures are grabbed on one
and JPEG is decoded on the other, so that a reader of pictures does not wait for the next one. Pixels lie in
three slots of shared memory. Every number that the decoder sends is checked before it is used, and the bytes
of a slot, which may change at any time, are copied before they are looked at. A decoder that is silent too
long or sends what cannot be is killed.
"""

import fcntl
import json
import mmap
import os
import select
import signal
import socket
import struct
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, Final, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from controller.domain import DeviceError
from drivers.camera import confinement, sources
from drivers.camera.pictures import (
    BYTES_MAX,
    PIXELS_MAX,
    CameraConfig,
    Grabbed,
    Grabber,
    HasSettings,
    Image,
    JpegPicture,
    Picture,
    PictureFault,
    checked_size,
    decode_jpeg,
    picture_of,
    without_password,
)
from drivers.device_driver import DeviceLost

FAULTS: Final = ("", "BROKEN", "TOO_LARGE", "SETTING_DRIFTED")
"""The faults of a picture that a source or its decoder can tell, by their number in an answer."""

JPEG, PIXELS, NOTHING, END = range(4)
"""What came of a question."""

_QUESTION: Final = struct.Struct("<III")
"""Bytes of the JPEG picture to decode, least width and height. Grabbing needs no such numbers."""

ANSWER: Final = struct.Struct("<BBIII")
"""What came of it, the fault, bytes in the slot, width, height. A damaged JPEG has its bytes and no size."""

PACKET_BYTES: Final = 64
"""More than any record has: a longer packet is not one of ours, and shows by its length."""

_JSON_BYTES_MAX: Final = 1 << 16
"""Longest question or answer about what to open."""

_CHANNELS: Final = 3
_SLOT_BYTES: Final = PIXELS_MAX * _CHANNELS
_GRABBED: Final = slice(0, _SLOT_BYTES)
"""What the source gave last: JPEG or pixels. Only the decoder writes here."""

_DECODED: Final = slice(_SLOT_BYTES, 2 * _SLOT_BYTES)
"""Pixels of the JPEG picture that was asked for. Only the decoder writes here."""

ENCODED: Final = slice(2 * _SLOT_BYTES, 2 * _SLOT_BYTES + BYTES_MAX)
"""The JPEG picture to decode. The table's process writes here."""

_ENVIRONMENT: Final = ("SSL_CERT_FILE", "SSL_CERT_DIR")
"""What a source takes from the environment at the moment when it is opened."""

_START_S: Final = 30.0
"""A machine that is busy, and has to load everything from its disk first, takes some of it."""

_GRACE_S: Final = 2.0
"""How much longer than a camera may be silent its decoder may be."""

_DECODE_S: Final = 5.0
"""A picture of 40 megapixels takes 0.3 s on a machine that does nothing else."""

_CLOSE_S: Final = 0.3
"""Time to end a session with a camera in order."""

_REASONS: Final = {"NOT_THERE", "EMPTY_FOLDER", "NOT_OPENED", "NO_STREAM", "TOO_LARGE", "SETTING_REFUSED"}
"""Why a source cannot be opened."""

_SETTINGS_MAX, _LETTERS_MAX = 16, 100

Memory = NDArray[np.uint8]
Line = Literal["pictures", "decoding"]


class Decoder(Protocol):
    """One decoder. Its lines may be used by two threads, each line by one at a time."""

    pid: int
    """The number of its process."""

    memory: Memory

    def ask(self, line: Line, packet: bytes, timeout_s: float, most: int = PACKET_BYTES) -> bytes:
        """Send a packet, return the answer; raises TimeoutError, and OSError where the decoder is gone."""
        ...

    def kill(self) -> None:
        """End it at once."""
        ...

    def close(self) -> None:
        """Hang up."""
        ...


def open_confined(config: CameraConfig, start: "Callable[[], Decoder] | None" = None) -> Grabber:
    """Open what `config.source` names in a decoder that `start` gives: one in a process of its own.

    Raises `DeviceError` DEVICE_OPEN_FAILED with `port` and `reason`: those of `open_source`, or DECODER_LOST,
    DECODER_SILENT, DECODER_WRONG.
    """
    is_path = sources.kind_of(config.source) != "stream" and not config.source.isdigit()
    source = str(Path(config.source).absolute()) if is_path else config.source
    try:
        decoder = DecoderProcess() if start is None else start()
        opened = _ConfinedSource(decoder)
        try:
            refused = opened.open(config._replace(source=source))
        except DeviceLost:
            decoder.close()
            raise
    except DeviceLost as lost:
        refused = {"reason": lost.reason}
    if refused:
        raise DeviceError("DEVICE_OPEN_FAILED", port=without_password(config.source), **refused)
    return opened


class _ConfinedSource:
    """An open source, as its decoder describes it."""

    paced = finite = watched = confined = False
    settings: tuple[tuple[str, str], ...] = ()

    def __init__(self, decoder: Decoder) -> None:
        self.pid = decoder.pid
        self._decoder = decoder
        self._ended = ""
        self._last = (0, 0), ""
        self._decoding = threading.Lock()

    def open(self, config: CameraConfig) -> dict[str, str]:
        """Open it; returns why it cannot be opened, else nothing. Raises `DeviceLost`."""
        asked = config._asdict()
        del asked["life"]
        job = {
            "config": asked,
            "network_ms": sources.NETWORK_MS_MAX,
            "environment": {name: os.environ[name] for name in _ENVIRONMENT if name in os.environ},
        }
        # A packet, since every account can read a command line.
        packet = self._ask("pictures", json.dumps(job).encode(), _START_S, _JSON_BYTES_MAX)
        try:
            told = json.loads(packet)
            if "reason" in told:
                self._decoder.close()
                reason = told["reason"] if told["reason"] in _REASONS else "NOT_OPENED"
                setting = {"setting": str(told["setting"])[:_LETTERS_MAX]} if "setting" in told else {}
                return {"reason": reason, **setting}
            self.settings = tuple(
                (str(name)[:_LETTERS_MAX], str(value)[:_LETTERS_MAX])
                for name, value in told["settings"][:_SETTINGS_MAX]
            )
            self.paced, self.finite, self.watched, self.confined = (
                told.get(name) is True for name in ("paced", "finite", "watched", "confined")
            )
        except (AttributeError, KeyError, RecursionError, TypeError, ValueError) as error:
            raise self._killed("DECODER_WRONG") from error
        return {}

    def grab(self) -> Grabbed | None:
        """Return the next picture, None at the end; raises `DeviceLost` where the decoder is gone."""
        packet = self._ask("pictures", b"+", sources.NETWORK_MS_MAX / 1000 + _GRACE_S)
        outcome, fault, length, width, height = self._numbers(packet)
        self._last = (width, height), fault
        if outcome == END:
            return None
        if outcome == NOTHING:
            raise PictureFault(fault or "BROKEN")
        if outcome == PIXELS:
            return self._pixels(_GRABBED, length, width, height)
        if length > BYTES_MAX or not (fault or 0 < width * height <= PIXELS_MAX):
            raise self._killed("DECODER_WRONG")
        return self._decoder.memory[_GRABBED][:length].tobytes()

    def picture(self, grabbed: Grabbed) -> Picture:
        """Make a picture of the last one that was grabbed."""
        if not isinstance(grabbed, bytes):
            return picture_of(grabbed)
        size, fault = self._last
        if fault:
            raise PictureFault(fault)
        return JpegPicture(size, partial(self._decode, grabbed, size))

    def close(self) -> None:
        """Close the decoder."""
        self._decoder.close()

    def _decode(self, data: bytes, whole: tuple[int, int], size: tuple[int, int]) -> Image:
        """Decode a JPEG picture of size `whole`, at this size or the next above.

        Raises `PictureFault`: BROKEN, or why there is no decoder any more.
        """
        with self._decoding:
            try:
                self._decoder.memory[ENCODED][: len(data)] = np.frombuffer(data, np.uint8)
                answer = self._ask("decoding", _QUESTION.pack(len(data), *size), _DECODE_S)
                outcome, fault, length, width, height = self._numbers(answer)
                if outcome == NOTHING:
                    raise PictureFault(fault or "BROKEN")
                if outcome != PIXELS:
                    raise self._killed("DECODER_WRONG")
                image = self._pixels(_DECODED, length, width, height)
            except DeviceLost as lost:
                raise PictureFault(lost.reason) from lost
        if width < size[0] or height < size[1] or (size == whole and (width, height) != whole):
            raise PictureFault("BROKEN")
        return image

    def _numbers(self, packet: bytes) -> tuple[int, str, int, int, int]:
        """Check an answer's form; raises `DeviceLost`."""
        if len(packet) == ANSWER.size:
            outcome, fault, *numbers = ANSWER.unpack(packet)
            if outcome <= END and fault < len(FAULTS):
                length, width, height = numbers
                return outcome, FAULTS[fault], length, width, height
        raise self._killed("DECODER_WRONG")

    def _pixels(self, slot: slice, length: int, width: int, height: int) -> Image:
        """Copy pixels out of a slot; raises `DeviceLost` for what cannot be."""
        if not 0 < width * height <= PIXELS_MAX or length != width * height * _CHANNELS:
            raise self._killed("DECODER_WRONG")
        return self._decoder.memory[slot][:length].copy().reshape(height, width, _CHANNELS)

    def _ask(self, line: Line, packet: bytes, timeout_s: float, most: int = PACKET_BYTES) -> bytes:
        try:
            return self._decoder.ask(line, packet, timeout_s, most)
        except TimeoutError as error:
            raise self._killed("DECODER_SILENT") from error
        except OSError as error:
            raise self._killed("DECODER_LOST") from error

    def _killed(self, reason: str) -> DeviceLost:
        """Kill it; the first reason stays, whichever line it was seen on."""
        self._ended = self._ended or reason
        self._decoder.kill()
        return DeviceLost(self._ended)


class DecoderProcess:
    """A decoder in a process of its own."""

    def __init__(self) -> None:
        """Start it; raises `DeviceLost`."""
        own, its = zip(*(socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET) for _ in "12"), strict=True)
        self._lines: dict[Line, socket.socket] = {"pictures": own[0], "decoding": own[1]}
        memory = os.memfd_create("stand17 pictures", os.MFD_ALLOW_SEALING | os.MFD_CLOEXEC)
        try:
            # Pages take room only once something was written there. Neither side can shrink it: reading what
            # the other side has cut off would end the process.
            os.ftruncate(memory, ENCODED.stop)
            seals = fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SEAL
            fcntl.fcntl(memory, fcntl.F_ADD_SEALS, seals)
            self.pid, self._handle = FORK_SERVER.start([*(line.fileno() for line in its), memory])
            self.memory = mapped(memory)
        finally:
            os.close(memory)
            for line in its:
                line.close()
        self._lock = threading.Lock()

    def ask(self, line: Line, packet: bytes, timeout_s: float, most: int = PACKET_BYTES) -> bytes:
        """Send a packet over the socket and wait for the answer."""
        wire = self._lines[line]
        wire.settimeout(timeout_s)
        wire.send(packet)
        answer = wire.recv(most)
        if not answer:
            raise ConnectionResetError("it has hung up")
        return answer

    def kill(self) -> None:
        """End the process at once."""
        with self._lock:
            self._kill()

    def close(self) -> None:
        """Hang up, and kill it when it has not ended soon."""
        for line in self._lines.values():
            with suppress(OSError):
                line.shutdown(socket.SHUT_RDWR)
        with self._lock:
            if self._handle >= 0:
                if not select.select([self._handle], [], [], _CLOSE_S)[0]:
                    self._kill()
                os.close(self._handle)
                self._handle = -1
        for line in self._lines.values():
            line.close()

    def _kill(self) -> None:
        if self._handle >= 0:
            with suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._handle, signal.SIGKILL)


def mapped(memory: int) -> Memory:
    """One side's view of the memory of a descriptor."""
    return np.frombuffer(mmap.mmap(memory, ENCODED.stop), np.uint8)


class _ForkServer:
    """The one process that starts decoders: begun with the first of them, and again when it is gone."""

    _PROGRAM: Final = """
import json, sys
sys.path[:] = json.loads(sys.argv[2])
from drivers.camera.decoder import serve
serve(int(sys.argv[1]))
"""

    _SECRETS: Final = {"CREDENTIALS_DIRECTORY", "NOTIFY_SOCKET", "WATCHDOG_PID", "WATCHDOG_USEC"}
    """What the service manager tells the table alone."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None

    def start(self, handed: list[int]) -> tuple[int, int]:
        """Start a decoder with these descriptors: its number, and its pidfd; raises `DeviceLost`."""
        with self._lock:
            for _ in range(2):
                with suppress(OSError, ValueError):
                    control = self._control or self._launched()
                    socket.send_fds(control, [b"+"], handed)
                    number, handles, _, _ = socket.recv_fds(control, PACKET_BYTES, 1)
                    if handles:
                        return int(number), handles[0]
                self._stop()
        raise DeviceLost("DECODER_LOST")

    def _launched(self) -> socket.socket:
        own, its = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        own.settimeout(_START_S)
        environment = {name: value for name, value in os.environ.items() if name not in self._SECRETS}
        # A device without a picture is given up after 5 s: before its decoder counts as hanging.
        patience = {"OPENCV_VIDEOIO_V4L_SELECT_TIMEOUT": "5"}
        # Landlock confines the thread that asks for it: there must be no other one yet.
        single = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
        path = json.dumps([path or str(Path.cwd()) for path in sys.path])
        with its:
            self._process = subprocess.Popen(
                # -I: what this process may import is what it is given, and not what lies in its folder.
                [sys.executable, "-I", "-c", self._PROGRAM, str(its.fileno()), path],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=(its.fileno(),),
                start_new_session=True,
                env=patience | environment | single,
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


def serve(control_handle: int) -> None:
    """Start a decoder for each message with its descriptors; ends when the table's process hangs up."""
    control, own = socket.socket(fileno=control_handle), os.getpid()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    for number in (signal.SIGINT, signal.SIGTERM):
        # Ctrl-C is for the table, which then closes its cameras in order.
        signal.signal(number, signal.SIG_IGN)
    while True:
        message, handed, _, _ = socket.recv_fds(control, 1, 3)
        if not message:
            return
        pid = os.fork()
        if not pid:
            control.close()
            try:
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                _run(own, *handed)
            finally:
                os._exit(0)
        # A pidfd to kill it by: its process number could be another one's by then.
        try:
            handle = os.pidfd_open(pid)
        except ProcessLookupError:
            control.send(b"0")
        else:
            socket.send_fds(control, [str(pid).encode()], [handle])
            os.close(handle)
        for descriptor in handed:
            os.close(descriptor)


def _run(parent: int, pictures: int, decoding: int, handle: int) -> None:
    """Serve one source until the other side hangs up. `parent` is the process that started this one."""
    confinement.die_with(parent)
    line, memory = socket.socket(fileno=pictures), mapped(handle)
    os.close(handle)
    try:
        grabber, is_confined = _opened(json.loads(line.recv(_JSON_BYTES_MAX)))
    except DeviceError as error:
        refused = {name: str(error.params[name]) for name in ("reason", "setting") if name in error.params}
        line.send(json.dumps(refused).encode())
        return
    line.send(description(grabber, is_confined=is_confined))

    def decode_all() -> None:
        wire = socket.socket(fileno=decoding)
        while packet := wire.recv(PACKET_BYTES):
            wire.send(decoded(packet, memory))

    threading.Thread(target=decode_all, daemon=True).start()
    while line.recv(PACKET_BYTES):
        confinement.grant_time()
        line.send(grabbed(grabber, memory))
    grabber.close()


def _opened(job: dict[str, Any]) -> tuple[Grabber, bool]:
    """Open the source of a job, confined as far as this machine can; raises `DeviceError`."""
    config = CameraConfig(**job["config"])
    sources.NETWORK_MS_MAX = job["network_ms"]  # type: ignore[misc]  # the table's process says how patient it is
    for name in _ENVIRONMENT:
        os.environ.pop(name, None)
    os.environ |= job["environment"]
    kind = sources.kind_of(config.source)
    is_confined = confinement.confine(kind, config.source, widened=sources.is_widened(os.environ))
    grabber = sources.open_source(config)
    # These read on without another file or socket.
    if kind == "device" or (kind == "stream" and sources.is_fetched(config.source)):
        confinement.open_no_more()
    return grabber, is_confined


def description(grabber: Grabber, *, is_confined: bool) -> bytes:
    """What the table's process is told of an open source."""
    told = {name: getattr(grabber, name) for name in ("paced", "finite", "watched")}
    settings = grabber.settings if isinstance(grabber, HasSettings) else ()
    return json.dumps({**told, "settings": settings, "confined": is_confined}).encode()


def grabbed(grabber: Grabber, memory: Memory) -> bytes:
    """Answer a question on the line of pictures: the next one lies in its slot."""
    try:
        found = grabber.grab()
        if found is None:
            return ANSWER.pack(END, 0, 0, 0, 0)
        if not isinstance(found, bytes):
            return _laid(found, memory[_GRABBED])
        if len(found) > BYTES_MAX:
            raise PictureFault("TOO_LARGE")
    except PictureFault as fault:
        return ANSWER.pack(NOTHING, FAULTS.index(fault.code), 0, 0, 0)
    memory[_GRABBED][: len(found)] = np.frombuffer(found, np.uint8)
    try:
        return ANSWER.pack(JPEG, 0, len(found), *checked_size(found))
    except PictureFault as fault:
        return ANSWER.pack(JPEG, FAULTS.index(fault.code), len(found), 0, 0)


def decoded(packet: bytes, memory: Memory) -> bytes:
    """Answer a question on the line of decoding: the pixels lie in their slot."""
    length, width, height = _QUESTION.unpack(packet)
    try:
        data, slot = memory[ENCODED][:length].tobytes(), memory[_DECODED]
        return _laid(decode_jpeg(data, (width, height), into=slot), slot)
    except PictureFault as fault:
        return ANSWER.pack(NOTHING, FAULTS.index(fault.code), 0, 0, 0)


def _laid(image: Image, slot: Memory) -> bytes:
    """Lay pixels into a slot; raises `PictureFault` TOO_LARGE."""
    height, width = image.shape[:2]
    if height * width > PIXELS_MAX or image.shape[2:] != (_CHANNELS,):
        raise PictureFault("TOO_LARGE")
    if not np.shares_memory(slot, image):
        slot[: image.size].reshape(image.shape)[:] = image
    return ANSWER.pack(PIXELS, 0, image.size, width, height)
