"""The table's one door: commands and reports in; decided, written down, then shown and answered.

It has no thread, no loop and no clock of its own: the live table runs it on its loop and writes in a thread,
a replay or a test calls `take` and everything has happened when it returns.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Final, Protocol, assert_never

from controller.acts.catalogue import Observation, TableDay
from controller.domain.errors import DeviceError, JournalError
from controller.engine.state import TableState
from controller.journal.entry import BadEntry, Entry, NewEntry
from controller.journal.head_file import Head
from controller.journal.signed_heads import HeadReason
from controller.ports import Clock, Health, OrderAnswer, Report, Trouble
from controller.runtime.api import (
    Accepted,
    AuditLine,
    Command,
    CommandAnswer,
    HoldView,
    Mode,
    NameCard,
    Rejected,
    TableSnapshot,
)
from controller.runtime.contradictions import FrameObservation
from controller.runtime.decision.decide import Orders, decide, hold, take_report, take_trouble
from controller.runtime.decision.shoe_lock import REASON, due_order
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
from controller.runtime.failures import UNHEARD, FailureSink
from controller.runtime.ledger import Ledger, naming_of
from controller.runtime.ledger.draft import Draft
from controller.runtime.ledger.restore import SYSTEM
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
from controller.validation.plain_text import plain


class EntryStore(Protocol):
    """The journal as the door needs it."""

    def append(self, entries: Sequence[NewEntry], at_utc_us: int | None = None) -> tuple[Entry, ...]:
        """See `controller.journal.store.Journal.append`."""
        ...

    def read(self, from_seq: int = 1) -> Iterator[Entry | BadEntry]:
        """See `controller.journal.store.Journal.read`."""
        ...


NAMED_MAX: Final = 40
"""Characters of a device's name in a hold; no configuration has a longer one."""

STEP_BACK_US: Final = 1_000_000
"""A clock that is slewed never runs back; by more than this somebody has set it."""


