"""The one task that owns a table: decide, write down, then show."""

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Final, NamedTuple

from controller.domain.errors import DeviceError, JournalError
from controller.journal.entry import Entry, NewEntry
from controller.journal.store import Journal
from controller.journal.upcast import body_of
from controller.ports import Answer, Clock, Health, Report, Trouble
from controller.runtime.api import (
    Accepted,
    AuditLine,
    Autoplay,
    Command,
    HoldView,
    Mode,
    NameCard,
    Rejected,
    Resume,
    TableSnapshot,
)
from controller.runtime.audit import audit_line
from controller.runtime.decide import Orders, decide, hold, take_contradictions, take_report
from controller.runtime.draft import Draft
from controller.runtime.fusion import Look, Onlooker
from controller.runtime.hub import SnapshotHub
from controller.runtime.inbox import Inbox
from controller.runtime.ledger import Ledger, fold, naming_of
from controller.runtime.mask import secret_rounds
from controller.runtime.snapshot import snapshot_of

INBOX_LIMIT: Final = 1024
SYSTEM: Final = "system:table"


class Limits(NamedTuple):
    """When the table holds by itself: a commit slower than this, more waiting items than this."""

    journal_slow_ms: int = 250
    inbox: int = INBOX_LIMIT


DEFAULT_LIMITS: Final = Limits()


class Asked(NamedTuple):
    """A person's command and where the answer goes."""

    command: Command
    answer: asyncio.Future[Accepted | Rejected]


Item = Asked | Report | Look


