"""Rows written behind the last one of a journal, in one transaction; whoever calls has checked the chain."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import apsw

from controller.journal.entry import GENESIS, Entry
from controller.journal.head_file import Head

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
    """Commit what is done inside, or undo it.

    As plain statements: apsw lets go of the interpreter while it executes one, so that a disk which takes
    seconds to sync stops nothing but the commit. Its own context manager commits without letting go.
    """
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
