"""The SQLite file of a journal: its tables and triggers, and its entries, read and added."""

import os
import shutil
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import apsw

from controller.domain import JournalError
from controller.journal.entry import GENESIS, BadEntry, Entry, linked
from controller.journal.head_file import Head
from controller.outputs import NOT_REGULAR

_CODES: Final[tuple[tuple[type[Exception], str], ...]] = (
    (apsw.FullError, "JOURNAL_DISK_FULL"),
    (apsw.ReadOnlyError, "JOURNAL_READ_ONLY"),
    (apsw.PermissionsError, "JOURNAL_READ_ONLY"),
    (apsw.CantOpenError, "JOURNAL_CANNOT_OPEN"),
    (apsw.NotADBError, "NOT_A_JOURNAL"),
    (apsw.CorruptError, "JOURNAL_DAMAGED"),
    (apsw.BusyError, "JOURNAL_LOCKED"),
    (apsw.LockedError, "JOURNAL_LOCKED"),
    (apsw.IOError, "JOURNAL_IO_FAILED"),
    (apsw.Error, "JOURNAL_FAILED"),
)


@contextmanager
def translated(path: str) -> Iterator[None]:
    """Translate SQLite's errors to `JournalError` with the path."""
    try:
        yield
    except apsw.Error as error:
        code = next(code for kind, code in _CODES if isinstance(error, kind))
        raise JournalError(code, path=path, reason=str(error)) from error
    except UnicodeEncodeError as error:
        # SQLite takes names in UTF-8 alone.
        raise JournalError("JOURNAL_CANNOT_OPEN", path=ascii(path), reason=error.reason) from error


APPLICATION_ID: Final = 0x73743137
"""Marks the file as a journal of this program ("st17") in the SQLite header."""

_SCHEMA_VERSION: Final = 1

_SAFE_SQLITE: Final = (3, 51, 3)
"""First version without the WAL-reset bug, which can corrupt a file that two connections checkpoint."""

TRIGGER: Final = "trigger"

_PRAGMAS: Final = (
    # The schema of a foreign file must not call functions.
    ("trusted_schema", "OFF"),
    ("cell_size_check", "ON"),
    ("journal_mode", "WAL"),
    # A commit returns when it is on the disk, so a screen shows nothing that a power cut can lose.
    ("synchronous", "FULL"),
    ("foreign_keys", "ON"),
    # A freed page keeps no copy of a row, so a search of the file's bytes finds only live rows.
    ("secure_delete", "ON"),
)

_CREATE: Final = f"""
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
CREATE TABLE event (
    seq INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,
    version INTEGER NOT NULL,
    at_utc_us INTEGER NOT NULL,
    round_id INTEGER,
    actor TEXT NOT NULL,
    caused_by INTEGER,
    body BLOB NOT NULL,
    prev_hash BLOB NOT NULL CHECK (length(prev_hash) = 32),
    hash BLOB NOT NULL CHECK (length(hash) = 32)
) STRICT;
CREATE TRIGGER event_append_only BEFORE INSERT ON event
    WHEN NEW.seq IS NOT (SELECT coalesce(max(seq), 0) + 1 FROM event)
    BEGIN SELECT RAISE(ABORT, 'the journal is gap-free'); END;
CREATE TRIGGER event_no_update BEFORE UPDATE ON event
    BEGIN SELECT RAISE(ABORT, 'the journal is never changed'); END;
CREATE TRIGGER event_no_delete BEFORE DELETE ON event
    BEGIN SELECT RAISE(ABORT, 'the journal is never shortened'); END;
CREATE TRIGGER meta_no_update BEFORE UPDATE ON meta
    BEGIN SELECT RAISE(ABORT, 'the journal is never changed'); END;
CREATE TRIGGER meta_no_delete BEFORE DELETE ON meta
    BEGIN SELECT RAISE(ABORT, 'the journal is never shortened'); END;
INSERT INTO meta VALUES ('format', 'stand17 journal'), ('schema', '{_SCHEMA_VERSION}');
PRAGMA application_id = {APPLICATION_ID};
PRAGMA user_version = {_SCHEMA_VERSION};
"""


def require_safe_sqlite(version: str) -> None:
    """Refuse an SQLite, named as in `3.51.3`, that may corrupt the file."""
    if tuple(int(part) for part in version.split(".")) < _SAFE_SQLITE:
        raise JournalError("SQLITE_UNSAFE", found=version, needed="3.51.3")


def prepare(connection: apsw.Connection, path: str) -> None:
    """Make the connection safe to append with; lay the tables out in an empty file."""
    for pragma, value in _PRAGMAS:
        connection.pragma(pragma, value)
    if connection.execute("SELECT count(*) FROM sqlite_schema").get == 0:
        with connection:
            connection.execute(_CREATE)
    require_journal(connection, path)


def lay_triggers(connection: apsw.Connection, names: Collection[str]) -> None:
    """Put triggers of ours back."""
    for (_, name), sql in _expected().items():
        if name in names:
            connection.execute(sql)


def missing_triggers(connection: apsw.Connection, path: str) -> frozenset[str]:
    """Return the missing ones of the triggers that protect the entries from changes.

    Raises `JournalError` JOURNAL_ALTERED for a foreign or changed table or trigger, which could alter what is
    written.
    """
    expected, found = _expected(), _objects(connection)
    strange = [name for (kind, name), sql in found.items() if expected.get((kind, name)) != sql]
    strange += [name for kind, name in expected if kind != TRIGGER and (kind, name) not in found]
    if strange:
        raise JournalError("JOURNAL_ALTERED", path=path, name=min(strange))
    return frozenset(name for kind, name in expected if (kind, name) not in found)


