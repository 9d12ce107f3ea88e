"""Journal entries as recorded: one JSON object each, from which the very entry can be built again."""

import json
from collections.abc import Iterable

from controller.journal.entry import Entry
from controller.recording.errors import RecordingError


def encode(entry: Entry) -> bytes:
    """Write an entry; `body` stays the text that the journal holds, hashes are hexadecimal."""
    fields = entry._asdict() | {
        "body": entry.body.decode("utf-8", "surrogateescape"),
        "prev_hash": entry.prev_hash.hex(),
        "hash": entry.hash.hex(),
    }
    return json.dumps(fields, separators=(",", ":")).encode("ascii")


def decode(data: bytes, path: str = "") -> Entry:
    """Read an entry. Raises `RecordingError` NOT_A_RECORDING naming `path` for anything else."""
    try:
        fields = json.loads(data)
        whole = fields | {
            "body": fields["body"].encode("utf-8", "surrogateescape"),
            "prev_hash": bytes.fromhex(fields["prev_hash"]),
            "hash": bytes.fromhex(fields["hash"]),
        }
        return Entry(**whole)
    except (AttributeError, KeyError, RecursionError, TypeError, ValueError) as error:
        raise RecordingError("NOT_A_RECORDING", path=path) from error


def decode_lines(data: bytes, path: str = "") -> tuple[Entry, ...]:
    """Read the history of a segment; raises as `decode`."""
    return tuple(decode(line, path) for line in data.splitlines())


def joined(lines: Iterable[bytes]) -> bytes:
    """Write the history of a segment from encoded entries."""
    return b"".join(line + b"\n" for line in lines)
