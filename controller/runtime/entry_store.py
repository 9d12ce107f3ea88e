"""The journal as the table's door needs it."""

from collections.abc import Iterator, Sequence
from typing import Protocol

from controller.journal.entry import BadEntry, Entry, NewEntry


class EntryStore(Protocol):
    """The journal as the door needs it."""

    def append(self, entries: Sequence[NewEntry], at_utc_us: int | None = None) -> tuple[Entry, ...]:
        """See `controller.journal.store.Journal.append`."""
        ...

    def read(self, from_seq: int = 1) -> Iterator[Entry | BadEntry]:
        """See `controller.journal.store.Journal.read`."""
        ...
