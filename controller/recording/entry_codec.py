"""Journal entries as recorded: one JSON object each, from which the very entry can be built again."""

from collections.abc import Iterable, Iterator

from controller.journal.copying import read_entry
from controller.journal.copying import write_entry as encode
from controller.journal.entry import Entry
from controller.recording.format import RecordingError

__all__ = ["decode", "decode_lines", "encode", "joined"]


def decode(data: bytes, path: str = "") -> Entry:
    """Read an entry. Raises `RecordingError` NOT_A_RECORDING naming `path` for anything else."""
    entry = read_entry(data)
    if entry is None:
        raise RecordingError("NOT_A_RECORDING", path=path)
    return entry


def decode_lines(data: bytes, path: str = "") -> Iterator[Entry]:
    """Read the history of a segment, entry by entry; raises as `decode`."""
    return (decode(line, path) for line in data.splitlines())


def joined(lines: Iterable[bytes]) -> bytes:
    """Write the history of a segment from encoded entries."""
    return b"".join(line + b"\n" for line in lines)
