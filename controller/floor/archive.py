"""The archive: a folder with one journal per table and day, updated from copies, and its findings.

A table's journal is identified by the hash of its first entry. Entries are stored without being
interpreted; the commands that read any journal interpret them. A source is a table's append-only copy, or a
closed journal. A journal that a table has open is never read: over a network mount SQLite's locks are
unreliable.
"""

import json
import os
import re
import resource
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Final, NamedTuple, Self

from controller.domain import JournalError
from controller.journal.copying import NOTHING, line_of
from controller.journal.database import add_rows, end_of, hash_at, prepare, translated, walk, writable
from controller.journal.entry import Entry, create_private, linked, trusted
from controller.journal.head_file import Head
from controller.journal.heads import SignedHead, heads_beside, heads_path, lines_from, newest_of, opened_of
from controller.journal.keeping import AppendedFile
from controller.journal.store import JournalReader
from controller.outputs import lock, open_regular
from controller.ports import PRIVATE, Clock

KEYS_MAX: Final = 16
"""Keys that sign heads of one journal: its machine's, and those that took the table over in a day."""


class ArchivedJournal:
    """Appended to with entries as the table wrote them: never chained anew, never changed."""

    def __init__(self, path: Path) -> None:
        """Open the file, or lay it out. Raises `JournalError`."""
        self.path: Final = path
        create_private(path)
        with translated(str(path)):
            self._connection = writable(path)
            try:
                prepare(self._connection, str(path))
                self.end: Head = end_of(self._connection)
                self._newest = newest_of(heads_beside(path))
            except BaseException:
                self._connection.close()
                raise
        self._heads = AppendedFile(heads_path(path), mode=PRIVATE)

    @property
    def first(self) -> str:
        """The hash of the first entry in hexadecimal, "" before there is one."""
        return self._hash_at(1).hex()

    @property
    def table(self) -> str:
        """The table by its first entry; "" when that names none."""
        first = next(walk(self._connection, 1), None)
        return str(opened_of(first.body).get("table", "")) if isinstance(first, Entry) else ""

    @property
    def heads(self) -> Mapping[str, int]:
        """The number of each key's newest signed head."""
        return self._newest

    def before(self, seq: int) -> Head | None:
        """Return the head that entry `seq` must follow; None when it is not here yet."""
        if seq == 1:
            return NOTHING
        return Head(seq - 1, self._hash_at(seq - 1)) if 1 < seq <= self.end.seq + 1 else None

    def has(self, entry: Entry) -> bool:
        """Whether this entry is here.

        Raises `JournalError` ARCHIVE_REWRITTEN when another entry has its number.
        """
        if entry.seq > self.end.seq:
            return False
        if self._hash_at(entry.seq) != entry.hash:
            raise JournalError("ARCHIVE_REWRITTEN", journal=self.path.name, seq=entry.seq)
        return True

    def append(self, entries: Sequence[Entry]) -> None:
        """Write entries that follow the end, all or none; they are on the disk when this returns."""
        if entries:
            with translated(str(self.path)):
                add_rows(self._connection, entries)
            self.end = Head(entries[-1].seq, entries[-1].hash)

    def append_head(self, head: SignedHead) -> None:
        """Keep a signed head once.

        Raises `JournalError` ARCHIVE_FORGED where it does not seal its entry, ARCHIVE_FOREIGN where it is of
        one key too many.
        """
        if head.number <= self._newest.get(head.key, 0):
            return
        if not head.is_genuine or not head.seals(self._hash_at(head.seq)):
            raise JournalError("ARCHIVE_FORGED", journal=self.path.name, seq=head.seq)
        if head.key not in self._newest and len(self._newest) >= KEYS_MAX:
            raise JournalError("ARCHIVE_FOREIGN", table=self.table, key=head.key)
        self._heads.append(head.line(with_nonce=True).encode())
        self._newest[head.key] = head.number

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def _hash_at(self, seq: int) -> bytes:
        with translated(str(self.path)):
            return hash_at(self._connection, seq)


COPY: Final = ".copy"
JOURNAL: Final = ".journal"


News = Callable[[], Iterator[Entry | SignedHead]]
"""Yields the entries of a source since the last call, each checked against the one before.

The first call yields all of them. Raises `JournalError` CHAIN_BROKEN, COPY_UNREADABLE, COPY_CUT.
"""


