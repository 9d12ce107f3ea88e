"""Chunks of a recording: what comes out of one is bounded before it is decompressed."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

import zstandard
from lz4.frame import LZ4FrameDecompressor  # type: ignore[import-untyped]
from mcap.exceptions import McapError
from mcap.opcode import Opcode
from mcap.records import Channel, Chunk, McapRecord, Message, Schema
from mcap.stream_reader import get_chunk_data_stream

CHUNK_BYTES_MAX: Final = 64 << 20
"""The table ends a chunk with the message that fills 1 MiB; a message is a picture at most."""


def records_of(chunk: Chunk) -> Iterator[McapRecord]:
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
    if size > CHUNK_BYTES_MAX:
        raise McapError(f"a chunk of {size} bytes")
    match chunk.compression:
        case "zstd":
            # The window is memory, too, and the frame says how large it is.
            reader = zstandard.ZstdDecompressor(max_window_size=CHUNK_BYTES_MAX)
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
