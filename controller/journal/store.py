"""The journal's store, and its check when a table opens.

A difference that a kill, a power cut or an older program cannot explain is refused, so that the files stay as
they are, or is a finding: then the table is held and the pit decides. The table of cases is in
docs/evidence.md.
"""

import json
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
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
from controller.journal.entry import (
    GENESIS,
    BadEntry,
    DiskReserve,
    Entry,
    JournalFiles,
    NewEntry,
    create_private,
    digest,
    keep_private,
    require_one_name,
    require_writable,
)
from controller.journal.head_file import (
    LOST,
    NO_HEADS,
    WITHDRAWN,
    Head,
    HeadFile,
    HeadNote,
    TableKey,
    read_mark,
    read_note,
)
from controller.journal.heads import SignedHead, heads_beside, heads_mark, heads_path, kept_finding
from controller.ports import MACHINE_DISK, Clock, SideDisk, Trouble

_STARTS: Final = """
SELECT CAST(body AS BLOB) FROM event
WHERE CAST(kind AS BLOB) = CAST('started' AS BLOB) ORDER BY seq
"""
_COMMITS: Final = "SELECT count(DISTINCT at_utc_us) FROM event"

_OPENING_COMMITS: Final = 2
"""The opening, and the first start."""


class OpeningCheck:
    """One journal, opened for reading, with its note, its end mark and its signed heads."""

    def __init__(self, path: Path, connection: apsw.Connection, key: TableKey | None) -> None:
        """Read the keys that the journal's starts name; nothing is compared yet."""
        self._path, self._connection, self._key = path, connection, key
        self._end = last_seq(connection)
        self._mark = None if key is None else read_mark(path, key.public)
        self._keys = tuple(self._started_with())

    def findings(self) -> tuple[Trouble, ...]:
        """Return the holds for the table; none when everything agrees.

        Raises `JournalError` JOURNAL_CUT_OFF, JOURNAL_REWRITTEN, OTHER_KEY, JOURNAL_ALTERED: this journal
        must not be written to.
        """
        if not self._end:
            require_nothing_noted(self._path)
            return ()
        self._require_own_key()
        note = read_note(self._path)
        found = [*self._of_note(note), *self._of_heads(note), *self._of_start(note), *self._of_mark()]
        if missing_triggers(self._connection, str(self._path)):
            found.append(Trouble("JOURNAL_UNGUARDED"))
        return tuple(found)

    def _started_with(self) -> Iterator[str]:
        """The keys that the journal's starts name, "" for a start of a program without one."""
        for (body,) in self._connection.execute(_STARTS):
            named = ""
            with suppress(RecursionError, TypeError, ValueError, AttributeError):
                named = str(json.loads(bytes(body)).get("key", ""))
            yield named

    def _require_own_key(self) -> None:
        named = [key for key in self._keys if key]
        if self._key is not None and named and named[-1] != self._key.public:
            raise JournalError("OTHER_KEY", path=str(self._path), key=named[-1], own=self._key.public)

    @property
    def _is_signed(self) -> bool:
        """Whether a key is known to have signed this journal: then an unsigned note is not ours."""
        return self._key is not None and any(self._keys)

    def _of_note(self, note: HeadNote | None) -> Iterator[Trouble]:
        if note is None:
            yield Trouble("JOURNAL_NOTE_MISSING")
        elif not note.genuine or (self._key is not None and self._is_signed and note.key != self._key.public):
            yield Trouble("JOURNAL_NOTE_FORGED")
        else:
            self._require(note.head)
            reached = hash_at(self._connection, note.following.seq) == note.following.hash
            last = note.following if reached else note.head
            # Without a key nothing is announced before a commit, and a kill may lose its note.
            if note.following == LOST:
                yield Trouble("REPORTS_LOST_AT_STOP")
            if note.following == WITHDRAWN and last.seq < self._end:
                yield Trouble("ENTRIES_UNCONFIRMED", (("seq", last.seq + 1), ("last", self._end)))
            elif note.key and last.seq < self._end:
                yield Trouble("JOURNAL_NOTE_BEHIND", (("noted", last.seq), ("found", self._end)))

    def _of_heads(self, note: HeadNote | None) -> Iterator[Trouble]:
        if self._key is None:
            return
        vouched = max(self._vouched(note), default=NO_HEADS)
        if not heads_path(self._path).exists():
            if vouched.seq or (self._is_signed and self._went_on()):
                yield Trouble("JOURNAL_HEADS_MISSING")
            return
        damaged = self._first_damaged(self._key.public)
        found = heads_mark(self._path, vouched.seq)
        if found != vouched:
            yield Trouble("JOURNAL_HEADS_CUT", (("found", found.seq), ("vouched", vouched.seq)))
        elif damaged:
            yield Trouble("JOURNAL_HEADS_DAMAGED", (("line", damaged),))

    def _vouched(self, note: HeadNote | None) -> Iterator[Head]:
        """The signed heads that this table says there were: in its note, in its end mark."""
        if note is not None and note.heads is not None and note.genuine and self._is_own(note):
            yield note.heads
        if self._mark is not None and self._has(self._mark.end):
            yield self._mark.heads

    def _is_own(self, note: HeadNote) -> bool:
        return self._key is not None and note.key == self._key.public

    def _first_damaged(self, public: str) -> int:
        """Compare heads with the journal up to a line that is not this table's: its number, 0 for none."""
        for number, head in enumerate(heads_beside(self._path), start=1):
            if head is None or (head.number, head.key) != (number, public) or not head.is_genuine:
                return number
            self._require_sealed(head)
        return 0

    def _of_mark(self) -> Iterator[Trouble]:
        """The table has signed that this journal went further once, or on otherwise."""
        if self._mark is not None and not self._has(self._mark.end):
            yield Trouble("JOURNAL_PUT_BACK", (("found", self._end), ("noted", self._mark.end.seq)))

    def _has(self, head: Head) -> bool:
        return hash_at(self._connection, head.seq) == head.hash

    def _went_on(self) -> bool:
        """Whether the table was more than opened: a program killed before that has signed no head."""
        commits: int = self._connection.execute(_COMMITS).get
        return len(self._keys) > 1 or commits > _OPENING_COMMITS

    def _of_start(self, note: HeadNote | None) -> Iterator[Trouble]:
        """A key that is older than the journal's starts would have been named by them.

        A program that is killed at its very first start may leave the opening alone, with a note that the key
        has signed.
        """
        if self._key is None or any(self._keys) or self._key.is_new:
            return
        if self._end > 1 or note is None or not self._is_own(note):
            yield Trouble("JOURNAL_UNSIGNED")

    def _require(self, head: Head) -> None:
        if head.seq > self._end:
            raise JournalError("JOURNAL_CUT_OFF", path=str(self._path), found=self._end, noted=head.seq)
        if head.seq and hash_at(self._connection, head.seq) != head.hash:
            raise JournalError("JOURNAL_REWRITTEN", path=str(self._path), seq=head.seq)

    def _require_sealed(self, head: SignedHead) -> None:
        if head.seq > self._end:
            raise JournalError("JOURNAL_CUT_OFF", path=str(self._path), found=self._end, noted=head.seq)
        if not head.seals(hash_at(self._connection, head.seq)):
            raise JournalError("JOURNAL_REWRITTEN", path=str(self._path), seq=head.seq)


def require_nothing_noted(path: Path) -> None:
    """Raise JOURNAL_CUT_OFF where a journal without entries, or none at all, is noted to have had some."""
    note = read_note(path)
    noted = [head.seq for head in heads_beside(path) if head is not None]
    noted += [note.head.seq] if note is not None and note.genuine else []
    if max(noted, default=0):
        raise JournalError("JOURNAL_CUT_OFF", path=str(path), found=0, noted=max(noted))


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
        """The holds for the table, see `controller.journal.store`."""
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
