"""Journal entries as lines of JSON, from which the very entry can be built again."""

import json
from typing import Final

from controller.journal.entry import Entry

INT_MAX: Final = 2**63 - 1
"""What a column of the journal holds."""


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
        entry = Entry(**whole)
        return entry if _fits(entry) else None
    except (AttributeError, KeyError, RecursionError, TypeError, ValueError):
        return None


def _fits(entry: Entry) -> bool:
    """Whether a journal can hold it at all. Raises ValueError for half a character."""
    names = entry.kind.encode() + entry.actor.encode()
    numbers = (entry.seq, entry.version, entry.at_utc_us, entry.round_id, entry.caused_by)
    # A truth value is none, though Python counts with it.
    known = [number for number in numbers if number is not None]
    fit = all(type(number) is int and -INT_MAX <= number <= INT_MAX for number in known)
    return fit and None not in numbers[:3] and b"\n" not in names
