"""Reading recordings, also those that a crash or a full disk has cut off, and the pictures of a past moment.

What comes out of a chunk is bounded before it is decompressed. The segment that is being written has no index
yet, so a search for pictures reads all segments alike: it steps from head to head over the chunks (in format
1 the messages) of other times.
"""

import os
import struct
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from io import BytesIO
from math import inf
from pathlib import Path
from types import TracebackType
from typing import IO, Final, NamedTuple, Self, TypeVar, cast

import zstandard
from lz4.frame import LZ4FrameDecompressor  # type: ignore[import-untyped]
from mcap.data_stream import ReadDataStream
from mcap.exceptions import EndOfFile, McapError
from mcap.opcode import Opcode
from mcap.records import Attachment, Channel, Chunk, McapRecord, Message, Metadata, Schema
from mcap.stream_reader import CRCValidationError, StreamReader, get_chunk_data_stream
from zstandard import ZstdError

from controller.journal.entry import Entry
from controller.outputs import open_regular
from controller.ports import PastPicture
from controller.recording.format import (
    HISTORY,
    METADATA,
    RECORD_BYTES_MAX,
    SUFFIX,
    DamagedPictureError,
    MessageKind,
    RecordedSession,
    RecordingError,
    decode_entry,
    from_metadata,
    parse_topic,
    unpacked,
)

_CHUNK_BYTES_MAX: Final = 64 << 20
"""The table ends a chunk with the message that fills 1 MiB; a message is a picture at most."""


def _records_of(chunk: Chunk) -> Iterator[McapRecord]:
    """Give the records of a chunk one by one; raises what `DAMAGE` names."""
    plain = replace(chunk, compression="", data=_decompressed(chunk))
    stream, length = get_chunk_data_stream(plain, validate_crc=True)
    while stream.count < length:
        opcode, size = stream.read1(), stream.read8()
        if size > length - stream.count:
            raise McapError(f"a record of {size} bytes in a chunk of {length}")
        match opcode:
            case Opcode.CHANNEL:
                yield Channel.read(stream)
            case Opcode.MESSAGE:
                yield Message.read(stream, size)
            case Opcode.SCHEMA:
                yield Schema.read(stream)
            case _:
                stream.read(size)


def _decompressed(chunk: Chunk) -> bytes:
    size = chunk.uncompressed_size
    if size > _CHUNK_BYTES_MAX:
        raise McapError(f"a chunk of {size} bytes")
    match chunk.compression:
        case "zstd":
            # The window is memory, too, and the frame says how large it is.
            reader = zstandard.ZstdDecompressor(max_window_size=_CHUNK_BYTES_MAX)
            data = reader.stream_reader(chunk.data).read(size + 1)
        case "lz4":
            data = LZ4FrameDecompressor().decompress(chunk.data, max_length=size + 1)
        case "":
            data = chunk.data
        case other:
            raise McapError(f"compression {other}")
    if len(data) != size:
        raise McapError(f"a chunk of {size} bytes has others")
    return data


DAMAGE: Final = (
    *(McapError, CRCValidationError, struct.error, UnicodeDecodeError, OSError),
    *(RuntimeError, EOFError, MemoryError, ZstdError),
)
"""What the libraries raise over a file whose bytes are not what they should be; the last four over chunks."""


class Recorded(NamedTuple):
    """One message. `source` is the device's name, "" for a fact; both times are the same moment."""

    kind: MessageKind
    source: str
    mono_ns: int
    utc_ns: int
    data: bytes


