"""The archived journals in PostgreSQL: appended to in one transaction with their head."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from controller.floor.database.connection import translated
from controller.floor.days import day_of
from controller.journal.database import check
from controller.journal.entry import GENESIS, BadEntry, Entry, trusted
from controller.journal.head_file import Head
from controller.journal.heads import SignedHead, head_of

if TYPE_CHECKING:
    import psycopg

READ: Final = 500
"""Rows that are fetched at once."""

_JOURNALS: Final = b"SELECT id, first, name, day, seq, hash FROM archive.journal ORDER BY day, name"
_LAY_OUT: Final = b"INSERT INTO archive.journal (first, name, day) VALUES (%s, %s, %s) RETURNING id"
_COPY: Final = b"""
COPY archive.entry (
    day, journal, seq, kind, version, at_utc_us, round_id, actor, caused_by, body, prev_hash, hash
)
FROM STDIN (FORMAT BINARY)
"""
_INT: Final = "int8"
_BYTES: Final = "bytea"
_TYPES: Final = ("date", "int4", _INT, _BYTES, *[_INT] * 3, _BYTES, _INT, *[_BYTES] * 3)
_MOVE: Final = b"SELECT archive.move_head(%s, %s, %s, %s, %s)"
_READ: Final = b"""
SELECT seq, kind, version, at_utc_us, round_id, actor, caused_by, body, prev_hash, hash
FROM archive.entry WHERE day = %s AND journal = %s ORDER BY seq
"""
_NEWEST: Final = b"SELECT key, max(number) FROM archive.head WHERE journal = %s GROUP BY key"
_HEAD: Final = b"INSERT INTO archive.head (journal, key, number, seq, line) VALUES (%s, %s, %s, %s, %s)"
_FORGET: Final = b"DELETE FROM archive.figure WHERE journal = %s"
_REMOVE: Final = b"DELETE FROM archive.figure WHERE journal = %s AND view = %s AND nth = %s"
_FIGURE: Final = b"INSERT INTO archive.figure (journal, view, nth, fields) VALUES (%s, %s, %s, %s::jsonb)"
_HEADS: Final = b"SELECT line FROM archive.head WHERE journal = %s ORDER BY seq, number"


Figures = Mapping[str, Sequence[Mapping[str, Any]]]
"""Rows of the history of one journal, by the name of their view."""


class KeptJournal(NamedTuple):
    """A journal in the database: `first` is its first entry's hash, `end` its head there."""

    id: int
    first: bytes
    name: str
    day: date
    end: Head


class DatabaseJournals:
    """All journals there, over one connection; for one thread at a time. Each call raises as `translated`."""

    def __init__(self, connection: "psycopg.Connection") -> None:
        """The connection is closed with this."""
        self._connection = connection
        self._figures: dict[int, dict[tuple[str, int], str]] = {}

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def all(self) -> Mapping[bytes, KeptJournal]:
        """Return all journals by the hash of their first entries."""
        rows = self._rows(_JOURNALS)
        return {row[1]: KeptJournal(row[0], row[1], row[2], row[3], Head(row[4], row[5])) for row in rows}

    def lay_out(self, first: Entry, name: str) -> KeptJournal:
        """Begin a journal; its entries come with `append`."""
        day = day_of(first.at_utc_us)
        with translated(), self._connection.transaction():
            ((number,),) = self._rows(_LAY_OUT, (first.hash, name, day))
            self._rows(b"SELECT archive.lay_day(%s)", (day,))
        return KeptJournal(number, first.hash, name, day, Head(0, GENESIS))

    def append(self, journal: KeptJournal, entries: Sequence[Entry]) -> KeptJournal:
        """Write entries that follow the head, and move it: all on the disk when this returns, or none."""
        end = Head(entries[-1].seq, entries[-1].hash)
        with translated(), self._connection.transaction():
            with self._connection.cursor() as cursor, cursor.copy(_COPY) as copy:
                copy.set_types(_TYPES)
                for one in entries:
                    copy.write_row((journal.day, journal.id, *map(_stored, one)))
            self._rows(_MOVE, (journal.id, *journal.end, *end))
        return journal._replace(end=end)

    def append_heads(self, journal: KeptJournal, heads: Iterable[SignedHead | None]) -> None:
        """Keep the signed heads of its entries, each once."""
        newest: dict[str, int] = dict(self._rows(_NEWEST, (journal.id,)))
        new = [
            (journal.id, head.key, head.number, head.seq, head.line(with_nonce=True).encode())
            for head in heads
            if head is not None and newest.get(head.key, 0) < head.number and head.seq <= journal.end.seq
        ]
        with translated(), self._connection.transaction(), self._connection.cursor() as cursor:
            cursor.executemany(_HEAD, new)

    def keep_figures(self, journal: KeptJournal, figures: Figures) -> None:
        """Have these figures of a journal and no others; only rows that differ are written."""
        new = {(view, nth): _text(row) for view, rows in figures.items() for nth, row in enumerate(rows)}
        known = self._figures.pop(journal.id, None)
        before = known or {}
        gone = [(journal.id, *key) for key, row in before.items() if new.get(key) != row]
        come = [(journal.id, *key, row) for key, row in new.items() if before.get(key) != row]
        with translated(), self._connection.transaction(), self._connection.cursor() as cursor:
            if known is None:
                cursor.execute(_FORGET, (journal.id,))
            cursor.executemany(_REMOVE, gone)
            cursor.executemany(_FIGURE, come)
        self._figures[journal.id] = new

    def heads(self, journal: KeptJournal) -> Iterator[SignedHead | None]:
        """Its signed heads; None for a line that is none."""
        return (head_of(line) for (line,) in self._rows(_HEADS, (journal.id,)))

    def read(self, journal: KeptJournal) -> Iterator[Entry | BadEntry]:
        """Yield its entries, each checked against the one before, up to the first that does not fit."""
        end: bytes | None = GENESIS
        named = self._connection.cursor
        with translated(), self._connection.transaction(), named(name="entries") as cursor:
            cursor.itersize = READ
            cursor.execute(_READ, (journal.day, journal.id))
            for seq, row in enumerate(cursor, start=1):
                entry = check(row, seq, end)
                yield entry
                if isinstance(entry, BadEntry):
                    return
                end = entry.hash

    def _rows(self, query: bytes, values: tuple[object, ...] = ()) -> list[tuple[Any, ...]]:
        with translated():
            return self._connection.execute(query, values).fetchall()


def _text(row: Mapping[str, Any]) -> str:
    """A row as JSON that PostgreSQL takes: without zero bytes, half characters and numbers that are none."""
    return json.dumps({name: _plain(value) for name, value in row.items()})


def _plain(value: object) -> object:
    if isinstance(value, float) and not isfinite(value):
        return None
    return value.replace("\0", "").encode(errors="replace").decode() if isinstance(value, str) else value


def _stored(value: object) -> object:
    """Names as the bytes that were hashed: a text of PostgreSQL takes no zero byte."""
    return value.encode() if isinstance(value, str) else value


class DatabaseSource:
    """A journal in the database, from which a folder is rebuilt: a `FollowedFile` of `sources`."""

    def __init__(self, journals: DatabaseJournals, journal: KeptJournal) -> None:
        """Begin unread."""
        self._journals, self._journal = journals, journal
        self.path: Path = Path("database", journal.name)

    def news(self) -> Iterator[Entry | SignedHead]:
        """All that is there. Raises `JournalError` CHAIN_BROKEN, and as `translated`."""
        yield from map(trusted, self._journals.read(self._journal))
        yield from filter(None, self._journals.heads(self._journal))
