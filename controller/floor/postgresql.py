"""PostgreSQL as a second keeper of the archive, and the comparison of two copies of a journal.

The keeper brings the database to where the archive's folder is: away for days, or put back from an older
backup.
"""

import asyncio
import json
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from datetime import date
from itertools import islice, zip_longest
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from controller.domain import ConfigError, JournalError
from controller.floor.archive import BATCH, Archive, ArchivedJournal, Brought, journals_in
from controller.floor.days import day_of
from controller.journal.database import check
from controller.journal.entry import GENESIS, BadEntry, Entry, trusted
from controller.journal.head_file import Head
from controller.journal.heads import SignedHead, head_of, heads_beside, heads_path
from controller.journal.keeping import AppendedFile
from controller.journal.store import JournalReader
from controller.software import way_to_install

if TYPE_CHECKING:
    # Needs the extra `floor`: an archive from folders works without it.
    import psycopg

MIGRATIONS: Final = tuple(sorted((Path(__file__).parent / "migrations").glob("*.sql")))
"""Each is applied once, in one transaction, in the order of its number."""

LIMITS: Final[dict[str, Any]] = {"connect_timeout": 5, "keepalives_idle": 10, "tcp_user_timeout": 10_000}
"""A server that has gone without a word is away after ten seconds, and everything is asked of it anew."""

_LAY_OUT: Final = """
SELECT pg_advisory_xact_lock(0x73743137);
CREATE SCHEMA IF NOT EXISTS archive;
CREATE TABLE IF NOT EXISTS archive.migration (
    version integer PRIMARY KEY, name text NOT NULL, at timestamptz NOT NULL DEFAULT now()
);
"""
_VERSION: Final = "SELECT coalesce(max(version), 0) FROM archive.migration"
_IS_THERE: Final = "SELECT to_regclass('archive.migration') IS NOT NULL"


def connected(url: str, role: str) -> "psycopg.Connection":
    """Connect, bring the schema forward where this login may, and have only the rights of `role` then.

    Raises `ConfigError` PSYCOPG_MISSING; as `translated`; `JournalError` DATABASE_TOO_NEW.
    """
    try:
        import psycopg  # noqa: PLC0415 - only where there is a database
    except ImportError as error:
        raise ConfigError("PSYCOPG_MISSING", way=way_to_install("floor")) from error
    with translated():
        connection = psycopg.connect(url, autocommit=True, **LIMITS)
        try:
            if _version(connection) < len(MIGRATIONS):
                with connection.transaction():
                    connection.execute(_LAY_OUT.encode())
                    # Another program may have been quicker.
                    for number in range(_version(connection), len(MIGRATIONS)):
                        connection.execute(MIGRATIONS[number].read_bytes())
                        row = (number + 1, MIGRATIONS[number].name)
                        connection.execute(
                            "INSERT INTO archive.migration (version, name) VALUES (%s, %s)", row
                        )
            found = _version(connection)
            if found > len(MIGRATIONS):
                raise JournalError("DATABASE_TOO_NEW", found=found, known=len(MIGRATIONS))
            connection.execute(f"SET ROLE {role}".encode())
        except BaseException:
            connection.close()
            raise
    return connection


def _version(connection: "psycopg.Connection") -> int:
    if not _one(connection, _IS_THERE):
        return 0
    return int(_one(connection, _VERSION))


def _one(connection: "psycopg.Connection", query: str) -> Any:
    row = connection.execute(query.encode()).fetchone()
    return None if row is None else row[0]


@contextmanager
def translated() -> Iterator[None]:
    """Translate PostgreSQL's errors to `JournalError` DATABASE_AWAY, or DATABASE_REFUSED with the reason."""
    import psycopg  # noqa: PLC0415 - see `connected`

    try:
        yield
    except psycopg.OperationalError as error:
        raise JournalError("DATABASE_AWAY", reason=_line(error)) from error
    except psycopg.Error as error:
        raise JournalError("DATABASE_REFUSED", reason=_line(error)) from error


def _line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0]


READ: Final = 500
"""Rows that are fetched at once."""

_JOURNALS: Final = b"SELECT id, first, name, day, seq, hash FROM archive.journal ORDER BY day, name"
_LAY_JOURNAL: Final = b"INSERT INTO archive.journal (first, name, day) VALUES (%s, %s, %s) RETURNING id"
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
            ((number,),) = self._rows(_LAY_JOURNAL, (first.hash, name, day))
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


def database_entries(journals: DatabaseJournals, journal: KeptJournal) -> Iterator[Entry | SignedHead]:
    """Yield all of a journal in the database, from which a folder is rebuilt.

    Raises `JournalError` CHAIN_BROKEN, and as `translated`.
    """
    yield from map(trusted, journals.read(journal))
    yield from filter(None, journals.heads(journal))


