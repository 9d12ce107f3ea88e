"""What other viewers need to open a recording: the schema of each channel, and pictures as they know them.

Pictures are `foxglove.CompressedImage` messages in Protocol Buffers, published at
https://github.com/foxglove/foxglove-sdk/tree/main/schemas; marks and facts are JSON.
"""

import json
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory, timestamp_pb2
from google.protobuf.message import DecodeError
from mcap.well_known import MessageEncoding, SchemaEncoding

from controller.recording.format import MessageKind

IMAGE: Final = "foxglove.CompressedImage"

_FIELD: Final = descriptor_pb2.FieldDescriptorProto
_TEXT: Final = {"type": "string"}
_WHOLE: Final = {"type": "integer"}
_NUMBER_OR_NONE: Final = {"type": ["integer", "null"]}


class ChannelSchema(NamedTuple):
    """How a channel's messages are encoded, and their schema; without a name they have none."""

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
    """Give the message's file and the one that it needs."""
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
