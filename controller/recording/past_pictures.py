"""What cameras showed at a moment: the folder of a table's recordings in, one picture a camera out.

Segments have no index, and most of them is pictures: a search steps from head to head over what it does not
want, and touches some bytes of each message only. The segment that is being written is read like the others.
"""

import struct
from collections.abc import Iterator, Sequence
from io import BytesIO
from math import inf
from pathlib import Path
from typing import IO, Final, NamedTuple

from mcap.data_stream import ReadDataStream
from mcap.exceptions import McapError
from mcap.opcode import Opcode
from mcap.records import Channel

from controller.ports import PastPicture
from controller.recording.format import RECORD_BYTES_MAX, parse_topic
from controller.recording.reader import segments_in

WITHIN_NS: Final = 5 * 10**9
"""An older picture shows another moment: the camera was away."""

_MAGIC_BYTES: Final = 8
_RECORD: Final = struct.Struct("<BQ")
"""Opcode and length of a record (MCAP specification, Records)."""

_MESSAGE: Final = struct.Struct("<HIQQ")
"""Channel, sequence, log time, publish time of a message (the same, Message)."""


class _Found(NamedTuple):
    """Where the bytes of a picture lie in a file."""

    utc_ns: int
    offset: int
    length: int


class RecordedPictures:
    """The pictures of some cameras in a folder of segments."""

    def __init__(self, folder: Path, cameras: Sequence[str]) -> None:
        """Pictures of other cameras in that folder are not given: a shoe's mouth shows cards unturned."""
        self._folder = folder
        self._cameras = frozenset(cameras)

    def at(self, utc_us: int) -> tuple[PastPicture, ...]:
        """See `PastPictures.at`; a damaged segment gives what comes before the damage."""
        utc_ns = utc_us * 1000
        found: dict[str, PastPicture] = {}
        for path in reversed(segments_in(self._folder)):
            try:
                with path.open("rb") as file:
                    begins_ns, last = _last_of_each(file, self._cameras - found.keys(), utc_ns)
                    found |= {camera: _picture(file, camera, at) for camera, at in last.items()}
            except OSError:
                # Old segments are removed while somebody searches.
                continue
            if begins_ns <= utc_ns - WITHIN_NS or found.keys() == self._cameras:
                break
        return tuple(picture for _, picture in sorted(found.items()))


def _picture(file: IO[bytes], camera: str, found: _Found) -> PastPicture:
    file.seek(found.offset)
    return PastPicture(camera, found.utc_ns // 1000, file.read(found.length))


def _last_of_each(file: IO[bytes], cameras: frozenset[str], utc_ns: int) -> tuple[float, dict[str, _Found]]:
    """When a segment begins (never: infinity), and the last picture of each camera in it up to a moment."""
    begins_ns, last = inf, dict[str, _Found]()
    for camera, found in _messages(file):
        begins_ns = min(begins_ns, found.utc_ns)
        if found.utc_ns > utc_ns:
            break
        if camera in cameras and found.utc_ns >= utc_ns - WITHIN_NS:
            last[camera] = found
    return begins_ns, last


def _messages(file: IO[bytes]) -> Iterator[tuple[str, _Found]]:
    """Every whole message, with the camera whose picture it is; "" for what is no picture."""
    cameras: dict[int, str] = {}
    at, end = _MAGIC_BYTES, file.seek(0, 2)
    while at + _RECORD.size <= end:
        file.seek(at)
        opcode, length = _RECORD.unpack(file.read(_RECORD.size))
        begin = at + _RECORD.size
        at = begin + length
        if length > RECORD_BYTES_MAX or at > end:
            return
        if opcode == Opcode.CHANNEL:
            _note_camera(file.read(length), cameras)
        elif opcode == Opcode.MESSAGE and length >= _MESSAGE.size:
            channel, _, utc_ns, _ = _MESSAGE.unpack(file.read(_MESSAGE.size))
            yield cameras.get(channel, ""), _Found(utc_ns, begin + _MESSAGE.size, length - _MESSAGE.size)


def _note_camera(record: bytes, cameras: dict[int, str]) -> None:
    """Remember the channel of a camera's pictures."""
    try:
        channel = Channel.read(ReadDataStream(BytesIO(record)))
    except (McapError, struct.error, UnicodeDecodeError):
        return
    kind, source = parse_topic(channel.topic) or ("", "")
    if kind == "jpeg":
        cameras[channel.id] = source
