"""The archive: a folder with one journal per table and day, updated from copies, and its findings.

A table's journal is identified by the hash of its first entry. Entries are stored without being
interpreted; the commands that read any journal interpret them.
"""

import json
import os
import re
import resource
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple, Self

from controller.domain import JournalError
from controller.floor.archived import ArchivedJournal
from controller.floor.sources import COPY, JOURNAL, FollowedFile, source_of
from controller.journal.entry import Entry
from controller.journal.heads import SignedHead
from controller.journal.keeping import AppendedFile
from controller.outputs import lock
from controller.ports import PRIVATE, Clock

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
        self._sources: dict[Path, FollowedFile] = {}
        self._open: dict[str, ArchivedJournal] = {}
        self._open_max = _room_for_journals()
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
        error = self._stopped_at(path) or self._taken(path)
        journal = self._kept.get(path, "")
        return Brought(str(path), journal, self._added, self._ends.get(journal, 0), error)

    def take(self, source: FollowedFile) -> Brought:
        """Store the new entries of a source other than a file; see `bring`."""
        self._sources[source.path] = source
        return self.bring(source.path)

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

    def take_run(self, run: FollowedFile, journal: ArchivedJournal) -> Brought:
        """Store a sent run, as `bring` does; also after a contradiction."""
        self._stopped.pop(run.path, None)
        self._sources[run.path], self._kept[run.path] = run, journal.path.name
        try:
            return self.bring(run.path)
        finally:
            # It is read once; its lines would stay in memory.
            self._sources.pop(run.path, None)

    def _stopped_at(self, path: Path) -> JournalError | None:
        """Return the error at which an unchanged file was stopped."""
        stopped = self._stopped.get(path)
        return stopped[1] if stopped is not None and stopped[0] == file_state(path) else None

    def _taken(self, path: Path) -> JournalError | None:
        source = self._sources.setdefault(path, source_of(path))
        error = self._tried(source)
        if error is None:
            return None
        # Read from its beginning next time, or entries that were read and not written would be lost.
        del self._sources[path]
        if error.code in KEPT:
            self.find(str(path), self._kept.get(path, ""), error)
        if error.code in STOPS:
            self._stopped[path] = (file_state(path), error)
        return error

    def _tried(self, source: FollowedFile) -> JournalError | None:
        try:
            self._take(source)
        except OSError as error:
            return _unwritable(self.folder, error)
        except JournalError as error:
            return error
        return None

    def _take(self, source: FollowedFile) -> None:
        waiting: list[Entry] = []
        try:
            for one in source.news():
                if isinstance(one, SignedHead):
                    self._write(source, waiting)
                    if source.path not in self._kept:
                        raise JournalError("CHAIN_BROKEN", seq=1, reason="GAP")
                    name = self._kept[source.path]
                    self._opened(name).append_head(one)
                    self._changed.add(name)
                elif not self._journal(source, one).has(one):
                    waiting.append(one)
                    if len(waiting) >= BATCH:
                        self._write(source, waiting)
        finally:
            self._write(source, waiting)

    def _write(self, source: FollowedFile, waiting: list[Entry]) -> None:
        if waiting:
            name = self._kept[source.path]
            self._opened(name).append(waiting)
            self._changed.add(name)
            self._ends[name] = waiting[-1].seq
            self._added += len(waiting)
            waiting.clear()

    def _journal(self, source: FollowedFile, entry: Entry) -> ArchivedJournal:
        """The archived journal of a source, found or laid out by its first entry."""
        if source.path not in self._kept:
            ending = f"-{entry.hash.hex()[:ID_DIGITS]}{JOURNAL}"
            stem = source.path.name.removesuffix(COPY).removesuffix(ending).removesuffix(JOURNAL)
            self._kept[source.path] = self._name(ending, plain_stem(stem))
        return self._opened(self._kept[source.path])

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


def _room_for_journals() -> int:
    """Return the number of journals to keep open, by the process's limit of open files."""
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return min(max((files - _OTHER_FILES) // _FILES_EACH, _OPEN_MIN), OPEN_MAX)


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
