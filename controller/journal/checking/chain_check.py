"""The entries up to a checkpoint, walked and folded beside a running table: its start has folded none."""

from collections.abc import Callable
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import Final, Protocol

from controller.domain.errors import JournalError
from controller.journal.entry import BadEntry, Entry
from controller.journal.head_file import Head
from controller.journal.store import JournalReader
from controller.ports.work import StartWork, Turns, Work, WorkThread

SLICE: Final = 50
"""Entries that are read and folded at a time: nothing else of the program waits longer."""

REST_S: Final = 0.006
"""Between two slices: the check leaves most of a core to the table."""

JOIN_S: Final = 5.0

FALSE: Final = "FALSE"
"""Code of a checkpoint that the entries before it do not lead to."""

TakesBadEntry = Callable[[BadEntry], None]


class StateCheck(Protocol):
    """Folds entries once more, to be compared with the state that a table has come up with."""

    def __call__(self, entry: Entry) -> None:
        """Fold the next one."""
        ...

    def is_same(self) -> bool:
        """Whether they lead to that state."""
        ...


class ChainCheck:
    """Walks a journal from its first entry to one whose hash is known, beside the table."""

    def __init__(
        self, journal: Path, end: Head, state: StateCheck, bad_entry: TakesBadEntry, rest_s: float = REST_S
    ) -> None:
        """`bad_entry` gets the first entry that does not fit, in one of its turns; FALSE: the state."""
        self._path, self._end, self._bad_entry, self._rest_s = journal, end, bad_entry, rest_s
        self._state = state
        self._stopped = False
        self._work: Work | None = None

    def open(self, start: StartWork = WorkThread) -> None:
        """Begin."""
        self._work = start("chain", self._run())

    def close(self) -> None:
        """Stop, also before the end."""
        self._stopped = True
        if self._work is not None:
            self._work.wake()
            self._work.join(JOIN_S)

    def _run(self) -> Turns:
        """Read in slices: a statement that stays open keeps SQLite from tidying its log."""
        found, seq = None, 1
        try:
            with closing(JournalReader(self._path)) as reader:
                while found is None and seq <= self._end.seq:
                    yield self._rest_s
                    if self._stopped:
                        return
                    found = self._first_misfit(reader, seq)
                    seq += SLICE
                found = found or self._ended(reader)
        except JournalError:
            found = BadEntry(1, "UNREADABLE")
        if found is not None:
            self._bad_entry(found)

    def _first_misfit(self, reader: JournalReader, seq: int) -> BadEntry | None:
        """Read and fold a slice from this entry on; the first entry that does not fit."""
        count = min(SLICE, self._end.seq + 1 - seq)
        entries = list(islice(reader.read(seq), count))
        for entry in entries:
            if isinstance(entry, BadEntry):
                return entry
        for entry in entries:
            if isinstance(entry, Entry):
                self._state(entry)
        return None if len(entries) == count else BadEntry(seq + len(entries), "GAP")

    def _ended(self, reader: JournalReader) -> BadEntry | None:
        if reader.hash_at(self._end.seq) != self._end.hash:
            return BadEntry(self._end.seq, "HASH")
        return None if self._state.is_same() else BadEntry(self._end.seq, FALSE)
