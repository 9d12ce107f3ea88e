"""The journal file: written by one process, read by any."""

from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, Final, NamedTuple, Self

import apsw

from controller.domain import JournalError
from controller.journal.database import (
    ReadOnlyJournal,
    add_rows,
    connect,
    end_of,
    hash_at,
    last_seq,
    lay_triggers,
    missing_triggers,
    prepare,
    require_journal,
    require_safe_sqlite,
    translated,
    walk,
    writable,
)
from controller.journal.entry import GENESIS, BadEntry, Entry, NewEntry, digest, require_writable
from controller.journal.files import DiskReserve, JournalFiles, create_private, keep_private, require_one_name
from controller.journal.head_file import Head, HeadFile
from controller.journal.heads import heads_mark, kept_finding
from controller.journal.opening_check import OpeningCheck, require_nothing_noted
from controller.journal.table_key import TableKey
from controller.ports import MACHINE_DISK, Clock, SideDisk, Trouble

_FIRST_OF: Final = "SELECT min(seq) FROM event WHERE round_id = ?"
_OF_KIND: Final = """
SELECT CAST(actor AS BLOB), CAST(body AS BLOB)
FROM event WHERE CAST(kind AS BLOB) = CAST(? AS BLOB) ORDER BY seq
"""


class Comparison(NamedTuple):
    """The differences between a journal and its files; `end` is its last entry."""

    findings: tuple[Trouble, ...] = ()
    end: int = 0


_NOTHING_FOUND: Final = Comparison()


