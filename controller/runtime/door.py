"""The table's own thread: commands and reports go in, entries go to the disk, snapshots come out.

The door takes items in batches: decided, written, then shown and answered. It has no thread, no loop and
no clock of its own: a replay or a test calls `take`, which returns when all is done. The task runs the door
on its loop and writes in a thread.
"""

import asyncio
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Final, NamedTuple, Protocol, assert_never

from controller.acts.catalogue import TableDay
from controller.acts.declaring import Act
from controller.domain import JournalError, TableError, plain
from controller.engine.state import TableState
from controller.feed.codec import to_json
from controller.journal.entry import BadEntry, Entry, NewEntry
from controller.journal.heads import HeadReason
from controller.policy.allowed import may_ever
from controller.ports import Clock, Report, Trouble
from controller.runtime.api import (
    Accepted,
    AuditLine,
    Autoplay,
    Command,
    CommandAnswer,
    Mode,
    Rejected,
    TableSnapshot,
)
from controller.runtime.contradictions import FrameObservation
from controller.runtime.decide import NO_DEVICES, Orders, TableDevices, decide
from controller.runtime.draft import Draft
from controller.runtime.felt_witness import (
    ContradictionDetector,
    FeltLook,
    FeltMemory,
    FeltWitness,
    WitnessPlan,
    command_beside_felt,
)
from controller.runtime.inbox import (
    DEFAULT_LIMITS,
    IGNORED_FAILURES,
    Batch,
    CommitResult,
    DayTurn,
    DeviceItem,
    FailureSink,
    Inbox,
    Item,
    LaterRefusal,
    SubmittedCommand,
    TableLimits,
    Unwritten,
    asks_to_go_on,
)
from controller.runtime.ledger import Ledger
from controller.runtime.restore import SYSTEM, clock_put_back, clock_put_forward
from controller.runtime.snapshot import (
    Secrets,
    SnapshotHub,
    audit_lines,
    closed_round,
    secrets_of,
    snapshot_of,
)
from controller.runtime.taking import hold, take_report, take_trouble


class EntryStore(Protocol):
    """The journal as the door needs it."""

    def append(self, entries: Sequence[NewEntry], at_utc_us: int | None = None) -> tuple[Entry, ...]:
        """Write entries in one transaction; they are on the disk when this returns."""
        ...

    def read(self, from_seq: int = 1) -> Iterator[Entry | BadEntry]:
        """Each entry from this sequence on, checked against the one before."""
        ...


class Listeners(NamedTuple):
    """The listeners of a table.

    `failures` receives the errors of this program. `milestone` receives the number of a round whose end is on
    disk, or in which the table was closed. It runs on the thread of `write`, before the next write.
    `finished` receives each batch after it is on disk and shown, with the ledger before it.
    """

    failures: FailureSink = IGNORED_FAILURES
    milestone: Callable[[int, HeadReason], None] = lambda _number, _reason: None
    finished: Callable[[Batch, CommitResult, Ledger], None] = lambda _batch, _written, _before: None


NAMED_MAX: Final = 40
"""Characters of a device's name in a hold; no configuration has a longer one."""


class GuardedTaking:
    """Takes items, and undoes the witnesses' memory of an item that was not taken."""

    def __init__(
        self,
        ledger: Ledger,
        plan: WitnessPlan | None,
        detector: ContradictionDetector | None,
        failures: FailureSink,
    ) -> None:
        """Begin with `plan`, which names the dealing camera; without it any device may report cards."""
        self.felt = None if plan is None else FeltWitness(plan, ledger)
        self._detector, self._failures = detector, failures

    def mark(self) -> FeltMemory | None:
        """Return the witnesses' memory, for `rewind`."""
        return None if self.felt is None else self.felt.mark()

    def rewind(self, memory: FeltMemory | None) -> None:
        """Undo what the witnesses remember since `memory`."""
        if self.felt is not None and memory is not None:
            self.felt.rewind(memory)

    def follow(self, ledger: Ledger, mono_ns: int) -> None:
        """Hear of the table after each change, at `mono_ns`."""
        if self._detector is not None:
            self._detector.follow(ledger, mono_ns)

    def decided(self, draft: Draft, submitted: SubmittedCommand, orders: Orders) -> CommandAnswer:
        """Decide the commands of a press, all or none; one that fails changes nothing and ends nothing."""
        memory = self.mark()
        try:
            with draft.whole_or_nothing():
                answer = self._decided(draft, submitted.command, orders)
                for command in submitted.then if isinstance(answer, Accepted) else ():
                    answer = self._decided(draft, command._replace(expected_seq=draft.ledger.seq), orders)
                    if isinstance(answer, Rejected):
                        raise LaterRefusal(answer)
                return answer
        except LaterRefusal as refusal:
            self.rewind(memory)
            return refusal.answer
        except Exception as error:
            self.rewind(memory)
            self._failures.failed(submitted.command.role, error)
            return Rejected("NOT_TAKEN")

    def _decided(self, draft: Draft, command: Command, orders: Orders) -> CommandAnswer:
        if self.felt is None:
            return decide(draft, command, orders)
        return command_beside_felt(draft, command, orders, self.felt)

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