class Recording:
    """One open segment: `session` and `settings` at once, `history` on request, the messages once.

    A cut or damaged file yields every whole message before that place; afterwards `cut` or `damaged` is
    True. `settings` maps a kind and a device to its channel's metadata and grows while messages are read.
    """

    def __init__(self, path: Path) -> None:
        """Open a segment and read up to its first message.

        Raises `RecordingError`: RECORDING_MISSING, NOT_A_RECORDING, RECORDING_TOO_NEW, and RECORDING_EMPTY
        for a file that was cut before its metadata.
        """
        self.path: Final = path
        self.cut = self.damaged = False
        self.settings: Final[dict[tuple[MessageKind, str], dict[str, str]]] = {}
        self.attachments: Final[dict[str, bytes]] = {}
        self._attached = 0
        self._channels: dict[int, tuple[MessageKind, str]] = {}
        self._encodings: dict[int, str] = {}
        self._metadata: dict[str, str] | None = None
        try:
            self._file = os.fdopen(open_regular(path, links=True), "rb")
        except OSError as error:
            raise RecordingError("RECORDING_MISSING", path=str(path), reason=error.strerror or "") from error
        self._records = self._read_records()
        try:
            self._first = next(self._messages(), None)
            self.session: Final = self._require_session()
        except RecordingError:
            self._file.close()
            raise
        self._before: Final = self.attachments.pop(HISTORY, b"")

    @cached_property
    def history(self) -> tuple[Entry, ...]:
        """Every entry before this segment. Raises `RecordingError` NOT_A_RECORDING for a damaged one."""
        return tuple(self.history_entries())

    def history_entries(self) -> Iterator[Entry]:
        """Give the entries of `history` one by one: a whole shift takes a second. Raises as `history`."""
        return (decode_entry(line, str(self.path)) for line in self._before.splitlines())

    def __enter__(self) -> Self:
        """Return the open recording."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def __iter__(self) -> Iterator[Recorded]:
        first, self._first = self._first, None
        if first is not None:
            yield self._recorded(first)
        for message in self._messages():
            yield self._recorded(message)

    def _recorded(self, message: Message) -> Recorded:
        kind, source = self._channels[message.channel_id]
        return Recorded(kind, source, self.session.mono_ns(message.log_time), message.log_time, message.data)

    def _messages(self) -> Iterator[Message]:
        """Yield the messages of known channels; store the other records in the fields."""
        for record in self._records:
            match record:
                case Message() if record.channel_id in self._channels:
                    try:
                        record.data = unpacked(self._encodings[record.channel_id], record.data)
                    except DamagedPictureError:
                        self.damaged = True
                        return
                    yield record
                case Channel():
                    self._add_channel(record)
                case Metadata(name=name) if name == METADATA:
                    self._metadata = record.metadata
                case Attachment():
                    self._attached += len(record.data)
                    if self._attached > RECORD_BYTES_MAX:
                        self.damaged = True
                        return
                    self.attachments[record.name] = record.data
                case _:
                    pass

    def _add_channel(self, channel: Channel) -> None:
        found = parse_topic(channel.topic)
        if found is not None:
            self._channels[channel.id] = found
            self._encodings[channel.id] = channel.message_encoding
            self.settings[found] = channel.metadata

    def _read_records(self) -> Iterator[McapRecord]:
        """Give every whole record; the end that is no proper end is remembered, not raised."""
        whole = cast(IO[bytes], _Whole(self._file))
        stream = StreamReader(whole, emit_chunks=True, validate_crcs=True, record_size_limit=RECORD_BYTES_MAX)
        try:
            for record in stream.records:
                if isinstance(record, Chunk):
                    yield from _records_of(record)
                else:
                    yield record
        except EndOfFile:
            self.cut = True
        except DAMAGE:
            self.damaged = True

    def _require_session(self) -> RecordedSession:
        if self._metadata is None:
            code = "RECORDING_EMPTY" if self.cut else "NOT_A_RECORDING"
            raise RecordingError(code, path=str(self.path))
        return from_metadata(self._metadata, str(self.path))


def segments_in(folder: Path) -> list[Path]:
    """List the segments of a folder, oldest first, closed or cut off."""
    return sorted(path for path in folder.glob("*") if SUFFIX in path.suffixes)


class _Whole:
    """A file that reads the requested length or raises: the library would accept half a message."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file, self._size = file, os.fstat(file.fileno()).st_size

    def read(self, length: int) -> bytes:
        if not 0 <= length <= RECORD_BYTES_MAX:
            raise McapError(f"a length of {length}")
        if length > self._size:
            raise EndOfFile
        data = self._file.read(length)
        if len(data) < length:
            raise EndOfFile
        return data


_WITHIN_NS: Final = 5 * 10**9
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
        """Find the last pictures up to a moment; a damaged segment gives those before the damage."""
        utc_ns = utc_us * 1000
        found: dict[str, PastPicture] = {}
        for path in reversed(segments_in(self._folder)):
            try:
                with os.fdopen(open_regular(path), "rb") as file:
                    begins_ns, last = _last_of_each(file, self._cameras - found.keys(), utc_ns)
                    found |= last
            except OSError:
                # Old segments may be removed during a search.
                continue
            if begins_ns <= utc_ns - _WITHIN_NS or found.keys() == self._cameras:
                break
        return tuple(picture for _, picture in sorted(found.items()))


class _Message(NamedTuple):
    """One whole message: its camera ("": none, or not read), and its picture."""

    utc_ns: int
    camera: str = ""
    jpeg: bytes = b""


def _last_of_each(
    file: IO[bytes], cameras: frozenset[str], utc_ns: int
) -> tuple[float, dict[str, PastPicture]]:
    """Return the beginning of a segment (infinity: none), and each camera's last picture up to a moment."""
    begins_ns, last = inf, dict[str, PastPicture]()
    for message in _messages(file, utc_ns - _WITHIN_NS):
        begins_ns = min(begins_ns, message.utc_ns)
        if message.utc_ns > utc_ns:
            break
        if message.camera in cameras and message.utc_ns >= utc_ns - _WITHIN_NS:
            last[message.camera] = PastPicture(message.camera, message.utc_ns // 1000, message.jpeg)
    return begins_ns, last


def _messages(file: IO[bytes], from_ns: int) -> Iterator[_Message]:
    """Yield every whole message from a moment on, and the times of some before it.

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
        """Return the content of a channel's message."""
        camera, encoding = self._known.get(channel, ("", ""))
        try:
            return _Message(utc_ns, camera, unpacked(encoding, data) if camera and data else b"")
        except DamagedPictureError:
            return _Message(utc_ns)

    def unfolded(self, chunk: Chunk | None) -> Iterator[_Message]:
        """Give the messages of a chunk, and note its channels; nothing of a damaged one."""
        try:
            records = [] if chunk is None else [*_records_of(chunk)]
        except DAMAGE:
            return
        for record in records:
            if isinstance(record, Channel):
                self.note(record)
            elif isinstance(record, Message):
                yield self.message(record.channel_id, record.log_time, record.data)
