"""Reading recordings, also those that a crash or a full disk has cut off."""

import os
import struct
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import IO, Final, NamedTuple, Self, cast

from mcap.exceptions import EndOfFile, McapError
from mcap.records import Attachment, Channel, Chunk, McapRecord, Message, Metadata
from mcap.stream_reader import CRCValidationError, StreamReader
from zstandard import ZstdError

from controller.journal.entry import Entry
from controller.outputs import open_regular
from controller.recording import entry_codec
from controller.recording.chunks import records_of
from controller.recording.format import (
    HISTORY,
    METADATA,
    RECORD_BYTES_MAX,
    SUFFIX,
    MessageKind,
    RecordedSession,
    from_metadata,
    parse_topic,
)
from controller.recording.recording_errors import RecordingError
from controller.recording.schemas import DamagedPictureError, unpacked

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
    """One open segment: `session` and `settings` at once, `history` when asked for, the messages once.

    A cut or damaged file gives every whole message before that place; afterwards `cut` or `damaged` is
    True. `settings` maps a kind and a device to its channel's metadata and grows while messages are read.
    """

    def __init__(self, path: Path) -> None:
        """Open a segment and read up to its first message.

        Raises `RecordingError`: RECORDING_MISSING, NOT_A_RECORDING, RECORDING_TOO_NEW, and RECORDING_EMPTY
        where the file was cut before it said what it is.
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
        return entry_codec.decode_lines(self._before, str(self.path))

    def __enter__(self) -> Self:
        """Nothing more to open."""
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
        """Take what is no message into the fields; messages of foreign channels are passed over."""
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
                    yield from records_of(record)
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
    """A file that gives what was asked for or raises: the library would take half a message for one."""

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
