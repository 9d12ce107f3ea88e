"""Stored rows as checked entries: whatever a row holds, reading it never crashes."""

from collections.abc import Iterator
from typing import Final

import apsw

from controller.journal.entry import GENESIS, BadEntry, Entry, linked

_WALK: Final = """
SELECT seq, CAST(kind AS BLOB), version, at_utc_us, round_id, CAST(actor AS BLOB), caused_by,
       body, prev_hash, hash
FROM event WHERE seq >= ? ORDER BY seq
"""
_HASH_AT: Final = "SELECT hash FROM event WHERE seq = ?"
_END: Final = "SELECT max(seq) FROM event"


def walk(connection: apsw.Connection, from_seq: int) -> Iterator[Entry | BadEntry]:
    """Entries in order, each checked against the one before.

    After an entry that does not fit the walk goes on, so that a viewer still sees the rest; rows that
    SQLite itself cannot read end it.
    """
    expected, prev_hash = from_seq, _hash_before(connection, from_seq)
    rows = connection.execute(_WALK, (from_seq,))
    while True:
        try:
            row = next(rows, None)
        except (apsw.CorruptError, apsw.IOError):
            yield BadEntry(expected, "UNREADABLE")
            return
        if row is None:
            return
        entry = check(row, expected, prev_hash)
        yield entry
        if isinstance(entry, Entry):
            expected, prev_hash = entry.seq + 1, entry.hash
        else:
            expected, prev_hash = _resume_after(row, entry)


def check(row: tuple[object, ...], expected: int, prev_hash: bytes | None) -> Entry | BadEntry:
    """Take the row as an entry, if it is the `expected` one and its hash follows `prev_hash`.

    `prev_hash` is None when the entry before cannot be trusted: then only the row itself is checked.
    """
    match row:
        case (
            int() as seq,
            bytes() as kind,
            int() as version,
            int() as at_utc_us,
            int() | None as round_id,
            bytes() as actor,
            int() | None as caused_by,
            bytes() as body,
            bytes() as follows,
            bytes() as stored,
        ):
            names = (kind.decode("utf-8", "replace"), actor.decode("utf-8", "replace"))
            entry = Entry(
                seq, names[0], version, at_utc_us, round_id, names[1], caused_by, body, follows, stored
            )
            return linked(entry, expected, prev_hash)
        case _:
            return BadEntry(expected, "FORM")


def hash_at(connection: apsw.Connection, seq: int) -> bytes:
    """The stored hash of an entry, unchecked; b"" where there is none."""
    found = connection.execute(_HASH_AT, (seq,)).get
    return found if isinstance(found, bytes) else b""


def last_seq(connection: apsw.Connection) -> int:
    """Sequence of the last entry, 0 where there is none."""
    return int(connection.execute(_END).get or 0)


def _hash_before(connection: apsw.Connection, seq: int) -> bytes | None:
    return GENESIS if seq <= 1 else hash_at(connection, seq - 1) or None


def _resume_after(row: tuple[object, ...], bad: BadEntry) -> tuple[int, bytes | None]:
    seq, stored = row[0], row[-1]
    if bad.code == "GAP" and isinstance(seq, int):
        return seq + 1, None
    return bad.seq + 1, stored if isinstance(stored, bytes) else None