class Journal:
    """An open journal. Calls may come from any thread, one at a time."""

    compared: Comparison = _NOTHING_FOUND
    """What was found when it was opened."""

    @property
    def doubted_from(self) -> int:
        """The entry from which the table may vouch again after a finding; 0 without one."""
        return self.compared.end + 1 if self.compared.findings and self.compared.end else 0

    @property
    def disk(self) -> SideDisk:
        """The disk of the files beside it."""
        return self._head_file.disk

    def end_soon(self) -> None:
        """Declare the next entries the last: a full disk takes them into its reserve."""
        self._ends = True

    def lose(self) -> None:
        """Note that the program ends with reports that could not be written: the next start holds for it."""
        self._head_file.lose(self._head)

    def vouch(self, heads: Head) -> None:
        """Note and mark how many heads are signed by now, with the hash of their lines."""
        self._head_file.heads = heads
        self._head_file.note(self._head)
        self._head_file.mark(self._head)

    @property
    def findings(self) -> tuple[Trouble, ...]:
        """The holds for the table, see `controller.journal.opening_check`."""
        return self.compared.findings

    def __init__(self, path: Path, connection: apsw.Connection, clock: Clock, head_file: HeadFile) -> None:
        """Take over an opened file; use `Journal.open`."""
        self._path = str(path)
        self._connection = connection
        self.clock: Final = clock
        """The clock of its entries."""
        self._head_file = head_file
        self._head = end_of(connection)
        self._files, self._reserve = JournalFiles(path), DiskReserve(path, head_file.disk)
        self._ends = False
        # Put back with the first entries: before those nothing is written to a file that is looked into.
        self._triggers = missing_triggers(connection, str(path))

    @classmethod
    def open(
        cls,
        path: Path,
        clock: Clock,
        key: TableKey | None = None,
        kept: Sequence[Path] = (),
        *,
        disk: SideDisk = MACHINE_DISK,
    ) -> Self:
        """Open or create the journal for writing; `key` signs the note of its head.

        The files beside it are written to `disk`. Signed heads that were `kept` in these files are compared
        before anything is written.

        Raises `JournalError`: JOURNAL_IN_USE, JOURNAL_READ_ONLY, JOURNAL_CANNOT_OPEN, NOT_A_JOURNAL,
        SCHEMA_TOO_NEW, JOURNAL_DAMAGED, JOURNAL_CUT_OFF, JOURNAL_REWRITTEN, JOURNAL_ALTERED, OTHER_KEY,
        SQLITE_UNSAFE. A refused file is left as it is.
        """
        require_safe_sqlite(apsw.sqlite_lib_version())
        # The lock lies beside the file itself, with links resolved.
        path = require_place(path)
        require_one_name(path)
        head_file = HeadFile(path, key, disk)
        try:
            found = compared(path, key, kept)
            head_file.heads = heads_mark(path)
            create_private(path, disk)
            with translated(str(path)):
                connection = writable(path)
                prepare(connection, str(path))
                journal = cls(path, connection, clock, head_file)
            journal.compared = found
            keep_private(path)
        except BaseException:  # whatever ends it, the lock is given back
            head_file.close()
            raise
        return journal

    @classmethod
    def continued(
        cls, path: Path, clock: Clock, key: TableKey, entries: Sequence[Entry], news: Sequence[NewEntry]
    ) -> Self:
        """Lay out a new file with entries of a chain that was checked, and append `news` to them.

        All of it is one transaction: a kill leaves the whole journal or none of its entries.
        """
        head_file = HeadFile(path, key)
        head_file.heads = heads_mark(path)
        with translated(str(path)):
            connection = writable(path)
            prepare(connection, str(path))
            last, written = Head(entries[-1].seq, entries[-1].hash), list(entries)
            for new in news:
                written.append(_chained(last, new, clock.utc_us()))
                last = Head(written[-1].seq, written[-1].hash)
            add_rows(connection, written)
        head_file.note(last)
        return cls(path, connection, clock, head_file)

    def append(self, entries: Sequence[NewEntry], at_utc_us: int | None = None) -> tuple[Entry, ...]:
        """Write all entries or none in one transaction; they are on disk when this returns.

        `at_utc_us` is the moment at which they were decided, microseconds since 1970 UTC; now when left out.
        Raises `JournalError` (JOURNAL_DISK_FULL, JOURNAL_IO_FAILED, ...); the journal then ends where it
        ended before and may be appended to again.
        """
        at_utc_us = self.clock.utc_us() if at_utc_us is None else at_utc_us
        # SQLite continues to write into a moved or deleted file, and its entries would be lost.
        self._files.require_unmoved()
        try:
            return self._append(entries, at_utc_us)
        except JournalError as error:
            if error.code != "JOURNAL_DISK_FULL" or not (self._ends and self._reserve.give_up()):
                raise
            return self._append(entries, at_utc_us)

    def _append(self, entries: Sequence[NewEntry], at_utc_us: int) -> tuple[Entry, ...]:
        head, written = self._head, []
        for new in entries:
            written.append(_chained(head, new, at_utc_us))
            head = Head(written[-1].seq, written[-1].hash)
        self._head_file.announce(self._head, head)
        try:
            with translated(self._path):
                add_rows(self._connection, written, lambda: lay_triggers(self._connection, self._triggers))
        except JournalError:
            self._head_file.withdraw(self._head)
            raise
        self._head, self._triggers = head, frozenset()
        # Never before the commit: a note ahead of its journal says that the journal was cut off.
        self._head_file.note(head)
        return tuple(written)

    def read(self, from_seq: int = 1) -> Iterator[Entry | BadEntry]:
        """Entries from `from_seq` on, each checked against the chain; a bad row comes as `BadEntry`."""
        with translated(self._path):
            yield from walk(self._connection, from_seq)

    def head(self) -> Head:
        """Sequence and hash of the last entry; sequence 0 and zero bytes when there is none."""
        return self._head

    def close(self) -> None:
        """Fold the write-ahead log into the file and give the lock back."""
        with translated(self._path):
            self._connection.close()
        self._reserve.give_up()
        self._head_file.close()


