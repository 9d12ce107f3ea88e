"""The checkpoint of a followed journal: signed by whoever follows it, so that it opens at once again."""

from pathlib import Path
from typing import Final

from controller.journal.checkpoint_file import CheckpointFile, CheckpointRefused
from controller.journal.entry import Entry
from controller.journal.head_file import Head
from controller.journal.store import JournalReader
from controller.journal.table_key import TableKey
from controller.runtime.checkpoint.kept_ledger import kept_ledger
from controller.runtime.checkpoint.state_parts import LedgerParts
from controller.runtime.ledger import Ledger

KEEP_EVERY: Final = 2_000
"""New entries after which a state is kept: so many are folded in a quarter of a second."""


class FollowedCheckpoint:
    """Lies beside the journal, which only this program's archive appends to; for one thread at a time."""

    def __init__(self, path: Path, key: TableKey, program: str, *, every: int = KEEP_EVERY) -> None:
        """`key` is the follower's own, `program` names what folds. Nothing is read yet."""
        self._key, self._program, self._every = key, program, every
        self._file, self._parts = CheckpointFile(path.resolve(), key, program), LedgerParts()
        self._seq = 0

    def restored(self, journal: JournalReader, opened: Entry) -> Ledger | None:
        """The state that was kept, None where there is none that fits; `opened` is the first entry."""
        try:
            found = journal.checkpoint(self._key, self._program)
            if found is None:
                return None
            ledger = kept_ledger(found, opened)
        except CheckpointRefused:
            return None
        self._file.know(self._parts.of(ledger), found)
        self._seq = ledger.seq
        return ledger

    def keep(self, journal: JournalReader, ledger: Ledger) -> None:
        """Keep a state that is far enough from the last one; where that fails more is folded next time."""
        if ledger.seq - self._seq < self._every or ledger.unread is not None:
            return
        self._seq = ledger.seq
        head = Head(ledger.seq, journal.hash_at(ledger.seq))
        try:
            self._file.save(head, ledger.opening.key, self._parts.of(ledger))
        except OSError:
            self._file.discard()
        self._file.close()
