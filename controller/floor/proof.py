"""The comparison of two copies of a journal: the archive, a table's own file, the database."""

from collections.abc import Iterable
from contextlib import closing
from itertools import zip_longest
from pathlib import Path
from typing import Final

from controller.domain import JournalError
from controller.floor.archived import ArchivedJournal
from controller.floor.database.journals import DatabaseJournals
from controller.floor.journal_archive import BATCH
from controller.journal.entry import BadEntry, Entry, trusted
from controller.journal.heads import heads_beside, heads_path
from controller.journal.store import JournalReader

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
