"""Checkpoints of a running table: read at its start, written behind its back, never waited for."""

import gc
import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NamedTuple

from controller.domain.errors import JournalError
from controller.journal.checkpoint_file import CheckpointFile, CheckpointRefused, put_aside
from controller.journal.entry import Entry, trusted
from controller.journal.head_file import Head
from controller.journal.heads_seen import NOTHING_SEEN, HeadsMark, SeenHeads
from controller.journal.store import Journal
from controller.journal.table_key import TableKey
from controller.ports.work import UNTIL_WOKEN, StartWork, Turns, Work, WorkThread
from controller.runtime.checkpoint.kept_ledger import kept_ledger
from controller.runtime.checkpoint.state_parts import LedgerParts
from controller.runtime.failures import IGNORED_FAILURES, FailureSink
from controller.runtime.ledger import Ledger, open_ledger
from controller.runtime.ledger.restore import restore
from controller.runtime.ledger.unread import follow

SOURCE: Final = "checkpoint"
OLD: Final = "CHECKPOINT_OLD"
"""A checkpoint of another program or key: no reason to worry."""

CLOSING_S: Final = 60.0


class FoldedFrom(NamedTuple):
    """The entry behind which folding began, and the state that the checkpoint says it leads to."""

    head: Head
    ledger: Ledger


class FoldedAgain:
    """Folds a journal from its first entry on; see `controller.journal.checking.chain_check.StateCheck`."""

    def __init__(self, expected: Ledger) -> None:
        """`expected` is the state of a checkpoint."""
        self._expected = expected
        self._ledger: Ledger | None = None

    def __call__(self, entry: Entry) -> None:
        """Fold the next entry."""
        self._ledger = open_ledger(entry) if self._ledger is None else follow(self._ledger, entry)

    def is_same(self) -> bool:
        """Whether the entries lead to the state of the checkpoint."""
        return self._ledger == self._expected


class CheckpointKeeper:
    """The checkpoints of one journal, opened with the same key and program."""

    def __init__(
        self,
        journal: Journal,
        path: Path,
        key: TableKey,
        program: str,
        failures: FailureSink = IGNORED_FAILURES,
    ) -> None:
        """`failures` hears of a checkpoint that cannot be written; the table goes on without."""
        self._journal, self._path, self._key = journal, path.resolve(), key
        self._file = CheckpointFile(self._path, key, program)
        self._parts, self._failures = LedgerParts(), failures
        found = journal.compared
        self._heads = found.heads or SeenHeads(self._path, key.public)
        self._starts = (*found.keys, key.public)
        self._opened = b""
        self._waiting = deque[tuple[Ledger, Head]](maxlen=1)
        self._writing = threading.Lock()
        self._closing = self._ended = False
        self._work: Work | None = None
        self.refused = found.refused
        """Why the checkpoint that lay there was not looked at: a code, "" where it was, or none lay there."""
        self.folded_from: FoldedFrom | None = None
        """Where folding began; None where it began with the first entry."""

    def restored(self) -> Ledger | None:
        """Fold the journal, from its checkpoint on where there is one; as `restore` in everything else."""
        with _uncollected():
            ledger = self._from_checkpoint()
            if ledger is None:
                if self.refused not in ("", OLD):
                    put_aside(self._path)
                return restore(self._journal.read())
            for entry in self._journal.read(ledger.seq + 1):
                ledger = follow(ledger, trusted(entry))
            return ledger

    def open(self, start: StartWork = WorkThread) -> None:
        """Start what writes."""
        self._work = start(SOURCE, self._run())

    def offer(self, ledger: Ledger, head: Head) -> None:
        """Have a state kept that ends at this head; returns at once. A newer one takes its place."""
        self._waiting.append((ledger, head))
        if self._work is not None:
            self._work.wake()

    def close(self, ledger: Ledger, head: Head) -> None:
        """Keep the last state, and end."""
        self._closing = True
        self.offer(ledger, head)
        if self._work is not None:
            self._work.join(CLOSING_S)

    def distrust(self) -> None:
        """The journal is not what it was folded from: keep nothing, and have the next start fold all."""
        with self._writing:
            self._ended = True
            self._file.discard()

    def _from_checkpoint(self) -> Ledger | None:
        compared, opened = self._journal.compared, next(self._journal.read(1), None)
        found = compared.checkpoint
        # Its bytes are needed once.
        self._journal.compared = compared._replace(checkpoint=None)
        if found is None or not isinstance(opened, Entry):
            return None
        try:
            ledger = kept_ledger(found, opened)
        except CheckpointRefused as refused:
            self.refused = refused.code
            return None
        self._file.know(self._parts.of(ledger), found)
        self.folded_from = FoldedFrom(Head(found.mark.seq, bytes.fromhex(found.mark.hash)), ledger)
        return ledger

    def _run(self) -> Turns:
        try:
            while True:
                closing = self._closing
                with self._writing:
                    while self._waiting and not self._ended:
                        self._save(*self._waiting.pop())
                if closing:
                    return
                yield UNTIL_WOKEN
        finally:
            self._file.close()

    def _save(self, ledger: Ledger, head: Head) -> None:
        """Write; whatever goes wrong, the table goes on and the next start folds more."""
        # Entries that are not on the table are folded by each start anew.
        if ledger.unread is not None or head.seq != ledger.seq:
            return
        try:
            self._file.save(head, ledger.opening.key, self._starts, self._seen(), self._parts.of(ledger))
        except OSError as error:
            self._failures.failed(SOURCE, error)
        except Exception as error:
            self._failures.failed(SOURCE, error)
            self._file.discard()

    def _seen(self) -> HeadsMark:
        """Go over the heads that were signed since the last time."""
        try:
            for _ in self._heads.further():
                pass
        except JournalError:
            return NOTHING_SEEN
        return self._heads.mark


@contextmanager
def _uncollected() -> Iterator[None]:
    """Half a million values that all stay: to look for garbage among them again and again takes a third."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()