class JournalReader:
    """A journal opened for reading only, also while the table writes to it."""

    def __init__(self, path: Path) -> None:
        """Open the file as it is; raises `JournalError` where it is missing or not a journal."""
        self._path = str(path)
        with translated(self._path):
            self._file = ReadOnlyJournal(path)
        self._connection = self._file.connection

    def read(self, from_seq: int = 1) -> Iterator[Entry | BadEntry]:
        """Yield the entries from `from_seq` on, up to the first that does not fit."""
        with translated(self._path):
            yield from walk(self._connection, from_seq)

    def of_kind(self, kind: str) -> tuple[tuple[str, bytes], ...]:
        """Actors and bodies of all entries of a kind, in order; whether they can be trusted, `read` tells."""
        with translated(self._path):
            rows: list[Any] = self._connection.execute(_OF_KIND, (kind,)).fetchall()
        return tuple((bytes(actor).decode("utf-8", "replace"), bytes(body)) for actor, body in rows)

    def first_of(self, number: int) -> int:
        """Sequence of the first entry that was written while the round of this number ran, 0 for none."""
        with translated(self._path):
            return int(self._connection.execute(_FIRST_OF, (number,)).get or 0)

    def hash_at(self, seq: int) -> bytes:
        """The stored hash of an entry, b"" where there is none."""
        with translated(self._path):
            return hash_at(self._connection, seq)

    def last_seq(self) -> int:
        """Sequence of the last entry, 0 where there is none."""
        with translated(self._path):
            return last_seq(self._connection)

    def altered(self) -> str:
        """Name a table, view or trigger that is gone, or not as the program lays it out; "" for none."""
        with translated(self._path):
            try:
                return min(missing_triggers(self._connection, self._path), default="")
            except JournalError as error:
                return str(error.params["name"])

    def is_sound(self) -> bool:
        """Whether SQLite finds the whole file in order, also outside the entries."""
        try:
            return bool(self._connection.execute("PRAGMA integrity_check").get == "ok")
        except apsw.Error:
            return False

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def compared(path: Path, key: TableKey | None, kept: Sequence[Path] = ()) -> Comparison:
    """Compare a journal with its note and its signed heads; see `OpeningCheck.findings`."""
    if not path.exists() or not path.stat().st_size:
        require_nothing_noted(path)
        return Comparison(tuple(_of_kept(kept, path, key, 0)))
    with translated(str(path)):
        connection = connect(path)
        try:
            if connection.execute("SELECT count(*) FROM sqlite_schema").get == 0:
                require_nothing_noted(path)
                return _NOTHING_FOUND
            require_journal(connection, str(path))
            end = last_seq(connection)
            return Comparison(
                (*OpeningCheck(path, connection, key).findings(), *_of_kept(kept, path, key, end)), end
            )
        finally:
            connection.close()


def has_entries(path: Path) -> bool:
    """Whether a journal has an entry; a kill before the first commit leaves a file without one.

    True also for an unreadable file: its opening reports the reason.
    """
    if not path.exists() or not path.stat().st_size:
        return False
    try:
        with translated(str(path)), closing(connect(path)) as connection:
            if connection.execute("SELECT count(*) FROM sqlite_schema").get == 0:
                return False
            require_journal(connection, str(path))
            return last_seq(connection) > 0
    except JournalError:
        return True


def _of_kept(kept: Sequence[Path], path: Path, key: TableKey | None, end: int) -> Iterator[Trouble]:
    """Yield the contradictions of the signed heads kept elsewhere."""
    for file in kept:
        found = None if key is None else kept_finding(file, path, key.public, end)
        if found is not None:
            yield found


def _chained(head: Head, new: NewEntry, at_utc_us: int) -> Entry:
    require_writable(new)
    entry = Entry(
        seq=head.seq + 1,
        kind=new.kind,
        version=new.version,
        at_utc_us=at_utc_us,
        round_id=new.round_id,
        actor=new.actor,
        caused_by=new.caused_by,
        body=new.body,
        prev_hash=head.hash,
        hash=GENESIS,
    )
    return entry._replace(hash=digest(entry))


def require_place(path: Path) -> Path:
    """Return the real path of a journal that exists or can be made.

    A file marked read-only is an archive: even the superuser must unmark it before writing. Raises
    `JournalError` JOURNAL_READ_ONLY or JOURNAL_CANNOT_OPEN.
    """
    path = path.resolve()
    if not path.parent.is_dir() or (path.exists() and not path.is_file()):
        reason = "not a regular file" if path.exists() else "no such folder"
        raise JournalError("JOURNAL_CANNOT_OPEN", path=str(path), reason=reason)
    if path.exists() and not path.stat().st_mode & 0o222:
        raise JournalError("JOURNAL_READ_ONLY", path=str(path), reason="the file is write-protected")
    return path