class Table:
    """A running table; `TablePort` of `controller.runtime.api`. Made and used on the loop, but `post`."""

    def __init__(
        self,
        journal: Journal,
        ledger: Ledger,
        clock: Clock,
        *,
        mode: Mode,
        health: Callable[[], tuple[Health, ...]],
        limits: Limits = DEFAULT_LIMITS,
        onlooker: Onlooker | None = None,
        order: Callable[[str, str], bool] | None = None,
        named: Callable[[NameCard, str], None] = lambda _action, _who: None,
    ) -> None:
        """Come up with a ledger folded from this journal.

        `order` has a device do something, as `controller.ports.Orderable` says; only after it is on disk. So
        does `named`, which tells a camera which card lies there, and who says so.
        """
        self._journal = journal
        self._ledger = ledger
        self._clock = clock
        self._mode = mode
        self._health = health
        self._limits = limits
        self._onlooker = onlooker
        self._order = order
        self._named = named
        self._inbox: Inbox[Item] = Inbox(limits.inbox)
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="journal")
        self._fault: HoldView | None = None
        self._kept: list[Report] = []
        self._lost = 0
        self._pulses: list[asyncio.Future[None]] = []
        self.autoplay: bool | None = True if mode == "simulation" else None
        self.hub: Final = SnapshotHub(self.snapshot())

    def snapshot(self) -> TableSnapshot:
        """Draw up what screens may know now."""
        return snapshot_of(
            self._ledger,
            at_utc_us=self._clock.utc_us(),
            mode=self._mode,
            health=self._health(),
            faults=() if self._fault is None else (self._fault,),
            kept=len(self._kept),
            autoplay=self.autoplay,
        )

    async def submit(self, command: Command) -> Accepted | Rejected:
        """See `controller.runtime.api.TablePort.submit`."""
        if isinstance(command.action, Autoplay):
            return self._set_autoplay(command.action)
        answer: asyncio.Future[Accepted | Rejected] = asyncio.get_running_loop().create_future()
        if not self._inbox.put(Asked(command, answer)):
            return Rejected("TABLE_BUSY")
        return await answer

    def post(self, report: Report | Look) -> None:
        """Take a device's report or a camera's look, from any thread."""
        self._inbox.post(report)

    async def pulse(self) -> None:
        """Return as soon as the table's task has done what waited before; never while it is stuck."""
        pulse: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._pulses.append(pulse)
        self._inbox.wake()
        await asyncio.shield(pulse)

    async def audit(self, from_seq: int, limit: int) -> tuple[AuditLine, ...]:
        """See `controller.runtime.api.TablePort.audit`."""
        return await asyncio.get_running_loop().run_in_executor(
            self._writer,
            self._read_lines,
            from_seq,
            min(max(limit, 1), 500),
            secret_rounds(self._ledger.state),
        )

    async def run(self) -> None:
        """Own the table until cancelled; a commit that has begun is waited for."""
        try:
            while True:
                items, overflowed = await self._inbox.take()
                pulses, self._pulses = self._pulses, []
                if items or overflowed:
                    await self._take(items, overflowed)
                for pulse in pulses:
                    pulse.set_result(None)
        finally:
            self._writer.shutdown()

    def show(self) -> None:
        """Publish the present state anew: ages, and what only screens know, may have changed."""
        self.hub.publish(self.snapshot())

    async def tick(self, period_s: float) -> None:
        """Show the ages of the devices anew, again and again."""
        while True:
            self.show()
            await asyncio.sleep(period_s)

    async def _take(self, items: Sequence[Item], overflowed: int) -> None:
        """Decide everything that waits, commit it at once, show it, then answer."""
        self._lost += overflowed
        if self._fault is not None and not _asks_to_go_on(items):
            self._keep(items, self._fault.code)
            return
        draft = Draft(self._ledger, self._clock.utc_us())
        if self._fault is not None:
            # Recorded at last; what devices said meanwhile waits behind it until the resume that follows.
            hold(draft, self._fault.code, self._fault.params, SYSTEM)
            items = [*self._kept, *items]
        answers = [self._decided(draft, item) for item in items]
        if self._lost:
            hold(draft, "INBOX_OVERFLOW", (("lost", self._lost),), SYSTEM)
        try:
            await self._commit(draft.entries)
        except JournalError as error:
            self._fault = HoldView(error.code, tuple(error.params.items()), self._clock.utc_us(), SYSTEM)
            self._kept = []
            self._keep(items, error.code)
            return
        self._fault, self._kept, self._lost = None, [], 0
        if draft.entries:
            self.hub.publish(self.snapshot())
        for asked, answer in answers:
            if asked is not None and not asked.answer.cancelled():
                asked.answer.set_result(answer)

    def _decided(self, draft: Draft, item: Item) -> tuple[Asked | None, Accepted | Rejected]:
        match item:
            case Asked(command):
                return item, decide(draft, command, self._orders())
            case Report():
                take_report(draft, item)
            case Look():
                self._take_look(draft, item)
        return None, Accepted(draft.ledger.seq)

    def _orders(self) -> Orders:
        if self._order is None:
            return frozenset()
        return frozenset((device.name, order) for device in self._health() for order in device.orders)

    def _send_order(self, entry: Entry) -> None:
        """Pass a durable order on to its device; what cannot be asked of it is its answer."""
        body = body_of(entry)
        assert self._order is not None, "an order was decided although no device takes any"
        try:
            code = "" if self._order(body["device"], body["order"]) else None
        except DeviceError as error:
            code = error.code
        if code is not None:
            answer = Answer(body["order"], code)
            self._inbox.put(Report(body["device"], self._clock.mono_ns(), answers=(answer,)))

    def _take_look(self, draft: Draft, look: Look) -> None:
        if self._onlooker is not None:
            troubles = self._onlooker.judge(look, draft.ledger.state)
            take_contradictions(draft, troubles, f"device:{look.source}")

    async def _commit(self, entries: list[NewEntry]) -> None:
        """Put the entries on disk and fold what was written; a slow disk holds before the next card."""
        if not entries:
            return
        began_ns = self._clock.mono_ns()
        loop = asyncio.get_running_loop()
        written = await loop.run_in_executor(self._writer, self._journal.append, entries)
        took_ms = (self._clock.mono_ns() - began_ns) // 1_000_000
        moved_seq = self._ledger.moved_seq
        for entry in written:
            self._ledger = fold(self._ledger, entry)
            if entry.kind == "ordered":
                self._send_order(entry)
            elif entry.kind == "named":
                self._named(naming_of(body_of(entry)), entry.actor)
        if self._onlooker is not None and self._ledger.moved_seq != moved_seq:
            self._onlooker.moved(self._clock.mono_ns())
        if took_ms > self._limits.journal_slow_ms:
            slow = Trouble("JOURNAL_SLOW", (("limit_ms", self._limits.journal_slow_ms),))
            self._inbox.put(Report("journal", began_ns, (), (slow,)))

    def _keep(self, items: Sequence[Item], code: str) -> None:
        """While nothing can be written: keep what devices said, refuse what people ask."""
        for item in items:
            if isinstance(item, Asked):
                if not item.answer.cancelled():
                    item.answer.set_result(Rejected("TABLE_HELD", (("reason", code),)))
            elif isinstance(item, Report):
                self._keep_report(item)
        self.hub.publish(self.snapshot())

    def _keep_report(self, report: Report) -> None:
        if len(self._kept) < self._limits.inbox:
            self._kept.append(report)
        else:
            self._lost += 1

    def _set_autoplay(self, action: Autoplay) -> Accepted | Rejected:
        if self.autoplay is None:
            return Rejected("NOT_A_SIMULATION")
        self.autoplay = action.on
        self.hub.publish(self.snapshot())
        return Accepted(self._ledger.seq)

    def _read_lines(self, from_seq: int, limit: int, secret: frozenset[int]) -> tuple[AuditLine, ...]:
        lines: list[AuditLine] = []
        for entry in self._journal.read(from_seq):
            if isinstance(entry, Entry):
                lines.append(audit_line(entry, secret))
            if len(lines) == limit:
                break
        return tuple(lines)


def _asks_to_go_on(items: Sequence[Item]) -> bool:
    return any(isinstance(item, Asked) and isinstance(item.command.action, Resume) for item in items)
