"""Writes decided batches to the journal, and reports each sealed end to the signer of heads."""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, Protocol

from controller.acts.catalogue import Observation, TableDay
from controller.journal.entry import BadEntry, Entry, NewEntry
from controller.journal.heads import HeadReason
from controller.ports import Clock
from controller.runtime.door.items import Batch, CommitResult
from controller.runtime.failures import IGNORED_FAILURES, FailureSink
from controller.runtime.ledger import Ledger


class EntryStore(Protocol):
    """The journal as the door needs it."""

    def append(self, entries: Sequence[NewEntry], at_utc_us: int | None = None) -> tuple[Entry, ...]:
        """See `controller.journal.store.Journal.append`."""
        ...

    def read(self, from_seq: int = 1) -> Iterator[Entry | BadEntry]:
        """See `controller.journal.store.Journal.read`."""
        ...


class Listeners(NamedTuple):
    """Who hears of what becomes of a table.

    `failures` hears of what could not be taken because this program is wrong. `milestone` hears the number of
    a round whose end is on disk, or in which the table was closed, on the thread of `write`, before anything
    else is written. `finished` hears of each batch once it is on disk and shown, with the ledger before it.
    """

    failures: FailureSink = IGNORED_FAILURES
    milestone: Callable[[int, HeadReason], None] = lambda _number, _reason: None
    finished: Callable[[Batch, CommitResult, Ledger], None] = lambda _batch, _written, _before: None


class JournalWriter:
    """Writes batches one at a time, on any thread."""

    def __init__(self, journal: EntryStore, clock: Clock, listeners: Listeners) -> None:
        """Write into this journal."""
        self._journal, self._clock, self._listeners = journal, clock, listeners

    def write(self, batch: Batch, before: Ledger) -> CommitResult:
        """Put the entries on disk, after the ledger `before`. Raises `JournalError`."""
        draft, began_ns = batch.draft, self._clock.mono_ns()
        written = self._journal.append(draft.entries, draft.at_utc_us) if draft.proposals else ()
        took_ms = (self._clock.mono_ns() - began_ns) // 1_000_000
        reason = _sealed_by(batch, before)
        if reason is not None:
            self._listeners.milestone(before.state.book.number, reason)
        return CommitResult(written[-1].seq if written else None, began_ns, took_ms)


def _sealed_by(batch: Batch, before: Ledger) -> HeadReason | None:
    """Why the journal's head is signed after these entries, None where it is not."""
    draft = batch.draft
    if any(_closes_table(proposal.folded.observation) for proposal in draft.proposals):
        return "close"
    return "round" if draft.ledger.state.book.number != before.state.book.number else None


def _closes_table(observation: Observation | None) -> bool:
    return isinstance(observation, TableDay) and observation.state == "closed"
