"""A journal opened for reading, as it lies there: also a copy on a medium that nothing can be written to."""

import shutil
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import apsw

from controller.domain.errors import JournalError
from controller.journal.schema import require_journal

_WAL_VERSION: Final = 18
"""Byte of SQLite's header that is 2 where the newest pages are in a log of their own."""


class ReadOnlyJournal:
    """A connection that changes nothing beside the file.

    A log without its index is what somebody has copied from a running table: SQLite would make the index,
    and cannot on a read-only medium. Such a journal is read from a copy, for the owner alone, that goes
    with `close`.
    """

    def __init__(self, path: Path) -> None:
        """Open the file. Raises apsw's errors, as `require_journal`, and JOURNAL_LOG_MISSING."""
        self._copy: TemporaryDirectory[str] | None = None
        if not path.is_file():
            raise apsw.CantOpenError("there is no such file")
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


def connect(path: Path) -> apsw.Connection:
    """Open without changing anything; a file without a log needs no index of one."""
    if not path.is_file():
        raise apsw.CantOpenError("there is no such file")
    flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
    query = "" if _has_log(path) else "?immutable=1"
    return apsw.Connection(f"{path.absolute().as_uri()}{query}", flags=flags)


def _has_log(path: Path) -> bool:
    log = Path(f"{path}-wal")
    return log.exists() and log.stat().st_size > 0


def _is_copied(path: Path) -> bool:
    return _has_log(path) and not Path(f"{path}-shm").exists()


def _lacks_log(path: Path) -> bool:
    """Whether this is the beginning of a journal whose tables are in a log that is not there."""
    with path.open("rb") as file:
        header = file.read(100)
    connection = connect(path)
    try:
        empty = connection.execute("SELECT count(*) FROM sqlite_schema").get == 0
    finally:
        connection.close()
    return empty and not _has_log(path) and header[_WAL_VERSION : _WAL_VERSION + 1] == b"\x02"