ARCHIVER: Final = "stand17_archiver"
"""May insert, and change nothing; see `migrations`."""

AGAIN_S: Final = 10.0
"""A connection to a machine that is gone takes five seconds to fail, in which the folder waits."""

EVERY_S: Final = 0.25
"""Time between two looks for what the archive has got."""

SHARE: Final = 2
"""So much longer than it works it rests: what comes meanwhile comes together."""

SLICE: Final = 4 * BATCH
"""Entries of one journal before the others have their turn: what comes back after days holds nobody up."""

_FIGURES_S: Final = 10.0
"""Time between two looks at the figures of a journal that is written."""

SOURCE: Final = "database"
"""What findings name as their source."""


class DatabaseKeeper:
    """Keeps the archive's journals in a database, whose own heads are the only record of progress."""

    def __init__(
        self,
        folder: Path,
        url: str,
        find: Callable[[str, str, JournalError], None],
        *,
        figures: Callable[[Path], Figures] | None = None,
        again_s: float = AGAIN_S,
        mono_s: Callable[[], float] = time.monotonic,
    ) -> None:
        """Take the archive's `folder`; `find` stores an entry that does not fit, with source and journal.

        `figures` returns the history's rows of an archived journal, which are kept beside its entries. A
        server that did not answer is asked again after `again_s` seconds.
        """
        self._folder, self._url, self._find = folder, url, find
        self._again_s, self._mono_s = again_s, mono_s
        self._away: tuple[float, JournalError] | None = None
        self._journals: DatabaseJournals | None = None
        self._stopped: set[str] = set()
        self._unfinished: set[str] = set()
        self._behind: set[str] = set()
        self._heads: dict[str, int] = {}
        self._figures, self._figured = figures, dict[str, float]()

    @property
    def is_done(self) -> bool:
        """Whether no journal has unsent entries that waited for their turn."""
        return not self._unfinished

    def keep(self, changed: Collection[str] = ()) -> tuple[Brought, ...]:
        """Store the new entries of the journals of these names; of all journals after an outage.

        Each call stores at most `SLICE` entries per journal; repeat it until `is_done`. Returned entries are
        on the server's disk. An unreachable or refusing server is one `Brought` with that error; the next
        call begins with all journals again. Raises `ConfigError` PSYCOPG_MISSING.
        """
        if self._away is not None and self._mono_s() < self._away[0]:
            return (Brought(SOURCE, "", 0, 0, self._away[1]),)
        done: list[Brought] = []
        self._away = None
        try:
            everything = self._journals is None
            journals = self._journals or DatabaseJournals(connected(self._url, ARCHIVER))
            self._journals = journals
            known, waiting = journals.all(), self._unfinished
            self._unfinished = set()
            for path in journals_in(self._folder):
                wanted = (
                    everything or path.name in changed or path.name in waiting or path.name in self._behind
                )
                if wanted and path.name not in self._stopped:
                    done += self._kept(journals, known, path)
        except JournalError as error:
            self.close()
            self._unfinished.clear()
            self._away = self._mono_s() + self._again_s, error
            done.append(Brought(SOURCE, "", 0, 0, error))
        return tuple(done)

    def close(self) -> None:
        """Close the connection."""
        if self._journals is not None:
            self._journals.close()
        self._journals = None
        self._heads.clear()
        self._figured.clear()

    def _kept(
        self, journals: DatabaseJournals, known: Mapping[bytes, KeptJournal], path: Path
    ) -> Iterator[Brought]:
        """A file that is no journal, or broken, holds the others up no more than in the folder."""
        try:
            with closing(JournalReader(path)) as reader:
                first = next(reader.read(), None)
                if isinstance(first, Entry):
                    yield from self._forward(journals, known.get(first.hash), reader, path)
        except JournalError as error:
            if error.code.startswith("DATABASE_"):
                raise
            yield Brought(SOURCE, path.name, 0, 0, error)

    def _forward(
        self, journals: DatabaseJournals, kept: KeptJournal | None, reader: JournalReader, path: Path
    ) -> Iterator[Brought]:
        begun = 0 if kept is None else kept.end.seq
        # A restored folder may be behind the database's head: then nothing contradicts it.
        if kept is not None and 0 < begun <= reader.last_seq() and reader.hash_at(begun) != kept.end.hash:
            error = JournalError("ARCHIVE_REWRITTEN", journal=path.name, seq=min(begun, reader.last_seq()))
            self._stopped.add(path.name)
            self._find(SOURCE, path.name, error)
            yield Brought(SOURCE, path.name, 0, begun, error)
            return
        entries = map(trusted, islice(reader.read(begun + 1), SLICE))
        while batch := list(islice(entries, BATCH)):
            kept = journals.append(kept or journals.lay_out(batch[0], path.name), batch)
        if kept is not None:
            # Heads are read where there are new ones: a day has a thousand, and an entry comes each second.
            size = AppendedFile(heads_path(path)).size()
            if self._heads.get(path.name) != size:
                journals.append_heads(kept, heads_beside(path))
            self._heads[path.name] = size
            if kept.end.seq < reader.last_seq():
                self._unfinished.add(path.name)
                self._heads.pop(path.name, None)
            yield Brought(SOURCE, path.name, max(kept.end.seq - begun, 0), kept.end.seq, None)
            if kept.end.seq == reader.last_seq():
                self._bring_figures(journals, kept, path)

    def _bring_figures(self, journals: DatabaseJournals, kept: KeptJournal, path: Path) -> None:
        """A journal that is written gets its figures now and then."""
        self._behind.add(path.name)
        now_s = self._mono_s()
        if self._figures is None or now_s < self._figured.get(path.name, now_s - _FIGURES_S) + _FIGURES_S:
            return
        journals.keep_figures(kept, self._figures(path))
        self._figured[path.name] = now_s
        self._behind.discard(path.name)