class CheckedLines:
    """Lines as tables write them, one after the other, each entry checked against the one before."""

    def __init__(self, last: Head = NOTHING) -> None:
        """Begin after `last`, the head that the first entry must follow."""
        self.last = last

    def of(self, line: bytes) -> Iterator[Entry | SignedHead]:
        """Yield the content of a line; nothing for a torn line. Raises `JournalError` CHAIN_BROKEN."""
        match line_of(line):
            case SignedHead() as head:
                yield head
            case Entry() as entry:
                yield trusted(linked(entry, self.last.seq + 1, self.last.hash))
                self.last = Head(entry.seq, entry.hash)
            case None:
                return


def sent_lines(data: bytes, last: Head) -> Iterator[Entry | SignedHead]:
    """Yield the content of a run of lines that a table has sent; `last` as in `CheckedLines`."""
    lines = CheckedLines(last)
    for line in data.splitlines(keepends=True):
        yield from lines.of(line)


class CopySource:
    """A growing copy; a line without its end waits for the next call."""

    def __init__(self, path: Path) -> None:
        """Begin unread."""
        self._path = path
        self._read, self._lines = 0, CheckedLines()

    def news(self) -> Iterator[Entry | SignedHead]:
        """Yield the entries since the last call; see `News`."""
        try:
            if self._path.stat().st_size < self._read:
                raise JournalError("COPY_CUT", path=str(self._path), seq=self._lines.last.seq)
            with os.fdopen(open_regular(self._path), "rb") as file:
                file.seek(self._read)
                while (line := file.readline()).endswith(b"\n"):
                    yield from self._lines.of(line)
                    self._read += len(line)
        except OSError as error:
            reason = error.strerror or str(error)
            raise JournalError("COPY_UNREADABLE", path=str(self._path), reason=reason) from error


def _journal_entries(path: Path) -> Iterator[Entry | SignedHead]:
    """Yield all of a journal that no table writes to any more."""
    with closing(JournalReader(path)) as reader:
        yield from map(trusted, reader.read())
    if heads_path(path).exists():
        yield from (head for _, head in lines_from(heads_path(path), 0) if head is not None)


def read_once(entries: Iterator[Entry | SignedHead]) -> News:
    """Return a source that yields these entries at the first call."""
    return lambda: entries


def _news_of(path: Path) -> News:
    """Return the source of a file by its name."""
    return CopySource(path).news if path.suffix == COPY else read_once(_journal_entries(path))


def files_in(folders: Sequence[Path]) -> tuple[Path, ...]:
    """Return the copies and the closed journals of folders; a journal with a copy there is read from that.

    Raises `JournalError` ARCHIVE_NO_FOLDER.
    """
    found: list[Path] = []
    for folder in folders:
        if not folder.is_dir():
            raise JournalError("ARCHIVE_NO_FOLDER", path=str(folder))
        files = sorted(path for path in folder.iterdir() if path.is_file())
        copied = {path.name.removesuffix(COPY) for path in files if path.suffix == COPY}
        found += [path for path in files if path.suffix == COPY]
        journals = [path for path in files if path.suffix == JOURNAL and path.name not in copied]
        found += [
            path
            for path in journals
            if not any(Path(f"{path}{ending}").exists() for ending in ("-wal", "-shm"))
        ]
    return tuple(found)


FINDINGS: Final = "findings.jsonl"
FINDINGS_EACH: Final = 20
"""A source that goes on contradicting adds no more: the verdict is the same."""

_PARAM_MAX: Final = 200
"""Characters of a parameter of a finding; some are what a table calls itself."""

ID_DIGITS: Final = 12
"""Digits of the first entry's hash in a file's name: 48 bits, so no two tables meet by chance."""

PLAIN: Final = re.compile(r"[^\w.-]+")
_STEM_BYTES: Final = 60
"""With the hash and SQLite's endings a file's name stays under 255 bytes."""

_FILES_EACH: Final = 3
"""Files that an open journal takes: SQLite's file, its log and the log's index."""

_OTHER_FILES: Final = 128
"""Files that the rest of the program may have open: connections, readers, libraries."""

OPEN_MAX: Final = 1000
_OPEN_MIN: Final = 4

BATCH: Final = 500
"""Entries a transaction: one fsync for all of them, and no more memory than that."""

STOPS: Final = frozenset(("ARCHIVE_REWRITTEN", "ARCHIVE_FORGED", "CHAIN_BROKEN"))
"""After these a source is not read again until it changes: it contradicts the archive, or itself."""

KEPT: Final = STOPS | {"COPY_CUT"}
"""What is kept as a finding; everything else is the disk's or the network's, and may be over next time."""