_NO_LISTENERS: Final = Listeners()


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
        listeners: Listeners = _NO_LISTENERS,
    ) -> None:
        """Begin with a ledger folded from this journal.

        `witnesses` names the dealing camera; without it any device may report cards.
        """
        self.limits: Final = limits
        self._journal, self._clock, self._mode, self._devices = journal, clock, mode, devices
        self._listeners = listeners
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
        """Return the present snapshot for the screens."""
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
        """Publish the present state again: ages, or the state of the screens, may have changed."""
        self.hub.publish(self.snapshot())

    def take(self, *items: Item) -> tuple[Report, ...]:
        """Decide, write, show and answer at once, for a caller that may wait for the disk.

        Returns the reports that the table takes next, see `finish`.
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
        """Decide the items; `lost` more were dropped before them.

        None while the journal cannot be written and no item is a resume: then devices' reports are kept, and
        people's commands are refused.
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
                answers.append((item, self._taking.decided(draft, item, self._devices.orders())))
            else:
                self._taking.report(draft, item)
        if waiting.lost:
            hold(draft, "INBOX_OVERFLOW", (("lost", waiting.lost),), SYSTEM)
        # Last: it goes by the holds as the whole batch leaves them, not by one that is over already.
        self._devices.lock_shoe(draft)
        return Batch(tuple(items), draft, tuple(answers))

    def _note_clock_steps(self, draft: Draft) -> None:
        """Begin a hold for a clock that was set back; alert for one that was set forward."""
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
        answer = self._taking.decided(draft, submitted, self._devices.orders())
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
        draft, began_ns = batch.draft, self._clock.mono_ns()
        written = self._journal.append(draft.entries, draft.at_utc_us) if draft.proposals else ()
        took_ms = (self._clock.mono_ns() - began_ns) // 1_000_000
        number, acts = self.ledger.state.book.number, [one.folded.observation for one in draft.proposals]
        if any(isinstance(act, TableDay) and act.state == "closed" for act in acts):
            self._listeners.milestone(number, "close")
        elif draft.ledger.state.book.number != number:
            self._listeners.milestone(number, "round")
        return CommitResult(written[-1].seq if written else None, began_ns, took_ms)

    def finish(self, batch: Batch, written: CommitResult) -> tuple[Report, ...]:
        """Adopt the written batch, carry out its orders, show it, answer.

        Returns the reports that the table takes next: orders that failed, and a slow disk.
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
        self._listeners.finished(batch, written, before)
        return reports

    def fail(self, batch: Batch, error: JournalError) -> None:
        """Handle a failed write: hold the table, keep devices' reports, refuse people's commands."""
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
        """Return the closed round of this number as screens may see it; None if it is no longer kept."""
        return closed_round(self.ledger, number)

    def secrets(self) -> Secrets:
        """Return what the audit trail must hide now."""
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
        """While the journal cannot be written: keep devices' reports, refuse people's commands."""
        self._unwritten.keep(items, code)
        self.show()


_AUDIT_LINES_MAX: Final = 500

_PEOPLE_SHARE: Final = 4
"""People's commands are refused (TABLE_BUSY) while so many of them wait: the inbox divided by this."""