async def keep_beside(
    archive: Archive,
    keeper_of: Callable[[Callable[[str, str, JournalError], None]], DatabaseKeeper],
    took: Callable[[Brought], None],
    every_s: float = EVERY_S,
) -> None:
    """Keep the database beside an archive that is written on this loop, until cancelled.

    It waits in a thread. Raises `JournalError` when a finding cannot be stored.
    """
    found: list[tuple[str, str, JournalError]] = []
    with closing(keeper_of(lambda *one: found.append(one))) as keeper:
        while True:
            began_s = time.monotonic()
            for one in await asyncio.to_thread(keeper.keep, archive.changed()):
                took(one)
            while found:
                archive.find(*found.pop(0))
            # The folder comes first: tables wait for its receipts.
            rest_s = SHARE * (time.monotonic() - began_s)
            await asyncio.sleep(max(every_s, rest_s) if keeper.is_done else rest_s)


Rows = Iterable[Entry | BadEntry]

_DRAFT: Final = ".new"


def against_file(archived: Path, own: Path) -> JournalError | None:
    """Return the difference of the archived journal from the table's own file; None without one."""
    with closing(JournalReader(archived)) as one, closing(JournalReader(own)) as other:
        return _difference(one.read(), other.read(), archived.name, str(own))


def against_database(archived: Path, journals: DatabaseJournals) -> JournalError | None:
    """The same of the database, which has to have the signed heads too. Raises as `translated`."""
    with closing(JournalReader(archived)) as reader:
        kept = journals.all().get(reader.hash_at(1))
        if kept is None:
            return JournalError("KEEPER_BEHIND", journal=archived.name, keeper="PostgreSQL", seq=0)
        error = _difference(reader.read(), journals.read(kept), archived.name, "PostgreSQL")
    if error is None and set(heads_beside(archived)) != set(journals.heads(kept)):
        error = JournalError("ARCHIVE_FORGED", journal=archived.name, seq=kept.end.seq)
    return error


def export(archived: Path, out: Path) -> int:
    """Write the journal and its signed heads as files of their own; the number of its entries.

    `out` must not be there. Raises `JournalError` CHAIN_BROKEN, ARCHIVE_FORGED, or as `ArchivedJournal`.
    """
    draft = out.with_name(out.name + _DRAFT)
    for left in (draft, heads_path(draft)):
        left.unlink(missing_ok=True)
    with closing(JournalReader(archived)) as reader, closing(ArchivedJournal(draft)) as copy:
        waiting: list[Entry] = []
        for entry in map(trusted, reader.read()):
            waiting.append(entry)
            if len(waiting) == BATCH:
                copy.append(waiting)
                waiting.clear()
        copy.append(waiting)
        for head in filter(None, heads_beside(archived)):
            copy.append_head(head)
        end = copy.end.seq
    if heads_path(draft).exists():
        heads_path(draft).rename(heads_path(out))
    draft.rename(out)
    return end


def _difference(archive: Rows, other: Rows, journal: str, keeper: str) -> JournalError | None:
    """The first row that is not the same: the same row is the same hash over the same bytes."""
    for seq, (mine, theirs) in enumerate(zip_longest(archive, other), start=1):
        if mine is None:
            return JournalError("ARCHIVE_BEHIND", journal=journal, keeper=keeper, seq=seq - 1)
        if theirs is None:
            return JournalError("KEEPER_BEHIND", journal=journal, keeper=keeper, seq=seq - 1)
        if mine != theirs:
            return JournalError("KEEPERS_DIFFER", journal=journal, keeper=keeper, seq=seq)
    return None
