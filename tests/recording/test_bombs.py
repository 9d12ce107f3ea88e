"""Small files that would become large: recordings with chunks of zeros, a profile with a huge picture."""

import base64
import hashlib
import json
import struct
import subprocess
import sys
import zlib
from io import BytesIO
from pathlib import Path
from typing import Final

import lz4.frame  # type: ignore[import-untyped]
import pytest
import zstandard
from mcap.opcode import Opcode
from mcap.writer import CompressionType, Writer

from controller.domain import ConfigError
from controller.recording.format import METADATA, to_metadata
from controller.recording.recording_reader import Recording
from tests.recording.recording_kit import session
from tests.replay.replay_kit import PROGRAM
from vision.enrolment.profile import load_profile

GIGABYTES: Final = 2 << 30
MEMORY_KB_MAX: Final = 700_000
"""Of a whole `stand17 replay`, which takes some 300 MB with all its drivers."""


def zeros(compression: str, size: int) -> bytes:
    """So many zeros, packed piece by piece."""
    piece = bytes(1 << 20)
    if compression == "zstd":
        packer = zstandard.ZstdCompressor(level=1).compressobj(size=size)
        return b"".join(packer.compress(piece) for _ in range(size >> 20)) + packer.flush()
    packed = lz4.frame.LZ4FrameCompressor(block_size=lz4.frame.BLOCKSIZE_MAX4MB)
    parts = [packed.begin(size), *(packed.compress(piece) for _ in range(size >> 20)), packed.flush()]
    return b"".join(parts)


def recording(path: Path, chunks: list[tuple[str, bytes, int]], extra: bytes = b"") -> Path:
    """A recording whose session is whole, with these chunks: compression, packed bytes, the claimed size."""
    out = BytesIO()
    writer = Writer(out, compression=CompressionType.NONE)
    writer.start("stand17")
    writer.add_metadata(METADATA, to_metadata(session()))
    data = out.getvalue()
    for compression, packed, claimed in chunks:
        name = compression.encode()
        body = (
            struct.pack("<QQQII", 0, 0, claimed, 0, len(name))
            + name
            + struct.pack("<Q", len(packed))
            + packed
        )
        data += struct.pack("<BQ", Opcode.CHUNK, len(body)) + body
    path.write_bytes(data + extra)
    return path


def peak_kb(*arguments: str) -> int:
    """The memory that a command took."""
    program = (
        "import resource, subprocess, sys; subprocess.run(sys.argv[1:], capture_output=True); "
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    )
    command = (sys.executable, "-c", program, *PROGRAM, *arguments)
    return int(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


@pytest.mark.parametrize("compression", ["zstd", "lz4"])
@pytest.mark.parametrize("claimed", [GIGABYTES, 1 << 20], ids=["as it is", "as one megabyte"])
def test_a_small_recording_takes_no_memory_for_what_its_chunks_would_become(
    tmp_path: Path, compression: str, claimed: int
) -> None:
    size = GIGABYTES if compression == "zstd" else 1 << 30
    path = recording(tmp_path / "bomb.mcap", [(compression, zeros(compression, size), claimed)])
    with Recording(path) as opened:
        assert [*opened] == []
        assert opened.damaged
    assert peak_kb("replay", str(path)) < MEMORY_KB_MAX


def test_a_chunk_of_very_many_empty_records_is_read_one_by_one(tmp_path: Path) -> None:
    nothing = struct.pack("<BQ", 0x80, 0)
    plain = nothing * ((20 << 20) // len(nothing))
    packed = zstandard.ZstdCompressor().compress(plain)
    path = recording(tmp_path / "many.mcap", [("zstd", packed, len(plain))])
    assert peak_kb("replay", str(path)) < MEMORY_KB_MAX


@pytest.mark.parametrize("opcode", [Opcode.CHUNK_INDEX, Opcode.ATTACHMENT, Opcode.METADATA])
def test_a_record_that_claims_more_than_the_file_has_takes_no_memory(tmp_path: Path, opcode: Opcode) -> None:
    body = struct.pack("<BQ", opcode, 200 << 20) + b"\xff" * 200
    path = recording(tmp_path / "claims.mcap", [], body)
    assert peak_kb("replay", str(path)) < MEMORY_KB_MAX


def png(width: int, height: int) -> bytes:
    """A picture of zeros with transparency."""
    packer = zlib.compressobj(9)
    row = bytes(1 + 4 * width)
    rows = b"".join(packer.compress(row) for _ in range(height)) + packer.flush()
    head = struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0)
    chunks = (
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
        for name, data in ((b"IHDR", head), (b"IDAT", rows), (b"IEND", b""))
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)


def test_a_deck_profile_takes_no_memory_for_the_picture_that_it_claims(tmp_path: Path) -> None:
    entry = {
        "format": "stand17 deck profile 1",
        "network": "00",
        "pictures": [],
        "figures": {"indices": 1, "right": 1, "wrong": 0, "bound": 0.0, "cards": 52},
        "temperature": 1.0,
        "index_px": 20.0,
        "faces": base64.b64encode(png(20_000, 18_000)).decode(),
        "ranks": {"axes": [[1.0]], "means": [[1.0]] * 13, "reach": 1.0},
        "suits": {"axes": [[1.0]], "means": [[1.0]] * 4, "reach": 1.0},
    }
    sha256 = hashlib.sha256(json.dumps(entry, sort_keys=True).encode()).hexdigest()
    path = tmp_path / "deck.json"
    path.write_text(json.dumps({"sha256": sha256, **entry}))
    program = (
        "import resource, sys\nfrom pathlib import Path\n"
        "from vision.enrolment.profile import load_profile\n"
        "peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\nbefore = peak()\n"
        "try: load_profile(Path(sys.argv[1]))\n"
        "except Exception as error: print(error.code, peak() - before)"
    )
    command = (sys.executable, "-c", program, str(path))
    said = subprocess.run(command, capture_output=True, text=True, check=True)
    code, grown_kb = said.stdout.split()
    assert code == "DECK_CHANGED"
    assert int(grown_kb) < 100_000


def test_a_profile_longer_than_any_is_not_read_whole(tmp_path: Path) -> None:
    path = tmp_path / "deck.json"
    with path.open("wb") as file:
        file.truncate(1 << 33)
    with pytest.raises(ConfigError, match="DECK_CHANGED"):
        load_profile(path)
