"""What cameras showed at a moment: the folder of a table's recordings in, one picture a camera out.

The segment that is being written has no index yet, so all are read like it: most of them is pictures, and a
search steps from head to head over the chunks (in format 1 the messages) of other times.
"""

import os
import struct
from collections.abc import Callable, Iterator, Sequence
from io import BytesIO
from math import inf
from pathlib import Path
from typing import IO, Final, NamedTuple, TypeVar

from mcap.data_stream import ReadDataStream
from mcap.exceptions import McapError
from mcap.opcode import Opcode
from mcap.records import Channel, Chunk, Message

from controller.outputs import open_regular
from controller.ports import PastPicture
from controller.recording.chunks import records_of
from controller.recording.format import RECORD_BYTES_MAX, parse_topic
from controller.recording.recording_reader import DAMAGE, segments_in
from controller.recording.schemas import DamagedPictureError, unpacked

WITHIN_NS: Final = 5 * 10**9
"""An older picture shows another moment: the camera was away."""

_MAGIC_BYTES: Final = 8
_RECORD: Final = struct.Struct("<BQ")
"""Opcode and length of a record (MCAP specification, Records)."""

_CHUNK: Final = struct.Struct("<QQ")
"""First and last log time of a chunk (the same, Chunk)."""

_MESSAGE: Final = struct.Struct("<HIQQ")
"""Channel, sequence, log time, publish time of a message (the same, Message)."""

Record = TypeVar("Record")


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
                with os.fdopen(open_regular(path), "rb") as file:
                    begins_ns, last = _last_of_each(file, self._cameras - found.keys(), utc_ns)
                    found |= last
            except OSError:
                # Old segments are removed while somebody searches.
                continue
            if begins_ns <= utc_ns - WITHIN_NS or found.keys() == self._cameras:
                break
        return tuple(picture for _, picture in sorted(found.items()))


class _Message(NamedTuple):
    """One whole message: the camera whose picture it is ("": none, or one not looked at), and the picture."""

    utc_ns: int
    camera: str = ""
    jpeg: bytes = b""


def _last_of_each(
    file: IO[bytes], cameras: frozenset[str], utc_ns: int
) -> tuple[float, dict[str, PastPicture]]:
    """When a segment begins (never: infinity), and the last picture of each camera in it up to a moment."""
    begins_ns, last = inf, dict[str, PastPicture]()
    for message in _messages(file, utc_ns - WITHIN_NS):
        begins_ns = min(begins_ns, message.utc_ns)
        if message.utc_ns > utc_ns:
            break
        if message.camera in cameras and message.utc_ns >= utc_ns - WITHIN_NS:
            last[message.camera] = PastPicture(message.camera, message.utc_ns // 1000, message.jpeg)
    return begins_ns, last


def _messages(file: IO[bytes], from_ns: int) -> Iterator[_Message]:
    """Every whole message from a moment on; of what comes before it the moments of some.

    The first chunk is always opened: it names the cameras.
    """
    cameras, opened = _Cameras(), False
    for opcode, length in _records(file):
        if opcode == Opcode.CHANNEL:
            cameras.note(_parsed(Channel.read, file.read(length)))
        elif opcode == Opcode.MESSAGE and length >= _MESSAGE.size:
            channel, _, utc_ns, _ = _MESSAGE.unpack(file.read(_MESSAGE.size))
            data = file.read(length - _MESSAGE.size) if utc_ns >= from_ns else b""
            yield cameras.message(channel, utc_ns, data)
        elif opcode == Opcode.CHUNK and length >= _CHUNK.size:
            head = file.read(_CHUNK.size)
            begins_ns, ends_ns = _CHUNK.unpack(head)
            if opened and ends_ns < from_ns:
                yield _Message(begins_ns)
                continue
            opened = True
            yield from cameras.unfolded(_parsed(Chunk.read, head + file.read(length - _CHUNK.size)))


def _records(file: IO[bytes]) -> Iterator[tuple[int, int]]:
    """Opcode and length of each whole record; the file stands behind them."""
    at, end = _MAGIC_BYTES, file.seek(0, 2)
    while at + _RECORD.size <= end:
        file.seek(at)
        opcode, length = _RECORD.unpack(file.read(_RECORD.size))
        at += _RECORD.size + length
        if length > RECORD_BYTES_MAX or at > end:
            return
        yield opcode, length


def _parsed(read: Callable[[ReadDataStream], Record], record: bytes) -> Record | None:
    """Read one record; None for a damaged one."""
    try:
        return read(ReadDataStream(BytesIO(record)))
    except (McapError, struct.error, UnicodeDecodeError):
        return None


class _Cameras:
    """The channels of cameras' pictures, as they are declared on the way through a file."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[str, str]] = {}

    def note(self, channel: Channel | None) -> None:
        """Remember the channel of a camera's pictures."""
        kind, source = (channel and parse_topic(channel.topic)) or ("", "")
        if channel is not None and kind == "jpeg":
            self._known[channel.id] = (source, channel.message_encoding)

    def message(self, channel: int, utc_ns: int, data: bytes) -> _Message:
        """Say what a message of a channel holds."""
        camera, encoding = self._known.get(channel, ("", ""))
        try:
            return _Message(utc_ns, camera, unpacked(encoding, data) if camera and data else b"")
        except DamagedPictureError:
            return _Message(utc_ns)

    def unfolded(self, chunk: Chunk | None) -> Iterator[_Message]:
        """Give the messages of a chunk, and note its channels; nothing of a damaged one."""
        try:
            records = [] if chunk is None else [*records_of(chunk)]
        except DAMAGE:
            return
        for record in records:
            if isinstance(record, Channel):
                self.note(record)
            elif isinstance(record, Message):
                yield self.message(record.channel_id, record.log_time, record.data)