class TableTask:
    """A running table; `TablePort` of `controller.runtime.api`. Made and used on the loop, but `post`."""

    def __init__(self, door: TableDoor, turn: DayTurn | None = None) -> None:
        """Own the door from now on; `turn` begins the journal of the next gaming day."""
        self._door, self._turn = door, turn
        self._is_over = False
        self._lost = 0
        """Items that found no room before the day ended."""
        self._inbox: Inbox[Item] = Inbox(door.limits.inbox)
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="journal")
        self._asked = 0
        self._pulses: list[asyncio.Future[None]] = []
        self.hub: Final = door.hub

    @property
    def ledger(self) -> Ledger:
        """Everything that follows from the journal on disk."""
        return self._door.ledger

    @property
    def autoplay(self) -> bool | None:
        """Whether the simulated people act by themselves; None on a live table."""
        return self._door.autoplay

    async def submit(self, command: Command, *then: Command) -> CommandAnswer:
        """Put the commands of a press into the inbox; the answer comes once they are durable."""
        if isinstance(command.action, Autoplay):
            if not may_ever(command.role, Act.AUTOPLAY):
                return Rejected("NOT_ALLOWED", (("role", command.role),))
            return self._door.set_autoplay(command.action.on)
        # People leave room for the devices: a command can be given again, a card's report cannot.
        if self._is_over or self._asked >= max(1, self._door.limits.inbox // _PEOPLE_SHARE):
            return Rejected("TABLE_BUSY")
        answer: asyncio.Future[CommandAnswer] = asyncio.get_running_loop().create_future()
        self._asked += 1
        try:
            if not self._inbox.put(SubmittedCommand(command, _resolves(answer), then)):
                return Rejected("TABLE_BUSY")
            return await answer
        finally:
            self._asked -= 1

    def post(self, report: DeviceItem) -> None:
        """Take a report of a device or a camera, from any thread."""
        self._inbox.post(report)

    async def pulse(self) -> None:
        """Return when the table's task has taken all earlier items; never while it is stuck."""
        pulse: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._pulses.append(pulse)
        self._inbox.wake()
        await asyncio.shield(pulse)

    def closed_round(self, number: int) -> TableState | None:
        """Return the closed round of this number as screens may see it; None if it is no longer kept."""
        return self._door.closed_round(number)

    async def audit(self, from_seq: int, limit: int) -> tuple[AuditLine, ...]:
        """At most `limit` entries from `from_seq` on, oldest first, without secrets."""
        return await asyncio.get_running_loop().run_in_executor(
            self._writer,
            self._door.audit,
            from_seq,
            min(max(limit, 1), _AUDIT_LINES_MAX),
            self._door.secrets(),
        )

    async def run(self) -> None:
        """Own the table until cancelled; a commit that has begun is waited for."""
        try:
            while True:
                items, lost = await self._inbox.take()
                # Those of now alone: a pulse that comes while the batch is written asks about the next one.
                pulses, self._pulses = self._pulses, []
                if self._turn is not None and self._turn.due(self._door.ledger):
                    items = await self._turned(items, self._turn)
                if items or lost:
                    await self._take(self._door.decide(items, lost))
                for pulse in pulses:
                    pulse.set_result(None)
                if self._is_over:
                    # The root goes on with the next day's table, and cancels this one.
                    await asyncio.Event().wait()
        finally:
            self._writer.shutdown()

    def close(self) -> int:
        """Write the devices' remaining reports, after `run` has ended and the devices are closed.

        Returns the number of reports that could not be written.
        """
        items, lost = self._inbox.take_now()
        if self._turn is not None and self._is_over:
            self._turn.late(without_commands(items))
            return lost + self._lost
        return self._door.close([item for item in items if not isinstance(item, SubmittedCommand)], lost)

    def show(self) -> None:
        """Publish the present state anew."""
        self._door.show()

    async def tick(self, period_s: float) -> None:
        """Show the ages of the devices anew, again and again."""
        while True:
            self.show()
            if self._turn is not None and self._turn.due(self._door.ledger):
                self._inbox.wake()
            await asyncio.sleep(period_s)

    async def _turned(self, items: list[Item], turn: DayTurn) -> list[Item]:
        """Go on in the next day's journal, where this one may end; the items that are still this day's.

        A table that was closed waits for the command that opens it.
        """
        opener, loop = turn.opener(items), asyncio.get_running_loop()
        if opener is None and self._door.ledger.state.book.closed:
            return items
        if opener is not None and not self._door.would_take(opener):
            return items
        try:
            begun = await loop.run_in_executor(self._writer, turn.begin, self._door.ledger, opener)
        except TableError as error:
            self._inbox.put(Report("journal", 0, (), (turn.failed(error),)))
            return items
        self._is_over = True
        with suppress(JournalError):  # the new file names this one: the table goes on there all the same
            batch = self._door.last_of_day(begun.name, closes=begun.closes)
            self._door.finish(batch, await loop.run_in_executor(self._writer, self._door.write, batch))
        if opener is not None and begun.answer is not None:
            opener.answer(begun.answer)
        queued, self._lost = self._inbox.take_now()
        turn.end(begun.name, without_commands([*(item for item in items if item is not opener), *queued]))
        return []

    def take_over(self, items: Sequence[Item]) -> None:
        """Take the items that came after the end of the last day."""
        for item in items:
            self._inbox.put(item)

    async def _take(self, batch: Batch | None) -> None:
        """Write a batch in the writer's thread, then finish it on the loop."""
        if batch is None:
            return
        loop = asyncio.get_running_loop()
        try:
            if batch.draft.proposals:
                written = await loop.run_in_executor(self._writer, self._door.write, batch)
            else:
                # Nothing to write: a refusal waits behind no audit that is read in the writer's thread.
                written = self._door.write(batch)
        except JournalError as error:
            self._door.fail(batch, error)
            return
        for report in self._door.finish(batch, written):
            self._inbox.put(report)


def without_commands(items: Iterable[Item]) -> list[Item]:
    """Return the devices' reports for the next day's table; people's commands are refused as busy."""
    left: list[Item] = []
    for item in items:
        if isinstance(item, SubmittedCommand):
            item.answer(Rejected("TABLE_BUSY"))
        else:
            left.append(item)
    return left


def _resolves(answer: asyncio.Future[CommandAnswer]) -> Callable[[CommandAnswer], None]:
    """Return the listener of a command, whose sender may have disconnected."""

    def resolve(entered: CommandAnswer) -> None:
        if not answer.cancelled():
            answer.set_result(entered)

    return resolve
