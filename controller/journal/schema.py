"""The tables of a journal file, and which files and SQLite versions are fit to hold one."""

from collections.abc import Collection
from functools import cache
from typing import Final

import apsw

from controller.domain.errors import JournalError

APPLICATION_ID: Final = 0x73743137
"""Marks the file as a journal of this program ("st17") in the SQLite header."""

SCHEMA_VERSION: Final = 1

SAFE_SQLITE: Final = (3, 51, 3)
"""First version without the WAL-reset bug, which can corrupt a file that two connections checkpoint."""

TRIGGER: Final = "trigger"

_PRAGMAS: Final = (
    # A file that somebody has brought must run no function that its own schema names.
    ("trusted_schema", "OFF"),
    ("cell_size_check", "ON"),
    ("journal_mode", "WAL"),
    # A commit returns when it is on the disk: what is shown after it outlives a power cut.
    ("synchronous", "FULL"),
    ("foreign_keys", "ON"),
    # No left-over copy of a row in a freed page: what a search of the file finds is what is read.
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
INSERT INTO meta VALUES ('format', 'stand17 journal'), ('schema', '{SCHEMA_VERSION}');
PRAGMA application_id = {APPLICATION_ID};
PRAGMA user_version = {SCHEMA_VERSION};
"""


def require_safe_sqlite(version: str) -> None:
    """Refuse an SQLite, named as in `3.51.3`, that may corrupt the file."""
    if tuple(int(part) for part in version.split(".")) < SAFE_SQLITE:
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
    """Tell which of the triggers are gone that keep the entries from being changed.

    Raises `JournalError` JOURNAL_ALTERED where a table or trigger is another one than ours, or one too many:
    it could change what is written.
    """
    expected, found = _expected(), _objects(connection)
    strange = [name for (kind, name), sql in found.items() if expected.get((kind, name)) != sql]
    strange += [name for kind, name in expected if kind != TRIGGER and (kind, name) not in found]
    if strange:
        raise JournalError("JOURNAL_ALTERED", path=path, name=min(strange))
    return frozenset(name for kind, name in expected if (kind, name) not in found)


def _objects(connection: apsw.Connection) -> dict[tuple[str, str], str]:
    """Every table, index, view and trigger that has been laid out, with its words."""
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
    if found > SCHEMA_VERSION:
        raise JournalError("SCHEMA_TOO_NEW", path=path, found=found, known=SCHEMA_VERSION)
