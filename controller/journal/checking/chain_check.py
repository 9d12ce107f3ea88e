"""The entries up to a checkpoint, walked and folded beside a running table: its start has folded none."""

import threading
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import Final, Protocol

from controller.domain.errors import JournalError
from controller.journal.entry import BadEntry, Entry
from controller.journal.head_file import Head
from controller.journal.store import JournalReader

SLICE: Final = 50
"""Entries that are read and folded at a time: nothing else of the program waits longer."""

REST_S: Final = 0.006
"""Between two slices: the check leaves most of a core to the table."""

JOIN_S: Final = 5.0

FALSE: Final = "FALSE"
"""Code of a checkpoint that the entries before it do not lead to."""

HearsBadEntry = Callable[[BadEntry], None]


class StateCheck(Protocol):
    """Folds entries once more, to be compared with the state that a table has come up with."""

    def __call__(self, entry: Entry) -> None:
        """Fold the next one."""
        ...

    def is_same(self) -> bool:
        """Whether they lead to that state."""
        ...


class ChainCheck:
    """Walks a journal from its first entry to one whose hash is known, in a thread of its own."""

    def __init__(
        self, journal: Path, end: Head, state: StateCheck, told: HearsBadEntry, rest_s: float = REST_S
    ) -> None:
        """`told` hears, in that thread, the first entry that does not fit, FALSE where the state does not."""
        self._path, self._end, self._told, self._rest_s = journal, end, told, rest_s
        self._state = state
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="chain", daemon=True)

    def open(self) -> None:
        """Begin."""
        self._thread.start()

    def close(self) -> None:
        """Stop, also before the end."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join(JOIN_S)

    def _run(self) -> None:
        found = self.first_misfit()
        if found is not None:
            self._told(found)

    def first_misfit(self) -> BadEntry | None:
        """Walk; the first entry that does not fit, None where all do or the walk was stopped."""
        try:
            reader = JournalReader(self._path)
        except JournalError:
            return BadEntry(1, "UNREADABLE")
        try:
            return self._walked(reader)
        except JournalError:
            return BadEntry(1, "UNREADABLE")
        finally:
            reader.close()

    def _walked(self, reader: JournalReader) -> BadEntry | None:
        """Read in slices: a statement that stays open keeps SQLite from tidying its log."""
        seq = 1
        while seq <= self._end.seq and not self._stop.wait(self._rest_s):
            entries = list(islice(reader.read(seq), min(SLICE, self._end.seq + 1 - seq)))
            bad = next((entry for entry in entries if isinstance(entry, BadEntry)), None)
            if bad is not None or not entries:
                return bad or BadEntry(seq, "GAP")
            for entry in entries:
                if isinstance(entry, Entry):
                    self._state(entry)
            seq += len(entries)
        return None if self._stop.is_set() else self._ended(reader)

    def _ended(self, reader: JournalReader) -> BadEntry | None:
        if reader.hash_at(self._end.seq) != self._end.hash:
            return BadEntry(self._end.seq, "HASH")
        return None if self._state.is_same() else BadEntry(self._end.seq, FALSE)
