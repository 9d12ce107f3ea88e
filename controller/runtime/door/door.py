"""The table's one door: commands and reports in; decided, written down, then shown and answered.

It has no thread, no loop and no clock of its own: the live table runs it on its loop and writes in a thread,
a replay or a test calls `take` and everything has happened when it returns.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple, Protocol, assert_never

from controller.acts.catalogue import Observation, TableDay
from controller.domain import JournalError, plain
from controller.engine.state import TableState
from controller.feed.codec import to_json
from controller.journal.entry import BadEntry, Entry, NewEntry
from controller.journal.heads import HeadReason
from controller.ports import Clock, Report, Trouble
from controller.runtime.api import Accepted, AuditLine, Command, CommandAnswer, Mode, Rejected, TableSnapshot
from controller.runtime.contradictions import FrameObservation
from controller.runtime.decision.decide import Orders, decide
from controller.runtime.decision.taking import hold, take_report, take_trouble
from controller.runtime.door.items import (
    DEFAULT_LIMITS,
    Batch,
    CommitResult,
    DeviceItem,
    Item,
    SubmittedCommand,
    TableLimits,
    asks_to_go_on,
)
from controller.runtime.door.table_devices import NO_DEVICES, TableDevices
from controller.runtime.door.unwritten import Unwritten
from controller.runtime.failures import IGNORED_FAILURES, FailureSink
from controller.runtime.ledger import Ledger
from controller.runtime.ledger.draft import Draft
from controller.runtime.ledger.restore import SYSTEM, clock_put_back, clock_put_forward
from controller.runtime.snapshot.audit import Secrets, audit_lines, secrets_of
from controller.runtime.snapshot.hub import SnapshotHub
from controller.runtime.snapshot.snapshot import closed_round, snapshot_of
from controller.runtime.witness.contradiction_detector import ContradictionDetector
from controller.runtime.witness.felt_witness import (
    FeltLook,
    FeltMemory,
    FeltWitness,
    WitnessPlan,
    command_beside_felt,
)


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


NAMED_MAX: Final = 40
"""Characters of a device's name in a hold; no configuration has a longer one."""


class GuardedTaking:
    """Takes items, and takes back what the witnesses remember of one that was not taken."""

    def __init__(
        self,
        ledger: Ledger,
        plan: WitnessPlan | None,
        detector: ContradictionDetector | None,
        failures: FailureSink,
    ) -> None:
        """`plan` says which camera deals; without it cards come from whoever reports them."""
        self.felt = None if plan is None else FeltWitness(plan, ledger)
        self._detector, self._failures = detector, failures

    def mark(self) -> FeltMemory | None:
        """Remember what the witnesses know."""
        return None if self.felt is None else self.felt.mark()

    def rewind(self, memory: FeltMemory | None) -> None:
        """Have the witnesses tell what the table has not kept."""
        if self.felt is not None and memory is not None:
            self.felt.rewind(memory)

    def follow(self, ledger: Ledger, mono_ns: int) -> None:
        """See `ContradictionDetector.follow`."""
        if self._detector is not None:
            self._detector.follow(ledger, mono_ns)

    def decided(self, draft: Draft, command: Command, orders: Orders) -> CommandAnswer:
        """Decide a command; one that cannot be taken leaves nothing and ends nothing."""
        memory = self.mark()
        try:
            with draft.whole_or_nothing():
                if self.felt is None:
                    return decide(draft, command, orders)
                return command_beside_felt(draft, command, orders, self.felt)
        except Exception as error:
            self.rewind(memory)
            self._failures.failed(command.role, error)
            return Rejected("NOT_TAKEN")

    def report(self, draft: Draft, item: DeviceItem) -> None:
        """Take a report whole, or hold the table: a card of it may lie on the felt."""
        memory = self.mark()
        try:
            with draft.whole_or_nothing():
                match item:
                    case Report():
                        take_report(draft, item if self.felt is None else self.felt.receive(draft, item))
                        if self.felt is not None:
                            self.felt.follow(draft)
                    case FeltLook():
                        if self.felt is not None:
                            self.felt.look(draft, item)
                    case FrameObservation():
                        if self._detector is not None:
                            take_report(draft, self._detector.report(item, draft.ledger))
                    case _:
                        assert_never(item)
        except Exception as error:
            self.rewind(memory)
            self._failures.failed(item.source, error)
            name = plain(item.source)[:NAMED_MAX]
            take_trouble(draft, Trouble("REPORT_NOT_TAKEN", (("name", name),)), SYSTEM)


