"""A real table with a real shoe driver over a pseudo-terminal, recorded as a live table is."""

import asyncio
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from controller.acts.catalogue import Bet, Close, Decision, End, Observation, Reveal
from controller.config import TableConfig
from controller.devices.kept import RecordedJournal, recorder_handle
from controller.devices.shoes import shoe_reader
from controller.journal.copying import write_entry
from controller.ports import SystemClock
from controller.recording.format import MessageKind, RecordedSource
from controller.recording.recording_reader import Recorded, Recording
from controller.recording.segments import SegmentWriter
from controller.rules import load_rules
from controller.runtime.api import Accepted, Action, Command, Observe, Resume, TableSnapshot
from controller.runtime.door import TableDoor, TableTask
from controller.runtime.inbox import TableLimits
from controller.runtime.ledger import house_before_profiles
from controller.runtime.restore import Identity, start
from drivers.simulated import PtyShoe


class RecordedTable:
    """`async with RecordedTable(folder) as table`: a table that records, as a house's does."""

    def __init__(self, folder: Path, shoe: Any = None, **section: object) -> None:
        self.folder = folder
        self.shoe = shoe or PtyShoe()
        self.config = TableConfig.model_validate(
            {
                "table": {"name": "BJ7", "rules": "spielbank"},
                "journal": {"file": folder / "t.journal", "slow_ms": 60_000},
                "shoe": {"port": self.shoe.port, **section},
                "recording": {"enabled": True, "reserve_mb": 0},
            }
        )
        self.clock = SystemClock()
        self._presses = 0

    async def __aenter__(self) -> Self:
        rules = load_rules("spielbank", {}, Path())
        self.journal = RecordedJournal.open(self.config.journal.file, self.clock)
        ledger = start(
            self.journal, Identity("BJ7", rules, "EUR", house_before_profiles("spielbank")), "live", "test"
        )
        limits = TableLimits(journal_slow_ms=60_000)
        self.door = TableDoor(self.journal, ledger, self.clock, mode="live", limits=limits)
        self.table = TableTask(self.door)
        self.recorder = recorder_handle(
            self.config, rules, "live", journal=self.journal, clock=self.clock, post=self.table.post
        )
        self.recorder.open()
        self._task = asyncio.create_task(self.table.run())
        assert self.config.shoe is not None
        self.driver = shoe_reader(self.config.shoe, self.clock, "k3f", self.table.post, self.recorder.tap)
        self.driver.open()
        await self.until(lambda: self.now.seq > ledger.seq)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await asyncio.to_thread(self.driver.close)
        await asyncio.to_thread(self.recorder.close)
        self._task.cancel()
        with suppress(asyncio.CancelledError):
            await self._task
        self.journal.close()
        self.shoe.close()

    @property
    def now(self) -> TableSnapshot:
        return self.table.hub.latest()

    @property
    def recordings(self) -> list[Path]:
        return sorted((self.folder / "t.recordings").glob("*.mcap"))

    async def ask(self, action: Action) -> Accepted:
        self._presses += 1
        answer = await self.table.submit(
            Command(f"press-{self.now.seq}-{self._presses}", "p7", "pit", None, action)
        )
        assert isinstance(answer, Accepted), answer
        return answer

    async def say(self, *observations: Observation) -> None:
        for observation in observations:
            await self.ask(Observe(observation))

    async def deal(self, *cards: str) -> None:
        """Cards out of the shoe, such as `10s`; each is on the table, or waits, before the next is drawn."""
        for card in cards:
            before = self.now.seq
            self.shoe.deal(card[:-1], card[-1])
            await self.until(lambda: self.now.seq > before)  # noqa: B023 - awaited within the turn

    async def until(self, holds: Callable[[], bool], timeout_s: float = 60.0) -> None:
        async with asyncio.timeout(timeout_s):
            while not holds():
                await asyncio.sleep(0.002)


OPENING = (Bet(1, 0, 1000), Close())
DEAL = ("10s", "9h", "7d", "8c")
ENDING = (Decision(1, 1, "stand"), Reveal(), End())


def changed(
    recording: Path,
    path: Path,
    change: Callable[[Recorded], Iterable[Recorded]],
    *,
    table: bool = True,
    mode: str = "live",
) -> Path:
    """Write a recording again, with other messages in place of some; without `table`, no journal before.

    `mode` is what the session says of itself.
    """
    with Recording(recording) as old:
        history = b"".join(write_entry(entry) + b"\n" for entry in old.history if table)
        kinds: dict[str, list[MessageKind]] = {}
        for kind, source in old.settings:
            kinds.setdefault(source, []).append(kind)
        settings = {source: settings for (_, source), settings in old.settings.items()}
        sources = [RecordedSource(name, tuple(kinds[name]), settings[name]) for name in kinds if name]
        name = path.name.removesuffix(".mcap")
        writer = SegmentWriter(path.parent, name, old.session._replace(mode=mode), sources, history)
        for recorded in old:
            for one in change(recorded):
                writer.write(one.kind, one.source, one.mono_ns, one.data)
        writer.close()
    return path


def two_rounds(folder: Path, shoe: Any = None, **section: object) -> Path:
    """Record a round that settles, and one in which the line is lost and comes back; give the recording."""
    table = RecordedTable(folder, shoe, **section)

    async def story() -> None:
        async with table:
            await table.say(*OPENING)
            await table.deal(*DEAL)
            await table.say(*ENDING)
            await table.say(*OPENING)
            await table.deal("10d", "6s", "5h")
            table.shoe.unplug()
            await table.until(lambda: bool(table.now.holds))
            table.shoe.plug()
            await table.until(lambda: ("shoe", "live") in table.door.ledger.devices)
            await table.deal("9c")
            await table.ask(Resume())
            await table.say(Decision(1, 1, "hit"))
            await table.deal("Ks")
            await table.say(Reveal(), End())

    asyncio.run(story())
    (recording,) = table.recordings
    return recording


def shift(folder: Path) -> list[Path]:
    """Two runs of one table's program: a round and another one, then, after a restart, a third."""

    async def story(deals: tuple[tuple[str, ...], ...]) -> None:
        async with RecordedTable(folder) as table:
            if table.now.holds:
                await table.ask(Resume())
            for deal in deals:
                await table.say(*OPENING)
                await table.deal(*deal)
                await table.say(*ENDING)

    asyncio.run(story((DEAL, ("10d", "Qs", "9c", "9d"))))
    asyncio.run(story((("Kd", "9s", "8c", "8d"),)))
    return sorted((folder / "t.recordings").glob("*.mcap"))
