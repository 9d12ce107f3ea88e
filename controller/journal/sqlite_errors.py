"""SQLite's exceptions as journal errors with a code that says what to do."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import apsw

from controller.domain.errors import JournalError

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
    """Raise `JournalError` with the path for whatever SQLite raises inside."""
    try:
        yield
    except apsw.Error as error:
        code = next(code for kind, code in _CODES if isinstance(error, kind))
        raise JournalError(code, path=path, reason=str(error)) from error
    except UnicodeEncodeError as error:
        # SQLite takes names in UTF-8 alone.
        raise JournalError("JOURNAL_CANNOT_OPEN", path=ascii(path), reason=error.reason) from error