class TableDoor:
    """Owns the state of one table. Every method but `write` and `audit` belongs to one thread."""

    def __init__(
        self,
        journal: EntryStore,
        ledger: Ledger,
        clock: Clock,
        *,
        mode: Mode,
        health: Callable[[], tuple[Health, ...]] = tuple,
        limits: TableLimits = DEFAULT_LIMITS,
        detector: ContradictionDetector | None = None,
        witnesses: WitnessPlan | None = None,
        send_order: Callable[[str, str], bool] | None = None,
        locks: str | None = None,
        card_named: Callable[[NameCard, str], None] = lambda _action, _who: None,
        failures: FailureSink = UNHEARD,
        milestone: Callable[[int, HeadReason], None] = lambda _number, _reason: None,
        kept: Callable[[Ledger, Head], None] = lambda _ledger, _head: None,
    ) -> None:
        """Come up with a ledger folded from this journal.

        `witnesses` says which camera deals; without it cards come from whoever reports them.
        `locks` is the shoe that is locked while the table waits, where the house allows it.
        `send_order` has a device do something, as `controller.ports.Orderable` says; `card_named` tells a
        camera which card lies there, and who says so. Both are called only after it is on disk. `failures`
        hears of what could not be taken because this program is wrong. `milestone` hears the number of a
        round whose end is on disk, or in which the table was closed, on the thread of `write`, before
        anything else is written; `kept` hears the ledger and the head there, to keep as a checkpoint.
        """
        self.limits: Final = limits
        self._journal, self._clock = journal, clock
        self._mode, self._health = mode, health
        self._detector = detector
        self._felt = None if witnesses is None else FeltWitness(witnesses, ledger)
        self._felt_before = None if self._felt is None else self._felt.mark()
        self._send_order, self._locks = send_order, locks
        self._card_named = card_named
        self._failures = failures
        self._milestone, self._kept_at = milestone, kept
        self._fault: HoldView | None = None
        self._kept, self._lost = list[Report](), 0
        self._autoplay: bool | None = True if mode == "simulation" else None
        self.ledger = ledger
        """Everything that follows from the journal on disk."""
        self._follow_moves()
        self.hub: Final = SnapshotHub(self.snapshot())

    @property
    def autoplay(self) -> bool | None:
        """Whether the simulated people act by themselves; None on a live table."""
        return self._autoplay

    def snapshot(self) -> TableSnapshot:
        """Build what screens may know now."""
        return snapshot_of(
            self.ledger,
            at_utc_us=self._clock.utc_us(),
            mode=self._mode,
            health=self._health(),
            faults=() if self._fault is None else (self._fault,),
            kept=len(self._kept),
            autoplay=self._autoplay,
        )

    def show(self) -> None:
        """Publish the present state anew: ages, or what screens alone know, may have changed."""
        self.hub.publish(self.snapshot())

    def take(self, *items: Item) -> tuple[Report, ...]:
        """Decide, write, show and answer at once, for a caller that may wait for the disk.

        Returns what the table has to be told next, see `finish`.
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
        self._lost += lost
        if self._fault is not None and not asks_to_go_on(items):
            self._keep(items, self._fault.code)
            return None
        if self._felt is not None:
            self._felt_before = self._felt.mark()
        draft = Draft(self.ledger, self._clock.utc_us())
        back_us = self.ledger.at_utc_us - draft.at_utc_us
        if back_us > STEP_BACK_US:
            hold(draft, "CLOCK_STEPPED_BACK", (("seconds", back_us // 1_000_000),), SYSTEM)
        if self._fault is not None:
            # Recorded at last; what devices said meanwhile waits behind it until the resume that follows.
            hold(draft, self._fault.code, self._fault.params, SYSTEM)
            items = [*self._kept, *items]
        answers: list[tuple[SubmittedCommand, CommandAnswer]] = []
        for item in items:
            if isinstance(item, SubmittedCommand):
                answers.append((item, self._decided(draft, item.command)))
            else:
                self._take_report(draft, item)
        if self._lost:
            hold(draft, "INBOX_OVERFLOW", (("lost", self._lost),), SYSTEM)
        self._lock_shoe(draft)
        return Batch(tuple(items), draft, tuple(answers))

    def write(self, batch: Batch) -> CommitResult:
        """Put the entries on disk; they are there when this returns. For any thread, one batch at a time.

        Raises `JournalError`; then the journal is as it was.
        """
        draft, began_ns = batch.draft, self._clock.mono_ns()
        written = self._journal.append(draft.entries, draft.at_utc_us) if draft.proposals else ()
        took_ms = (self._clock.mono_ns() - began_ns) // 1_000_000
        reason = self._sealed_by(draft)
        if reason is not None:
            self._milestone(self.ledger.state.book.number, reason)
            self._kept_at(draft.ledger, Head(written[-1].seq, written[-1].hash))
        return CommitResult(written[-1].seq if written else None, began_ns, took_ms)

    def _sealed_by(self, draft: Draft) -> HeadReason | None:
        """Why the journal's head is signed after these entries, None where it is not."""
        if any(_closes_table(proposal.folded.observation) for proposal in draft.proposals):
            return "close"
        return "round" if draft.ledger.state.book.number != self.ledger.state.book.number else None

    def finish(self, batch: Batch, written: CommitResult) -> tuple[Report, ...]:
        """Take over what is on disk, act on it, show it, answer.

        Returns what the table has to be told next: why an order was not carried out, and of a slow disk.
        """
        draft = batch.draft
        assert written.last_seq in {None, draft.ledger.seq}, "the journal has numbered otherwise"
        self.ledger = draft.ledger
        self._fault, self._kept, self._lost = None, [], 0
        reports = [*self._carry_out(draft), *self._slow_disk(written)]
        self._follow_moves()
        if draft.proposals:
            self.show()
        for submitted, answer in batch.answers:
            submitted.answer(answer)
        return tuple(reports)

    def fail(self, batch: Batch, error: JournalError) -> None:
        """Nothing was written: hold the table, keep what devices said, refuse what people asked."""
        self._fault = HoldView(error.code, tuple(error.params.items()), self._clock.utc_us(), SYSTEM)
        self._kept = []
        self._rewind_witnesses(self._felt_before)
        self._keep(batch.items, error.code)

    def _rewind_witnesses(self, memory: FeltMemory | None) -> None:
        """Have the witnesses tell what the table has not kept."""
        if self._felt is not None and memory is not None:
            self._felt.rewind(memory)

    def close(self, items: Sequence[Item], lost: int) -> int:
        """Write down reports that came last, and those kept while the journal could not be written.

        Returns how many were lost, because it still cannot.
        """
        waiting = [*self._kept, *items]
        if not waiting and not lost:
            return 0
        draft = Draft(self.ledger, self._clock.utc_us())
        if self._fault is not None:
            hold(draft, self._fault.code, self._fault.params, SYSTEM)
        for item in waiting:
            if not isinstance(item, SubmittedCommand):
                self._take_report(draft, item)
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

    def _decided(self, draft: Draft, command: Command) -> CommandAnswer:
        """Decide a command; one that cannot be taken leaves nothing and ends nothing."""
        memory = None if self._felt is None else self._felt.mark()
        try:
            with draft.whole_or_nothing():
                if self._felt is None:
                    return decide(draft, command, self._orders())
                return command_beside_felt(draft, command, self._orders(), self._felt)
        except Exception as error:
            self._rewind_witnesses(memory)
            self._failures.failed(command.role, error)
            return Rejected("NOT_TAKEN")

    def _take_report(self, draft: Draft, item: DeviceItem) -> None:
        """Take a report whole, or hold the table: a card of it may lie on the felt."""
        memory = None if self._felt is None else self._felt.mark()
        try:
            with draft.whole_or_nothing():
                self._take_item(draft, item)
        except Exception as error:
            self._rewind_witnesses(memory)
            self._failures.failed(item.source, error)
            name = plain(item.source)[:NAMED_MAX]
            take_trouble(draft, Trouble("REPORT_NOT_TAKEN", (("name", name),)), SYSTEM)

    def _take_item(self, draft: Draft, item: DeviceItem) -> None:
        match item:
            case Report():
                take_report(draft, item if self._felt is None else self._felt.hear(draft, item))
                if self._felt is not None:
                    self._felt.follow(draft)
            case FeltLook():
                if self._felt is not None:
                    self._felt.look(draft, item)
            case FrameObservation():
                if self._detector is not None:
                    take_report(draft, self._detector.report(item, draft.ledger))
            case _:
                assert_never(item)

    def _lock_shoe(self, draft: Draft) -> None:
        """Have the shoe locked or unlocked as the holds ask for, where it can be told so now."""
        order = None if self._locks is None else due_order(draft.ledger, self._locks)
        if order is not None and (self._locks, order) in self._orders():
            draft.add("ordered", {"device": self._locks, "order": order, "reason": REASON}, SYSTEM)

    def _orders(self) -> Orders:
        if self._send_order is None:
            return frozenset()
        return frozenset((device.name, order) for device in self._health() for order in device.orders)

    def _carry_out(self, draft: Draft) -> Iterator[Report]:
        """Tell devices and cameras what people have asked of them, now that it is on disk."""
        for proposal in draft.proposals:
            body = proposal.folded.body
            if proposal.entry.kind == "ordered":
                yield from self._order(body["device"], body["order"])
            elif proposal.entry.kind == "named":
                self._card_named(naming_of(body), proposal.entry.actor)

    def _order(self, device: str, order: str) -> Iterator[Report]:
        """Pass an order on to its device; what cannot be asked of it is its answer."""
        assert self._send_order is not None, "an order was decided although no device takes any"
        try:
            code = "" if self._send_order(device, order) else None
        except DeviceError as error:
            code = error.code
        if code is not None:
            yield Report(device, self._clock.mono_ns(), answers=(OrderAnswer(order, code),))

    def _slow_disk(self, written: CommitResult) -> Iterator[Report]:
        limit_ms = self.limits.journal_slow_ms
        if written.last_seq is not None and written.took_ms > limit_ms:
            slow = Trouble("JOURNAL_SLOW", (("limit_ms", limit_ms),))
            yield Report("journal", written.began_ns, (), (slow,))

    def _follow_moves(self) -> None:
        if self._detector is not None:
            self._detector.follow(self.ledger, self._clock.mono_ns())

    def _keep(self, items: Sequence[Item], code: str) -> None:
        """While nothing can be written: keep what devices said, refuse what people ask."""
        refusal = Rejected("TABLE_HELD", (("reason", code),))
        for item in items:
            if isinstance(item, SubmittedCommand):
                item.answer(refusal)
            elif isinstance(item, Report):
                self._keep_report(item)
        self.show()

    def _keep_report(self, report: Report) -> None:
        if len(self._kept) < self.limits.inbox:
            self._kept.append(report)
        else:
            self._lost += 1


def _closes_table(observation: Observation | None) -> bool:
    return isinstance(observation, TableDay) and observation.state == "closed"
