"""The form of a recording: MCAP in chunks, one channel for each device and direction, and its schemas.

Every file (a segment) stands alone. It begins with the metadata record `stand17` (`RecordedSession`), an
attachment with the journal up to that moment, and the channels known so far; then come the messages in the
order in which they reached the recorder. `log_time` and `publish_time` are equal: nanoseconds since 1970 UTC,
counted from the session's anchor on the monotonic clock, so that they never step back within a session.
Format 1 had neither chunks nor schemas, and a picture's message was the JPEG alone; it is read as before.

Pictures are `foxglove.CompressedImage` messages in Protocol Buffers, published at
https://github.com/foxglove/foxglove-sdk/tree/main/schemas; marks and facts are JSON.
"""

import json
from collections.abc import Mapping
from typing import Any, Final, Literal, NamedTuple, get_args

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory, timestamp_pb2
from google.protobuf.message import DecodeError
from mcap.well_known import MessageEncoding, SchemaEncoding

from controller.domain import TableError
from controller.journal.copying import read_entry
from controller.journal.entry import Entry


class RecordingError(TableError):
    """A recording cannot be read or written; it never keeps a table from running.

    Codes: RECORDING_MISSING, NOT_A_RECORDING, RECORDING_EMPTY, RECORDING_TOO_NEW of a file that is read;
    RECORDING_IN_USE, RECORDING_DISK_LOW, RECORDING_DISK_FULL, RECORDING_FAILED of a folder that is written.
    `params` always carries `path`.
    """


PROFILE: Final = "stand17"
VERSION: Final = 2
METADATA: Final = "stand17"
HISTORY: Final = "journal.jsonl"
"""Attachment: every journal entry before this segment, a line each as in a `fact` message."""

RECORD_BYTES_MAX: Final = 256 << 20
"""No record is larger; the history of a gaming day is the largest."""

MessageKind = Literal["rx", "tx", "jpeg", "key", "mark", "fact"]
"""What a message holds: see `controller.ports.TapKind`; `fact` is a journal entry as JSON."""

SUFFIX: Final = ".mcap"
PARTIAL: Final = ".mcap.partial"
PINS: Final = ".pins.jsonl"
"""Beside a segment that has to be kept: why, a JSON object a line."""


class RecordedSource(NamedTuple):
    """A recorded device. `settings` are a replay's settings for its driver, all strings.

    Shoe: `device` (`shoe`), `protocol`, `baud`, `bcc`, `certain`. Camera: `device` (`camera`), `width`,
    `height`, `fps`, and the camera driver's notes about pictures that it encoded itself.
    """

    name: str
    kinds: tuple[MessageKind, ...]
    settings: Mapping[str, str]


WITHOUT_TABLE: Final = "record"
"""The mode of a session in which no table ran: devices alone were recorded."""


class RecordedSession(NamedTuple):
    """The recorded session, repeated in each segment.

    `start_utc_us` and `start_mono_ns` are one moment on both clocks. `rules` and `config` are JSON, the
    latter without secrets; `rules_sha256` is of those very bytes. `model_sha256` names each model of the
    reader, and each camera's deck profile, with its hash. `layouts` is a JSON object of the layout file's
    SHA-256 of each camera at the session's start. They, `journal_id` and the rules are "" when a session has
    none. `segment` counts from 1.
    """

    table: str
    currency: str
    program: str
    mode: str
    start_utc_us: int
    start_mono_ns: int
    rules_name: str = ""
    rules_sha256: str = ""
    rules: str = ""
    model_sha256: str = ""
    journal_id: str = ""
    config: str = ""
    segment: int = 1
    layouts: str = ""

    def utc_ns(self, mono_ns: int) -> int:
        """Place a moment of the session's monotonic clock on the calendar."""
        return self.start_utc_us * 1000 + mono_ns - self.start_mono_ns

    def mono_ns(self, utc_ns: int) -> int:
        """Reverse `utc_ns`."""
        return utc_ns - self.start_utc_us * 1000 + self.start_mono_ns


_NUMBERS: Final = ("start_utc_us", "start_mono_ns", "segment")


def topic_of(kind: MessageKind, source: str) -> str:
    """Name the channel; facts have one for the whole table."""
    return "fact" if kind == "fact" else f"{kind}/{source}"


def parse_topic(topic: str) -> tuple[MessageKind, str] | None:
    """Split a channel's name into kind and device; None for a channel that is not of this format."""
    kind, _, source = topic.partition("/")
    found = next((known for known in get_args(MessageKind) if known == kind), None)
    return None if found is None or (found == "fact") == bool(source) else (found, source)


def to_metadata(session: RecordedSession) -> dict[str, str]:
    """Write a session as MCAP metadata."""
    return {"version": str(VERSION)} | {key: str(value) for key, value in session._asdict().items()}


