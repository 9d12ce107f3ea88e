"""Journal entries and the chain that binds them.

The hash of an entry covers the stored bytes, never a re-encoding of them:

    SHA-256( prev_hash || header || body )
    header = seq, kind, version, at_utc_us, round_id, actor, caused_by, len(body); each followed by a
             line feed, numbers in decimal, "-" where a value is absent

`kind` and `actor` hold no line feed, so the header can be read in one way only. The first entry follows
thirty-two zero bytes.
"""

import hashlib
from typing import Final, NamedTuple

from controller.domain import JournalError

GENESIS: Final = bytes(32)
"""The hash before the first entry."""


class NewEntry(NamedTuple):
    """An entry to write. `body` is UTF-8 JSON; the journal assigns sequence, time and hashes."""

    kind: str
    body: bytes
    actor: str
    round_id: int | None = None
    caused_by: int | None = None
    version: int = 1


class Entry(NamedTuple):
    """A written entry with a verified place in the chain."""

    seq: int
    kind: str
    version: int
    at_utc_us: int
    round_id: int | None
    actor: str
    caused_by: int | None
    body: bytes
    prev_hash: bytes
    hash: bytes


class BadEntry(NamedTuple):
    """An entry that cannot be trusted: `code` is GAP, LINK, HASH, FORM or UNREADABLE."""

    seq: int
    code: str


def require_writable(new: NewEntry) -> None:
    """Raise `JournalError` ENTRY_UNWRITABLE where the header could be read in two ways, or not be written."""
    names = new.kind + new.actor
    try:
        names.encode()
    except UnicodeEncodeError as error:
        raise JournalError("ENTRY_UNWRITABLE", kind=new.kind) from error
    if "\n" in names:
        raise JournalError("ENTRY_UNWRITABLE", kind=new.kind)


def digest(entry: Entry) -> bytes:
    """Compute the hash of this entry, independent of `entry.hash`."""
    seq, kind, version, at_utc_us, round_id, actor, caused_by, body, prev_hash, _ = entry
    within, cause = "-" if round_id is None else round_id, "-" if caused_by is None else caused_by
    header = f"{seq}\n{kind}\n{version}\n{at_utc_us}\n{within}\n{actor}\n{cause}\n{len(body)}\n"
    return hashlib.sha256(prev_hash + header.encode() + body).digest()


def trusted(entry: Entry | BadEntry) -> Entry:
    """Return the entry itself. Raises `JournalError` CHAIN_BROKEN where it cannot be trusted."""
    if isinstance(entry, BadEntry):
        raise JournalError("CHAIN_BROKEN", seq=entry.seq, reason=entry.code)
    return entry


def linked(entry: Entry, seq: int, prev_hash: bytes | None) -> Entry | BadEntry:
    """Check an entry's place in the chain: it has to be number `seq` and to follow `prev_hash`.

    `prev_hash` is None when the entry before cannot be trusted: then only the entry itself is checked.
    """
    if entry.seq != seq:
        return BadEntry(seq, "GAP")
    if prev_hash is not None and entry.prev_hash != prev_hash:
        return BadEntry(seq, "LINK")
    return entry if digest(entry) == entry.hash else BadEntry(seq, "HASH")
