"""A table on a real journal file, and the observations of a short round, for the tests of this folder."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Self

from controller.acts.catalogue import Bet, CardSeen, Close, Decision, Observation, Reveal
from controller.domain import Rank, RuleSet
from controller.journal.entry import Entry
from controller.journal.store import Journal, JournalReader
from controller.ports import Health, Report, SystemClock
from controller.rules import load_rules
from controller.runtime.api import (
    Accepted,
    Action,
    Command,
    NameCard,
    Observe,
    Rejected,
    Role,
    TableSnapshot,
)
from controller.runtime.decide import TableDevices
from controller.runtime.door import TableDoor, TableTask
from controller.runtime.felt_witness import ContradictionDetector
from controller.runtime.inbox import TableLimits
from controller.runtime.ledger import house_before_profiles
from controller.runtime.restore import Identity, start

RULES: RuleSet = load_rules("spielbank", {}, Path())
HOUSE = house_before_profiles("spielbank")
IDENTITY = Identity("T1", RULES, "EUR", HOUSE)
PATIENT = TableLimits(journal_slow_ms=60_000)
"""A busy machine's disk is slow, and holds no table of these tests."""

PATIENCE_S = 60.0
"""How long an answer may take on a busy machine; what takes longer does not come."""

LIVE = (Health("shoe", "shoe", "live", "pty", 5, ""),)


class Bench:
    """A running table: `async with Bench(path) as bench` starts it as the program would."""

    def __init__(
        self,
        path: Path,
        *,
        limits: TableLimits = PATIENT,
        detector: ContradictionDetector | None = None,
        identity: Identity = IDENTITY,
        named: Callable[[NameCard, str], None] = lambda _action, _who: None,
    ) -> None:
        self.clock = SystemClock()
        self.journal = Journal.open(path, self.clock)
        self.ledger = start(self.journal, identity, "simulation", "test")
        self._limits, self._detector, self._named = limits, detector, named
        self._numbers = iter(range(1, 10_000))

    async def __aenter__(self) -> Self:
        self.door = TableDoor(
            self.journal,
            self.ledger,
            self.clock,
            mode="simulation",
            devices=TableDevices(lambda: LIVE, card_named=self._named),
            limits=self._limits,
            detector=self._detector,
        )
        self.table = TableTask(self.door)
        self._task = asyncio.create_task(self.table.run())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)
        self.journal.close()

    @property
    def now(self) -> TableSnapshot:
        return self.table.hub.latest()

    async def ask(
        self, action: Action, *, role: Role = "pit", seq: int | None = None, command_id: str | None = None
    ) -> Accepted | Rejected:
        name = command_id or f"press-{self.ledger.seq}-{next(self._numbers)}"
        async with asyncio.timeout(PATIENCE_S):
            return await self.table.submit(Command(name, "p7", role, seq, action))

    async def say(self, *observations: Observation) -> None:
        """People's facts; each has to be accepted."""
        for observation in observations:
            answer = await self.ask(Observe(observation))
            assert isinstance(answer, Accepted), answer

    async def shoe(self, *observations: Observation) -> None:
        """The shoe's facts, one report each; returns when the table has taken them."""
        for observation in observations:
            before = self.now.seq
            self.table.post(Report("shoe", self.clock.mono_ns(), (observation,)))
            await self.until(lambda: self.now.seq > before)  # noqa: B023 - awaited within the turn

    async def until(self, holds: Callable[[], bool], timeout_s: float = PATIENCE_S) -> None:
        async with asyncio.timeout(timeout_s):
            while not holds():
                await asyncio.sleep(0.002)


def cards(*ranks: Rank) -> tuple[CardSeen, ...]:
    return tuple(CardSeen(rank, "s", by="shoe") for rank in ranks)


OPENING = (Bet(1, 0, 1000), Close())
DEAL = cards("10", "9", "7", "8")
"""Box 1: 10 and 7; dealer: 9 open, 8 face down."""
ENDING = (Decision(1, 1, "stand"), Reveal())


def entries(path: Path) -> list[Entry]:
    """What the journal holds, in order."""
    reader = JournalReader(path)
    found = [entry for entry in reader.read() if isinstance(entry, Entry)]
    reader.close()
    return found