def from_metadata(metadata: Mapping[str, str], path: str) -> RecordedSession:
    """Read a session. Raises `RecordingError` RECORDING_TOO_NEW, or NOT_A_RECORDING for a wrong field."""
    fields: dict[str, Any] = {key: metadata[key] for key in RecordedSession._fields if key in metadata}
    try:
        if int(metadata["version"]) > VERSION:
            found = int(metadata["version"])
            raise RecordingError("RECORDING_TOO_NEW", path=path, found=found, known=VERSION)
        return RecordedSession(**fields | {key: int(fields[key]) for key in _NUMBERS})
    except (KeyError, TypeError, ValueError) as error:
        raise RecordingError("NOT_A_RECORDING", path=path) from error


IMAGE: Final = "foxglove.CompressedImage"

_FIELD: Final = descriptor_pb2.FieldDescriptorProto
_TEXT: Final = {"type": "string"}
_WHOLE: Final = {"type": "integer"}
_NUMBER_OR_NONE: Final = {"type": ["integer", "null"]}


class ChannelSchema(NamedTuple):
    """The encoding and schema of a channel's messages; without a name they have no schema."""

    message_encoding: str
    name: str = ""
    encoding: str = ""
    data: bytes = b""


class DamagedPictureError(ValueError):
    """A message that should hold a picture is none."""


def _image_file() -> Any:
    """Describe the message as it is published; field numbers included."""
    file = descriptor_pb2.FileDescriptorProto(
        name="foxglove/CompressedImage.proto",
        package="foxglove",
        syntax="proto3",
        dependency=[timestamp_pb2.DESCRIPTOR.name],
    )
    message = file.message_type.add(name="CompressedImage")
    of_time = {"type": _FIELD.TYPE_MESSAGE, "type_name": ".google.protobuf.Timestamp"}
    for name, number, kind in (
        ("timestamp", 1, of_time),
        ("frame_id", 4, {"type": _FIELD.TYPE_STRING}),
        ("data", 2, {"type": _FIELD.TYPE_BYTES}),
        ("format", 3, {"type": _FIELD.TYPE_STRING}),
    ):
        message.field.add(name=name, number=number, label=_FIELD.LABEL_OPTIONAL, **kind)
    return file


def _files() -> tuple[Any, Any]:
    """Return the message's file and the one that it imports."""
    needed = descriptor_pb2.FileDescriptorProto()
    timestamp_pb2.DESCRIPTOR.CopyToProto(needed)
    return needed, _image_file()


def _image_class() -> Any:
    pool = descriptor_pool.DescriptorPool()
    for file in _files():
        pool.Add(file)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName(IMAGE))


_IMAGE: Final = _image_class()


def _json(name: str, **fields: object) -> ChannelSchema:
    """Describe messages that are JSON objects with these fields."""
    schema = {"title": name, "type": "object", "properties": fields}
    data = json.dumps(schema, separators=(",", ":")).encode()
    return ChannelSchema(MessageEncoding.JSON, name, SchemaEncoding.JSONSchema, data)


_BYTES: Final = ChannelSchema("bytes")

SCHEMAS: Final[Mapping[MessageKind, ChannelSchema]] = {
    "rx": _BYTES,
    "tx": _BYTES,
    "key": _BYTES,
    "jpeg": ChannelSchema(
        MessageEncoding.Protobuf,
        IMAGE,
        SchemaEncoding.Protobuf,
        descriptor_pb2.FileDescriptorSet(file=_files()).SerializeToString(deterministic=True),
    ),
    "mark": _json("stand17.Mark", state=_TEXT, reason=_TEXT, again={"type": "boolean"}),
    # As `controller.journal.entry.Entry` has them; `body` is the text that the journal holds.
    "fact": _json(
        "stand17.JournalEntry",
        seq=_WHOLE,
        kind=_TEXT,
        version=_WHOLE,
        at_utc_us=_WHOLE,
        round_id=_NUMBER_OR_NONE,
        actor=_TEXT,
        caused_by=_NUMBER_OR_NONE,
        body=_TEXT,
        prev_hash=_TEXT,
        hash=_TEXT,
    ),
}


def packed(kind: MessageKind, source: str, utc_ns: int, data: bytes) -> bytes:
    """Write a message as its channel's schema has it: a picture with its moment and its camera."""
    if kind != "jpeg":
        return data
    image = _IMAGE(frame_id=source, data=data, format="jpeg")
    image.timestamp.FromNanoseconds(utc_ns)
    return bytes(image.SerializeToString())


def unpacked(message_encoding: str, data: bytes) -> bytes:
    """Give the JPEG bytes of a picture; everything else as it is. Raises `DamagedPictureError`.

    Recordings before format 2 hold the JPEG bytes alone.
    """
    if message_encoding != MessageEncoding.Protobuf:
        return data
    try:
        return bytes(_IMAGE.FromString(data).data)
    except DecodeError as error:
        raise DamagedPictureError from error


def decode_entry(data: bytes, path: str = "") -> Entry:
    """Read an entry. Raises `RecordingError` NOT_A_RECORDING naming `path` for anything else."""
    entry = read_entry(data)
    if entry is None:
        raise RecordingError("NOT_A_RECORDING", path=path)
    return entry