NO_LISTENERS: Final = Listeners()


class TableDoor:
    """Owns the state of one table. Every method but `write` and `audit` belongs to one thread."""

    def __init__(
        self,
        journal: EntryStore,
        ledger: Ledger,
        clock: Clock,
        *,
        mode: Mode,
        limits: TableLimits = DEFAULT_LIMITS,
        devices: TableDevices = NO_DEVICES,
        detector: ContradictionDetector | None = None,
        witnesses: WitnessPlan | None = None,
        listeners: Listeners = NO_LISTENERS,
    ) -> None:
        """Come up with a ledger folded from this journal.

        `witnesses` says which camera deals; without it cards come from whoever reports them.
        """
        self.limits: Final = limits
        self._journal, self._clock, self._mode, self._devices = journal, clock, mode, devices
        self._writer = JournalWriter(journal, clock, listeners)
        self._finished = listeners.finished
        self._taking = GuardedTaking(ledger, witnesses, detector, listeners.failures)
        self._felt_before = self._taking.mark()
        self._unwritten = Unwritten(limits.inbox)
        self._autoplay: bool | None = True if mode == "simulation" else None
        self._clock_ahead_us = clock.utc_us() - clock.mono_ns() // 1000
        """The distance of the two clocks at the last decision."""
        self.ledger = ledger
        """Everything that follows from the journal on disk."""
        self._taking.follow(ledger, clock.mono_ns())
        self.hub: Final = SnapshotHub(self.snapshot())

    @property
    def autoplay(self) -> bool | None:
        """Whether the simulated people act by themselves; None on a live table."""
        return self._autoplay

    def snapshot(self) -> TableSnapshot:
        """Build what screens may know now."""
        fault = self._unwritten.fault
        return snapshot_of(
            self.ledger,
            at_utc_us=self._clock.utc_us(),
            mode=self._mode,
            health=self._devices.health(),
            faults=() if fault is None else (fault,),
            kept=len(self._unwritten.reports),
            autoplay=self._autoplay,
        )

    def show(self) -> None:
        """Publish the present state anew: ages, or what screens alone know, may have changed."""
        self.hub.publish(self.snapshot())

    def take(self, *items: Item) -> tuple[Report, ...]:
        """Decide, write, show and answer at once, for a caller that may wait for the disk.

        Returns what the table has to take next, see `finish`.
        """
        batch = self.decide(items)
        if batch is None:
            return ()
        try:
            written = self.write(batch)
        except JournalError as error:
            self.fail(batch, error)
            return ()
        return self.finish(batch, written)

    def decide(self, items: Sequence[Item], lost: int = 0) -> Batch | None:
        """Think out what follows from the items; `lost` more found no room before them.

        None while the journal cannot be written and nobody asks to go on: then what devices said is kept,
        and what people asked is refused.
        """
        waiting = self._unwritten
        waiting.lost += lost
        if waiting.fault is not None and not asks_to_go_on(items):
            self._keep(items, waiting.fault.code)
            return None
        self._felt_before = self._taking.mark()
        draft = Draft(self.ledger, self._clock.utc_us())
        self._note_clock_steps(draft)
        waiting.record(draft)
        # What devices said meanwhile waits behind the hold until the resume that follows.
        items = [*waiting.reports, *items]
        answers: list[tuple[SubmittedCommand, CommandAnswer]] = []
        for item in items:
            if isinstance(item, SubmittedCommand):
                answers.append((item, self._taking.decided(draft, item.command, self._devices.orders())))
            else:
                self._taking.report(draft, item)
        if waiting.lost:
            hold(draft, "INBOX_OVERFLOW", (("lost", waiting.lost),), SYSTEM)
        # Last: it goes by the holds as the whole batch leaves them, not by one that is over already.
        self._devices.lock_shoe(draft)
        return Batch(tuple(items), draft, tuple(answers))

    def _note_clock_steps(self, draft: Draft) -> None:
        """Hold for a clock that was put back; tell of one that was put forward since the last decision."""
        mono_us = self._clock.mono_ns() // 1000
        expected_us, self._clock_ahead_us = mono_us + self._clock_ahead_us, draft.at_utc_us - mono_us
        for stop in clock_put_back(self.ledger.at_utc_us, draft.at_utc_us):
            hold(draft, stop.code, stop.params, SYSTEM)
        for alert in clock_put_forward(expected_us, draft.at_utc_us):
            take_trouble(draft, alert, SYSTEM)

    def would_take(self, submitted: SubmittedCommand) -> bool:
        """Whether a command would be accepted; nothing is taken."""
        before = self._taking.mark()
        draft = Draft(self.ledger, self._clock.utc_us())
        answer = self._taking.decided(draft, submitted.command, self._devices.orders())
        self._taking.rewind(before)
        return isinstance(answer, Accepted)

    def last_of_day(self, next_name: str, *, closes: bool) -> Batch:
        """The last entries of a journal: the closing of an open day, and the next file's name."""
        draft = Draft(self.ledger, self._clock.utc_us())
        if closes:
            draft.add("fact", to_json(TableDay("closed", SYSTEM)), SYSTEM)
        draft.add("day_ended", {"next": next_name}, SYSTEM)
        return Batch((), draft, ())

    def write(self, batch: Batch) -> CommitResult:
        """Put the entries on disk; they are there when this returns. For any thread, one batch at a time.

        Raises `JournalError`; then the journal is as it was.
        """
        return self._writer.write(batch, self.ledger)

    def finish(self, batch: Batch, written: CommitResult) -> tuple[Report, ...]:
        """Take over what is on disk, act on it, show it, answer.

        Returns what the table has to take next: why an order was not carried out, and of a slow disk.
        """
        draft = batch.draft
        assert written.last_seq in {None, draft.ledger.seq}, "the journal has numbered otherwise"
        before, self.ledger = self.ledger, draft.ledger
        self._unwritten.over()
        reports = (*self._devices.carry_out(draft, self._clock.mono_ns()), *self._slow_disk(written))
        self._taking.follow(self.ledger, self._clock.mono_ns())
        if draft.proposals:
            self.show()
        for submitted, answer in batch.answers:
            submitted.answer(answer)
        self._finished(batch, written, before)
        return reports

    def fail(self, batch: Batch, error: JournalError) -> None:
        """Nothing was written: hold the table, keep what devices said, refuse what people asked."""
        self._unwritten.fail(error, self._clock.utc_us())
        self._taking.rewind(self._felt_before)
        self._keep(batch.items, error.code)

    def close(self, items: Sequence[Item], lost: int) -> int:
        """Write down reports that came last, and those kept while the journal could not be written.

        Returns how many were lost, because it still cannot.
        """
        waiting = [*self._unwritten.reports, *items]
        if not waiting and not lost:
            return 0
        draft = Draft(self.ledger, self._clock.utc_us())
        self._unwritten.record(draft)
        for item in waiting:
            if not isinstance(item, SubmittedCommand):
                self._taking.report(draft, item)
        batch = Batch((), draft, ())
        try:
            self.finish(batch, self.write(batch))
        except JournalError:
            return len(waiting) + lost
        return lost

    def set_autoplay(self, on: bool) -> CommandAnswer:
        """Let the simulated people act, or leave it to the screens; kept in no journal."""
        if self._autoplay is None:
            return Rejected("NOT_A_SIMULATION")
        self._autoplay = on
        self.show()
        return Accepted(self.ledger.seq)

    def closed_round(self, number: int) -> TableState | None:
        """See `controller.runtime.api.TablePort.closed_round`."""
        return closed_round(self.ledger, number)

    def secrets(self) -> Secrets:
        """What the audit trail may not show now."""
        return secrets_of(self.ledger)

    def audit(self, from_seq: int, limit: int, secrets: Secrets) -> tuple[AuditLine, ...]:
        """Read the journal as `TablePort.audit` shows it, without the `secrets`."""
        return audit_lines(self._journal.read(from_seq), limit, secrets)

    def _slow_disk(self, written: CommitResult) -> Iterator[Report]:
        limit_ms = self.limits.journal_slow_ms
        if written.last_seq is not None and written.took_ms > limit_ms:
            slow = Trouble("JOURNAL_SLOW", (("limit_ms", limit_ms),))
            yield Report("journal", written.began_ns, (), (slow,))

    def _keep(self, items: Sequence[Item], code: str) -> None:
        """While nothing can be written: keep what devices said, refuse what people ask."""
        self._unwritten.keep(items, code)
        self.show()