def _objects(connection: apsw.Connection) -> dict[tuple[str, str], str]:
    """Return every table, index, view and trigger of the file, with its SQL."""
    rows = connection.execute("SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL")
    return {(str(kind), str(name)): str(sql) for kind, name, sql in rows}


@cache
def _expected() -> dict[tuple[str, str], str]:
    blank = apsw.Connection(":memory:")
    with blank:
        blank.execute(_CREATE)
    return _objects(blank)


def require_journal(connection: apsw.Connection, path: str) -> None:
    """Refuse a file that is another program's, or a later version's."""
    if connection.pragma("application_id") != APPLICATION_ID:
        raise JournalError("NOT_A_JOURNAL", path=path)
    found = connection.pragma("user_version")
    if found > _SCHEMA_VERSION:
        raise JournalError("SCHEMA_TOO_NEW", path=path, found=found, known=_SCHEMA_VERSION)


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


_WAL_VERSION: Final = 18
"""Byte of SQLite's header that is 2 where the newest pages are in a log of their own."""


class ReadOnlyJournal:
    """A connection that changes nothing beside the file.

    A log without its index was copied from a running table: SQLite would create the index, and cannot on a
    read-only medium. Such a journal is read from a private copy, which `close` removes.
    """

    def __init__(self, path: Path) -> None:
        """Open the file. Raises apsw's errors, as `require_journal`, and JOURNAL_LOG_MISSING."""
        self._copy: TemporaryDirectory[str] | None = None
        _require_file(path)
        try:
            self.connection: Final = self._opened(path)
        except JournalError as error:
            self._drop_copy()
            if error.code == "NOT_A_JOURNAL" and _lacks_log(path):
                raise JournalError("JOURNAL_LOG_MISSING", path=str(path), log=f"{path.name}-wal") from error
            raise
        except BaseException:
            self._drop_copy()
            raise

    def _opened(self, path: Path) -> apsw.Connection:
        if not _is_copied(path):
            try:
                return _journal(path)
            except (apsw.CantOpenError, apsw.ReadOnlyError):
                if not _has_log(path):
                    raise
        return _journal(self._copied(path))

    def close(self) -> None:
        """Close the file."""
        self.connection.close()
        self._drop_copy()

    def _copied(self, path: Path) -> Path:
        self._copy = TemporaryDirectory(prefix="stand17-journal-")
        copy = Path(self._copy.name) / path.name
        for ending in ("", "-wal"):
            shutil.copyfile(f"{path}{ending}", f"{copy}{ending}")
        return copy

    def _drop_copy(self) -> None:
        if self._copy is not None:
            self._copy.cleanup()


def _journal(path: Path) -> apsw.Connection:
    connection = connect(path)
    try:
        require_journal(connection, str(path))
    except BaseException:
        connection.close()
        raise
    return connection


def _require_file(path: Path) -> None:
    if not path.is_file():
        raise apsw.CantOpenError(NOT_REGULAR if path.exists() else "there is no such file")
    if not os.access(path, os.R_OK):
        raise apsw.CantOpenError("permission denied")


def connect(path: Path) -> apsw.Connection:
    """Open without changing anything; a file without a log needs no index of one."""
    _require_file(path)
    flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
    query = "" if _has_log(path) else "?immutable=1"
    return apsw.Connection(f"{path.absolute().as_uri()}{query}", flags=flags)


def _has_log(path: Path) -> bool:
    log = Path(f"{path}-wal")
    return log.exists() and log.stat().st_size > 0


def _is_copied(path: Path) -> bool:
    return _has_log(path) and not Path(f"{path}-shm").exists()


def _lacks_log(path: Path) -> bool:
    """Whether this is the beginning of a journal whose tables are in a missing log."""
    with path.open("rb") as file:
        header = file.read(100)
    connection = connect(path)
    try:
        empty = connection.execute("SELECT count(*) FROM sqlite_schema").get == 0
    finally:
        connection.close()
    return empty and not _has_log(path) and header[_WAL_VERSION : _WAL_VERSION + 1] == b"\x02"


_INSERT: Final = "INSERT INTO event VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
_LAST: Final = "SELECT seq, hash FROM event ORDER BY seq DESC LIMIT 1"


def writable(path: Path) -> apsw.Connection:
    """Open a file for writing."""
    connection = apsw.Connection(str(path))
    connection.set_busy_timeout(2000)
    return connection


def end_of(connection: apsw.Connection) -> Head:
    """The last row's number and hash; 0 and zero bytes where there is none. Raises `apsw.CorruptError`."""
    row = connection.execute(_LAST).fetchone()
    match row:
        case None:
            return Head(0, GENESIS)
        case (int() as seq, bytes() as digest):
            return Head(seq, digest)
        case _:
            raise apsw.CorruptError("the last entry has another form")


def add_rows(
    connection: apsw.Connection, entries: Sequence[Entry], before: Callable[[], None] | None = None
) -> None:
    """Write all of them or none; they are on the disk when this returns. `before` is part of it."""
    with _transaction(connection):
        if before is not None:
            before()
        connection.executemany(_INSERT, entries)


@contextmanager
def _transaction(connection: apsw.Connection) -> Iterator[None]:
    """Commit the statements inside, or roll them back.

    As plain statements: apsw releases the interpreter while it executes one, so that a slow disk delays only
    the commit. Its own context manager commits without releasing it.
    """
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
