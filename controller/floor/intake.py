"""The intake of lines that tables send, and the archive's position in each journal."""

import re
from pathlib import Path
from typing import Final, NamedTuple

from controller.domain import JournalError
from controller.floor.archived import ArchivedJournal
from controller.floor.journal_archive import Archive, Brought, plain_stem
from controller.floor.known_tables import KnownTables
from controller.floor.receipts import Receipt, nothing_of
from controller.floor.sealed import SEAL_MAX, opened, run_of, sealed
from controller.floor.sources import COPY, SentLines
from controller.journal.copying import line_of
from controller.journal.entry import GENESIS, Entry, linked
from controller.journal.head_file import TableKey
from controller.journal.heads import opened_of

HASH: Final = re.compile("[0-9a-f]{64}")

KEY: Final = "archive.key"
"""Name of the key's file in the archive."""


class SentRun(NamedTuple):
    """Lines of a table's journal, identified by the hash of its first entry; `name` is its file's name.

    `table` is the public key that must have signed `data` for this `attempt`.
    """

    table: str
    journal: str
    name: str
    attempt: str
    data: bytes

    def lines(self) -> bytes:
        """The lines. Raises `JournalError` RUN_NOT_SIGNED."""
        # A seal of another key is not looked into: the table's costs as long as its run is.
        own = f'"key": "{self.table}"'.encode() in self.data[:SEAL_MAX]
        found = opened("run", self.data, run_of(self.attempt, self.journal, self.name)) if own else None
        if found is None or found.key != self.table:
            raise JournalError("RUN_NOT_SIGNED", key=self.table)
        return found.body


class Intake:
    """Takes runs for one archive, each from the table that owns the journal."""

    def __init__(self, archive: Archive) -> None:
        """Open the intake; make the archive's key when there is none.

        Raises `JournalError` as `TableKey.load_or_make`.
        """
        self._archive, self._known = archive, KnownTables((archive.folder,))
        self.key: Final = TableKey.load_or_make(archive.folder / KEY, {})

    def receipt(self, journal: str, attempt: str) -> bytes:
        """Return the archive's position in a journal, signed for this question. Raises `JournalError`."""
        return sealed("receipt", self.position(journal).encode(), self.key, attempt)

    def position(self, journal: str) -> Receipt:
        """Return the archive's position in a journal, 0 for an unknown one. Raises `JournalError`."""
        if not HASH.fullmatch(journal):
            return nothing_of("")
        found = self._archive.journal_of(journal)
        return nothing_of(journal) if found is None else Receipt(journal, found.end, found.heads)

    def take(self, run: SentRun) -> Brought | None:
        """Store the new entries; None when the run does not begin at the archive's position and was not read.

        A run signed by another key, or of another table's journal, is an error in `Brought`; the second is
        also a finding. Raises `JournalError` ARCHIVE_UNWRITABLE as `Archive.bring`.
        """
        try:
            lines = run.lines()
            first = _first(lines)
            kept = self._kept(run, first)
        except JournalError as error:
            if error.code == "ARCHIVE_UNWRITABLE":
                raise
            return Brought(run.table, run.journal, 0, 0, error)
        last = None if kept is None else kept.end if first is None else kept.before(first.seq)
        if kept is None or last is None:
            return None
        source = Path(run.table) / f"{kept.path.stem}{COPY}"
        return self._archive.take_run(SentLines(source, lines, last), kept)

    def _kept(self, run: SentRun, first: Entry | None) -> ArchivedJournal | None:
        """The journal of a run; it is laid out for its first entry alone."""
        if not HASH.fullmatch(run.journal):
            return None
        # Nothing is created for an entry that does not have the hash that it says.
        begins = first is not None and first == linked(first, 1, GENESIS) and first.hash.hex() == run.journal
        stem = plain_stem(run.name)
        try:
            known = self._archive.journal_of(run.journal)
            if known is not None:
                self._require_own(run, known.table or stem)
            elif first is not None and begins:
                self._require_own(run, str(opened_of(first.body).get("table", "")) or stem)
                known = self._archive.journal_of(run.journal, stem)
            return known
        except OSError as error:
            raise JournalError("ARCHIVE_UNWRITABLE", path=stem, reason=error.strerror or "") from error

    def _require_own(self, run: SentRun, table: str) -> None:
        """Record and raise `JournalError` ARCHIVE_FOREIGN when a key sends another table's journal."""
        if not self._known.enrol(run.table, table):
            error = JournalError("ARCHIVE_FOREIGN", table=table, key=run.table)
            self._archive.find(run.table, run.journal, error)
            raise error


def _first(data: bytes) -> Entry | None:
    """The first entry of a run, not checked yet."""
    found = map(line_of, data.splitlines(keepends=True))
    return next((one for one in found if isinstance(one, Entry)), None)
