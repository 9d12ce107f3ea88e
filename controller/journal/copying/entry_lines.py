"""Journal entries as lines of JSON, from which the very entry can be built again."""

import json

from controller.journal.entry import Entry


def encode(entry: Entry) -> bytes:
    """Write an entry; `body` stays the text that the journal holds, hashes are hexadecimal."""
    fields = entry._asdict() | {
        "body": entry.body.decode("utf-8", "surrogateescape"),
        "prev_hash": entry.prev_hash.hex(),
        "hash": entry.hash.hex(),
    }
    return json.dumps(fields, separators=(",", ":")).encode("ascii")


def decode(data: bytes) -> Entry | None:
    """Read an entry, whose place in the chain is not checked; None for anything else."""
    try:
        fields = json.loads(data)
        whole = fields | {
            "body": fields["body"].encode("utf-8", "surrogateescape"),
            "prev_hash": bytes.fromhex(fields["prev_hash"]),
            "hash": bytes.fromhex(fields["hash"]),
        }
        return Entry(**whole)
    except (AttributeError, KeyError, RecursionError, TypeError, ValueError):
        return None
