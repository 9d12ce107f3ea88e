"""One table's entries in the archive: a journal in the same form, for all readers of journals."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from controller.domain import JournalError
from controller.journal.copying import NOTHING
from controller.journal.database import add_rows, end_of, hash_at, prepare, translated, walk, writable
from controller.journal.entry import Entry, create_private
from controller.journal.head_file import Head
from controller.journal.heads import SignedHead, heads_beside, heads_path, newest_of, opened_of
from controller.journal.keeping import AppendedFile
from controller.ports import PRIVATE

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