class ArchiveFinding(NamedTuple):
    """An entry that did not fit: the code of an error with its parameters."""

    source: str
    journal: str
    code: str
    params: dict[str, str | int]
    at_utc_us: int


class Brought(NamedTuple):
    """The result of one source: `entries` new ones, so that the archived `journal` ends at entry `end`.

    `error` is the reason why it stopped, a finding or not; None without one.
    """

    source: str
    journal: str
    entries: int
    end: int
    error: JournalError | None


class Archive:
    """A folder that one program writes to; others may read it."""

    def __init__(self, folder: Path, clock: Clock) -> None:
        """Take the folder, which is made where it is not there.

        Raises `JournalError` ARCHIVE_IN_USE, ARCHIVE_UNWRITABLE.
        """
        self.folder: Final = folder
        self._clock = clock
        self._lock = _locked(folder)
        self._found = list(findings_in(folder))
        self._findings = AppendedFile(folder / FINDINGS, mode=PRIVATE)
        self._sources: dict[Path, News] = {}
        self._open: dict[str, ArchivedJournal] = {}
        # As many journals stay open as the process's limit of open files allows.
        files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        self._open_max = min(max((files - _OTHER_FILES) // _FILES_EACH, _OPEN_MIN), OPEN_MAX)
        self._ends: dict[str, int] = {}
        self._names: dict[str, str] = {}
        self._kept: dict[Path, str] = {}
        self._stopped: dict[Path, tuple[tuple[int, int] | None, JournalError]] = {}
        self._added = 0
        self._changed: set[str] = set()

    def bring(self, path: Path) -> Brought:
        """Store the new entries of a copy or a closed journal; an archived entry is never replaced.

        An entry that does not fit is stored as a finding, once. A source that contradicts the archive is not
        read again until its file is replaced. Raises `JournalError` ARCHIVE_UNWRITABLE when a finding cannot
        be stored.
        """
        self._added = 0
        stopped = self._stopped.get(path)
        is_stopped = stopped is not None and stopped[0] == file_state(path)
        error = stopped[1] if stopped is not None and is_stopped else self._taken(path)
        journal = self._kept.get(path, "")
        return Brought(str(path), journal, self._added, self._ends.get(journal, 0), error)

    def take(self, path: Path, news: News) -> Brought:
        """Store the new entries of a source other than a file, under this name; see `bring`."""
        self._sources[path] = news
        return self.bring(path)

    def changed(self) -> frozenset[str]:
        """The journals that have got something since this was asked last, by their names here."""
        changed = frozenset(self._changed)
        self._changed.clear()
        return changed

    def find(self, source: str, journal: str, error: JournalError) -> None:
        """Keep a finding, once, and of one source and code at most `FINDINGS_EACH`.

        Raises `JournalError` ARCHIVE_UNWRITABLE.
        """
        params = {
            name: value[:_PARAM_MAX] if isinstance(value, str) else value
            for name, value in error.params.items()
        }
        found = ArchiveFinding(source, journal, error.code, params, self._clock.utc_us())
        alike = [one for one in self._found if (one.source, one.code) == (source, error.code)]
        if len(alike) < FINDINGS_EACH and all(one[:4] != found[:4] for one in alike):
            try:
                self._findings.append(json.dumps(found._asdict()).encode() + b"\n")
            except OSError as failed:
                raise _unwritable(self.folder / FINDINGS, failed) from failed
            self._found.append(found)

    def close(self) -> None:
        """Close all files and give the folder back."""
        for journal in self._open.values():
            journal.close()
        os.close(self._lock)

    def __enter__(self) -> Self:
        """The archive itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close it."""
        self.close()

    def journal_of(self, first: str, stem: str = "") -> ArchivedJournal | None:
        """Return the journal whose first entry has this hash; make a missing one under `stem`.

        None without a stem, or when the hash of another journal begins likewise. Raises `JournalError`.
        """
        name = self._name(f"-{first[:ID_DIGITS]}{JOURNAL}", stem)
        if not stem and not (self.folder / name).exists():
            return None
        found = self._opened(name)
        return found if found.first in ("", first) else None

    def take_run(self, path: Path, run: News, journal: ArchivedJournal) -> Brought:
        """Store a sent run, as `take` does; also after a contradiction."""
        self._stopped.pop(path, None)
        self._kept[path] = journal.path.name
        try:
            return self.take(path, run)
        finally:
            # It is read once; its lines would stay in memory.
            self._sources.pop(path, None)

    def _taken(self, path: Path) -> JournalError | None:
        error = None
        try:
            self._take(path, self._sources.setdefault(path, _news_of(path)))
        except OSError as failed:
            error = _unwritable(self.folder, failed)
        except JournalError as failed:
            error = failed
        if error is None:
            return None
        # Read from its beginning next time, or entries that were read and not written would be lost.
        del self._sources[path]
        if error.code in KEPT:
            self.find(str(path), self._kept.get(path, ""), error)
        if error.code in STOPS:
            self._stopped[path] = (file_state(path), error)
        return error

    def _take(self, path: Path, news: News) -> None:
        waiting: list[Entry] = []
        try:
            for one in news():
                if isinstance(one, SignedHead):
                    self._write(path, waiting)
                    if path not in self._kept:
                        raise JournalError("CHAIN_BROKEN", seq=1, reason="GAP")
                    name = self._kept[path]
                    self._opened(name).append_head(one)
                    self._changed.add(name)
                elif not self._journal(path, one).has(one):
                    waiting.append(one)
                    if len(waiting) >= BATCH:
                        self._write(path, waiting)
        finally:
            self._write(path, waiting)

    def _write(self, path: Path, waiting: list[Entry]) -> None:
        if waiting:
            name = self._kept[path]
            self._opened(name).append(waiting)
            self._changed.add(name)
            self._ends[name] = waiting[-1].seq
            self._added += len(waiting)
            waiting.clear()

    def _journal(self, path: Path, entry: Entry) -> ArchivedJournal:
        """The archived journal of a source, found or laid out by its first entry."""
        if path not in self._kept:
            ending = f"-{entry.hash.hex()[:ID_DIGITS]}{JOURNAL}"
            stem = path.name.removesuffix(COPY).removesuffix(ending).removesuffix(JOURNAL)
            self._kept[path] = self._name(ending, plain_stem(stem))
        return self._opened(self._kept[path])

    def _opened(self, name: str) -> ArchivedJournal:
        """Return the journal of this file; close the least recently used one above the limit."""
        found = self._open.pop(name, None) or ArchivedJournal(self.folder / name)
        self._open[name], self._ends[name] = found, found.end.seq
        if len(self._open) > self._open_max:
            self._open.pop(next(iter(self._open))).close()
        return found

    def _name(self, ending: str, stem: str) -> str:
        """Return the file of a journal, under its first name."""
        if ending not in self._names:
            known = next(self.folder.glob(f"*{ending}"), None)
            if known is None:
                return stem + ending
            self._names[ending] = known.name
        return self._names[ending]


def plain_stem(name: str) -> str:
    """A name from outside as part of a file's name: letters, digits, ".", "-" and "_"."""
    return PLAIN.sub("-", name).encode()[:_STEM_BYTES].decode(errors="ignore").lstrip(".") or "table"


def findings_in(folder: Path) -> Iterator[ArchiveFinding]:
    """Yield the findings, oldest first; a line torn by a power cut is skipped."""
    path = folder / FINDINGS
    if not path.exists():
        return
    for line in path.read_bytes().split(b"\n")[:-1]:
        try:
            yield ArchiveFinding(**json.loads(line))
        except (TypeError, ValueError):
            continue


def journals_in(folder: Path) -> tuple[Path, ...]:
    """The archived journals. Raises `JournalError` ARCHIVE_NO_FOLDER."""
    if not folder.is_dir():
        raise JournalError("ARCHIVE_NO_FOLDER", path=str(folder))
    return tuple(sorted(folder.glob(f"*{JOURNAL}")))


def archived_in(folder: Path, name: str) -> Path:
    """The archived journal of this name. Raises `JournalError` ARCHIVE_NO_FOLDER, ARCHIVE_LACKS."""
    for path in journals_in(folder):
        if path.name == name:
            return path
    raise JournalError("ARCHIVE_LACKS", journal=name, path=str(folder))


def file_state(path: Path) -> tuple[int, int] | None:
    """Return the time and size of a file, which change with each write and replacement."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size


def _locked(folder: Path) -> int:
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return lock(folder / ".lock")
    except BlockingIOError as error:
        raise JournalError("ARCHIVE_IN_USE", path=str(folder)) from error
    except OSError as error:
        raise _unwritable(folder, error) from error


def _unwritable(path: Path, error: OSError) -> JournalError:
    return JournalError("ARCHIVE_UNWRITABLE", path=str(path), reason=error.strerror or str(error))
