"""The processes that decode: a server that starts them, and what runs in each.

Loading Python and OpenCV takes a third of a second of processor time, and a lost camera is tried again and
again. The server has loaded all that a decoder needs and reads nothing from outside; its copy is ready in
some milliseconds. A decoder opens one source and hands each picture out through the shared memory. Everything
that a camera, a network or a file has made is read there and nowhere else: answers, streams, packets, JPEG.
"""

import json
import os
import signal
import socket
import sys
import threading
from typing import Any

import numpy as np

from controller.domain import DeviceError
from drivers.camera.camera_pictures import BYTES_MAX, PIXELS_MAX, checked_size, decode_jpeg
from drivers.camera.config import CameraConfig, Grabbed, Grabber, HasSettings, Image, PictureFault
from drivers.camera.decoder import confinement
from drivers.camera.decoder.messages import (
    CHANNELS,
    DECODED,
    ENCODED,
    ENVIRONMENT,
    FAULTS,
    GRABBED,
    JSON_BYTES_MAX,
    PACKET_BYTES,
    DecoderAnswer,
    DecoderOutcome,
    DecoderQuestion,
    SharedMemory,
    Slot,
)
from drivers.camera.sources import SourceKind, kind_of, open_source, opencv
from drivers.camera.sources.opencv import is_widened


def run(parent: int, pictures: int, decoding: int, memory: int) -> None:
    """Serve until the other side hangs up. `parent` is the process that started this one.

    `pictures` and `decoding` are descriptors of the two lines, `memory` of what `make_memory` has made.
    """
    confinement.die_with(parent)
    for number in (signal.SIGINT, signal.SIGTERM):
        # Ctrl-C is for the table, which then closes its cameras in order.
        signal.signal(number, signal.SIG_IGN)
    line, shared = socket.socket(fileno=pictures), SharedMemory(memory)
    job = json.loads(line.recv(JSON_BYTES_MAX))
    grabber = _open(job, line)
    if grabber is None:
        return
    decoder = threading.Thread(target=_decode_all, args=(socket.socket(fileno=decoding), shared), daemon=True)
    decoder.start()
    _grab_all(grabber, line, shared)
    grabber.close()


def _open(job: dict[str, Any], line: socket.socket) -> Grabber | None:
    """Open the source of a job and report it; None where it cannot be opened."""
    config = CameraConfig(**job["config"])
    opencv.NETWORK_MS_MAX = job["network_ms"]  # type: ignore[misc]  # the table's process says how patient it is
    for name in ENVIRONMENT:
        os.environ.pop(name, None)
    os.environ |= job["environment"]
    try:
        kind = kind_of(config.source)
        is_confined = confinement.confine(kind, config.source, widened=is_widened(os.environ))
        grabber = open_source(config)
    except DeviceError as error:
        refused = {name: str(error.params[name]) for name in ("reason", "setting") if name in error.params}
        line.send(json.dumps(refused).encode())
        return None
    if _needs_no_more(kind, config.source):
        confinement.open_no_more()
    line.send(json.dumps(description(grabber, is_confined=is_confined)).encode())
    return grabber


def _needs_no_more(kind: SourceKind, source: str) -> bool:
    """Whether the open source reads on without another file or socket."""
    return kind == "device" or (kind == "stream" and opencv.is_fetched(source))


def description(grabber: Grabber, *, is_confined: bool) -> dict[str, Any]:
    """What the table's process is told of an open source."""
    return {
        "paced": grabber.paced,
        "finite": grabber.finite,
        "watched": grabber.watched,
        "settings": grabber.settings if isinstance(grabber, HasSettings) else (),
        "confined": is_confined,
    }


def _grab_all(grabber: Grabber, line: socket.socket, shared: SharedMemory) -> None:
    while packet := line.recv(PACKET_BYTES):
        confinement.grant_time()
        line.send(grabbed(packet, grabber, shared))


def grabbed(packet: bytes, grabber: Grabber, shared: SharedMemory) -> bytes:
    """Answer a question on the line of pictures: the next one lies in its slot."""
    number = DecoderQuestion.unpacked(packet).number
    try:
        found = grabber.grab()
        ended = DecoderAnswer(number, DecoderOutcome.END)
        return (ended if found is None else _handed_over(found, number, shared)).packed()
    except PictureFault as fault:
        return DecoderAnswer(number, DecoderOutcome.NOTHING, fault.code).packed()


def _handed_over(found: Grabbed, number: int, shared: SharedMemory) -> DecoderAnswer:
    """Lay a picture into its slot; raises `PictureFault` TOO_LARGE."""
    if not isinstance(found, bytes):
        return _laid(found, number, shared, GRABBED)
    if len(found) > BYTES_MAX:
        raise PictureFault("TOO_LARGE")
    shared.put(GRABBED, found)
    try:
        width, height = checked_size(found)
    except PictureFault as fault:
        return DecoderAnswer(number, DecoderOutcome.JPEG, fault.code, len(found))
    return DecoderAnswer(number, DecoderOutcome.JPEG, "", len(found), width, height)


def _laid(image: Image, number: int, shared: SharedMemory, slot: Slot) -> DecoderAnswer:
    """Lay pixels into a slot; raises `PictureFault` TOO_LARGE."""
    height, width = image.shape[:2]
    if height * width > PIXELS_MAX or image.shape[2:] != (CHANNELS,):
        raise PictureFault("TOO_LARGE")
    place = shared.at(slot, image.size)
    if not np.shares_memory(place, image):
        place.reshape(image.shape)[:] = image
    return DecoderAnswer(number, DecoderOutcome.PIXELS, "", image.size, width, height)


def _decode_all(line: socket.socket, shared: SharedMemory) -> None:
    """Decode what is asked for; returns when the other side has hung up."""
    while packet := line.recv(PACKET_BYTES):
        line.send(decoded(packet, shared))


def decoded(packet: bytes, shared: SharedMemory) -> bytes:
    """Answer a question on the line of decoding: the pixels lie in their slot."""
    number, length, width, height = DecoderQuestion.unpacked(packet)
    try:
        data = shared.at(ENCODED, length).tobytes()
        image = decode_jpeg(data, (width, height), into=shared.at(DECODED, DECODED.size))
        return _laid(image, number, shared, DECODED).packed()
    except PictureFault as fault:
        known = fault.code if fault.code in FAULTS else "BROKEN"
        return DecoderAnswer(number, DecoderOutcome.NOTHING, known).packed()


_HANDED: int = 3
"""Descriptors of each decoder: the two lines and the memory."""


def serve(control: socket.socket) -> None:
    """Start a decoder for each message with its descriptors; ends when the table's process hangs up."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    while True:
        message, handed, _, _ = socket.recv_fds(control, 1, _HANDED)
        if not message:
            return
        pid = _start(handed, control)
        _answer(pid, control)
        for descriptor in handed:
            os.close(descriptor)


def _start(handed: list[int], control: socket.socket) -> int:
    """Fork; the copy serves one source and ends."""
    own = os.getpid()
    pid = os.fork()
    if pid:
        return pid
    control.close()
    try:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        run(own, *handed)
    finally:
        os._exit(0)


def _answer(pid: int, control: socket.socket) -> None:
    """Send the decoder's pidfd, to kill it by: its process number could be another one's by then."""
    number = str(pid).encode()
    try:
        handle = os.pidfd_open(pid)
    except ProcessLookupError:
        control.send(number)
        return
    socket.send_fds(control, [number], [handle])
    os.close(handle)


if __name__ == "__main__":
    serve(socket.socket(fileno=int(sys.argv[1])))
