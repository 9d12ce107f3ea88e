"""Runs of lines that tables send, into the archive; what the archive then has of a journal."""

import re
from pathlib import Path
from typing import Final, NamedTuple

from controller.domain.errors import JournalError
from controller.floor.archived import ArchivedJournal
from controller.floor.journal_archive import Archive, Brought
from controller.floor.receipts import Receipt, nothing_of
from controller.floor.sources import COPY, SentLines
from controller.journal.copying.content import line_of
from controller.journal.entry import Entry

PLAIN: Final = re.compile(r"[^\w-]+")
STEM_MAX: Final = 60
HASH: Final = re.compile("[0-9a-f]{64}")


class SentRun(NamedTuple):
    """Lines of a table's journal, named by the hash of its first entry; `name` is what its file is called."""

    table: str
    journal: str
    name: str
    data: bytes


class Intake:
    """Takes runs for one archive."""

    def __init__(self, archive: Archive) -> None:
        """Nothing is taken yet."""
        self._archive = archive

    def position(self, journal: str) -> Receipt:
        """What the archive has of a journal; nothing of one that it does not know. Raises `JournalError`."""
        found = self._archive.journal_of(journal) if HASH.fullmatch(journal) else None
        return nothing_of(journal) if found is None else Receipt(journal, found.end, found.heads)

    def take(self, run: SentRun) -> Brought | None:
        """Keep what is new; None where the run does not begin at what is here, and nothing was looked at.

        Raises `JournalError` ARCHIVE_UNWRITABLE as `Archive.bring`.
        """
        kept, first = self._kept(run), _first(run.data)
        last = None if kept is None else kept.end if first is None else kept.before(first.seq)
        if kept is None or last is None:
            return None
        source = Path(run.table) / f"{kept.path.stem}{COPY}"
        return self._archive.take_run(SentLines(source, run.data, last), kept)

    def _kept(self, run: SentRun) -> ArchivedJournal | None:
        """The journal of a run; it is laid out for its first entry alone."""
        if not HASH.fullmatch(run.journal):
            return None
        first = _first(run.data)
        begins = first is not None and first.seq == 1 and first.hash.hex() == run.journal
        stem = PLAIN.sub("-", run.name)[:STEM_MAX] or "table"
        try:
            return self._archive.journal_of(run.journal, stem if begins else "")
        except OSError as error:
            raise JournalError("ARCHIVE_UNWRITABLE", path=stem, reason=error.strerror or "") from error


def _first(data: bytes) -> Entry | None:
    """The first entry of a run, not checked yet."""
    found = map(line_of, data.splitlines(keepends=True))
    return next((one for one in found if isinstance(one, Entry)), None)
